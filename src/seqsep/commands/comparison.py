"""The reader's rows beside the committed ones of the same cell: `--compare` of `seqsep run` and `seqsep train`."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from seqsep.commands.shipped import shipped
from seqsep.core.names import BadInput
from seqsep.lab.row import Row, Rows, rank_of
from seqsep.lab.rows_of import read_rows
from seqsep.lab.run import Run, canonical_json
from seqsep.models.plugins.name import shown

MINE = "yours"


def committed_rows(place: Path) -> list[Row]:
    """Return the rows of a file, of every file of a folder, or of a store, without those of another version in it.

    If the current folder has no `results`, that name means the committed rows that come with seqsep. Raises BadInput
    for a folder without any, ValueError as `read_rows`, StoreError for a database that is not a store.
    """
    if place == Path("results") and not place.exists():
        place = shipped("results")
    files = sorted(place.glob("*.jsonl")) if place.is_dir() else [place]
    if not files or not place.exists():
        raise BadInput(
            f"--compare {place}: expected a store, a file of rows, or a folder with NAME.jsonl, found none in "
            f"{place.absolute()}"
        )
    return [row for file in files for row in read_rows(file)]


def beside(mine: Iterable[Row], committed: Iterable[Row], label: str = MINE) -> Rows:
    """Return a table of cells: the best committed row of each architecture with the number of its runs, then the reader's row.

    A cell is a task with all its fields. The best has the highest accuracy, then the fewest steps. `experiment` is the
    label for the reader's rows, else `NAME, best of N`.

    >>> beside([], [])
    <BLANKLINE>
    """
    known = [row for row in committed if "question" not in row.configuration and row.finished]
    table = Rows()
    for cell, rows in _by_cell(row for row in mine if row.has_outcome).items():
        for architecture in _architectures(known, cell):
            best = max(architecture, key=_rank)
            table.append(replace(best, experiment=f"{best.experiment}, best of {len(architecture)}"))
        table += [replace(row, experiment=label) for row in sorted(rows, key=_rank, reverse=True)]
    return table


def sentence(mine: Sequence[Row], committed: Iterable[Row]) -> str:
    """Return the sentences that a reader needs to understand the table."""
    cells = {_cell(row.run) for row in committed if "question" not in row.configuration and row.finished}
    alone = sorted({f"{row.run.task.label()} N={row.run.task.length}" for row in mine if _cell(row.run) not in cells})
    without = f"; no other row has {', '.join(alone)}" if alone else ""
    return f"These runs next to rows of the same task and length, which may have other widths, rates and steps{without}"


def _by_cell(rows: Iterable[Row]) -> dict[str, list[Row]]:
    cells: dict[str, list[Row]] = {}
    for row in rows:
        cells.setdefault(_cell(row.run), []).append(row)
    return cells


def _architectures(rows: Iterable[Row], cell: str) -> list[list[Row]]:
    """Return the rows of a cell by their layers, width and positions, the best architecture first."""
    groups: dict[tuple[str, int, str], list[Row]] = {}
    for row in rows:
        if _cell(row.run) == cell:
            groups.setdefault(("+".join(map(shown, row.run.layers)), row.run.width, row.run.positions_told()), []).append(row)
    return sorted(groups.values(), key=lambda group: _rank(max(group, key=_rank)), reverse=True)


def _cell(run: Run) -> str:
    return canonical_json(run.task.configuration())


def _rank(row: Row) -> tuple[float, int, float]:
    return rank_of(row.run, row.result)
