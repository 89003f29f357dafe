"""One training run as the report shows it, and which of two runs is the better one."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from seqsep.lab.answers import limits
from seqsep.lab.ranking import rank
from seqsep.lab.row import PRUNED, Row, chance_of
from seqsep.lab.run_labels import NO_LABELS, Labels
from seqsep.report.formatting import LEARNED, known
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import Task

FURTHER = ("decay", "warm_up", "mixed_steps", "dtype", "norm", "feed_forward", "hidden", "biases", "embeddings")
"""Settings of a run that are shown if they differ from their defaults."""
GOAL = LEARNED
"""The accuracy at which a model counts as having learned its task."""


@dataclass(frozen=True)
class RunSummary:
    """One training run.

    `accuracy` is that of its last evaluation, a fraction; `curve` holds (step, accuracy, loss in nats). `state_bits` are
    (fixed, per token), counted from tensors. It took `steps` of `steps_allowed`. `failed`: it diverged. `pruned`: successive
    halving stopped it, and it is never the best of anything. `accuracy_by_tenth` is that by tenth of the queried positions.
    The first `mixed_steps` had training inputs of mixed lengths. `accuracy_per_answer` counts single answers, and `chance` is
    the accuracy of guessing; None if it is not known. `answer_bits` is what a user's own task says that it needs. `further` are
    the other settings that differ from their defaults, each as (name, value).
    """

    task: Task
    model: SizedModel
    learning_rate: float
    seed: int
    steps_allowed: int
    steps: int
    accuracy: float
    curve: tuple[tuple[int, float, float], ...]
    state_bits: tuple[int, int]
    parameters: int
    batch: int
    evaluation: int
    weight_scale: float = 0.02
    embedding_scale: float = 0.02
    heads: int = 4
    failed: bool = False
    pruned: bool = False
    accuracy_by_tenth: tuple[float | None, ...] | None = None
    mixed_steps: int = 0
    accuracy_per_answer: float | None = None
    chance_per_answer: float | None = None
    chance: float | None = None
    answer_bits: int | None = None
    further: tuple[tuple[str, str], ...] = ()
    environment: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, row: Row, labels: Labels = NO_LABELS) -> "RunSummary":
        """Return the run of a row that has an outcome, under the label of its key."""
        run = row.run
        result = row.result
        fixed, per_token = result["state_bits"]
        return cls(
            task=run.task,
            model=replace(SizedModel.of(run), label=labels.get(row.key, "")),
            learning_rate=run.learning_rate,
            seed=run.seed,
            steps_allowed=run.steps,
            steps=result["steps"],
            accuracy=float(result["accuracy"]),
            curve=tuple((step, float(accuracy), float(loss)) for step, accuracy, loss in result["curve"]),
            state_bits=(fixed, per_token),
            parameters=result["parameters"],
            batch=run.batch,
            evaluation=run.evaluation,
            weight_scale=run.weight_scale,
            embedding_scale=run.embedding_scale,
            heads=run.heads,
            failed=row.status.startswith("failed"),
            pruned=row.status == PRUNED,
            mixed_steps=run.mixed_steps,
            accuracy_per_answer=result.get("accuracy_per_answer"),
            chance_per_answer=result.get("chance_per_answer"),
            chance=chance_of(run, result),
            answer_bits=result.get("answer_bits"),
            further=tuple(
                (name.replace("_", " "), str(run.configuration()[name])) for name in FURTHER if name in run.configuration()
            ),
            accuracy_by_tenth=tuple(result["accuracy_by_tenth"]) if "accuracy_by_tenth" in result else None,
            environment=dict(row.environment),
        )

    @property
    def setting(self) -> tuple[object, ...]:
        """The choices of a search: rate, heads, scales, steps, batch and others. Runs of one setting differ in their seed."""
        chosen = (self.learning_rate, self.heads, self.embedding_scale, self.weight_scale, self.steps_allowed, self.batch)
        return *chosen, self.further

    @property
    def loss_nats(self) -> float | None:
        """The loss at the last evaluation; None without one."""
        return self.curve[-1][2] if self.curve else None

    @property
    def interval(self) -> tuple[float, float]:
        """The limits of a 95 % confidence interval of the accuracy over all examples of the task."""
        return limits(self.shown_accuracy, self.evaluation)

    @property
    def recurrent(self) -> bool:
        """True if its state has one size for inputs of any length."""
        return self.state_bits[1] == 0

    @property
    def bits_before_the_question(self) -> int:
        """State bits once all `length` symbols are read."""
        return self.state_bits[0] + self.state_bits[1] * self.task.length

    @property
    def shown_accuracy(self) -> float:
        """The accuracy as a figure draws it: 0 if it is not a number."""
        return self.accuracy if known(self.accuracy) else 0.0

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """(step, accuracy) of every evaluation."""
        return tuple((float(step), accuracy) for step, accuracy, _ in self.curve)

    @property
    def steps_to_goal(self) -> int | None:
        """The first evaluation at 99 % or above."""
        return next((step for step, accuracy, _ in self.curve if accuracy >= GOAL), None)


def by_accuracy(run: RunSummary) -> tuple[float, int, float]:
    """Return the rank of a run by accuracy, greater is better (`ranking.rank`). A run whose accuracy is not a number counts as
    diverged.
    """
    return rank(
        accuracy=run.accuracy,
        steps=run.steps,
        learning_rate=run.learning_rate,
        diverged=run.failed or not known(run.accuracy),
    )


def by_speed(run: RunSummary) -> tuple[float, float]:
    """Return the rank of a run by speed, greater is better: fewer steps to 99 %, then accuracy."""
    return (-float(run.steps_to_goal or math.inf), by_accuracy(run)[0])
