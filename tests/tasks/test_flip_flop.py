"""Flip-flop against its definition, its distribution, and the states of exact lengths."""

import itertools
import re

import numpy as np
import pytest

from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, FlipFlop
from support.task_examples import states_before_tokens

TASKS = [FlipFlop(20), FlipFlop(12, 3, 4, 20), FlipFlop(2, 2, 3), FlipFlop(9, 2, 2, 0, least_length=3)]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 100)


def last_written(task: FlipFlop, word: tuple[int, ...]) -> int:
    """By searching back from the read."""
    *before, asked = word
    writes = range((asked - task.first_read) * task.values, (asked - task.first_read + 1) * task.values)
    return next((token % task.values for token in reversed(before) if token in writes), 0)


@pytest.mark.parametrize(("registers", "values"), [(1, 2), (2, 2), (1, 3)])
def test_every_input_is_the_definition(registers, values):
    task = FlipFlop(4, registers, values)
    task_laws.check_task_answers(task, 4, lambda word: last_written(task, word))


@pytest.mark.parametrize("task", TASKS, ids=repr)
@pytest.mark.parametrize("evaluate", [False, True])
def test_every_read_is_asked_and_nothing_else(task, evaluate):
    batch = task.sample(0, 200, 4, evaluate)
    lengths = set()
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        lengths.add(tokens)
        for place, token in enumerate(inputs[:tokens]):
            is_read = task.first_read <= token < task.first_ignored
            assert targets[place] == (last_written(task, tuple(inputs[: place + 1])) if is_read else NOTHING_ASKED)
        assert task.first_read <= inputs[tokens - 1] < task.first_ignored
        assert {*inputs[tokens:], 0} == {0}
        assert {*targets[tokens:], NOTHING_ASKED} == {NOTHING_ASKED}
    assert lengths == ({task.length} if evaluate else set(range(task.least_length, task.length + 1)))


def test_distribution():
    task = FlipFlop(50, 2, 3, ignored=40)
    tokens = task.sample(0, 2000, 1, evaluate=True).inputs
    shares = np.bincount(tokens[:, :-1].ravel(), minlength=task.vocabulary) / tokens[:, :-1].size
    expected = np.array([0.3 / 6] * 6 + [0.3 / 2] * 2 + [0.4 / 3] * 3)
    assert abs(shares - expected).max() < 0.005
    last = np.bincount(tokens[:, -1], minlength=task.vocabulary)[6:8]
    assert abs(last - 1000).max() < 5 * np.sqrt(500)


@pytest.mark.parametrize(("registers", "values", "longest"), [(1, 2, 5), (1, 3, 4), (2, 2, 4), (3, 2, 3)])
def test_answer_bits_by_counting_states(registers, values, longest):
    for length in range(2, longest + 1):
        task = FlipFlop(length, registers, values)
        inputs = itertools.product(*task.alphabets(length))
        assert task.answer_bits() == (states_before_tokens(task, inputs) - 1).bit_length()
    assert FlipFlop(99, registers, values).states_after(98) == values**registers


def test_shortcut_of_the_latest_write():
    """With 4 registers of 8 values, the value of the latest write to any register is right far above 1/8."""
    task = FlipFlop(100, 4, 8, 50)
    batch = task.sample(0, 2000, 1, evaluate=True)
    is_write = batch.inputs[:, :-1] < task.first_read
    latest = task.length - 2 - is_write[:, ::-1].argmax(axis=1)
    guess = batch.inputs[np.arange(2000), latest] % task.values
    assert (guess == batch.targets[:, -1]).mean() > 0.3


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: FlipFlop(1), "length is 2 to 2^20 tokens, found 1"),
        (lambda: FlipFlop(9, 0), "registers is 1 to 1,024, found 0"),
        (lambda: FlipFlop(9, values=1), "values is 2 to 2^20, found 1"),
        (lambda: FlipFlop(9, ignored=100), "ignored is 0 to 99 percent, found 100"),
        (lambda: FlipFlop(9, least_length=1), "least_length is at least 2 tokens, found 1"),
        (lambda: FlipFlop(9).solve((1, 3)), "expected a read at the end, found (1, 3)"),
        (lambda: FlipFlop(9).solve(()), "expected a read at the end, found ()"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()


def test_readable():
    shown = FlipFlop(4, 2, 3).readable((5, 8, 1, 7), 2)
    assert shown == {"instructions": ["write 1 2", "ignore 0", "write 0 1", "read 1"], "answer": 2}
    assert FlipFlop(4, 2, 3).readable((6,), 0) == {"instructions": ["read 0"], "answer": 0}
