"""The training loop: fresh examples each step, evaluation on a schedule, a stop on convergence, checkpoints, resume.

Data and weights are pure functions of the run, so a run that is resumed from a checkpoint continues bit for bit on the same
machine and thread count. A loss, gradient or weight that is not finite ends the run as failed, at the next step.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

from seqsep.lab.checkpoint import load_checkpoint, save_checkpoint
from seqsep.lab.device import CPU, device_of
from seqsep.lab.run import Run
from seqsep.model.model import Model
from seqsep.tasks import EVERY_CLASS, NOTHING_ASKED, Batch, Task

EXAMPLES_PER_BLOCK = 4096
NO_SET = -2
PAUSED = "paused"


@dataclass(frozen=True)
class Point:
    """One evaluation: accuracy over the examples and mean loss in nats per asked position."""

    step: int
    accuracy: float
    loss_nats: float


@dataclass
class Progress:
    """Where a run stands; `status` is running, paused, converged, finished or failed: ..."""

    step: int = 0
    curve: list[Point] = field(default_factory=list)
    status: str = "running"


@dataclass(frozen=True)
class Result:
    """What a run leaves at its end or pause: the last and best evaluation, the curve, state bits as (fixed, per token),
    parameters."""

    status: str
    steps: int
    accuracy: float
    best_accuracy: float
    curve: tuple[Point, ...]
    state_bits: tuple[int, int]
    parameters: int

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self) | {
            "curve": [[point.step, point.accuracy, point.loss_nats] for point in self.curve],
            "state_bits": list(self.state_bits),
        }


def train(
    run: Run,
    checkpoint: Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_checkpoint: Callable[[int, str], None] | None = None,
    resume_digest: str | None = None,
    until: int | None = None,
    device: str = CPU,
) -> tuple[Model, Result]:
    """Train one run to its end on `device`, resuming from `checkpoint` where that file has the digest `resume_digest`.

    `on_checkpoint(step, digest)` is called once a checkpoint is on disk, at every evaluation but the last. A run that has not
    ended by the evaluation at step `until` pauses there, after its checkpoint; from a later checkpoint it pauses at once.
    Numerical results depend on torch's version, its threads and the device.
    """
    if until is not None and not (0 < until < run.steps and until % run.evaluate_every == 0):
        between = f"a multiple of evaluate_every, {run.evaluate_every}, above 0 and below {run.steps}"
        raise ValueError(f"train({run.label()}, until={until}): until is {between}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(run.seed)
        model = run.model().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=run.learning_rate, fused=True)
    progress = Progress()
    if checkpoint is not None and resume_digest is not None:
        step, points = load_checkpoint(checkpoint, resume_digest, model, optimizer)
        progress = Progress(step, [Point(int(point[0]), *point[1:]) for point in points])
    if until is not None and progress.step >= until:
        progress.status = PAUSED
    for batch in training_batches(run, progress.step) if progress.status == "running" else ():
        loss = step_once(run, model, optimizer, batch, progress.step)
        progress.step += 1
        if not math.isfinite(loss):
            progress.status = "failed: non-finite"
        elif progress.step % run.evaluate_every == 0 or progress.step == run.steps:
            point = evaluate(run, model, progress.step)
            sound = math.isfinite(point.loss_nats) and finite(model.parameters())
            if sound:
                progress.curve.append(point)
            if not sound:  # the update spoiled the weights, though its own loss was finite
                progress.status = "failed: non-finite"
            elif point.accuracy >= run.target:
                progress.status = "converged"
            elif progress.step == run.steps:
                progress.status = "finished"
            elif checkpoint is not None and on_checkpoint is not None:
                points = [[point.step, point.accuracy, point.loss_nats] for point in progress.curve]
                on_checkpoint(progress.step, save_checkpoint(checkpoint, model, optimizer, progress.step, points))
            if progress.status == "running" and progress.step == until:
                progress.status = PAUSED
        if on_progress is not None:
            on_progress(progress)
        if progress.status != "running":
            break
    curve = tuple(progress.curve)
    result = Result(
        status=progress.status,
        steps=progress.step,
        accuracy=curve[-1].accuracy if curve else 0.0,
        best_accuracy=max((point.accuracy for point in curve), default=0.0),
        curve=curve,
        state_bits=model.state_bits(),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
    )
    return model, result


def step_once(run: Run, model: Model, optimizer: torch.optim.Optimizer, batch: Batch, step: int) -> float:
    """One update; returns the loss, or NaN where the loss, a gradient or a weight is not finite (then no update)."""
    if run.decay == "linear":
        optimizer.param_groups[0]["lr"] = run.learning_rate * (1 - step / run.steps)
    with computing(run, model):
        logits, targets = asked(model, batch)
    loss = total_loss(run.task, logits, targets) / len(targets)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    weights = optimizer.param_groups[0]["params"]
    if not finite([loss, *weights, *(weight.grad for weight in weights if weight.grad is not None)]):
        return math.nan
    value = loss.item()  # known by now; after the step a GPU would be waited for once more
    optimizer.step()
    return value


@torch.no_grad()
def finite(tensors: Iterable[Tensor]) -> bool:
    """Whether no number is NaN or infinite, nor a tensor's sum: sums are the cheapest that every such number reaches."""
    return bool(torch.stack([tensor.sum() for tensor in tensors]).isfinite().all())


def computing(run: Run, model: Model) -> AbstractContextManager[Any]:
    """The precision of a run's products: with bfloat16, autocast casts their factors; what leaves `asked` is float32 again."""
    if run.dtype != "bfloat16":
        return nullcontext()
    return torch.autocast(device_of(model).type, dtype=torch.bfloat16)


def total_loss(task: Task, logits: Float[Tensor, "asked classes"], targets: Int64[Tensor, "asked"]) -> Float[Tensor, ""]:
    """In nats, summed over the asked positions; of binary cross-entropy the mean over classes."""
    if task.loss == "cross-entropy":
        return F.cross_entropy(logits, targets, reduction="sum")
    follows = (targets[:, None] == torch.arange(logits.shape[1], device=logits.device)) | (targets == EVERY_CLASS)[:, None]
    return F.binary_cross_entropy_with_logits(logits, follows.to(logits.dtype), reduction="sum") / logits.shape[1]


def predicted(task: Task, logits: Float[Tensor, "asked classes"]) -> Int64[Tensor, "asked"]:
    """Targets as the logits have them: the greatest class; or the set of classes with a positive logit, NO_SET if it is
    neither one class nor all."""
    if task.loss == "cross-entropy":
        return logits.argmax(-1)
    positive = logits > 0
    every, single = positive.all(-1), positive.sum(-1) == 1
    return torch.where(single, positive.int().argmax(-1), torch.where(every, EVERY_CLASS, NO_SET))


def asked(model: Model, batch: Batch) -> tuple[Tensor, Tensor]:
    """Logits and targets of the asked positions, on the model's device; where each example asks once, only that position is
    computed. Which they are is known before anything is computed: a device is not waited for."""
    device = device_of(model)
    inputs, targets = torch.from_numpy(batch.inputs).to(device), torch.from_numpy(batch.targets)
    questions = targets != NOTHING_ASKED
    wanted = targets[questions].to(device)
    if bool((questions.sum(1) == 1).all()):
        return _single(model(inputs, questions.int().argmax(1).to(device))), wanted
    at = questions.flatten().nonzero()[:, 0].to(device)
    return _single(model(inputs).flatten(0, 1)[at]), wanted


def _single(logits: Float[Tensor, "asked classes"]) -> Float[Tensor, "asked classes"]:
    return logits.float() if logits.dtype == torch.bfloat16 else logits


def training_batches(run: Run, first: int) -> Iterator[Batch]:
    """The batches of steps first .. steps - 1, generated in blocks of several batches."""
    at_once = max(1, EXAMPLES_PER_BLOCK // run.batch)
    for step in range(first, run.steps, at_once):
        count = min(at_once, run.steps - step) * run.batch
        yield from split(run.task.sample(step * run.batch, count, run.seed), run.batch)


def split(block: Batch, size: int) -> Iterator[Batch]:
    """A block cut into batches; tokens behind the longest example of a batch are dropped."""
    for first in range(0, len(block.lengths), size):
        part = slice(first, first + size)
        longest = int(block.lengths[part].max())
        yield Batch(block.inputs[part, :longest], block.targets[part, :longest], block.lengths[part])


@torch.no_grad()
def evaluate(run: Run, model: Model, step: int) -> Point:
    """Accuracy and loss on the first `evaluation` examples of the evaluation stream, under seed 0 for every run."""
    right, loss, positions = 0, 0.0, 0
    for batch in split(_evaluation_block(run.task, run.evaluation), 250):
        with computing(run, model):
            logits, targets = asked(model, batch)
        predictions = batch.targets.copy()
        predictions[batch.targets != NOTHING_ASKED] = predicted(run.task, logits).cpu().numpy()
        right += int(np.sum(run.task.score(predictions, batch.targets)))
        loss += float(total_loss(run.task, logits, targets))
        positions += len(targets)
    return Point(step, right / run.evaluation, loss / positions)


_evaluation_blocks: dict[tuple[Task, int], Batch] = {}


def _evaluation_block(task: Task, count: int) -> Batch:
    """The evaluation examples, kept for the task that was asked last."""
    if (task, count) not in _evaluation_blocks:
        _evaluation_blocks.clear()
        _evaluation_blocks[task, count] = task.sample(0, count, 0, evaluate=True)
    return _evaluation_blocks[task, count]
