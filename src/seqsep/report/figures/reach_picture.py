"""The picture of index lookup by architecture and length: the seeds of each cell, next to the paper's number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from matplotlib.figure import Figure

from seqsep.report.figures.heatmap import HeatmapBox, HeatmapStyle, draw_heatmap
from seqsep.report.figures.looks import INK, SOFT
from seqsep.report.figures.text_width import wrapped
from seqsep.report.numerals import DASH, count, percent

WIDTH = 11.0
ROW_HEIGHT = 1.06
ABOVE = 1.35
BELOW = 1.4
"""Inches."""
NOTE_SIZE = 10.0
STYLE = HeatmapStyle(
    name_size=13.0,
    name_at=-0.04,
    name_width=1.8,
    title_size=12.0,
    title_at=-0.12,
    number_size=15.0,
    number_at=0.18,
    line_size=9.0,
    line_at=0.42,
    line_colour=SOFT,
)


@dataclass(frozen=True)
class SeedsCell:
    """The seeds of one setting: their accuracies, and the model's layers, width, steps and training inputs.

    `at_chance` counts the seeds that guess. `is_other_size`: the paper's model has another size.
    """

    accuracies: tuple[float, ...]
    layers: int
    width: int
    steps: int
    inputs: str
    at_chance: int
    is_other_size: bool

    @property
    def middle(self) -> float:
        """The median over the seeds."""
        return median(self.accuracies)

    @property
    def lines(self) -> tuple[str, ...]:
        """The range over seeds with their number; then layers x width, steps and training inputs."""
        low, high = (percent(edge(self.accuracies)) for edge in (min, max))
        number = len(self.accuracies)
        seeds = f"{low}–{high}, {number} seeds" if number > 1 else "1 seed"
        return seeds, f"{self.layers}×{self.width}, {count(self.steps)} {self.inputs}"


@dataclass(frozen=True)
class SeedsRow:
    """An architecture: its cells by length, and the paper's accuracies by length."""

    name: str
    cells: Mapping[int, SeedsCell]
    paper: Mapping[int, float]


def draw_reach(rows: Sequence[SeedsRow], lengths: Sequence[int], note: str) -> Figure:
    """Draw a row for each architecture and a column for each length; `note` is the caption below."""
    under = wrapped(note, 0.94 * WIDTH, NOTE_SIZE)
    height = ABOVE + ROW_HEIGHT * len(rows) + BELOW
    figure = Figure(figsize=(WIDTH, height), facecolor="white")
    title = "Index lookup: accuracy by architecture and length"
    figure.text(0.03, 1 - 0.3 / height, title, fontsize=16, weight="bold", color=INK, va="center")
    said = "Large: the median over seeds, in percent. Below: range and number of seeds; layers × width, steps; the paper's"
    figure.text(0.03, 1 - 0.62 / height, said, fontsize=11, color=SOFT, va="center")
    draw_heatmap(
        figure.add_axes((0.2, BELOW / height, 0.77, ROW_HEIGHT * len(rows) / height)),
        names=[row.name for row in rows],
        titles=[f"N = {length}" for length in lengths],
        boxes=[[_box(row, length) for length in lengths] for row in rows],
        style=STYLE,
    )
    figure.text(0.03, (BELOW - 0.2) / height, "\n".join(under), fontsize=NOTE_SIZE, color=SOFT, va="top", linespacing=1.3)
    return figure


def _box(row: SeedsRow, length: int) -> HeatmapBox:
    """The cell of a length; a dash if there is no run."""
    paper = (f"paper {percent(row.paper[length])}",) if length in row.paper else ()
    cell = row.cells.get(length)
    if cell is None:
        return HeatmapBox(None, DASH, ("", "", *paper) if paper else ())
    number = len(cell.accuracies)
    marked = f"{cell.at_chance} of {number} at chance" if cell.at_chance else ""
    return HeatmapBox(cell.middle, percent(cell.middle), (*cell.lines, *paper), marked=marked, hatched=cell.is_other_size)
