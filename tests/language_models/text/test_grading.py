"""An answer is cut out of a text and compared: exactly for lookups, as the benchmark defines it for HotpotQA."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqsep.commands.text import in_words
from seqsep.language_models.text.accuracy import accuracies
from seqsep.language_models.text.exact_match import normalised
from seqsep.language_models.text.hotpotqa import END, MARK
from seqsep.language_models.text.language_model import Completion, Facts
from seqsep.language_models.text.question import Question
from seqsep.language_models.text.reply import Reply

LOOKUP = Question({"task": "phonebook", "length": 3}, "Answer:", "0123", end=r"\n", most_tokens=8)
FREE = Question(
    {"task": "hotpotqa", "length": 2},
    "Thought:",
    "The Beatles",
    end=END,
    most_tokens=8,
    mark=MARK,
    grading="normalised",
)
FACTS = Facts("tiny", sha256="0", dtype="float32", architecture="none", parameters=0, context=None)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (" 0123", True),
        (" 0123\n", True),
        ("0123\nQuestion: What is the number of", True),
        ("  0123 \n", True),
        (" 01234\n", False),
        (" 012\n", False),
        (" 123\n", False),
        (" 0 1 2 3\n", False),
        (" 0123.\n", False),
        ("\n0123\n", False),
        ("", False),
    ],
)
def test_a_number_is_right_exactly(text, right):
    assert LOOKUP.is_right(LOOKUP.written(text)) is right


@pytest.mark.parametrize(
    ("text", "written", "right"),
    [
        (" They played.\nAnswer: Beatles\n\nTitle", "Beatles", True),
        (" They played.\nAnswer: the  BEATLES!", "the  BEATLES!", True),
        (" They played.\nAnswer: Beatles and Stones\n", "Beatles and Stones", False),
        (" They played.\nAnswer: Stones\nAnswer: Beatles\n", "Stones", False),
        (" They played.\n\nAnswer: Beatles\n", "", False),
        (" The Beatles", "", False),
        (" Answer: Beatles\n", "Beatles", True),
    ],
)
def test_an_answer_after_a_thought(text, written, right):
    assert FREE.written(text) == written
    assert FREE.is_right(written) is right


def test_a_text_ends_with_its_answer():
    assert not FREE.is_complete(" They played.\nAnswer: Beat")
    assert FREE.is_complete(" They played.\nAnswer: Beatles\n")
    assert FREE.is_complete(" They played.\n\n")


def reply(question, tokens, answer=(5, 6, 7)):
    """The reply of a model that writes some tokens."""
    return Reply.of(question, FACTS, Completion("", tokens, state_bits=None), prompt_tokens=1, answer_tokens=answer)


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ((), 0),
        ((9, 6, 7), 0),
        ((9, 5, 6, 7), 0),
        ((5,), 1),
        ((5, 9, 7), 1),
        ((5, 6), 2),
        ((5, 6, 9, 7), 2),
        ((5, 6, 7), 3),
        ((5, 6, 7, 8, 5, 6, 7), 3),
    ],
)
def test_tokens_are_right_up_to_the_first_that_differs(written, right):
    found = reply(LOOKUP, written)
    assert (found.tokens_right, found.tokens) == (right, 3)


def test_tokens_of_all_answers_are_counted_together():
    """Long answers weigh more: 1 of 3, 2 of 2 and 0 of 4 tokens are a third of 9. Free text has none to count."""
    replies = [reply(LOOKUP, (5, 9, 7)), reply(LOOKUP, (5, 6, 7), answer=(5, 6)), reply(LOOKUP, (), answer=(5, 6, 7, 8))]
    (found,) = accuracies(replies)
    assert found.tokens_right == 3 / 9
    assert "; of the answers' tokens 33.3 %; " in in_words(found)
    assert {cell.tokens_right for cell in accuracies([reply(FREE, (5, 6, 7), answer=())])} == {None}


def by_definition(answer):
    """The benchmark's sentence, one letter and one word at a time."""
    kept = "".join(letter for letter in answer.lower() if letter not in string.punctuation)
    without = re.sub(r"\b(?:a|an|the)\b", " ", kept)
    return " ".join(word for word in without.split() if word)


@given(st.text(alphabet=st.sampled_from("aAnthe .,!-'x\t\n\u00e9\u2019"), max_size=20))
def test_normalisation_is_the_benchmarks(answer):
    assert normalised(answer) == by_definition(answer)
    assert normalised(normalised(answer)) == normalised(answer)


@pytest.mark.parametrize(
    ("answer", "normal"),
    [
        ("The U.S.A.", "usa"),
        ("An apple, a pear", "apple pear"),
        ("theatre", "theatre"),
        ("yes.", "yes"),
        ("a", ""),
        ("  two   words ", "two words"),
        ("rock-'n'-roll", "rocknroll"),
    ],
)
def test_known_normal_forms(answer, normal):
    assert normalised(answer) == normal
