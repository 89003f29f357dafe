"""An answer is cut out of a text and compared: exactly for lookups, as the benchmark defines it for HotpotQA."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqsep.text.exact_match import normalised
from seqsep.text.hotpotqa import END, MARK
from seqsep.text.question import Question

LOOKUP = Question({"task": "phonebook"}, "Answer:", "0123", end=r"\n", most_tokens=8)
FREE = Question({"task": "hotpotqa"}, "Thought:", "The Beatles", end=END, most_tokens=8, mark=MARK, grading="normalised")


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
def test_an_answer_behind_a_thought(text, written, right):
    assert FREE.written(text) == written
    assert FREE.is_right(written) is right


def test_a_text_ends_with_its_answer():
    assert not FREE.is_complete(" They played.\nAnswer: Beat")
    assert FREE.is_complete(" They played.\nAnswer: Beatles\n")
    assert FREE.is_complete(" They played.\n\n")


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
