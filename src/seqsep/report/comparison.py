"""A comparison of fresh rows with committed rows of the same runs.

Equal keys give equal numbers on one processor only: another one rounds products differently, and training magnifies that. So
the table of rows that differ says if they are of one processor, and by how much another seed changes the accuracy.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from seqsep.lab.device import PROCESSOR, but_for_processor
from seqsep.lab.row import Row
from seqsep.lab.run import canonical_json
from seqsep.report.formatting import DASH
from seqsep.report.headline import task_title
from seqsep.report.plain_table import Entry, PlainTable, TableRow
from seqsep.report.sized_model import SizedModel


@dataclass(frozen=True)
class Difference:
    """The difference between the accuracy of a fresh row and that of its committed one, a fraction.

    `seed_spread` is the largest difference between seeds of its own setting among the committed rows, None if there is one
    seed only. `same_processor` is None where a row does not name its processor.
    """

    title: str
    points: float
    seed_spread: float | None
    same_processor: bool | None


@dataclass(frozen=True)
class Comparison:
    """Fresh runs compared with their committed rows: the number of comparisons, and the runs that are not equal number for
    number.

    Rows are compared if their keys and environments agree, except the processor.
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
        """The number of runs that have the numbers of their committed rows."""
        return self.compared - len(self.differences)

    def sentence(self) -> str:
        """Return the number of equal runs, in words.

        >>> mamba = Difference("Mamba on Index lookup, N = 20", 0.2, seed_spread=0.766, same_processor=False)
        >>> Comparison(18, (mamba,)).sentence()
        '17 of 18 runs equal their committed rows number for number'
        """
        if self.compared == 0:
            return "no run has a committed row to compare with"
        return f"{self.equal} of {self.compared} runs equal their committed rows number for number"

    def table(self) -> PlainTable | None:
        """Return the runs that are not equal; None if all are."""
        words = {True: "the same", False: "another", None: "not named"}
        rows = []
        for one in self.differences:
            texts = (_points(one.points), _points(one.seed_spread), words[one.same_processor])
            rows.append(TableRow(one.title, "", tuple(map(Entry, texts))))
        title = "Runs that differ from their committed rows"
        return PlainTable(title, "run", ("points of accuracy", "by another seed", "processor"), tuple(rows)) if rows else None


def _points(fraction: float | None) -> str:
    """Return points of accuracy with one decimal, or with two if they are few."""
    return DASH if fraction is None else f"{100 * fraction:.{1 if fraction >= 0.001 or not fraction else 2}f}"


def _difference(ours: Row, theirs: Row, accuracies: Sequence[float]) -> Difference:
    """Return the difference between two rows of one run; `accuracies` are those of its setting under each committed seed."""
    named = all("processor" in row.environment for row in (ours, theirs))
    model = SizedModel.of(ours.run)
    return Difference(
        title=f"{model.title} on {task_title(ours.run.task)}",
        points=abs(ours.result["accuracy"] - theirs.result["accuracy"]),
        seed_spread=max(accuracies) - min(accuracies) if len(accuracies) > 1 else None,
        same_processor=_processor(ours) == _processor(theirs) if named else None,
    )


def _processor(row: Row) -> list[str | None]:
    """Return the processor and the library of products of a row."""
    return [row.environment.get(name) for name in PROCESSOR]


def _place(row: Row) -> str:
    """Return the environment of a row except its processor, as text: compared rows have the same torch."""
    return canonical_json(but_for_processor(row.environment))


def _setting(row: Row) -> tuple[str, str]:
    """Return the settings of a run without its seed, and its environment."""
    return replace(row.run, seed=0).key(), _place(row)
