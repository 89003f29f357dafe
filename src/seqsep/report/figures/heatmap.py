"""The heatmap of accuracy, model x length, as every picture of the report draws it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from seqsep.report.figures.line_styles import INK, LINE, SOFT
from seqsep.report.figures.text_width import text_width, wrapped

LINE_HEIGHT = 1.3
"""Of a line of a name, in sizes of its letters."""
POINTS_AN_INCH = 72
SMALLER = 0.8
"""In this part of its size a name that is too wide is set, in several lines if need be."""

HATCH = "#566270"
EDGE = 0.06
"""The part of a cell that is hatched at its left and at its right."""
MARKED = "#b3261e"
HEAT = LinearSegmentedColormap.from_list("heat", ["#f6f9fc", "#85b5e6"])


@dataclass(frozen=True)
class HeatmapBox:
    """One cell: the accuracy that colours it, the number in it, and the lines under it. Without an accuracy it is white.

    `marked` is a further line, in red. A `hatched` cell has diagonal lines at its edges.
    """

    accuracy: float | None
    number: str = ""
    lines: tuple[str, ...] = ()
    marked: str = ""
    hatched: bool = False


@dataclass(frozen=True)
class HeatmapStyle:
    """Sizes of type in points, places as parts of a cell. A name wider than `name_width` inches is set smaller, in lines.

    A name is left of its row if `name_at` is below 0, and above its boxes otherwise. The boxes begin at `top`. Without `apart`,
    the distance of lines follows from their number.
    """

    name_size: float
    name_at: float
    name_width: float
    title_size: float
    title_at: float
    number_size: float
    number_at: float
    line_size: float
    line_at: float
    line_colour: str
    top: float = 0.03
    apart: float | None = None


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
    row_height = axes.bbox.height / axes.figure.dpi / max(1, len(names))
    for row, (name, row_boxes) in enumerate(zip(names, boxes, strict=True)):
        lines, size = _name_lines(name, style, row_height)
        words: dict[str, Any] = {"fontsize": size, "color": INK, "va": "center", "linespacing": 1.15}
        if style.name_at < 0:
            axes.text(style.name_at, row + 0.5, lines, ha="right", **words)
        else:
            axes.text(0.015, row + style.name_at, lines, ha="left", **words)
        for column, box in enumerate(row_boxes):
            _draw_box(axes, row, column, box, style=style)


def _name_lines(name: str, style: HeatmapStyle, row_height: float) -> tuple[str, float]:
    """Return the lines of a name and their size: its own, or `SMALLER` of it in several, if a row's inches have room for
    them.
    """
    if text_width(name, style.name_size) <= style.name_width:
        return name, style.name_size
    size = SMALLER * style.name_size
    lines = wrapped(name, style.name_width, size)
    high = len(lines) * LINE_HEIGHT * size / POINTS_AN_INCH
    wide = max(text_width(line, size) for line in lines)
    return "\n".join(lines), size * min(1.0, style.name_width / wide, row_height / high)


def _draw_box(axes: Axes, row: int, column: int, box: HeatmapBox, style: HeatmapStyle) -> None:
    colour = "white" if box.accuracy is None else HEAT(box.accuracy)
    top = row + style.top
    height = 0.97 - style.top
    axes.add_patch(Rectangle((column + 0.015, top), 0.97, height, facecolor=colour, edgecolor=LINE))
    if box.hatched:
        for left in (0.015, 0.985 - EDGE):
            edge = Rectangle((column + left, top), EDGE, height, fill=False, edgecolor=HATCH, linewidth=0, hatch="/////")
            axes.add_patch(edge)
    centre: dict[str, Any] = {"ha": "center", "va": "center"}
    middle = column + 0.5
    if box.number:
        axes.text(middle, row + style.number_at, box.number, fontsize=style.number_size, weight="bold", color=INK, **centre)
    lines = [*box.lines, box.marked] if box.marked else list(box.lines)
    first, apart = (style.line_at, 0.17) if len(lines) < 4 else (style.line_at - 0.03, 0.125)
    if style.apart is not None:
        first = style.line_at
        apart = style.apart
    for place, words in enumerate(lines):
        at = row + first + apart * place
        colour = MARKED if words == box.marked else style.line_colour
        axes.text(middle, at, words, fontsize=style.line_size, color=colour, **centre)
