"""One training step: the logits where a batch asks, their loss, and an update if every number is finite."""

import math
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

from seqsep.lab.device import device_of
from seqsep.lab.run import Run
from seqsep.lab.run_settings import Precision
from seqsep.models.model import Model
from seqsep.tasks import EVERY_CLASS, NOTHING_ASKED, Batch, Task

NO_SET = -2


@dataclass(frozen=True)
class QueriedBatch:
    """A batch in the form in which a model is asked: inputs, queried positions, the answers there, and their number.

    `at`: of each example, if each asks `once`; else of all examples concatenated.
    """

    inputs: Tensor
    at: Int64[Tensor, "asked"]
    answers: Int64[Tensor, "asked"]
    count: Int64[Tensor, ""]
    once: bool

    @property
    def shape(self) -> tuple[object, ...]:
        """The facts that two batches share if they are computed by the same operations."""
        return (self.once, *(tuple(part.shape) for part in self._parts()))

    def to(self, device: torch.device) -> "QueriedBatch":
        """Return the same batch on that device."""
        inputs, at, answers, count = (part.to(device) for part in self._parts())
        return QueriedBatch(inputs, at, answers, count=count, once=self.once)

    def padded(self, multiple: int) -> "QueriedBatch":
        """Return the same batch, followed by questions that count for nothing in the loss, up to a multiple of `multiple`."""
        missing = -len(self.at) % multiple
        return replace(self, at=F.pad(self.at, (0, missing)), answers=F.pad(self.answers, (0, missing), value=NOTHING_ASKED))

    def take(self, other: "QueriedBatch") -> None:
        """Hold another batch of this shape, in the same memory."""
        for part, given in zip(self._parts(), other._parts(), strict=True):
            part.copy_(given)

    def _parts(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.inputs, self.at, self.answers, self.count


def questions_of(batch: Batch) -> QueriedBatch:
    """Return the questions of a batch, on the processor."""
    targets = torch.from_numpy(batch.targets)
    is_asked = targets != NOTHING_ASKED
    once = bool((is_asked.sum(1) == 1).all())
    at = is_asked.int().argmax(1) if once else is_asked.flatten().nonzero()[:, 0]
    answers = targets[is_asked]
    return QueriedBatch(torch.from_numpy(batch.inputs), at, answers, count=torch.tensor(len(answers)), once=once)


def logits_at(model: Model, questions: QueriedBatch) -> Float[Tensor, "asked classes"]:
    """Return the logits of the queried positions. If each example asks once, only that position is computed."""
    if questions.once:
        return _single(model(questions.inputs, questions.at))
    return _single(model(questions.inputs).flatten(0, 1)[questions.at])


def asked(model: Model, batch: Batch) -> tuple[Tensor, Tensor]:
    """Return the logits and targets of the queried positions, on the model's device.

    Which positions they are is known before anything is computed, so that a device is not waited for.
    """
    questions = questions_of(batch).to(device_of(model))
    return logits_at(model, questions), questions.answers


def _single(logits: Float[Tensor, "asked classes"]) -> Float[Tensor, "asked classes"]:
    return logits.float() if logits.dtype == torch.bfloat16 else logits


def loss_of(run: Run, model: Model, questions: QueriedBatch) -> Float[Tensor, ""]:
    """Return the loss that a step descends: the mean in nats over the queried positions."""
    with computing(model, run.dtype):
        logits = logits_at(model, questions)
    return total_loss(run.task, logits, questions.answers) / questions.count


def step_once(run: Run, model: Model, optimizer: torch.optim.Optimizer, *, batch: Batch, step: int) -> float:
    """Make one update on a batch; returns the loss.

    If the loss, a gradient or a weight is not finite, it makes no update and returns NaN.
    """
    return update(run, model, optimizer, questions=questions_of(batch), step=step)


def update(run: Run, model: Model, optimizer: torch.optim.Optimizer, *, questions: QueriedBatch, step: int) -> float:
    """Update the model as `step_once` does, on the questions of a batch on any device; return the loss in nats."""
    optimizer.param_groups[0]["lr"] = run.rate_at(step)
    loss = loss_of(run, model, questions.to(device_of(model)))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    weights = optimizer.param_groups[0]["params"]
    gradients = [weight.grad for weight in weights if weight.grad is not None]
    if not finite([loss, *weights, *gradients]):
        return math.nan
    value = loss.item()  # known by now; after the step a GPU would be waited for once more
    optimizer.step()
    return value


def finite(tensors: Iterable[Tensor]) -> bool:
    """Return True if the sum of each tensor is finite: a NaN or an infinity in a tensor makes its sum NaN or infinite."""
    return bool(are_finite(tensors))


@torch.no_grad()
def are_finite(tensors: Iterable[Tensor]) -> Tensor:
    """Return `finite` as a tensor, so that the process need not wait for the device."""
    return torch.stack([tensor.sum() for tensor in tensors]).isfinite().all()


def computing(model: Model, dtype: Precision) -> AbstractContextManager[Any]:
    """Return the context of a run's precision. With bfloat16, autocast casts factors of products; `asked` returns float32
    again.
    """
    if dtype != "bfloat16":
        return nullcontext()
    return torch.autocast(device_of(model).type, dtype=torch.bfloat16)


def total_loss(task: Task, logits: Float[Tensor, "asked classes"], targets: Int64[Tensor, "asked"]) -> Float[Tensor, ""]:
    """Return the loss in nats, summed over the queried positions. Binary cross-entropy is the mean over classes.

    A target NOTHING_ASKED adds nothing.
    """
    if task.loss == "cross-entropy":
        return F.cross_entropy(logits, targets, ignore_index=NOTHING_ASKED, reduction="sum")
    follows = (targets[:, None] == torch.arange(logits.shape[1], device=logits.device)) | (targets == EVERY_CLASS)[:, None]
    counts = (targets != NOTHING_ASKED)[:, None].to(logits.dtype)
    loss = F.binary_cross_entropy_with_logits(logits, follows.to(logits.dtype), counts, reduction="sum")
    return loss / logits.shape[1]


def predicted(task: Task, logits: Float[Tensor, "asked classes"]) -> Int64[Tensor, "asked"]:
    """Return the targets that the logits predict.

    With cross-entropy it is the class with the greatest logit; with binary cross-entropy the set of classes with a positive
    logit: one class, EVERY_CLASS, or NO_SET for any other set.
    """
    if task.loss == "cross-entropy":
        return logits.argmax(-1)
    positive = logits > 0
    is_single = positive.sum(-1) == 1
    otherwise = torch.where(positive.all(-1), EVERY_CLASS, NO_SET)
    return torch.where(is_single, positive.int().argmax(-1), otherwise)
