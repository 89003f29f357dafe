"""The experiment `is-tree` as files: figures/is-tree, tables/is-tree.csv, and what the page shows of them."""

from pathlib import Path

from seqsep.core.files import write_file
from seqsep.core.tables import as_csv
from seqsep.lab.experiments import is_tree
from seqsep.lab.row import read_rows
from seqsep.report.figure_files import ShownExperiment, ShownFigure, write_as_data
from seqsep.report.figures.is_tree_bars import caption, draw_is_tree
from seqsep.report.figures.is_tree_states import draw_is_tree_states, states_caption
from seqsep.report.is_tree_table import IsTreeCell, is_tree_cells
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import IsTree


def write_is_tree_results(rows: Path, folder: Path) -> list[ShownExperiment]:
    """Write a figure and a table for each preset whose rows are in the folder `rows`. Return the parts that the page shows of
    each.
    """
    shown = []
    for preset in is_tree.EXPERIMENT.presets:
        path = is_tree.EXPERIMENT.rows_file(rows, preset)
        cells = is_tree_cells(read_rows(path)) if path.exists() else {}
        if cells:
            figure = _figure(preset, cells, folder, path.stem)
            _write_table(folder / "tables" / f"{path.stem}.csv", list(cells.values()))
            shown.append(ShownExperiment(path.stem, is_tree.EXPERIMENT.question, (figure,)))
    return shown


def _figure(preset: str, cells: dict[tuple[SizedModel, IsTree], IsTreeCell], folder: Path, name: str) -> ShownFigure:
    """Return the figure of a preset: over bits of state for the sweep over states, else over n and traces."""
    if preset == "state":
        drawn = draw_is_tree_states(cells)
        return ShownFigure(write_as_data(drawn, folder, name), "accuracy and bits of state", states_caption(cells))
    words = caption({task for _, task in cells})
    return ShownFigure(write_as_data(draw_is_tree(cells), folder, name), "live accuracy by trace", words)


def _write_table(path: Path, cells: list[IsTreeCell]) -> None:
    """Write a line a cell, accuracies as fractions."""
    ordered = sorted(cells, key=lambda cell: (cell.task.length, cell.task.distribution, cell.task.trace, cell.model.rank))
    write_file(path, as_csv([_line(cell) for cell in ordered]))


def _line(cell: IsTreeCell) -> dict[str, object]:
    return {
        "architecture": cell.model.architecture,
        "layers": len(cell.model.layers),
        "width": cell.model.width,
        "heads": cell.model.heads or None,
        "vertices": cell.task.length,
        "distribution": cell.task.distribution,
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
