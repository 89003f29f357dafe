"""The score of each answer by itself, for tasks with several answers; and the accuracy of guessing.

`Task.score` counts an example as right if all its answers are right. Zoology and MAD count each answer. A row has both numbers.

Guessing gives the most frequent answer of the evaluation examples to every query. If the answers are equally frequent, apart
from the noise of sampling, the share is 1 / k for k different answers: the greatest measured share of many equal ones is too
high. Guessing does not see the input, so all answers of an example are right with the product of the shares.
"""

from collections.abc import Iterable
from functools import cache
from math import fsum, sqrt
from typing import Any

import numpy as np
import torch
from jaxtyping import Int64

from seqsep.lab.run import Run
from seqsep.lab.step import asked, computing, predicted
from seqsep.models.model import Model
from seqsep.models.plugins.task import UserTask
from seqsep.tasks import NOTHING_ASKED, Batch, Task
from seqsep.tasks.base import GeneratedTask
from seqsep.tasks.ceilings import ceiling

TENTHS = 10
STANDARD_ERRORS = 4.0
"""A share that exceeds 1 / k by more standard errors is not that of one of k equally frequent answers."""


@cache
def chance(task: Task) -> float:
    """Return the accuracy without any state: that of guessing if all labels are equally likely.

    For your own task, a row has the measured accuracy of guessing (`guessing`), since the task's file may be missing.

    >>> from seqsep.tasks import BoundedDyck
    >>> chance(BoundedDyck(20))
    0.5
    """
    bound = ceiling(task, 0)
    return 1 / task.classes if bound is None else bound


def limits(accuracy: float, examples: int) -> tuple[float, float]:
    """Return the limits of a 95 % confidence interval (Clopper and Pearson) for an accuracy that was measured on examples.

    >>> [round(limit, 3) for limit in limits(0.5, 100)]
    [0.398, 0.602]
    """
    from seqsep.lab.audit.intervals import lower_limit, upper_limit

    right = round(accuracy * examples)
    return lower_limit(right, examples, error=0.025), upper_limit(right, examples, error=0.025)


def guessing(targets: Int64[np.ndarray, "batch time"]) -> tuple[float, float]:
    """Return the accuracy of guessing: for a single answer, and for all answers of an example.

    >>> one, all_of_two = guessing(np.array([[-100, 0, 1], [-100, 1, 0]]))
    >>> one, all_of_two
    (0.5, 0.25)
    >>> guessing(np.array([[0]] * 90 + [[1]] * 10))[0]
    0.9
    """
    is_asked = targets != NOTHING_ASKED
    _, counts = np.unique(targets[is_asked], return_counts=True)
    if not counts.sum():
        return 0.0, 0.0
    share = 1 / len(counts)
    greatest = float(counts.max() / counts.sum())
    if greatest - share > STANDARD_ERRORS * sqrt(share * (1 - share) / counts.sum()):
        share = greatest
    together = share ** is_asked.sum(1)
    return share, fsum(together.tolist()) / len(together)


def scores_answers(task: Task, targets: Int64[np.ndarray, "batch time"]) -> bool:
    """Return True if each answer of a task is scored by itself: your own task, or one with several answers of one class each.

    A chain of thought is judged otherwise (`live`), and so are sets of classes, of which a network predicts each.

    >>> from seqsep.tasks import IndexLookup, MultiQueryRecall
    >>> [scores_answers(task, task.sample(0, 4, 0).targets) for task in (MultiQueryRecall(8), IndexLookup(8))]
    [True, False]
    """
    if isinstance(task, GeneratedTask) or task.loss != "cross-entropy":
        return False
    return isinstance(task, UserTask) or bool(((targets != NOTHING_ASKED).sum(1) > 1).any())


@torch.no_grad()
def answer_scores(run: Run, model: Model, block: Batch, batches: Iterable[Batch]) -> dict[str, Any]:
    """Return what a row says of single answers, by name; empty for a task that `scores_answers` leaves out.

    Arguments:
        run: the run.
        model: its trained model.
        block: the evaluation examples, of which `batches` are the parts.
        batches: the parts that the model answers one by one.
    """
    task = run.task
    if not scores_answers(task, block.targets):
        return {}
    counts = np.zeros(TENTHS, dtype=np.int64)
    right = np.zeros(TENTHS, dtype=np.int64)
    for batch in batches:
        with computing(model, run.dtype):
            logits, targets = asked(model, batch)
        is_right = (predicted(task, logits) == targets).cpu().numpy()
        examples, at = (batch.targets != NOTHING_ASKED).nonzero()
        tenths = TENTHS * at // batch.lengths[examples]
        counts += np.bincount(tenths, minlength=TENTHS)
        right += np.bincount(tenths[is_right], minlength=TENTHS)
    one, together = guessing(block.targets)
    found: dict[str, Any] = {"accuracy_per_answer": float(right.sum() / max(1, counts.sum())), "chance_per_answer": one}
    if isinstance(task, UserTask):
        found["answer_bits"] = task.answer_bits()
    if not (isinstance(task, UserTask) and task.scores):
        found["chance"] = together
    if ((block.targets != NOTHING_ASKED).sum(1) > 1).any():
        shares = zip(right.tolist(), counts.tolist(), strict=True)
        found["accuracy_by_tenth"] = tuple(some / count if count else None for some, count in shares)
    return found
