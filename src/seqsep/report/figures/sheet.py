"""A figure with a title, a legend and a caption around its panels; and how figures become files."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from seqsep.report.figures.line_styles import INK, SOFT, LineStyle
from seqsep.report.figures.picture_file import save_figure
from seqsep.report.figures.text_width import DOTS_PER_INCH, text_width, wrapped

SUFFIXES = (".pdf", ".png", ".svg")
MARGIN = 0.2
LINE_OF_LEGEND = 0.21
LABEL_SIZE = 9.5
BESIDE_LABEL = 0.85
"""The room before and after a label of the legend, in inches."""
Shows = Literal["lines", "markers", "bars"]


@dataclass(frozen=True)
class SheetStyle:
    """Type sizes in points; places and heights of lines in inches."""

    title_size: float
    title_below_top: float
    caption_size: float
    caption_line: float
    most_legend_columns: int


@dataclass(frozen=True)
class PanelPlace:
    """The place of a panel, in inches; `bottom` is counted from the top of the legend."""

    left: float
    bottom: float
    width: float
    height: float


@dataclass(frozen=True)
class FigureLayout:
    """The title, legend and caption around the panels, and the places of the panels.

    `width` is that of the figure and `height` what the panels and the title take above the legend, in inches. The legend shows
    lines with markers, markers alone, or bars, as the panels do.
    """

    title: str
    caption: str
    looks: Sequence[LineStyle]
    width: float
    height: float
    places: Sequence[PanelPlace]
    style: SheetStyle
    shows: Shows = "lines"


def draw_sheet(sheet: FigureLayout) -> tuple[Figure, list[Axes]]:
    """Return the figure with title, legend and caption, and its empty panels."""
    style = sheet.style
    across = sheet.width - 2 * MARGIN
    lines = wrapped(sheet.caption, across, style.caption_size)
    named = [look for look in sheet.looks if look.label]
    legend_columns = max(1, min(style.most_legend_columns, int(across / _legend_width(named))))
    legend_bottom = 0.15 + style.caption_line * len(lines)
    legend_top = legend_bottom + 0.12 + LINE_OF_LEGEND * math.ceil(len(named) / legend_columns)
    height = sheet.height + legend_top
    figure = Figure(figsize=(sheet.width, height), facecolor="white")
    FigureCanvasAgg(figure)
    left = MARGIN / sheet.width
    top = 1 - style.title_below_top / height
    figure.text(left, top, sheet.title, fontsize=style.title_size, weight="bold", color=INK, va="top")
    caption: dict[str, Any] = {"fontsize": style.caption_size, "color": SOFT, "va": "bottom", "linespacing": 1.25}
    figure.text(left, 0.1 / height, "\n".join(lines), **caption)
    draw_legend(figure, named, bottom=legend_bottom / height, columns=legend_columns, shows=sheet.shows)
    panels = []
    for place in sheet.places:
        bottom = (legend_top + place.bottom) / height
        panels.append(figure.add_axes((place.left / sheet.width, bottom, place.width / sheet.width, place.height / height)))
    return figure, panels


def width_of(title: str, looks: Iterable[LineStyle], style: SheetStyle) -> float:
    """Return the least width of a sheet, in inches, whose title and legend are not cut off."""
    return 2 * MARGIN + max(text_width(title, style.title_size, "bold"), _legend_width(looks))


def _legend_width(looks: Iterable[LineStyle]) -> float:
    """Return the width of a column of the legend, in inches."""
    return BESIDE_LABEL + max([text_width(look.label, LABEL_SIZE) for look in looks], default=0.0)


def draw_legend(figure: Figure, looks: Sequence[LineStyle], bottom: float, columns: int, shows: Shows = "lines") -> None:
    """Draw one legend for all panels, `bottom` above the figure's bottom as a fraction, at most `columns` entries wide."""
    handles = [_handle(look, shows) for look in looks]
    figure.legend(
        handles,
        [look.label for look in looks],
        loc="lower left",
        bbox_to_anchor=(0.03, bottom),
        ncols=columns,
        frameon=False,
        fontsize=LABEL_SIZE,
        labelcolor=INK,
        handlelength=3.2,
        borderaxespad=0.0,
    )


def _handle(look: LineStyle, shows: Shows) -> Artist:
    """Return the mark before a look's name."""
    if shows == "bars":
        return Patch(facecolor=look.tint, edgecolor=look.colour)
    return Line2D([], [], **look.mark | {"linestyle": look.dashes if shows == "lines" else "none"}, linewidth=1.6, markersize=6)


def write_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write `folder`/`name` as PDF, PNG and SVG and return their paths. Equal figures give equal bytes."""
    paths = [folder / f"{name}{suffix}" for suffix in SUFFIXES]
    for path in paths:
        save_figure(figure, path, DOTS_PER_INCH)
    return paths
