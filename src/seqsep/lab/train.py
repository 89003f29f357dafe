"""The training loop: fresh examples each step, evaluation on a schedule, a stop on convergence, checkpoints, resume.

Data and weights are pure functions of the run, so a run that is resumed from a checkpoint continues bit for bit on the same
machine and thread count. A loss, gradient or weight that is not finite ends the run as failed.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from seqsep.core.tables import Tabular
from seqsep.lab.answers import answer_scores
from seqsep.lab.checkpoint import load_checkpoint, save_checkpoint
from seqsep.lab.device import CPU
from seqsep.lab.graphed_step import steps_of
from seqsep.lab.kept import save
from seqsep.lab.lengths import at_length
from seqsep.lab.live import live_score
from seqsep.lab.run import Run
from seqsep.lab.step import asked, computing, finite, predicted, total_loss
from seqsep.models.model import Model
from seqsep.tasks import NOTHING_ASKED, Batch, Task

EXAMPLES_PER_BLOCK = 4096
EXAMPLES_AT_ONCE = 250
PAIRS_AT_ONCE = EXAMPLES_AT_ONCE * 128**2
"""Pairs of tokens of an example, summed over the examples that a model answers at once: longer inputs are fewer."""
TENTHS = 10
PAUSED = "paused"
NON_FINITE = "failed: non-finite"
AT_THE_END = (
    "live_accuracy",
    "unanswered",
    "answer_accuracy",
    "accuracy_by_tenth",
    "accuracy_by_length",
    "accuracy_per_answer",
    "accuracy_per_answer_by_length",
    "chance_per_answer",
    "chance",
    "answer_bits",
)
"""The fields that only a run that came to its end has."""


@dataclass(frozen=True)
class Point:
    """One evaluation: accuracy over the examples and mean loss in nats per queried position."""

    step: int
    accuracy: float
    loss_nats: float


@dataclass
class Progress:
    """The progress of a run; `status` is running, paused, converged, finished or failed: ..."""

    step: int = 0
    curve: list[Point] = field(default_factory=list)
    status: str = "running"

    def points(self) -> list[list[int | float]]:
        """Return the curve as JSON."""
        return [[point.step, point.accuracy, point.loss_nats] for point in self.curve]


@dataclass(frozen=True, repr=False)
class Result(Tabular):
    """The result of a run at its end or pause; it prints as the table of its curve.

    Fields:
        status: converged (accuracy reached `target`), finished (all steps done), paused, or "failed: " and the reason. In a
            sweep it can also be pruned: stopped early, because other runs were better.
        steps: number of training steps that were done.
        accuracy: last accuracy, as a fraction.
        best_accuracy: best accuracy of all evaluations.
        curve: loss and accuracy at each evaluation.
        state_bits: bits of the state of one example: the fixed bits, and the bits for each token.
        parameters: number of trained parameters.
        live_accuracy: accuracy if the model writes its own chain of thought, for a task with one.
        unanswered: share of these examples in which the model writes no answer.
        answer_accuracy: accuracy of the answer if the model reads the right chain of thought.
        accuracy_by_tenth: accuracy in each tenth of the positions, for a task that queries a position; for a task with several
            answers, accuracy of the answers in each tenth of the tokens.
        accuracy_by_length: accuracy on evaluation inputs of each of the run's test lengths, as pairs of length and accuracy.
        accuracy_per_answer: share of right answers, for your own task and for a task with several answers. `accuracy` is the
            share of examples in which all answers are right.
        accuracy_per_answer_by_length: the same on evaluation inputs of each of the run's test lengths.
        chance_per_answer: this share for a guess that does not read the input.
        chance: `accuracy` of this guess.
        answer_bits: bits of state that your own task says it needs.

    >>> Result("finished", 2, 0.5, 0.5, curve=(Point(2, 0.5, 0.7),), state_bits=(64, 0), parameters=10)
    finished at step 2: accuracy 50.00% (50.00% at best), 10 parameters, 64 state bits
    step  accuracy  loss_nats
       2       0.5        0.7
    """

    status: str
    steps: int
    accuracy: float
    best_accuracy: float
    curve: tuple[Point, ...]
    state_bits: tuple[int, int]
    parameters: int
    live_accuracy: float | None = None
    unanswered: float | None = None
    answer_accuracy: float | None = None
    accuracy_by_tenth: tuple[float | None, ...] | None = None
    accuracy_by_length: tuple[tuple[int, float], ...] | None = None
    accuracy_per_answer: float | None = None
    accuracy_per_answer_by_length: tuple[tuple[int, float], ...] | None = None
    chance_per_answer: float | None = None
    chance: float | None = None
    answer_bits: int | None = None

    def title(self) -> str:
        """Return the end of the run: its status and step, its last accuracy and its sizes."""
        fixed, per_token = self.state_bits
        growing = f" + {per_token:,} N" if per_token else ""
        accuracy = f"accuracy {self.accuracy:.2%} ({self.best_accuracy:.2%} at best)"
        return (
            f"{self.status} at step {self.steps:,}: {accuracy}, {self.parameters:,} parameters, {fixed:,}{growing} state bits"
        )

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each evaluation."""
        return [asdict(point) for point in self.curve]

    def __repr__(self) -> str:
        return self.table()

    def record(self) -> dict[str, Any]:
        """Return the result as JSON, without the fields that are None."""
        known = {name: value for name, value in asdict(self).items() if value is not None}
        if self.accuracy_by_tenth is not None:
            known["accuracy_by_tenth"] = list(self.accuracy_by_tenth)
        for name in ("accuracy_by_length", "accuracy_per_answer_by_length"):
            if name in known:
                known[name] = list(map(list, known[name]))
        return known | {
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
    keep: Path | None = None,
) -> tuple[Model, Result]:
    """Train one run to its end on `device`, resuming from the checkpoint at `checkpoint` that has the digest `resume_digest`.

    `on_checkpoint(step, digest)` is called once a checkpoint is on disk, at every evaluation but the last. A run that has not
    ended by the evaluation at step `until` pauses there, after its checkpoint; from a later checkpoint it pauses at once.
    Numerical results depend on torch's version, its threads and the device. The model at its end is kept in the file `keep`, if
    one is named, for `seqsep.load`. Raises ValueError for an `until` that is not an evaluation before the last step, or as
    `kept.save` does; CheckpointError and CheckpointNotWritten.

    >>> from seqsep.tasks import IndexLookup
    >>> run = Run(IndexLookup(length=5, alphabet=4), ("lstm",), width=8, steps=2, batch=4, evaluate_every=1, evaluation=20)
    >>> model, result = train(run)
    >>> result.status, result.steps, len(result.curve), result.state_bits
    ('finished', 2, 2, (512, 0))
    >>> train(run, until=1)[1].status
    'paused'
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
    take_step = steps_of(run, model, optimizer)
    for batch in training_batches(run, progress.step) if progress.status == "running" else ():
        loss = take_step(batch=batch, step=progress.step)
        progress.step += 1
        if not math.isfinite(loss):
            progress.status = NON_FINITE
        elif progress.step % run.evaluate_every == 0 or progress.step == run.steps:
            _evaluate_and_judge(run, model, progress)
            if progress.status == "running" and checkpoint is not None and on_checkpoint is not None:
                digest = save_checkpoint(checkpoint, model, optimizer, step=progress.step, curve=progress.points())
                on_checkpoint(progress.step, digest)
            if progress.status == "running" and progress.step == until:
                progress.status = PAUSED
        if on_progress is not None:
            on_progress(progress)
        if progress.status != "running":
            break
    if keep is not None and progress.status != PAUSED:
        save(keep, model, run)
    result = _result(model, progress)
    if result.status in ("converged", "finished"):
        result = replace(result, accuracy_by_tenth=accuracy_by_tenth(run, model))
        block = _evaluation_block(run.task, run.evaluation)
        result = replace(result, **answer_scores(run, model, block, parts_of(block)))
        say = on_progress or (lambda progress: None)
        if run.test_lengths:
            result = replace(result, **scores_by_length(run, model, lambda: say(progress)))
        score = live_score(run, model, lambda: say(progress))
        if score is not None:
            result = replace(result, live_accuracy=score.live, unanswered=score.unanswered)
            result = replace(result, answer_accuracy=score.teacher_forced)
    return model, result


def _evaluate_and_judge(run: Run, model: Model, progress: Progress) -> None:
    """Add a point to the curve, and the status if the run ends with it."""
    point = evaluate(run, model, progress.step)
    if not math.isfinite(point.loss_nats) or not finite(model.parameters()):
        progress.status = NON_FINITE  # the update spoiled the weights, though its own loss was finite
        return
    progress.curve.append(point)
    if point.accuracy >= run.target:
        progress.status = "converged"
    elif progress.step == run.steps:
        progress.status = "finished"


def _result(model: Model, progress: Progress) -> Result:
    curve = tuple(progress.curve)
    return Result(
        status=progress.status,
        steps=progress.step,
        accuracy=curve[-1].accuracy if curve else 0.0,
        best_accuracy=max((point.accuracy for point in curve), default=0.0),
        curve=curve,
        state_bits=model.state_bits(),
        parameters=sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad),
    )


def training_batches(run: Run, first: int) -> Iterator[Batch]:
    """Yield the batches of the steps from `first` on, generated in blocks of several batches."""
    at_once = max(1, EXAMPLES_PER_BLOCK // run.batch)
    step = first
    while step < run.steps:
        end = run.mixed_steps if step < run.mixed_steps else run.steps  # a block is of one task
        count = min(at_once, end - step, run.steps - step)
        yield from split(run.training_task(step).sample(step * run.batch, count * run.batch, run.seed), run.batch)
        step += count


def split(block: Batch, size: int) -> Iterator[Batch]:
    """Cut a block into batches; tokens after the longest example of a batch are dropped."""
    for first in range(0, len(block.lengths), size):
        part = slice(first, first + size)
        longest = int(block.lengths[part].max())
        yield Batch(block.inputs[part, :longest], block.targets[part, :longest], block.lengths[part])


def parts_of(block: Batch) -> Iterator[Batch]:
    """Cut evaluation examples into the batches that a model answers: of at most `EXAMPLES_AT_ONCE`, and fewer if they are long.

    A layer whose memory grows with the square of the length needs no more for longer inputs than for those of training.

    >>> from seqsep.tasks import IndexLookup
    >>> [len(part.lengths) for part in parts_of(IndexLookup(length=5000, alphabet=2).sample(0, 2, seed=0, evaluate=True))]
    [1, 1]
    """
    longest = int(block.lengths.max())
    return split(block, max(1, min(EXAMPLES_AT_ONCE, PAIRS_AT_ONCE // longest**2)))


@torch.no_grad()
def evaluate(run: Run, model: Model, step: int) -> Point:
    """Return accuracy and loss on the first `evaluation` examples of the evaluation stream, under seed 0 for every run."""
    right = 0
    loss = 0.0
    positions = 0
    for batch in parts_of(_evaluation_block(run.task, run.evaluation)):
        with computing(model, run.dtype):
            logits, targets = asked(model, batch)
        right += int(np.sum(_is_right(run.task, batch, logits)))
        loss += float(total_loss(run.task, logits, targets))
        positions += len(targets)
    return Point(step, right / run.evaluation, loss / positions)


def scores_by_length(run: Run, model: Model, on_length: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Return the accuracy on inputs of each test length, as pairs, and for several answers that of a single answer.

    `on_length` is called after each length.
    """
    accuracies = []
    single = []
    for length in run.test_lengths:
        tested = replace(run, task=at_length(run.task, length), test_lengths=())
        accuracies.append((length, evaluate(tested, model, run.steps).accuracy))
        on_length()
        block = _evaluation_block(tested.task, run.evaluation)
        scores = answer_scores(tested, model, block, parts_of(block))
        if scores:
            single.append((length, scores["accuracy_per_answer"]))
        on_length()
    found: dict[str, Any] = {"accuracy_by_length": tuple(accuracies)}
    return found | ({"accuracy_per_answer_by_length": tuple(single)} if single else {})


@torch.no_grad()
def accuracy_by_tenth(run: Run, model: Model) -> tuple[float | None, ...] | None:
    """Return the accuracy of `evaluate` in each tenth of the queried positions; None if the task queries no position.

    Tenth i of N positions holds the positions p with floor(10 (p - 1) / N) = i. A tenth without an example is None.
    """
    examples = np.zeros(TENTHS, dtype=np.int64)
    right = np.zeros(TENTHS, dtype=np.int64)
    for batch in parts_of(_evaluation_block(run.task, run.evaluation)):
        queried = run.task.query_positions(batch)
        if queried is None:
            return None
        with computing(model, run.dtype):
            logits, _ = asked(model, batch)
        tenths = TENTHS * (queried - 1) // run.task.length
        examples += np.bincount(tenths, minlength=TENTHS)
        right += np.bincount(tenths[_is_right(run.task, batch, logits)], minlength=TENTHS)
    shares = zip(right.tolist(), examples.tolist(), strict=True)
    return tuple(some / count if count else None for some, count in shares)


def _is_right(task: Task, batch: Batch, logits: Float[Tensor, "asked classes"]) -> Bool[np.ndarray, "batch"]:
    """Return a mask of the examples of a batch that these logits answer right."""
    predictions = batch.targets.copy()
    predictions[batch.targets != NOTHING_ASKED] = predicted(task, logits).cpu().numpy()
    return task.score(predictions, batch.targets)


_evaluation_blocks: dict[tuple[Task, int], Batch] = {}


def _evaluation_block(task: Task, count: int) -> Batch:
    """Return the evaluation examples. Those of the last task are cached, because every evaluation of a run needs them."""
    if (task, count) not in _evaluation_blocks:
        _evaluation_blocks.clear()
        _evaluation_blocks[task, count] = task.sample(0, count, 0, evaluate=True)
    return _evaluation_blocks[task, count]
