"""The heatmap of accuracy, model x length, as every picture of the report draws it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from seqsep.report.figures.looks import INK, LINE, SOFT

NO_LIMIT = math.inf
"""The `longest_name` of a style that sets every name in one size."""

HEAT = LinearSegmentedColormap.from_list("heat", ["#f6f9fc", "#85b5e6"])


@dataclass(frozen=True)
class HeatmapBox:
    """One cell: the accuracy that colours it, the number in it, and the lines under it. Without an accuracy it is white."""

    accuracy: float | None
    number: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class HeatmapStyle:
    """Type sizes in points, places as parts of a cell; a name longer than `longest_name` is set smaller."""

    name_size: float
    name_at: float
    longest_name: float
    title_size: float
    title_at: float
    number_size: float
    number_at: float
    line_size: float
    line_at: float
    line_colour: str


def draw_heatmap(
    axes: Axes,
    names: Sequence[str],
    titles: Sequence[str],
    boxes: Sequence[Sequence[HeatmapBox]],
    style: HeatmapStyle,
) -> None:
    """Draw a row of boxes for each name and a column for each title."""
    axes.set(xlim=(0, max(1, len(titles))), ylim=(max(1, len(names)), 0))
    axes.axis("off")
    for column, title in enumerate(titles):
        axes.text(column + 0.5, style.title_at, title, fontsize=style.title_size, color=SOFT, ha="center", va="bottom")
    for row, (name, row_boxes) in enumerate(zip(names, boxes, strict=True)):
        size = style.name_size * min(1.0, style.longest_name / max(1, len(name)))
        axes.text(style.name_at, row + 0.5, name, fontsize=size, color=INK, ha="right", va="center")
        for column, box in enumerate(row_boxes):
            _draw_box(axes, row, column, box, style=style)


def _draw_box(axes: Axes, row: int, column: int, box: HeatmapBox, style: HeatmapStyle) -> None:
    colour = "white" if box.accuracy is None else HEAT(box.accuracy)
    axes.add_patch(Rectangle((column + 0.015, row + 0.03), 0.97, 0.94, facecolor=colour, edgecolor=LINE))
    centre: dict[str, Any] = {"ha": "center", "va": "center"}
    middle = column + 0.5
    if box.number:
        axes.text(middle, row + style.number_at, box.number, fontsize=style.number_size, weight="bold", color=INK, **centre)
    apart = 0.17 if len(box.lines) < 4 else 0.135
    for place, words in enumerate(box.lines):
        at = row + style.line_at + apart * place
        axes.text(middle, at, words, fontsize=style.line_size, color=style.line_colour, **centre)
