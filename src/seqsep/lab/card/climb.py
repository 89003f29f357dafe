"""The climb: a layer goes up each ladder as far as it gets.

All ladders are climbed together, rung by rung, so that a sweep always has several runs to train at once. A rung is tried with
the learning rate that was best so far, and with the other one only if it is not passed: passing is what counts. In a ladder of
lengths, a run decides about all rungs, and the other rate is tried unless it passes all. A rung above one that was not passed
is not tried.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from seqsep.lab.card.battery import PASSED, RATES, Budget, Ladder, Layer
from seqsep.lab.row import Row
from seqsep.lab.run import Run

Train = Callable[[Sequence[Run]], Sequence[Row]]
"""Trains runs, and returns a row for each in their order."""


@dataclass(frozen=True)
class Rung:
    """A rung of a ladder as far as it was tried.

    Fields:
        difficulty: the value of the ladder's unit.
        accuracy: share of right answers, at the better learning rate; None if the rung was not tried or its runs failed.
        key: key of the run that counts.
    """

    difficulty: int
    accuracy: float | None = None
    key: str = ""

    @property
    def is_passed(self) -> bool:
        """True if enough answers are right."""
        return self.accuracy is not None and self.accuracy >= PASSED


@dataclass(frozen=True)
class Climb:
    """A ladder with its rungs as a layer climbed them.

    Fields:
        ladder: name of the ladder.
        family: its family.
        unit: the quantity that grows from rung to rung.
        rungs: the rungs, easiest first.
        chance: share of right answers of a guess at the first rung; None if no run ended.
        failure: the status of the last run that failed, or an empty text.
    """

    ladder: str
    family: str
    unit: str
    rungs: tuple[Rung, ...]
    chance: float | None = None
    failure: str = ""

    @property
    def score(self) -> int:
        """The number of rungs passed from the first one without a gap.

        >>> Climb("parity", "state", "N", (Rung(20, 1.0), Rung(40, 0.7), Rung(80, 0.95))).score
        1
        """
        passed = [rung.is_passed for rung in self.rungs]
        return passed.index(False) if False in passed else len(passed)

    @property
    def reached(self) -> int | None:
        """The difficulty of the highest rung that counts, or None."""
        return self.rungs[self.score - 1].difficulty if self.score else None


def climb(layers: tuple[Layer, ...], ladders: Sequence[Ladder], *, budget: Budget, train: Train, seed: int = 0) -> list[Climb]:
    """Climb the ladders with a model of these layers; return one climb for each ladder, in their order."""
    climbers = [_Climber(ladder, layers, budget, seed) for ladder in ladders]
    while asked := [(climber, run) for climber in climbers for run in climber.wanted()]:
        rows = train([run for _, run in asked])
        for (climber, _), row in zip(asked, rows, strict=True):
            climber.rows.append(row)
        for climber in climbers:
            climber.settle()
    return [climber.found for climber in climbers]


class _Climber:
    """One ladder under way: the rung that it is at, the rates left to try there, and the rows of this rung."""

    def __init__(self, ladder: Ladder, layers: tuple[Layer, ...], budget: Budget, seed: int) -> None:
        self.ladder = ladder
        self.layers = layers
        self.budget: Budget = budget
        self.seed = seed
        self.at = 0
        self.rates = list(RATES)
        self.rows: list[Row] = []
        untried = tuple(Rung(difficulty) for difficulty, _ in ladder.rungs)
        self.found = Climb(ladder.name, ladder.family, ladder.unit, untried)

    @property
    def is_done(self) -> bool:
        """True if no rung is left to try."""
        return self.at >= len(self.ladder.rungs)

    def wanted(self) -> list[Run]:
        """Return the runs to train next; none if the ladder is climbed."""
        if self.is_done:
            return []
        return [self.ladder.run(self.layers, self.at, rate, budget=self.budget, seed=self.seed) for rate in self.rates[:1]]

    def settle(self) -> None:
        """Record the rung that was trained, and go to the next rung, to the other rate, or to the end."""
        if self.is_done:
            return
        best = max(self.rows, key=self._goodness)
        first = self.at
        last = len(self.found.rungs) if self.ladder.is_of_lengths else first + 1
        rungs = list(self.found.rungs)
        for number in range(first, last):
            difficulty = rungs[number].difficulty
            rungs[number] = Rung(difficulty, accuracy_at(best, self.ladder.rungs[number][1].length), best.key)
        failed = [row.status for row in self.rows if row.failed]
        chance = chance_of(best) if self.found.chance is None else self.found.chance
        self.found = replace(self.found, rungs=tuple(rungs), chance=chance, failure=(failed or [self.found.failure])[-1])
        self.rates = [rate for rate in self.rates if rate not in {row.run.learning_rate for row in self.rows}]
        if all(rung.is_passed for rung in rungs[first:last]):
            self.at = last
            self.rates = sorted(RATES, key=lambda rate: rate != best.run.learning_rate)
            self.rows = []
        elif not self.rates:
            self.at = len(rungs)

    def _goodness(self, row: Row) -> tuple[int, float]:
        """Return the rungs that a row passes among those that it decides, then its mean accuracy there."""
        decided = self.ladder.rungs if self.ladder.is_of_lengths else self.ladder.rungs[self.at : self.at + 1]
        accuracies = [accuracy_at(row, task.length) or 0.0 for _, task in decided]
        passed = [accuracy >= PASSED for accuracy in accuracies]
        return (passed.index(False) if False in passed else len(passed)), sum(accuracies) / len(accuracies)


def answers_right(row: Row) -> float | None:
    """Return the share of right answers at the lengths of training, or None for a run that failed."""
    if row.failed:
        return None
    return float(row.result.get("accuracy_per_answer", row.result["accuracy"]))


def accuracy_at(row: Row, length: int) -> float | None:
    """Return the share of right answers at a test length, or at that of training; None for a run that failed."""
    if row.failed or length == row.run.task.length:
        return answers_right(row)
    found = row.result.get("accuracy_per_answer_by_length") or row.result["accuracy_by_length"]
    return float(dict(found)[length])


def chance_of(row: Row) -> float | None:
    """Return the share of right answers of a guess that reads nothing, or None for a run that failed."""
    if row.failed:
        return None
    return float(row.result.get("chance_per_answer", 1 / row.run.task.classes))
