"""The laws of every task, callable by outside authors. Raises LawFails with the call and the difference."""

import itertools
from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Int64

from seqsep.laws._failure import LawFails
from seqsep.stream import Use
from seqsep.tasks import EVERY_CLASS, NOTHING_ASKED, Batch, Task

__all__ = ["LawFails", "check_task", "check_task_answers"]

Blocks = Mapping[bool, Batch]
"""A block of examples of each stream, by whether it is evaluation."""


def check_task(task: Task, count: int = 200, seed: int = 5) -> None:
    """Try every law of a task on `count` examples of each stream.

    Examples are made by index, shapes and ranges are as declared, and `solve`, if the task has it, gives the same answers.

    >>> from seqsep.tasks import IndexLookup
    >>> check_task(IndexLookup(length=6, alphabet=4), count=20)
    """
    blocks = {evaluate: task.sample(0, count, seed, evaluate) for evaluate in (False, True)}
    for law in TASK_LAWS.values():
        law(task, blocks, seed)


def inputs_as_declared(task: Task, blocks: Blocks, seed: int) -> None:
    """Shapes and ranges of both streams are those that the task declares."""
    for batch in blocks.values():
        _inputs_are_as_declared(task, batch)


def _require(condition: bool | np.bool_, task: Task, broken: str) -> None:
    if not condition:
        raise LawFails(f"{task!r}: {broken}")


def _inputs_are_as_declared(task: Task, batch: Batch) -> None:
    shape = (len(batch.lengths), task.longest)
    _require(batch.inputs.shape[:2] == batch.targets.shape == shape, task, f"shapes {batch.inputs.shape}")
    if task.coordinates:
        vector = batch.inputs.shape[2:]
        _require(vector == (task.coordinates,), task, f"vectors of {vector} coordinates")
        _require(np.isfinite(batch.inputs).all(), task, "a coordinate that is not finite")
    else:
        _require(batch.inputs.min() >= 0, task, "a token below 0")
        _require(batch.inputs.max() < task.vocabulary, task, f"token {batch.inputs.max()} of {task.vocabulary}")


def examples_by_index(task: Task, blocks: Blocks, seed: int) -> None:
    """Example i is the same in every block that has it."""
    for evaluate, batch in blocks.items():
        count = len(batch.lengths)
        for start in (count - 1, 1, count // 2):
            _same_examples(task, task.sample(start, count - start, seed, evaluate), batch, start)


def _same_examples(task: Task, part: Batch, whole: Batch, start: int) -> None:
    """The examples from `start` on are those of the whole block."""
    _require(np.array_equal(part.inputs, whole.inputs[start:]), task, f"examples depend on the block, start {start}")
    _require(np.array_equal(part.targets, whole.targets[start:]), task, f"targets depend on the block, start {start}")


def right_answers(task: Task, blocks: Blocks, seed: int) -> None:
    """Every example asks something, answers are classes, and `solve`, if the task has it, gives them too."""
    for batch in blocks.values():
        for inputs, targets, tokens in zip(batch.inputs, batch.targets, batch.lengths, strict=True):
            _answers_are_right(task, inputs, targets, int(tokens))


def _answers_are_right(task: Task, inputs: np.ndarray, targets: Int64[np.ndarray, "time"], tokens: int) -> None:
    """One example asks something before its end, its answers are classes, and `solve` gives them too."""
    asked = np.flatnonzero(targets != NOTHING_ASKED)
    _require(len(asked) > 0, task, "an example asks nothing")
    _require(asked[-1] < tokens <= task.longest, task, "a question after the last token")
    answers = targets[asked]
    least = 0 if task.loss == "cross-entropy" else EVERY_CLASS
    _require(least <= answers.min() <= answers.max() < task.classes, task, "an answer outside the classes")
    if not getattr(task, "solves", True):
        return
    for position in asked:
        before = inputs[: position + 1]
        question = tuple(map(tuple, before)) if task.coordinates else tuple(before.tolist())
        if task.solve(question) != targets[position]:
            raise LawFails(f"{task!r}: solve({question}) is not {targets[position]}")


def streams_apart(task: Task, blocks: Blocks, seed: int) -> None:
    """Training and evaluation draw other examples."""
    differ = not np.array_equal(blocks[False].inputs, blocks[True].inputs)
    _require(differ, task, f"training and evaluation draw the same ({list(Use)})")


TASK_LAWS: dict[str, Callable[[Task, Blocks, int], None]] = {
    "inputs as declared": inputs_as_declared,
    "examples by index": examples_by_index,
    "right answers": right_answers,
    "streams apart": streams_apart,
}
"""Each is called with the task, a block of training and one of evaluation examples from index 0 on, and their seed."""


def check_task_answers(task: Task, length: int, expected: Callable[[tuple[int, ...]], int]) -> None:
    """Compare `solve` with an independent definition on every input of one length.

    >>> from seqsep.tasks import IndexLookup
    >>> check_task_answers(IndexLookup(length=3, alphabet=2), 3, lambda tokens: tokens[tokens[-1] - 2])
    """
    answer = task.function(length)
    for inputs in itertools.product(*task.alphabets(length)):
        found = answer(inputs)
        wanted = expected(inputs)
        if found != wanted:
            raise LawFails(f"{task!r}: solve({inputs}) = {found}, expected {wanted}")
