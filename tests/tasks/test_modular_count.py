"""Modular count against its definition, its distribution, and the states of exact lengths."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, ModularCount, WordProblem
from support.task_examples import assert_counts_are_near, states_before_tokens

TASKS = [ModularCount(12), ModularCount(9, 3, 4, "last"), ModularCount(1), ModularCount(9, 50, least_length=4)]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 40)


@pytest.mark.parametrize(("modulus", "alphabet", "ask"), [(2, 2, "all"), (3, 3, "last"), (5, 2, "all")])
def test_every_input_is_the_definition(modulus, alphabet, ask):
    """A hand turns by one for each 1."""

    def expected(word: tuple[int, ...]) -> int:
        hand = 0
        for token in word:
            hand = [*range(1, modulus), 0][hand] if token == 1 else hand
        return hand

    task_laws.check_task_answers(ModularCount(5, modulus, alphabet, ask), 5, expected)


def test_a_count_is_the_word_problem_of_its_cyclic_group():
    """Letter 0 is the neutral element and letter 1 the turn: the same inputs have the same answers."""
    group = WordProblem(6, "cyclic", 3, "generators")
    task = ModularCount(6, 3)
    for word in itertools.product(range(2), repeat=6):
        images = group.elements[group.solve(word)]
        assert images[0] == task.solve(word)
    assert all(ModularCount(n, 3).answer_bits() == WordProblem(n, "cyclic", 3, "generators").answer_bits() for n in range(1, 9))


@pytest.mark.parametrize("ask", ["all", "last"])
def test_queries_and_lengths(ask):
    task = ModularCount(6, 3, ask=ask, least_length=2)
    batch = task.sample(0, 300, 2)
    symbols = batch.lengths - (ask == "last")
    assert set(symbols.tolist()) == {2, 3, 4, 5, 6}
    for targets, count, tokens in zip(batch.targets, symbols.tolist(), batch.lengths.tolist(), strict=True):
        asked = np.flatnonzero(targets != NOTHING_ASKED).tolist()
        assert asked == ([tokens - 1] if ask == "last" else list(range(count)))
    assert set(task.sample(0, 50, 2, evaluate=True).lengths.tolist()) == {6 + (ask == "last")}


def test_symbols_are_uniform():
    words = Counter(map(tuple, ModularCount(2, alphabet=3, least_length=2).sample(0, 20_000, 3).inputs.tolist()))
    assert_counts_are_near(words, {(a, b): 1 / 9 for a in range(3) for b in range(3)}, 20_000)


@pytest.mark.parametrize(("modulus", "ask"), [(2, "all"), (3, "last"), (5, "all"), (5, "last"), (9, "last")])
def test_answer_bits_by_counting_states(modulus, ask):
    for length in range(1, 7):
        task = ModularCount(length, modulus, ask=ask)
        inputs = itertools.product(*task.alphabets(length))
        assert task.answer_bits() == (states_before_tokens(task, inputs) - 1).bit_length()


def test_shortcut_of_a_large_modulus():
    """Up to m - 1 symbols no count turns over."""
    batch = ModularCount(9, 10).sample(0, 100, 3)
    counts = np.cumsum(batch.inputs == 1, axis=1)
    assert np.array_equal(batch.targets[batch.targets >= 0], counts[batch.targets >= 0])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ModularCount(5, 1), "modulus is 2 to 2^20, found 1"),
        (lambda: ModularCount(5, alphabet=1), "alphabet is 2 to 2^30 symbols, found 1"),
        (lambda: ModularCount(5, ask="pointer"), "ask is one of all, last, found 'pointer'"),
        (lambda: ModularCount(5, ask="last").solve((1, 1)), "expected the end token 2 at the end, found (1, 1)"),
        (lambda: ModularCount(5).solve(()), "expected letters 0 to 1, found ()"),
        (lambda: ModularCount(5).solve((2,)), "expected letters 0 to 1, found (2,)"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()


def test_readable():
    assert ModularCount(3, ask="last").readable((1, 0, 1, 2), 0) == {"symbols": [1, 0, 1], "answer": 0}
    assert ModularCount(3).readable((1, 0), 1) == {"symbols": [1, 0], "answer": 1}
