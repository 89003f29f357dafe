"""Checks of what the members of a task return: each returns in words what was expected and found, or None.

The laws of tasks use them for every task, and a user's own task uses them at every call.
"""

import json
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from seqsep.core.names import excerpt, is_whole
from seqsep.tasks.base import Batch, Loss, Task

LOSSES: tuple[str, ...] = get_args(Loss)


def wrong_arrays(task: Task, arrays: Any, count: int) -> str | None:
    """Return what is wrong with the types of inputs, targets and lengths of `count` examples, or with their number."""
    if not isinstance(arrays, tuple) or len(arrays) != 3 or not all(isinstance(part, np.ndarray) for part in arrays):
        return f"sample: expected three arrays, inputs, targets and lengths, found {_shown(arrays)}"
    is_of_vectors = bool(task.coordinates)
    expected = {
        "inputs": (np.float32 if is_of_vectors else np.int64, 3 if is_of_vectors else 2),
        "targets": (np.int64, 2),
        "lengths": (np.int64, 1),
    }
    for array, (what, (dtype, axes)) in zip(arrays, expected.items(), strict=True):
        if array.dtype != dtype:
            return f"sample: expected {what} of {np.dtype(dtype)}, found {array.dtype}"
        if array.ndim != axes or len(array) != count:
            examples = f"{count} example{'' if count == 1 else 's'}"
            return f"sample: expected {what} of {axes} axes with {examples}, found shape {array.shape}"
    return None


def arrays_of(batch: Batch) -> tuple[Any, Any, Any]:
    """Return the three arrays of a batch."""
    return batch.inputs, batch.targets, batch.lengths


def wrong_loss(loss: Any) -> str | None:
    """Return what is wrong with the loss of a task."""
    if isinstance(loss, str) and loss in LOSSES:
        return None
    return f"loss: expected {' or '.join(map(repr, LOSSES))}, found {_shown(loss)}"


def wrong_score(score: Any, count: int) -> str | None:
    """Return what is wrong with what `score` returns for `count` examples."""
    expected = f"score: expected an array of {count} truth values, one for each example"
    if not isinstance(score, np.ndarray):
        return f"{expected}, found {_shown(score)}"
    if score.dtype != np.bool_ or score.shape != (count,):
        return f"{expected}, found {score.dtype} of shape {score.shape}"
    return None


def wrong_answer(answer: Any) -> str | None:
    """Return what is wrong with what `solve` returns."""
    return None if is_whole(answer) else f"solve: expected a whole number, found {_shown(answer)}"


def wrong_bits(task: Task, bits: Any) -> str | None:
    """Return what is wrong with what `answer_bits` returns: no state needs more bits than the input.

    An input is `longest` tokens, with one more for the padding, or `longest` vectors of float32.
    """
    most = task.longest * (32 * task.coordinates or int(task.vocabulary).bit_length())
    if bits is None or (is_whole(bits) and 0 <= bits <= most):
        return None
    return f"answer_bits: expected None or a whole number from 0 to {most}, the bits of an input, found {_shown(bits)}"


def wrong_readable(readable: Any) -> str | None:
    """Return what is wrong with what `readable` returns."""
    if not isinstance(readable, dict) or not all(isinstance(key, str) for key in readable):
        return f"readable: expected a dictionary whose keys are texts, found {_shown(readable)}"
    try:
        json.dumps(readable, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return f"readable: expected values that JSON can hold, found {_shown(readable)}: {error}"
    return None


def wrong_alphabets(alphabets: Any) -> str | None:
    """Return what is wrong with what `alphabets` returns."""
    if isinstance(alphabets, Sequence) and all(isinstance(part, range) for part in alphabets):
        return None
    return f"alphabets: expected a range of tokens for each position, found {_shown(alphabets)}"


def _shown(value: Any) -> str:
    return excerpt(repr(value))
