"""The share of a model's written answers that are right: after its own chain of thought, and after the right one.

    live            the model writes thought and answer itself, and a retriever answers its queries as they are closed
    teacher forced  the right thought is read, and only the answer after it is the model's

The two differ: an error in a thought is carried on live, and undone by the teacher. A thought that ends without an answer
counts 1/2, as in Wen, Dang, Lyu 2025 (arXiv:2402.18510), section 6.1; it is cut after as many tokens as the longest right one.
"""

from typing import NamedTuple, cast

import numpy as np
import torch
from torch import Tensor

from seqsep.models.decode import generate
from seqsep.models.model import Model
from seqsep.tasks.base import Batch, GeneratedTask

AT_ONCE = 256


class ThoughtAccuracy(NamedTuple):
    """The shares of right answers of a model that writes a chain of thought.

    If the model gives no answer, the example counts as half right in `live`, as in Wen, Dang, Lyu 2025 (arXiv:2402.18510),
    section 6.1. This is so if the model has written as many tokens as the longest right thought has, and no answer.

    Fields:
        live: share of right answers if the model writes its own thought.
        teacher_forced: share of right answers if the model reads the right thought.
        whole: share of examples in which the model predicts every token of the right thought, and the answer.
        unanswered: share of examples in which the model writes its own thought, but no answer.

    >>> ThoughtAccuracy(live=0.5, teacher_forced=1.0, whole=0.0, unanswered=1.0).live
    0.5
    """

    live: float
    teacher_forced: float
    whole: float
    unanswered: float


def thought_accuracy(
    model: Model, task: GeneratedTask, examples: int, *, start: int = 0, seed: int = 0, at_once: int = AT_ONCE
) -> ThoughtAccuracy:
    """Return the accuracy of a model on a task with a chain of thought: with its own thoughts, and with the right ones.

    The model writes its own thoughts with `generate`, and the retriever of the task answers its queries.

    Arguments:
        model: a model over tokens.
        task: a task whose answer is written, such as `IsTree`.
        examples: number of examples of the evaluation stream; from 1.
        start: number of the first example; from 0.
        seed: random seed of the examples.
        at_once: examples in a batch; from 1.

    Raises ValueError for less than one example or a batch of less than one, and for the reasons of `generate`.

    >>> from seqsep.tasks import IsTree
    >>> task = IsTree(length=4, trace="walk")
    >>> model = Model.build(task.vocabulary, task.classes, task.longest, layers=("lstm",), width=8)
    >>> found = thought_accuracy(model, task, examples=5)
    >>> 0 <= found.live <= 1
    True
    """
    if examples < 1 or at_once < 1:
        raise ValueError(f"thought_accuracy(examples={examples}, at_once={at_once}): expected at least 1 of each")
    live = 0.0
    unanswered = 0
    forced = 0
    whole = 0
    for first in range(0, examples, at_once):
        batch = task.sample(start + first, min(at_once, examples - first), seed, evaluate=True)
        answers = task.answers(batch).tolist()
        written = generate(model, task.prompts(batch), task.stops, task.most_generated, retriever=task.retriever())
        live += sum(task.judge(one.tokens, answer) for one, answer in zip(written, answers, strict=True))
        unanswered += sum(not set(one.tokens) & set(task.stops) for one in written)
        predictions = _teacher_forced(model, batch)
        forced += int(task.score_answers(predictions, batch.targets).sum())
        whole += int(task.score(predictions, batch.targets).sum())
    return ThoughtAccuracy(live / examples, forced / examples, whole / examples, unanswered / examples)


@torch.inference_mode()
def _teacher_forced(model: Model, batch: Batch) -> np.ndarray:
    """Return the greatest logit's class at every token of the right texts."""
    inputs = torch.from_numpy(batch.inputs).to(model.device)
    return cast(Tensor, model(inputs)).argmax(-1).cpu().numpy()
