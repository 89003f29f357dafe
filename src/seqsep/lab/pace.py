"""How long steps take, learned from the runs under way: from this a display tells what time is left."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from seqsep.lab.run import Run


def kind_of(run: Run) -> tuple[Any, ...]:
    """What the time of a step depends on most.

    >>> from seqsep.tasks import IndexLookup
    >>> one, other = (Run(IndexLookup(5), ("lstm",), width=8, seed=seed) for seed in (0, 1))
    >>> kind_of(one) == kind_of(other)
    True
    """
    return run.layers, run.task, run.width, run.batch, run.dtype


class Pace:
    """Seconds a step of each kind of run, evaluations between the steps included; several displays may share it.

    `at_once` is the most runs that were under way together.
    """

    def __init__(self) -> None:
        self.at_once = 1
        self.seconds: dict[tuple[Any, ...], float] = defaultdict(float)
        self.steps: dict[tuple[Any, ...], int] = defaultdict(int)

    def saw(self, run: Run, steps: int, seconds: float) -> None:
        """A run has made so many steps in this time."""
        self.seconds[kind_of(run)] += seconds
        self.steps[kind_of(run)] += steps

    def time_of(self, steps: Mapping[Run, float]) -> float:
        """Seconds until runs have made these steps, as many at once as were seen; a kind not seen takes the average.

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
        each = [of_kind.get(kind_of(run), average) * count for run, count in steps.items()]
        return max(sum(each) / self.at_once, *each, 0.0)  # of the last runs the longest decides
