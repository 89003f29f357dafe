"""The time of a step, learned from the runs under way: a display computes the remaining time from it."""

from collections import defaultdict
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from seqsep.lab.run import Run

KIND = ("layers", "task", "width", "batch", "dtype")
"""The fields of a run that the time of its steps depends on most."""
KIND_OF = attrgetter(*KIND)


class Pace:
    """Seconds a step of each kind of run, evaluations between the steps included; several displays may share it.

    `at_once` is the most runs that were under way together.
    """

    def __init__(self) -> None:
        self.at_once = 1
        self.seconds: dict[tuple[Any, ...], float] = defaultdict(float)
        self.steps: dict[tuple[Any, ...], int] = defaultdict(int)

    def saw(self, run: Run, steps: int, seconds: float) -> None:
        """Add a number of steps that a run has made, and their seconds."""
        self.seconds[KIND_OF(run)] += seconds
        self.steps[KIND_OF(run)] += steps

    def time_of(self, steps: Mapping[Run, float]) -> float:
        """Return the seconds until runs have made these steps, if as many run at once as before. A kind not seen takes the
        average.

        At least one step must have been seen.

        >>> from seqsep.tasks import IndexLookup
        >>> lstm, mamba = (Run(IndexLookup(5), (layer,), width=8) for layer in ("lstm", "mamba"))
        >>> pace = Pace()
        >>> pace.saw(lstm, steps=10, seconds=5.0)
        >>> pace.time_of({lstm: 20.0, mamba: 10.0})
        15.0
        """
        average = sum(self.seconds.values()) / sum(self.steps.values())
        of_kind = {kind: self.seconds[kind] / count for kind, count in self.steps.items() if count}
        each = [of_kind.get(KIND_OF(run), average) * count for run, count in steps.items()]
        return max(sum(each) / self.at_once, *each, 0.0)  # of the last runs the longest decides
