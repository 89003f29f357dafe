"""Permutation trace: an interpreter runs the session, and each order of the values needs a state."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, PermutationTrace
from support.task_examples import assert_counts_are_near, states_before_tokens

TASKS = [
    PermutationTrace(12),
    PermutationTrace(1, 2),
    PermutationTrace(9, 3, printed=100),
    PermutationTrace(9, 4, printed=0, least_length=2),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 60)


def session(task: PermutationTrace, tokens: list[int]) -> dict[int, int]:
    """Run a trace as Python, and return the printed value by the place of its print. Shown values must be the printed ones."""
    names = [f"v{number}" for number in range(task.variables)]
    lines = [f"{', '.join(names)} = {', '.join(map(str, tokens[: task.variables]))}", "out = {}"]
    swaps = list(itertools.combinations(names, 2))
    for place, token in enumerate(tokens[task.variables :], start=task.variables):
        if token < task.variables:
            lines.append(f"shown.append((out[{place - 1}], {token}))")
        elif token < task.first_print:
            one, other = swaps[token - task.variables]
            lines.append(f"{one}, {other} = {other}, {one}")
        else:
            lines.append(f"out[{place}] = {names[token - task.first_print]}")
    space: dict = {"shown": []}
    exec("\n".join(lines), space)
    assert all(printed == shown for printed, shown in space["shown"])
    return space["out"]


@pytest.mark.parametrize("task", TASKS, ids=repr)
@pytest.mark.parametrize("evaluate", [False, True])
def test_examples_are_sessions(task, evaluate):
    batch = task.sample(0, 60, 4, evaluate)
    counts = set()
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        printed = session(task, inputs[:tokens])
        assert printed == {place: target for place, target in enumerate(targets) if target != NOTHING_ASKED}
        assert tokens - 1 in printed
        assert {*inputs[tokens:], 0} == {0}
        counts.add(tokens - task.variables - len(printed) + 1)
    assert counts <= set(range(task.least_length, task.length + 1))
    assert not evaluate or counts == {task.length}


def test_distribution():
    """Orders, statements and printed variables are uniform."""
    task = PermutationTrace(2, 3, printed=40, least_length=2)
    batch = task.sample(0, 30_000, 1)
    orders = Counter(map(tuple, batch.inputs[:, :3].tolist()))
    assert_counts_are_near(orders, dict.fromkeys(itertools.permutations(range(3)), 1 / 6), 30_000)
    first = Counter(batch.inputs[:, 3].tolist())
    assert_counts_are_near(first, {token: 0.2 if token < 6 else 0.4 / 3 for token in range(3, 9)}, 30_000)
    last = Counter(batch.inputs[np.arange(30_000), batch.lengths - 1].tolist())
    assert_counts_are_near(last, dict.fromkeys(range(6, 9), 1 / 3), 30_000)


def traces(task: PermutationTrace):
    """Every trace of two statements whose first is a swap: all of one number of tokens."""
    for order in itertools.permutations(range(task.variables)):
        for swap in range(task.variables, task.first_print):
            for asked in range(task.first_print, task.vocabulary):
                yield (*order, swap, asked)


@pytest.mark.parametrize("variables", [2, 3])
def test_answer_bits_by_counting_states(variables):
    task = PermutationTrace(2, variables)
    assert task.answer_bits() == (states_before_tokens(task, traces(task)) - 1).bit_length()
    assert PermutationTrace(2**20).answer_bits() == 7


def test_shortcut_of_a_shown_value():
    """A value that was shown is right until its variable is swapped, and wrong after one swap."""
    task = PermutationTrace(3, 3)
    assert task.solve((0, 1, 2, 7, 1, 7)) == 1
    assert task.solve((0, 1, 2, 7, 1, 3, 7)) == 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: PermutationTrace(0), "length is 1 to 2^20 statements, found 0"),
        (lambda: PermutationTrace(9, 65), "variables is 2 to 64, found 65"),
        (lambda: PermutationTrace(9, printed=101), "printed is 0 to 100 percent, found 101"),
        (lambda: PermutationTrace(9, 2).solve((0, 0, 3)), "expected 2 different values first and a print at the end"),
        (lambda: PermutationTrace(9, 2).solve((0, 1, 2)), "expected 2 different values first and a print at the end"),
        (lambda: PermutationTrace(9).alphabets(9), "the inputs are not a product of alphabets"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()


def test_readable():
    shown = PermutationTrace(3, 3).readable((2, 0, 1, 4, 6, 1, 8), 2)
    assert shown == {"values": [2, 0, 1], "statements": ["swap 0 2", "print 0 -> 1", "print 2"], "answer": 2}
