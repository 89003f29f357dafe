"""The search behind a cell of a figure: a grid of learning rates, rates between around the best, the best one with more seeds.

Each stage follows from the rows of the stage before, so a sweep that was killed finds its way back, and two people who ask the
same question train the same runs. The best run of a cell has the highest accuracy; of equal ones the one that took fewer steps,
and of these the lower rate.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seqsep.lab.row import PRUNED, Row, rank_of
from seqsep.lab.run import Run
from seqsep.mixers import BY_NAME as MIXERS

PAPER_RATES = (1e-2, 5e-3, 1e-3, 5e-4, 1e-4, 5e-5, 1e-6)
"""Appendix H; section 6 has {1e-2, 5e-3, .., 1e-6}."""

QUICK_RATES = (1e-3, 3e-3, 1e-2)
"""Of the preset `quick`; refined around the best for recurrent models."""

Results = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Cell:
    """What one cell of a figure shows the best of: runs that differ in heads, say, each at every rate with seed 0."""

    choices: tuple[Run, ...]

    @classmethod
    def each(cls, *runs: Run) -> "tuple[Cell, ...]":
        """A cell for each run."""
        return tuple(cls((run,)) for run in runs)

    @property
    def recurrent(self) -> bool:
        """Whether every layer keeps a state of one size, or is a user's own, of which that is not known: recurrent models learn
        recall at few rates only (arXiv:2508.19029)."""
        return all(not isinstance(name, str) or not MIXERS[name].grows for run in self.choices for name in run.layers)


@dataclass(frozen=True)
class Search:
    """`refine`: the rates half-way (geometrically) to the neighbours of the best one are tried too, for recurrent models.
    `seeds` train the best run: seed 0 is there already."""

    cells: tuple[Cell, ...]
    rates: tuple[float, ...]
    refine: bool = False
    seeds: int = 1

    def runs(self, rows: Iterable[Row] = ()) -> list[Run]:
        """The runs that can be named so far, cell by cell in each stage; at first the grid."""
        results = {row.key: row.result for row in rows if row.has_outcome}
        grids = self.grids
        found = [run for grid in grids for run in grid]
        between, repeated = list[Run](), list[Run]()
        if not results:
            return list(dict.fromkeys(found))
        for cell, grid in zip(self.cells, grids, strict=True):
            tried = list(grid)
            if (best := best_run(tried, results)) is None:
                continue
            if self.refine and cell.recurrent:
                finer = [replace(best, learning_rate=rate) for rate in rates_between(best.learning_rate, self.rates)]
                between += finer
                if (best := best_run(tried + finer, results)) is None:
                    continue
            repeated += [replace(best, seed=seed) for seed in range(1, self.seeds)]
        return list(dict.fromkeys(found + between + repeated))

    @property
    def grids(self) -> list[list[Run]]:
        """The grid of each cell: the runs that compete for it with seed 0."""
        return [[replace(run, learning_rate=rate) for run in cell.choices for rate in self.rates] for cell in self.cells]

    def changed(self, *changes: Callable[[Run], Run]) -> "Search":
        """The same search of other runs: each cell under each change of its runs, equal cells once."""
        cells = (Cell(tuple(dict.fromkeys(map(change, cell.choices)))) for change in changes for cell in self.cells)
        return replace(self, cells=tuple(dict.fromkeys(cells)))

    def only(self, wanted: Callable[[Run], bool]) -> "Search":
        """The same search of the choices that are wanted, without the cells that keep none."""
        cells = (Cell(tuple(filter(wanted, cell.choices))) for cell in self.cells)
        return replace(self, cells=tuple(cell for cell in cells if cell.choices))

    @property
    def size(self) -> int:
        """How many runs the grid has; none of them is made."""
        return len(set(self.rates)) * len({run for cell in self.cells for run in cell.choices})

    @property
    def further(self) -> int:
        """How many runs the later stages add, at most."""
        refined = sum(cell.recurrent for cell in self.cells) if self.refine and len(set(self.rates)) > 1 else 0
        return 2 * refined + (self.seeds - 1) * len(self.cells)


def best_run(runs: Sequence[Run], results: Results) -> Run | None:
    """The best of runs that all have results; None while one is missing, or where there are none but pruned ones."""
    outcomes = {run: results.get(run.key()) for run in runs}
    if any(result is None for result in outcomes.values()):
        return None
    ended = {run: result for run, result in outcomes.items() if result is not None and result["status"] != PRUNED}
    return max(ended, key=lambda run: rank_of(run, ended[run]), default=None)


def rates_between(best: float, rates: Iterable[float]) -> list[float]:
    """The geometric means of the best rate and its neighbours, to two digits; beyond the ends as far as on the other side."""
    ordered = sorted({*rates, best})
    at = ordered.index(best)
    lower = ordered[at - 1] if at else None
    upper = ordered[at + 1] if at + 1 < len(ordered) else None
    if lower is None and upper is None:
        return []
    lower = best * best / upper if lower is None and upper is not None else lower
    upper = best * best / lower if upper is None and lower is not None else upper
    assert lower is not None
    assert upper is not None
    return [float(f"{math.sqrt(best * other):.1e}") for other in (lower, upper)]
