"""How fresh rows compare with committed rows of the same runs.

Equal keys give equal numbers on one processor only: another one rounds products otherwise, and training magnifies that. So
where rows differ, it is said whether they are of one processor, and what another seed changes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from seqsep.lab.device import PROCESSOR, but_for_processor
from seqsep.lab.row import Row
from seqsep.lab.run import canonical_json
from seqsep.report.headline import task_title
from seqsep.report.sized_model import SizedModel


@dataclass(frozen=True)
class Difference:
    """By how much the accuracy of a fresh row is off that of its committed one, a fraction.

    `seed_spread` is the largest difference between seeds of its own setting among the committed rows, None if there is one
    seed only. `same_processor` is None where a row does not name its processor.
    """

    title: str
    points: float
    seed_spread: float | None
    same_processor: bool | None

    @property
    def beyond_seeds(self) -> float:
        """By how much it is larger than what another seed changes."""
        return self.points - (self.seed_spread or 0.0)

    def sentence(self) -> str:
        """Its size, where it is, and what another seed changes there."""
        seeds = "" if self.seed_spread is None else f", where another seed changes it by up to {_points(self.seed_spread)}"
        return f"{_points(self.points)} points of accuracy ({self.title}{seeds})"


@dataclass(frozen=True)
class Comparison:
    """Fresh runs beside their committed rows: how many are compared, and those that are not equal number for number.

    Rows are compared if their keys and environments agree, but for the processor.
    """

    compared: int
    differences: tuple[Difference, ...]

    @classmethod
    def of_rows(cls, fresh: Iterable[Row], committed: Iterable[Row]) -> "Comparison":
        """Compare the finished rows of both."""
        known = {(row.key, _place(row)): row for row in committed if row.finished}
        by_setting: dict[tuple[str, str], list[float]] = {}
        for row in known.values():
            by_setting.setdefault(_setting(row), []).append(row.result["accuracy"])
        differences = []
        compared = 0
        for row in fresh:
            same = known.get((row.key, _place(row)))
            if not row.finished or same is None:
                continue
            compared += 1
            if row.result != same.result:
                differences.append(_difference(row, same, by_setting[_setting(row)]))
        return cls(compared, tuple(differences))

    @property
    def equal(self) -> int:
        """How many runs have the numbers of their committed rows."""
        return self.compared - len(self.differences)

    def sentence(self) -> str:
        """What a reader needs to know of it: the largest difference and, if it is another, the one farthest beyond its seeds.

        >>> mamba = Difference("Mamba on Index lookup, N = 20", 0.2, seed_spread=0.766, same_processor=False)
        >>> attention = Difference("Attention on Index lookup, N = 20", 0.013, seed_spread=0.001, same_processor=False)
        >>> print(Comparison(18, (mamba,)).sentence())
        17 of 18 runs equal their committed rows number for number; the others differ by at most 20.0 points of accuracy (Mamba
        on Index lookup, N = 20, where another seed changes it by up to 76.6), as another processor rounds otherwise
        >>> "; beyond its seeds most by 1.3 points of accuracy (Attention" in Comparison(18, (mamba, attention)).sentence()
        True
        """
        if not self.compared:
            return "no committed row has the same run and environment, so none is compared"
        said = f"{self.equal} of {self.compared} runs equal their committed rows number for number"
        if not self.differences:
            return said
        largest = max(self.differences, key=lambda one: one.points)
        farthest = max(self.differences, key=lambda one: one.beyond_seeds)
        by = f"by at most {largest.sentence()}" if largest.points else "though not in accuracy"
        words = f"{said}; the others differ {by}"
        if farthest.title != largest.title and farthest.beyond_seeds > 0:
            words += f"; beyond its seeds most by {farthest.sentence()}"
        return f"{words}, {_why(self.differences)}"


def _points(fraction: float) -> str:
    """Points of accuracy with one decimal, or with two if they are few."""
    return f"{100 * fraction:.{1 if fraction >= 0.001 or not fraction else 2}f}"


def _why(differences: Sequence[Difference]) -> str:
    """Whether rows that differ are of one processor, where nothing but a lost determinism explains a difference."""
    same = sum(one.same_processor is True for one in differences)
    unknown = sum(one.same_processor is None for one in differences)
    if same:
        which = "all" if same == len(differences) else f"{same} of them"
        return f"{which} on the same processor and torch, where they should be equal"
    if unknown:
        return f"perhaps as another processor rounds otherwise: {unknown} of these rows do not name theirs"
    return "as another processor rounds otherwise"


def _difference(ours: Row, theirs: Row, accuracies: Sequence[float]) -> Difference:
    """What two rows of one run differ by; `accuracies` are those of its setting under each committed seed."""
    named = all("processor" in row.environment for row in (ours, theirs))
    model = SizedModel.of(ours.run)
    return Difference(
        title=f"{model.title} on {task_title(ours.run.task)}",
        points=abs(ours.result["accuracy"] - theirs.result["accuracy"]),
        seed_spread=max(accuracies) - min(accuracies) if len(accuracies) > 1 else None,
        same_processor=_processor(ours) == _processor(theirs) if named else None,
    )


def _processor(row: Row) -> list[str | None]:
    """Which processor a row was trained on, and who multiplied there."""
    return [row.environment.get(name) for name in PROCESSOR]


def _place(row: Row) -> str:
    """The environment of a row but for its processor, as text: rows compared have the same torch."""
    return canonical_json(but_for_processor(row.environment))


def _setting(row: Row) -> tuple[str, str]:
    """What a run has beside its seed, and where it was run."""
    return replace(row.run, seed=0).key(), _place(row)
