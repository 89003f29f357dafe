"""Membership of a regular language against Python's expressions, its walks, and the states of exact lengths."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, ModularCount, RegularLanguage
from support.task_examples import assert_counts_are_near, states_before_tokens

TASKS = [
    RegularLanguage(12),
    RegularLanguage(9, ".*01.*", alphabet=3),
    RegularLanguage(9, "(0|10*1)*", ask="last", least_length=2),
    RegularLanguage(1, "0*1*2*"),
]
PATTERNS = ["(01)*", ".*01.*", "(0|10*1)*", "0*1*", "(0|1)?1{2}", "(..)*", "(0(01)*1)*"]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 40)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_input_is_the_definition(pattern):
    """Python's own expressions match the same words."""

    def expected(word: tuple[int, ...]) -> int:
        return int(re.fullmatch(pattern.replace("..", "[01][01]"), "".join(map(str, word))) is not None)

    task_laws.check_task_answers(RegularLanguage(6, pattern), 6, expected)


@pytest.mark.parametrize("ask", ["all", "last"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_answer_bits_by_counting_states(pattern, ask):
    for length in range(1, 7):
        task = RegularLanguage(length, pattern, ask=ask)
        assert task.states_needed() == states_before_tokens(task, itertools.product(*task.alphabets(length)))
        assert task.answer_bits() == (task.states_needed() - 1).bit_length()


def test_parity_is_the_modular_count():
    task = RegularLanguage(7, "(0|10*1)*")
    for word in itertools.product(range(2), repeat=7):
        assert task.solve(word) == 1 - ModularCount(7).solve(word)


def test_walks_of_a_component_end_in_it_half_of_the_time():
    """Of (01)*, one place in 1 .. 2 n breaks the alternation, and all later letters are uniform."""
    task = RegularLanguage(4, least_length=4)
    inputs = task.sample(0, 20_000, 3).inputs
    breaks = [next((place for place in range(4) if word[place] != place % 2), 4) for word in inputs.tolist()]
    expected = dict.fromkeys(range(4), 1 / 8) | {4: 1 / 2}
    assert_counts_are_near(Counter(breaks), expected, 20_000)
    broken = inputs[np.array(breaks) == 0]
    pairs = Counter(map(tuple, broken[:, 1:3].tolist()))
    assert_counts_are_near(pairs, dict.fromkeys(itertools.product(range(2), repeat=2), 1 / 4), len(broken))


@pytest.mark.parametrize(("pattern", "moves"), [("(0|10*1)*", 0), ("(01)*", 1), (".*01.*", 2), ("0*1*2*", 3)])
def test_every_word_is_drawn(pattern, moves):
    """Also words that leave every component at once."""
    task = RegularLanguage(3, pattern, least_length=3)
    found = {tuple(word) for word in task.sample(0, 4000, 1).inputs.tolist()}
    assert found == set(itertools.product(range(task.letter_count), repeat=3))
    longest = RegularLanguage(200, pattern).sample(0, 400, 1, evaluate=True)
    ends = (longest.targets[:, -1] == longest.targets[:, -2]) & (longest.targets[:, -1] == 0)
    assert moves == 0 or ends.mean() < 0.9


def test_letters_of_a_group_are_uniform():
    words = Counter(map(tuple, RegularLanguage(2, "(0|10*1)*", least_length=2).sample(0, 20_000, 3).inputs.tolist()))
    assert_counts_are_near(words, dict.fromkeys(itertools.product(range(2), repeat=2), 1 / 4), 20_000)


@pytest.mark.parametrize("ask", ["all", "last"])
def test_queries_and_lengths(ask):
    task = RegularLanguage(6, ask=ask, least_length=2)
    batch = task.sample(0, 300, 2)
    letters = batch.lengths - (ask == "last")
    assert set(letters.tolist()) == {2, 3, 4, 5, 6}
    for targets, count, tokens in zip(batch.targets, letters.tolist(), batch.lengths.tolist(), strict=True):
        asked = np.flatnonzero(targets != NOTHING_ASKED).tolist()
        assert asked == ([tokens - 1] if ask == "last" else list(range(count)))
    assert set(task.sample(0, 50, 2, evaluate=True).lengths.tolist()) == {6 + (ask == "last")}


def test_equal_alphabets_are_equal_tasks():
    assert RegularLanguage(5, alphabet=2) == RegularLanguage(5)
    assert RegularLanguage(5, alphabet=3).letter_count == 3
    assert RegularLanguage(5).label() == "regular-language (01)*"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: RegularLanguage(5, "(01"), "pattern: regular expression '(01', character 1"),
        (lambda: RegularLanguage(5, "2*", alphabet=2), "alphabet is 0 or 3 to 36, found 2"),
        (lambda: RegularLanguage(5, ask="pointer"), "ask is one of all, last, found 'pointer'"),
        (lambda: RegularLanguage(5, ask="last").solve((1, 1)), "expected the end token 2 at the end, found (1, 1)"),
        (lambda: RegularLanguage(5).solve((2,)), "expected letters 0 to 1, found (2,)"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()


def test_readable():
    assert RegularLanguage(3, ask="last").readable((0, 1, 2), 1) == {"word": "01", "answer": 1}
    assert RegularLanguage(3, "a*").readable((10, 0), 0) == {"word": "a0", "answer": 0}
