"""How fresh rows compare with committed rows of the same runs.

Equal keys give equal numbers on one processor only: another one rounds products otherwise, and training magnifies that. So a
difference is shown beside what another seed changes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from seqsep.lab.device import but_for_processor
from seqsep.lab.row import Row
from seqsep.lab.run import canonical_json


@dataclass(frozen=True)
class Comparison:
    """Fresh runs beside their committed rows: how many are equal, and how far off the others are.

    Rows are compared if their keys and environments agree, but for the processor. Accuracies are fractions; `seed_spread` is
    the largest difference between seeds of one setting among the committed rows of the settings compared, None if none was
    committed under two seeds.
    """

    compared: int
    equal: int
    largest_difference: float
    seed_spread: float | None

    @classmethod
    def of_rows(cls, fresh: Iterable[Row], committed: Iterable[Row]) -> "Comparison":
        """Compare the finished rows of both."""
        known = {(row.key, _place(row)): row for row in committed if row.finished}
        pairs = []
        for row in fresh:
            same = known.get((row.key, _place(row)))
            if row.finished and same is not None:
                pairs.append((row, same))
        differences = [abs(ours.result["accuracy"] - theirs.result["accuracy"]) for ours, theirs in pairs]
        settings = {_setting(row) for row, _ in pairs}
        by_setting: dict[str, list[float]] = {}
        for row in known.values():
            if (setting := _setting(row)) in settings:
                by_setting.setdefault(setting, []).append(row.result["accuracy"])
        spreads = [max(accuracies) - min(accuracies) for accuracies in by_setting.values() if len(accuracies) > 1]
        return cls(
            compared=len(pairs),
            equal=sum(ours.result == theirs.result for ours, theirs in pairs),
            largest_difference=max(differences, default=0.0),
            seed_spread=max(spreads, default=None),
        )

    def sentence(self) -> str:
        """What a reader needs to know of it.

        >>> print(Comparison(compared=18, equal=2, largest_difference=0.0123, seed_spread=0.061).sentence())
        2 of 18 runs equal their committed rows number for number; the others differ by at most 1.2 points of accuracy, as
        another processor rounds otherwise (another seed: by up to 6.1)
        """
        if not self.compared:
            return "no committed row has the same run and environment, so none is compared"
        said = f"{self.equal} of {self.compared} runs equal their committed rows number for number"
        if self.equal == self.compared:
            return said
        seeds = "" if self.seed_spread is None else f" (another seed: by up to {100 * self.seed_spread:.1f})"
        points = f"{100 * self.largest_difference:.1f} points of accuracy"
        return f"{said}; the others differ by at most {points}, as another processor rounds otherwise{seeds}"


def _place(row: Row) -> str:
    """The environment of a row but for its processor, as text."""
    return canonical_json(but_for_processor(row.environment))


def _setting(row: Row) -> str:
    """What a run has beside its seed, as text."""
    return replace(row.run, seed=0).key()
