"""docs/reach.svg: up to which length each architecture looks up a symbol, from the committed rows of `reach`."""

from dataclasses import replace
from pathlib import Path

from seqsep.experiments import BY_NAME
from seqsep.lab.row import read_rows
from seqsep.report.figures.picture_file import svg_text
from seqsep.report.figures.reach_picture import draw_reach
from seqsep.report.measured import Measured
from seqsep.report.numerals import count, listed
from seqsep.report.reach import ReachLine, reach_lines, with_learned_positions


def lines_with_positions(folder: Path) -> list[ReachLine]:
    """The architectures with learned positions, by their own names."""
    experiment = BY_NAME["index-lookup-architectures"]
    rows = [row for row in read_rows(experiment.rows_file(folder, "reach")) if row.has_outcome]
    lines = reach_lines([Measured.of(row) for row in rows], experiment.paper_figure)
    return [replace(line, name=line.model.title) for line in with_learned_positions(lines)]


def reach_picture(folder: Path = Path("results")) -> str:
    """docs/reach.svg as text; its words are paths, as matplotlib of constraints.txt draws them."""
    lines = lines_with_positions(folder)
    return svg_text(draw_reach(lines, what_was_tried(lines)))


def what_was_tried(lines: list[ReachLine]) -> str:
    """The steps and sizes of the runs that are shown, beside the paper's."""
    cells = [(task.length, cell.best) for line in lines for task, cell in line.cells.items()]
    lengths = sorted({length for length, _ in cells})
    steps = {length: max(run.steps_allowed for other, run in cells if other == length) for length in lengths}
    widest = max(run.model.width for _, run in cells)
    deepest = max(len(run.model.layers) for _, run in cells)
    ours = listed([f"{count(most)} at N = {length}" for length, most in steps.items()])
    return (
        f"Steps: at most {ours}; layers: at most {deepest}, of width {widest} at most. The paper's have up to 6 layers of "
        "width 256 and 250,000 steps. —: not trained yet."
    )
