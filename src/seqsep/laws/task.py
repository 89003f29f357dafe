"""What every task must obey, callable by outside authors. Raises AssertionError with the call and the difference."""

import itertools
from collections.abc import Callable

import numpy as np

from seqsep.stream import Use
from seqsep.tasks import EVERY_CLASS, NOTHING_ASKED, Task


def check_task(task: Task, count: int = 200, seed: int = 5) -> None:
    """Every law of a task: examples by index, shapes and ranges, and answers that `solve` gives too, where a task has it."""
    for evaluate in (False, True):
        whole = task.sample(0, count, seed, evaluate)
        assert whole.inputs.shape[:2] == whole.targets.shape == (count, task.longest), f"{task!r}: shapes {whole.inputs.shape}"
        if task.coordinates:
            assert whole.inputs.shape[2:] == (task.coordinates,), f"{task!r}: vectors of {whole.inputs.shape[2:]} coordinates"
            assert np.isfinite(whole.inputs).all(), f"{task!r}: a coordinate that is not finite"
        else:
            assert whole.inputs.min() >= 0, f"{task!r}: a token below 0"
            assert whole.inputs.max() < task.vocabulary, f"{task!r}: token {whole.inputs.max()} of {task.vocabulary}"
        for start in (count - 1, 1, count // 2):
            part = task.sample(start, count - start, seed, evaluate)
            assert np.array_equal(part.inputs, whole.inputs[start:]), f"{task!r}: examples depend on the block, start {start}"
            assert np.array_equal(part.targets, whole.targets[start:]), f"{task!r}: targets depend on the block, start {start}"
        for inputs, targets, tokens in zip(whole.inputs, whole.targets, whole.lengths, strict=True):
            asked = np.flatnonzero(targets != NOTHING_ASKED)
            assert len(asked), f"{task!r}: an example asks nothing"
            assert asked[-1] < tokens <= task.longest, f"{task!r}: a question behind the last token"
            least = 0 if task.loss == "cross-entropy" else EVERY_CLASS
            assert least <= targets[asked].min() <= targets[asked].max() < task.classes, (
                f"{task!r}: an answer outside the classes"
            )
            for position in asked if getattr(task, "solves", True) else ():
                given = (
                    tuple(map(tuple, inputs[: position + 1])) if task.coordinates else tuple(inputs[: position + 1].tolist())
                )
                assert task.solve(given) == targets[position], f"{task!r}: solve({given}) is not {targets[position]}"
    training, evaluation = (task.sample(0, count, seed, evaluate).inputs for evaluate in (False, True))
    assert not np.array_equal(training, evaluation), f"{task!r}: training and evaluation draw the same ({list(Use)})"


def check_task_answers(task: Task, length: int, expected: Callable[[tuple[int, ...]], int]) -> None:
    """`solve` agrees with an independent definition on every input of one length."""
    answer = task.function(length)
    for inputs in itertools.product(*task.alphabets(length)):
        assert answer(inputs) == expected(inputs), f"{task!r}: solve({inputs}) = {answer(inputs)}, expected {expected(inputs)}"
