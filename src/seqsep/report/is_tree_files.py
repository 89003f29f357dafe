"""The experiment `is-tree` as files: figures/is-tree, tables/is-tree.csv, and what the page shows of them."""

import csv
from io import StringIO
from pathlib import Path

from seqsep.experiments import is_tree
from seqsep.files import write_file
from seqsep.lab.row import read_rows
from seqsep.report.figure_files import ShownExperiment, ShownFigure, write_as_data
from seqsep.report.figures.is_tree_bars import caption, draw_is_tree
from seqsep.report.is_tree_table import IsTreeCell, is_tree_cells


def write_is_tree_results(rows: Path, folder: Path) -> list[ShownExperiment]:
    """Write a figure and a table for each preset whose rows lie in the folder `rows`; what the page shows of each."""
    shown = []
    for preset in is_tree.EXPERIMENT.presets:
        path = is_tree.EXPERIMENT.rows_file(rows, preset)
        cells = is_tree_cells(read_rows(path)) if path.exists() else {}
        if cells:
            words = caption({task.trace for _, task in cells})
            figure = ShownFigure(write_as_data(draw_is_tree(cells), folder, path.stem), "live accuracy by trace", words)
            _write_table(folder / "tables" / f"{path.stem}.csv", list(cells.values()))
            shown.append(ShownExperiment(path.stem, is_tree.EXPERIMENT.question, (figure,)))
    return shown


def _write_table(path: Path, cells: list[IsTreeCell]) -> None:
    """Write a line a cell, accuracies as fractions."""
    table = StringIO()
    lines = csv.DictWriter(table, list(_line(cells[0])), lineterminator="\n")
    lines.writeheader()
    lines.writerows(
        _line(cell) for cell in sorted(cells, key=lambda cell: (cell.task.length, cell.task.trace, cell.model.rank))
    )
    write_file(path, table.getvalue())


def _line(cell: IsTreeCell) -> dict[str, object]:
    return {
        "architecture": cell.model.architecture,
        "layers": len(cell.model.layers),
        "width": cell.model.width,
        "vertices": cell.task.length,
        "trace": cell.task.trace,
        "live_accuracy": cell.live,
        "unanswered": cell.unanswered,
        "thought_and_answer": cell.written,
        "answer_behind_right_thought": cell.answer,
        "parameters": cell.parameters,
        "state_bits": cell.state_bits,
        "ceiling": cell.ceiling,
        "paper": cell.paper,
        "learning_rate": cell.learning_rate,
        "steps": cell.steps,
    }
