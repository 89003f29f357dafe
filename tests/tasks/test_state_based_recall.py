"""State-based recall against its definition, its distribution, and the states of exact lengths."""

import itertools
import re

import numpy as np
import pytest

from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, StateBasedRecall
from support.task_examples import states_before_tokens

TASKS = [StateBasedRecall(12), StateBasedRecall(1, 2, 2), StateBasedRecall(6, 3, 5, least_length=2)]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 40)


@pytest.mark.parametrize(("cells", "values"), [(2, 3), (3, 2)])
def test_every_input_is_the_definition(cells, values):
    """A mark moves through a row of cells."""
    task = StateBasedRecall(2, cells, values)
    moves = sorted(itertools.permutations(range(cells)))

    def expected(word: tuple[int, ...]) -> int:
        marked = [1] + [0] * (cells - 1)
        for token in word[cells:]:
            after = [0] * cells
            for cell, image in enumerate(moves[token - values]):
                after[image] = marked[cell]
            marked = after
        return sum(value * mark for value, mark in zip(word, marked, strict=False))

    task_laws.check_task_answers(task, 2, expected)


@pytest.mark.parametrize("evaluate", [False, True])
def test_queries_lengths_and_distribution(evaluate):
    task = StateBasedRecall(4, 3, 5, least_length=2)
    batch = task.sample(0, 3000, 2, evaluate)
    counts = np.bincount(batch.lengths - 3, minlength=5)
    lengths = [4] if evaluate else [2, 3, 4]
    assert np.flatnonzero(counts).tolist() == lengths
    assert np.array_equal((batch.targets != NOTHING_ASKED).sum(axis=1), batch.lengths - 3)
    for tokens, first, last in ((batch.inputs[:, :3], 0, 5), (batch.inputs[:, 3:5], 5, 11)):
        shares = np.bincount(tokens.ravel(), minlength=11) / tokens.size
        assert abs(shares[first:last] - 1 / (last - first)).max() < 0.02
        assert shares[first:last].sum() == pytest.approx(1)


@pytest.mark.parametrize(("cells", "values", "states"), [(2, 2, 4), (2, 3, 9), (3, 2, 20), (3, 3, 75)])
def test_answer_bits_by_counting_states(cells, values, states):
    """With one permutation the pointer is known: S^m. With two, m S^m - (m - 1) S for m >= 3, and S^2 for m = 2."""
    for length, expected in ((1, values**cells), (2, states)):
        task = StateBasedRecall(length, cells, values)
        inputs = itertools.product(*task.alphabets(length))
        assert states_before_tokens(task, inputs) == expected == task.states_after(length - 1)
        assert task.answer_bits() == (expected - 1).bit_length()


def test_counts_of_longer_inputs():
    assert StateBasedRecall(9, 4, 2).states_after(8) == 58
    assert StateBasedRecall(2**20, 6, 2**20).answer_bits() == 123


def test_shortcut_of_the_most_frequent_value():
    batch = StateBasedRecall(1, 6, 2).sample(0, 4000, 1)
    guess = (batch.inputs[:, :6].sum(axis=1) > 3).astype(int)
    assert (guess == batch.targets[:, 6]).mean() > 0.6


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: StateBasedRecall(0), "length is 1 to 2^20 permutations, found 0"),
        (lambda: StateBasedRecall(9, 7), "cells is 2 to 6, found 7"),
        (lambda: StateBasedRecall(9, values=1), "values is 2 to 2^20, found 1"),
        (lambda: StateBasedRecall(9, 2).solve((1, 2)), "expected 2 values and then permutations, found (1, 2)"),
        (lambda: StateBasedRecall(9, 2).solve((1, 8, 8)), "expected 2 values and then permutations, found (1, 8, 8)"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()


def test_readable():
    shown = StateBasedRecall(2, 3, 9).readable((7, 5, 8, 12), 5)
    assert shown == {"values": [7, 5, 8], "permutations": [[1, 2, 0]], "answer": 5}
