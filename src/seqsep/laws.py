"""What every task, mixer and theorem must obey, callable by outside authors.

Each function raises AssertionError with the call and the difference found; none returns anything. `MIXER_LAWS` names the laws
of a mixer one by one, and `verdict` tries one of them and says in words where it fails.
"""

import itertools
from collections.abc import Callable

import numpy as np

from seqsep._mixer_laws import (
    MIXER_LAWS,
    TOLERANCE,
    LawFails,
    Verdict,
    _steps,
    check_mixer,
    examples_stay_apart,
    forward_at_equals_forward,
    forward_equals_step,
    forward_is_causal,
    gradients_are_right,
    look_equals_step,
    nothing_is_kept,
    numbers_are_finite,
    padding_changes_nothing,
    shapes_and_types,
    state_is_counted,
    state_survives_as_bytes,
    subject,
    surroundings_stay,
    verdict,
)
from seqsep.stream import Use
from seqsep.tasks import EVERY_CLASS, NOTHING_ASKED, Task
from seqsep.theorems import Theorem

__all__ = [
    "MIXER_LAWS",
    "TOLERANCE",
    "LawFails",
    "Verdict",
    "_steps",
    "check_mixer",
    "check_task",
    "check_task_answers",
    "check_theorem",
    "examples_stay_apart",
    "forward_at_equals_forward",
    "forward_equals_step",
    "forward_is_causal",
    "gradients_are_right",
    "look_equals_step",
    "nothing_is_kept",
    "numbers_are_finite",
    "padding_changes_nothing",
    "shapes_and_types",
    "state_is_counted",
    "state_survives_as_bytes",
    "subject",
    "surroundings_stay",
    "verdict",
]


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


def check_theorem(theorem: Theorem) -> None:
    """A theorem's check runs with its defaults, tries inputs, and reports the same quantities on both sides."""
    outcomes = theorem.check()
    assert outcomes, f"{theorem.name}: no outcome"
    for outcome in outcomes:
        assert outcome.theorem == theorem.name, f"{theorem.name}: an outcome of {outcome.theorem}"
        assert outcome.inputs > 0, f"{theorem.name}: no input tried"
        assert outcome.measured.keys() == outcome.bound.keys(), f"{theorem.name}: measured and bound differ in keys"
        assert outcome.holds, f"{theorem.name}: {outcome}"
