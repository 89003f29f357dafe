"""The README's picture of `reach`: the best accuracy at each length, up to where it is 99 %, and the paper's beside both."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from seqsep.report.figures.heatmap import HeatmapBox, HeatmapStyle, draw_heatmap
from seqsep.report.figures.looks import INK, SOFT
from seqsep.report.figures.text_width import wrapped
from seqsep.report.numerals import DASH, percent
from seqsep.report.reach import ReachLine
from seqsep.tasks import Task

WIDTH = 11.0
ROW_HEIGHT = 0.62
ABOVE = 1.35
BELOW = 0.74
"""Inches."""
NOTE_SIZE = 9.5
STYLE = HeatmapStyle(
    name_size=13.0,
    name_at=-0.04,
    name_width=1.8,
    title_size=12.0,
    title_at=-0.12,
    number_size=15.0,
    number_at=0.4,
    line_size=9.5,
    line_at=0.79,
    line_colour=SOFT,
)


def draw_reach(lines: Sequence[ReachLine], note: str) -> Figure:
    """A row a line, a column a length and one more for the greatest length with 99 %; `note` stands below."""
    tasks = sorted({task for line in lines for task in line.cells}, key=lambda task: task.length)
    height = ABOVE + ROW_HEIGHT * len(lines) + BELOW
    figure = Figure(figsize=(WIDTH, height), facecolor="white")
    title = "How far each architecture looks up a symbol by its position"
    figure.text(0.03, 1 - 0.3 / height, title, fontsize=16, weight="bold", color=INK, va="center")
    said = "Accuracy in percent of the best run, learned positions for all; small: the paper's"
    figure.text(0.03, 1 - 0.62 / height, said, fontsize=11, color=SOFT, va="center")
    draw_heatmap(
        figure.add_axes((0.2, BELOW / height, 0.77, ROW_HEIGHT * len(lines) / height)),
        names=[line.name for line in lines],
        titles=[*(f"N = {task.length}" for task in tasks), "99 % up to"],
        boxes=[[*(_box(line, task) for task in tasks), _reached(line)] for line in lines],
        style=STYLE,
    )
    under = "\n".join(wrapped(note, 0.94 * WIDTH, NOTE_SIZE))
    figure.text(0.03, 0.34 / height, under, fontsize=NOTE_SIZE, color=SOFT, va="center", linespacing=1.3)
    return figure


def _box(line: ReachLine, task: Task) -> HeatmapBox:
    """The best run at a length; a dash where none was trained."""
    paper = (f"paper {percent(line.paper[task.length])}",) if task.length in line.paper else ()
    if task not in line.cells:
        return HeatmapBox(None, DASH, paper)
    accuracy = line.cells[task].best.accuracy
    return HeatmapBox(accuracy, percent(accuracy), paper)


def _reached(line: ReachLine) -> HeatmapBox:
    """The greatest length with 99 %, ours and the paper's."""
    shortest = min(task.length for task in line.cells)
    ours = f"< {shortest}" if line.passed is None else str(line.passed)
    theirs = (f"paper {line.paper_passed or f'< {min(line.paper)}'}",) if line.paper else ()
    return HeatmapBox(None, ours, theirs)
