"""The search for a cell of a figure: a grid of learning rates, rates around the best, more seeds.

Each stage follows from the rows of the stage before. So a sweep that was killed finds its way back, and two people who ask the
same question train the same runs. The best run of a cell has the highest accuracy; of equal ones the one that took fewer steps,
and of these the lower rate.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seqsep.lab.row import PRUNED, Row, rank_of
from seqsep.lab.run import Run
from seqsep.models.mixers.settings import mixer_named

PAPER_RATES = (1e-2, 5e-3, 1e-3, 5e-4, 1e-4, 5e-5, 1e-6)
"""Appendix H; section 6 has {1e-2, 5e-3, .., 1e-6}."""

QUICK_RATES = (1e-3, 3e-3, 1e-2)
"""Of the preset `quick`; refined around the best for recurrent models."""

Results = Mapping[str, Mapping[str, Any]]
"""The result of each run that has one, by the run's key."""


@dataclass(frozen=True)
class SearchCell:
    """The choices of one cell of a figure, which shows the best of them; each is trained at every rate."""

    choices: tuple[Run, ...]

    @classmethod
    def each(cls, *runs: Run) -> "tuple[SearchCell, ...]":
        """Return a cell for each run."""
        return tuple(cls((run,)) for run in runs)

    @property
    def recurrent(self) -> bool:
        """True if no layer is known to keep a state that grows.

        Recurrent models learn recall at few rates only (arXiv:2508.19029). A user's own layer counts as recurrent.
        """
        layers = {layer for run in self.choices for layer in run.layers}
        return not any(isinstance(layer, str) and mixer_named(layer).grows for layer in layers)


@dataclass(frozen=True)
class Search:
    """Cells, the learning rates tried in each, and what follows from their results.

    `refine`: recurrent models are also trained at the rates half-way (geometrically) from the best rate to its neighbours.
    `seeds` train the best run, seed 0 among them.

    >>> from seqsep.tasks import IndexLookup
    >>> run = Run(IndexLookup(5), ("lstm",), width=8, steps=10)
    >>> search = Search(SearchCell.each(run), rates=(1e-3, 1e-2), refine=True, seeds=3)
    >>> len(search.runs()), search.further
    (2, 4)
    """

    cells: tuple[SearchCell, ...]
    rates: tuple[float, ...]
    refine: bool = False
    seeds: int = 1

    def runs(self, rows: Iterable[Row] = ()) -> list[Run]:
        """Return the runs that can be named so far, cell by cell in each stage. Without rows these are the grid."""
        results = {row.key: row.result for row in rows if row.has_outcome}
        grids = self.grids
        first_stage = [run for grid in grids for run in grid]
        if not results:
            return list(dict.fromkeys(first_stage))
        between = list[Run]()
        repeated = list[Run]()
        for cell, grid in zip(self.cells, grids, strict=True):
            finer = self._finer(cell, grid, results)
            between += finer
            best = best_run([*grid, *finer], results)
            if best is not None:
                repeated += [replace(best, seed=seed) for seed in range(1, self.seeds)]
        return list(dict.fromkeys(first_stage + between + repeated))

    def _finer(self, cell: SearchCell, grid: Sequence[Run], results: Results) -> list[Run]:
        """Return the best run of a cell's grid at the rates between. The list is empty until the grid is complete."""
        best = best_run(grid, results)
        if best is None or not self.refine or not cell.recurrent:
            return []
        return [replace(best, learning_rate=rate) for rate in rates_between(best.learning_rate, self.rates)]

    @property
    def grids(self) -> list[list[Run]]:
        """The grid of each cell: the runs that compete for it with seed 0."""
        return [[replace(run, learning_rate=rate) for run in cell.choices for rate in self.rates] for cell in self.cells]

    def changed(self, *changes: Callable[[Run], Run]) -> "Search":
        """Return the same search of other runs: each cell under each change of its runs, equal cells once."""
        cells = (SearchCell(tuple(dict.fromkeys(map(change, cell.choices)))) for change in changes for cell in self.cells)
        return replace(self, cells=tuple(dict.fromkeys(cells)))

    def only(self, wanted: Callable[[Run], bool]) -> "Search":
        """Return the same search of the wanted choices, without cells that keep none."""
        cells = (SearchCell(tuple(filter(wanted, cell.choices))) for cell in self.cells)
        return replace(self, cells=tuple(cell for cell in cells if cell.choices))

    def choices(self) -> list[Run]:
        """Return the choices of `--only`: those of every cell."""
        return [run for cell in self.cells for run in cell.choices]

    def estimated(self) -> tuple[list[Run], int, str]:
        """Return the counts of an estimate: the grid, the number of runs that may follow, and a note on that."""
        return self.runs(), self.further, "at most"

    @property
    def size(self) -> int:
        """The number of runs of the grid; none of them is made."""
        return len(set(self.rates)) * len({run for cell in self.cells for run in cell.choices})

    @property
    def further(self) -> int:
        """The greatest number of runs that the later stages add."""
        refined = sum(cell.recurrent for cell in self.cells) if self.refine and len(set(self.rates)) > 1 else 0
        return 2 * refined + (self.seeds - 1) * len(self.cells)


def best_run(runs: Sequence[Run], results: Results) -> Run | None:
    """Return the best of runs that all have results; None while a result is missing, or if every run was pruned."""
    outcomes = {run: results.get(run.key()) for run in runs}
    if any(result is None for result in outcomes.values()):
        return None
    ended = {run: result for run, result in outcomes.items() if result is not None and result["status"] != PRUNED}
    return max(ended, key=lambda run: rank_of(run, ended[run]), default=None)


def rates_between(best: float, rates: Iterable[float]) -> list[float]:
    """Return the geometric means of the best rate and its neighbours, to two digits.

    A missing neighbour is taken as far away as the other one. Without a second rate there are no means.

    >>> rates_between(1e-2, rates=[1e-3, 1e-2, 1e-1])
    [0.0032, 0.032]
    """
    ordered = sorted({*rates, best})
    if len(ordered) == 1:
        return []
    place = ordered.index(best)
    lower = ordered[place - 1] if place > 0 else best * best / ordered[1]
    upper = ordered[place + 1] if place + 1 < len(ordered) else best * best / ordered[-2]
    return [float(f"{math.sqrt(best * other):.1e}") for other in (lower, upper)]
