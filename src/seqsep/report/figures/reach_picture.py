"""The picture of index lookup by architecture and length: the seeds of each cell, next to the paper's number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from matplotlib.figure import Figure

from seqsep.report.figures.heatmap import HeatmapBox, HeatmapStyle, draw_heatmap
from seqsep.report.figures.line_styles import INK, SOFT
from seqsep.report.figures.text_width import wrapped
from seqsep.report.formatting import DASH, count, percent

WIDTH = 5.6
ROW_HEIGHT = 1.5
ABOVE = 1.5
BELOW = 1.85
MARGIN = 0.1
"""Inches."""
LETTERS = 9.1
"""Points of the smallest letters: 9 pixels if the picture is 400 pixels wide."""
STYLE = HeatmapStyle(
    name_size=12.0,
    name_at=0.09,
    name_width=4.0,
    title_size=11.0,
    title_at=-0.02,
    number_size=14.0,
    number_at=0.28,
    line_size=LETTERS,
    line_at=0.405,
    line_colour=SOFT,
    top=0.18,
    apart=0.102,
)
SAID = (
    "Large: the median over seeds, in percent. Below: range and number of seeds; layers × width; steps with the letter of the "
    "training inputs; the paper's number"
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
        """The range over seeds and their number; layers x width; steps and training inputs."""
        low, high = (percent(edge(self.accuracies)) for edge in (min, max))
        number = len(self.accuracies)
        seeds = (f"{low}–{high}", f"{number} seeds") if number > 1 else ("1 seed",)
        return *seeds, f"{self.layers}×{self.width}", f"{count(self.steps)} {self.inputs}"


@dataclass(frozen=True)
class SeedsRow:
    """An architecture: its cells by length, and the paper's accuracies by length."""

    name: str
    cells: Mapping[int, SeedsCell]
    paper: Mapping[int, float]


def draw_reach(rows: Sequence[SeedsRow], lengths: Sequence[int], note: str) -> Figure:
    """Draw a row for each architecture and a column for each length; `note` is the caption below."""
    under, above = (wrapped(words, WIDTH - 2 * MARGIN, LETTERS) for words in (note, SAID))
    height = ABOVE + ROW_HEIGHT * len(rows) + BELOW
    figure = Figure(figsize=(WIDTH, height), facecolor="white")
    left = MARGIN / WIDTH
    title = "Index lookup: accuracy by architecture\nand length"
    figure.text(left, 1 - MARGIN / height, title, fontsize=14, weight="bold", color=INK, va="top")
    figure.text(left, 1 - 0.65 / height, "\n".join(above), fontsize=LETTERS, color=SOFT, va="top", linespacing=1.3)
    draw_heatmap(
        figure.add_axes((left, BELOW / height, 1 - 2 * left, ROW_HEIGHT * len(rows) / height)),
        names=[row.name for row in rows],
        titles=[f"N = {length}" for length in lengths],
        boxes=[[_box(row, length) for length in lengths] for row in rows],
        style=STYLE,
    )
    figure.text(left, (BELOW - 0.2) / height, "\n".join(under), fontsize=LETTERS, color=SOFT, va="top", linespacing=1.3)
    return figure


def _box(row: SeedsRow, length: int) -> HeatmapBox:
    """Return the cell of a length; a dash without a run."""
    paper = (f"paper {percent(row.paper[length])}",) if length in row.paper else ()
    cell = row.cells.get(length)
    if cell is None:
        return HeatmapBox(None, DASH, ("", "", *paper) if paper else ())
    number = len(cell.accuracies)
    marked = f"{cell.at_chance}/{number} at chance" if cell.at_chance else ""
    return HeatmapBox(cell.middle, percent(cell.middle), (*cell.lines, *paper), marked=marked, hatched=cell.is_other_size)
