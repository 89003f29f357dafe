"""What the report is made of: training runs as plain records, and which of them stands for a model on a task.

The caller turns its rows into `Measured` (the report knows nothing of the lab): `Measured.of(run, result, environment)`, where
`run` is anything with the attributes of `Trained`, such as a `seqsep.lab.run.Run`.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from seqsep.ceilings import ceiling
from seqsep.plugins.name import PlugIn
from seqsep.report.contender import Contender
from seqsep.report.numerals import known
from seqsep.tasks import Task

GOAL = 0.99


@runtime_checkable
class Trained(Protocol):
    """The configuration of a run, as far as the report shows it."""

    @property
    def task(self) -> Task:
        """What was trained on."""

    @property
    def layers(self) -> tuple[str | PlugIn, ...]:
        """Names of mixers, or a user's own layers."""

    @property
    def width(self) -> int:
        """Coordinates."""

    @property
    def learning_rate(self) -> float:
        """Of Adam."""

    @property
    def seed(self) -> int:
        """Of data and weights."""

    @property
    def steps(self) -> int:
        """The most it may take."""

    @property
    def batch(self) -> int:
        """Examples a step."""

    @property
    def evaluation(self) -> int:
        """Examples an evaluation scores."""

    @property
    def heads(self) -> int:
        """Of attention and its variants."""

    @property
    def weight_scale(self) -> float:
        """Deviation of the read-out and of the linear layers that start as GPT-2's."""


@dataclass(frozen=True)
class Measured:
    """One training run. `accuracy` is its last evaluation, a fraction; `curve` holds (step, accuracy, loss in nats);
    `state_bits` are (fixed, per token), counted from tensors; `steps` were taken of `steps_allowed`; `failed`: it diverged;
    `pruned`: it lost a race, and is never the best of anything."""

    task: Task
    contender: Contender
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
    heads: int = 4
    failed: bool = False
    pruned: bool = False
    environment: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, run: Trained, result: Mapping[str, Any], environment: Mapping[str, Any]) -> "Measured":
        """A run with the `result` and `environment` of its exported row."""
        fixed, per_token = result["state_bits"]
        return cls(
            task=run.task,
            contender=Contender(tuple(run.layers), run.width),
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
            heads=run.heads,
            failed=result["status"].startswith("failed"),
            pruned=result["status"] == "pruned",
            environment=dict(environment),
        )

    @property
    def recurrent(self) -> bool:
        """Whether its state keeps one size, however long the input."""
        return self.state_bits[1] == 0

    @property
    def bits_before_the_question(self) -> int:
        """State bits once all `length` symbols are read."""
        return self.state_bits[0] + self.state_bits[1] * self.task.length

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """(step, accuracy) of every evaluation."""
        return tuple((float(step), accuracy) for step, accuracy, _ in self.curve)

    @property
    def steps_to_goal(self) -> int | None:
        """The first evaluation at 99 % or above."""
        return next((step for step, accuracy, _ in self.curve if accuracy >= GOAL), None)


def chance(task: Task) -> float:
    """Accuracy without any state: what guessing gets where labels are as likely as each other."""
    bound = ceiling(task, 0)
    return 1 / task.classes if bound is None else bound


def by_accuracy(run: Measured) -> tuple[float, float]:
    """Greater is better: accuracy, then fewer steps to it. A run that diverged is below all others, whatever it had reached."""
    return (run.accuracy if known(run.accuracy) and not run.failed else -1.0, -float(run.steps))


def by_speed(run: Measured) -> tuple[float, float]:
    """Greater is better: fewer steps to 99 %, then accuracy."""
    return (-float(run.steps_to_goal or math.inf), by_accuracy(run)[0])


@dataclass(frozen=True)
class Evidence:
    """The runs of this demo (`fresh`, one seed) and the committed ones (all rates and seeds); either may be empty.

    One run stands for a contender on a task: the best of the fresh ones over the learning rates or, where none was made, the
    best committed one under the least seed.
    """

    fresh: tuple[Measured, ...]
    committed: tuple[Measured, ...]

    @property
    def all(self) -> tuple[Measured, ...]:
        """Both."""
        return self.fresh + self.committed

    def tasks(self, kind: type[Task]) -> list[Task]:
        """The tasks of a kind that were trained, shortest first."""
        return sorted({run.task for run in self.all if isinstance(run.task, kind)}, key=lambda task: (task.length, repr(task)))

    def contenders(self, tasks: Iterable[Task]) -> list[Contender]:
        """Who was trained on any of these tasks, in the order of every table."""
        wanted = set(tasks)
        return sorted({run.contender for run in self.all if run.task in wanted}, key=lambda contender: contender.rank)

    def candidates(self, task: Task, contender: Contender) -> list[Measured]:
        """One seed's runs, one per learning rate: this demo's where there are any."""
        for runs in (self.fresh, self.committed):
            found = [run for run in runs if run.task == task and run.contender == contender]
            if found:
                least = min(run.seed for run in found)
                return [run for run in found if run.seed == least]
        return []

    def best(self, task: Task, contender: Contender) -> Measured | None:
        """The run with the highest accuracy."""
        return max(self.candidates(task, contender), key=by_accuracy, default=None)

    def fastest(self, task: Task, contender: Contender) -> Measured | None:
        """The run that reached 99 % first or, where none did, the one with the highest accuracy."""
        return max(self.candidates(task, contender), key=by_speed, default=None)

    def each_seed(
        self, task: Task, contender: Contender, better: Callable[[Measured], tuple[float, float]] = by_accuracy
    ) -> list[Measured]:
        """The best committed run of each seed over the learning rates."""
        runs = [run for run in self.committed if run.task == task and run.contender == contender]
        return [max((run for run in runs if run.seed == seed), key=better) for seed in sorted({run.seed for run in runs})]
