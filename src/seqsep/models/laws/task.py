"""The laws of every task, callable by outside authors. Raises LawFails with the call and the difference."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from jaxtyping import Int64

from seqsep.core.names import BadInput
from seqsep.core.stream import Use
from seqsep.models.laws.failure import LawFails
from seqsep.tasks import EVERY_CLASS, NOTHING_ASKED, Batch, Task
from seqsep.tasks.returned import (
    arrays_of,
    wrong_alphabets,
    wrong_answer,
    wrong_arrays,
    wrong_bits,
    wrong_loss,
    wrong_readable,
    wrong_score,
)

__all__ = ["LawFails", "check_task", "check_task_answers"]

Blocks = Mapping[bool, Batch]
"""A block of examples of each stream, by whether it is evaluation."""
OTHER_SEEDS = 3
"""Seeds with which the examples of a seed are compared. Those of a task of few examples are equal under two seeds by chance."""
MOST_WRONG = 64
"""Wrong predictions of an example that are scored: a task may count answers near the right one as right."""
MOST_SHOWN = 5
"""Numbers of tokens that a message lists."""
MOST_READ = 20
"""Examples of each stream whose readable forms are made."""


def check_task(task: Task, count: int = 200, seed: int = 5) -> None:
    """Try every law of a task on `count` examples of each stream.

    Examples are made by index and depend on the seed. Shapes and ranges are as declared. `solve`, if the task has it, gives the
    same answers, and `score` distinguishes them from others.

    >>> from seqsep.tasks import IndexLookup
    >>> check_task(IndexLookup(length=6, alphabet=4), count=20)
    """
    blocks = {evaluate: task.sample(0, count, seed, evaluate) for evaluate in (False, True)}
    for batch in blocks.values():
        _refuse(wrong_arrays(task, arrays_of(batch), count), task)
    for law in TASK_LAWS.values():
        law(task, blocks, seed)


def inputs_as_declared(task: Task, blocks: Blocks, seed: int) -> None:
    """The loss, and the shapes and ranges of both streams, are those that the task declares."""
    _refuse(wrong_loss(task.loss), task)
    for size in ("longest", "classes"):
        _require(getattr(task, size) > 0, task, f"{size}: expected a whole number from 1, found {getattr(task, size)}")
    for batch in blocks.values():
        _inputs_are_as_declared(task, batch)
    _inputs_are_of_the_alphabets(task, blocks)


def _require(condition: bool | np.bool_, task: Task, broken: str) -> None:
    if not condition:
        raise LawFails(f"{task!r}: {broken}")


def _refuse(wrong: str | None, task: Task) -> None:
    """Raise LawFails with what is wrong, unless it is None."""
    _require(wrong is None, task, wrong or "")


def _inputs_are_as_declared(task: Task, batch: Batch) -> None:
    shape = (len(batch.lengths), task.longest)
    _require(shape[0] > 0, task, "sample: expected at least 1 example, found 0")
    for what, found in (("inputs", batch.inputs.shape[:2]), ("targets", batch.targets.shape)):
        _require(found == shape, task, f"shapes: expected {what} of {shape}, examples and `longest`, found {found}")
    if task.coordinates:
        vector = batch.inputs.shape[2:]
        _require(vector == (task.coordinates,), task, f"vectors of {vector} coordinates")
        _require(np.isfinite(batch.inputs).all(), task, "a coordinate that is not finite")
    else:
        _require(batch.inputs.min() >= 0, task, "a token below 0")
        _require(batch.inputs.max() < task.vocabulary, task, f"token {batch.inputs.max()} of {task.vocabulary}")


def _inputs_are_of_the_alphabets(task: Task, blocks: Blocks) -> None:
    """Require that each example is an input of some length up to the task's, as `alphabets` declares it, if the task has
    them.
    """
    if not getattr(task, "declares_alphabets", True) or _alphabets(task, task.length) is None:
        return
    known: dict[int, Sequence[range]] = {}
    lengths = iter(range(task.length, -1, -1))
    for batch in blocks.values():
        for inputs, tokens in zip(batch.inputs.tolist(), batch.lengths.tolist(), strict=True):
            while tokens not in known and (length := next(lengths, None)) is not None:
                alphabets = _alphabets(task, length)
                if alphabets is not None:
                    known.setdefault(len(alphabets), alphabets)
            words = f"alphabets: expected {tokens} ranges for some length up to {task.length}, as an example has tokens"
            _require(tokens in known, task, f"{words}, found {', '.join(map(str, sorted(known)[-MOST_SHOWN:])) or 'none'}")
            for position, (token, alphabet) in enumerate(zip(inputs, known[tokens], strict=False)):
                words = f"alphabets: expected a token of {alphabet} at position {position} of {tokens}, found {token}"
                _require(token in alphabet, task, words)


def _alphabets(task: Task, length: int) -> Sequence[range] | None:
    """Return the tokens allowed at each position of an input of a length; None if the inputs are not a product of alphabets."""
    try:
        alphabets = task.alphabets(length)
    except BadInput:  # they are none
        raise
    except ValueError:
        return None
    _refuse(wrong_alphabets(alphabets), task)
    return alphabets


def examples_by_index(task: Task, blocks: Blocks, seed: int) -> None:
    """Example i is the same in every block that has it."""
    for evaluate, batch in blocks.items():
        count = len(batch.lengths)
        for start in (count - 1, 1, count // 2):
            _same_examples(task, task.sample(start, count - start, seed, evaluate), batch, start)


def _same_examples(task: Task, part: Batch, whole: Batch, start: int) -> None:
    """Require that the examples from `start` on are those of the complete block."""
    _require(np.array_equal(part.inputs, whole.inputs[start:]), task, f"examples depend on the block, start {start}")
    _require(np.array_equal(part.targets, whole.targets[start:]), task, f"targets depend on the block, start {start}")


def right_answers(task: Task, blocks: Blocks, seed: int) -> None:
    """Every example asks something, answers are classes, and `solve`, if the task has it, gives them too."""
    for batch in blocks.values():
        for inputs, targets, tokens in zip(batch.inputs, batch.targets, batch.lengths, strict=True):
            _answers_are_right(task, inputs, targets, int(tokens))


def _answers_are_right(task: Task, inputs: np.ndarray, targets: Int64[np.ndarray, "time"], tokens: int) -> None:
    """Require that one example asks something before its end, that its answers are classes, and that `solve` gives them too."""
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
        answer = task.solve(question)
        _refuse(wrong_answer(answer), task)
        if answer != targets[position]:
            raise LawFails(f"{task!r}: solve({question}) is not {targets[position]}")


def scores_of_answers(task: Task, blocks: Blocks, seed: int) -> None:
    """`score` is true for the right answers, and false for wrong ones of some example, if the task has two answers.

    What it gives for an example does not depend on the others.
    """
    for batch in blocks.values():
        right = _scored(task, batch.targets, batch.targets)
        _require(right.all(), task, f"score: expected True for the right answers, found False for example {right.argmin()}")
        if task.classes < 2:
            continue
        for wrong in _wrong_predictions(task, batch.targets):
            of_wrong = _scored(task, wrong, batch.targets)
            if not of_wrong.all():
                break
        else:
            raise LawFails(f"{task!r}: score: expected False for some wrong answer, found True for each that was scored")
        every_other = np.arange(len(right)) % 2 == 0
        mixed = _scored(task, np.where(every_other[:, None], wrong, batch.targets), batch.targets)
        expected = np.where(every_other, of_wrong, right)
        _require(np.array_equal(mixed, expected), task, "score: what it gives for an example depends on the others")


def _scored(task: Task, predictions: np.ndarray, targets: np.ndarray) -> np.ndarray:
    score = task.score(predictions.copy(), targets.copy())
    _refuse(wrong_score(score, len(targets)), task)
    return score


def _wrong_predictions(task: Task, targets: np.ndarray) -> Iterator[np.ndarray]:
    """Yield predictions that are wrong at every queried position, each time by another difference."""
    least = 0 if task.loss == "cross-entropy" else EVERY_CLASS
    answers = task.classes - least
    for shift in np.unique(np.linspace(1, answers - 1, min(answers - 1, MOST_WRONG)).astype(np.int64)):
        yield np.where(targets == NOTHING_ASKED, NOTHING_ASKED, (targets - least + shift) % answers + least)


def answer_bits_of_an_input(task: Task, blocks: Blocks, seed: int) -> None:
    """The bits that a state needs are None, or a whole number from 0 to the bits of an input."""
    _refuse(wrong_bits(task, task.answer_bits()), task)


def readable_forms(task: Task, blocks: Blocks, seed: int) -> None:
    """The readable form of an example is a dictionary that JSON can hold."""
    for batch in blocks.values():
        rows = zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True)
        for inputs, targets, tokens in itertools.islice(rows, MOST_READ):
            answer = next(target for target in reversed(targets[:tokens]) if target != NOTHING_ASKED)
            _refuse(wrong_readable(task.readable(tuple(inputs[:tokens]), answer)), task)


def streams_apart(task: Task, blocks: Blocks, seed: int) -> None:
    """Training and evaluation draw other examples."""
    differ = not np.array_equal(blocks[False].inputs, blocks[True].inputs)
    _require(differ, task, f"training and evaluation draw the same ({list(Use)})")


def seeds_apart(task: Task, blocks: Blocks, seed: int) -> None:
    """Training examples depend on the seed, if the task has two; evaluation examples may be the same under every seed."""
    batch = blocks[False]
    first = batch.inputs[:1]
    if all(bool((block.inputs == first).all()) for block in blocks.values()):
        return
    others = (task.sample(0, len(batch.lengths), seed ^ change, False) for change in range(1, OTHER_SEEDS + 1))
    differ = any(not np.array_equal(batch.inputs, other.inputs) for other in others)
    _require(
        differ, task, f"sample: expected other training examples under another seed, found the same under {OTHER_SEEDS + 1}"
    )


TASK_LAWS: dict[str, Callable[[Task, Blocks, int], None]] = {
    "inputs as declared": inputs_as_declared,
    "examples by index": examples_by_index,
    "right answers": right_answers,
    "scores of answers": scores_of_answers,
    "state bits of an answer": answer_bits_of_an_input,
    "readable form": readable_forms,
    "different streams": streams_apart,
    "different seeds": seeds_apart,
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
