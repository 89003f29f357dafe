"""A figure with a title, a legend and a caption around its panels; and how figures become files."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from seqsep.report.figures.looks import INK, SOFT, Look
from seqsep.report.figures.picture_file import save_figure

SUFFIXES = (".pdf", ".png", ".svg")
DOTS_PER_INCH = 110
MARGIN = 0.2
LINE_OF_LEGEND = 0.21
Shows = Literal["lines", "markers", "bars"]


@dataclass(frozen=True)
class SheetStyle:
    """Type sizes in points; places, heights of lines and widths of letters in inches."""

    title_size: float
    title_letter: float
    title_below_top: float
    caption_size: float
    caption_line: float
    caption_letters_an_inch: float
    most_legend_columns: int


@dataclass(frozen=True)
class Place:
    """Where a panel stands, in inches; `bottom` is counted from the top of the legend."""

    left: float
    bottom: float
    width: float
    height: float


@dataclass(frozen=True)
class Sheet:
    """What is drawn around and below the panels, and where the panels stand.

    `width` is that of the figure and `height` what the panels and the title take above the legend, in inches. The legend shows
    lines with markers, markers alone, or bars, as the panels do.
    """

    title: str
    caption: str
    looks: Sequence[Look]
    width: float
    height: float
    places: Sequence[Place]
    style: SheetStyle
    shows: Shows = "lines"


def draw_sheet(sheet: Sheet) -> tuple[Figure, list[Axes]]:
    """The figure with title, legend and caption, and its empty panels."""
    style = sheet.style
    across = sheet.width - 2 * MARGIN
    lines = textwrap.wrap(sheet.caption, int(style.caption_letters_an_inch * across))
    named = [look for look in sheet.looks if look.label]
    longest_label = max([len(look.label) for look in named], default=1)
    legend_columns = max(1, min(style.most_legend_columns, int(across / (0.75 + 0.085 * longest_label))))
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


def draw_legend(figure: Figure, looks: Sequence[Look], bottom: float, columns: int, shows: Shows = "lines") -> None:
    """One legend for all panels, `bottom` above the figure's bottom as a fraction, at most `columns` entries wide."""
    handles = [_handle(look, shows) for look in looks]
    figure.legend(
        handles,
        [look.label for look in looks],
        loc="lower left",
        bbox_to_anchor=(0.03, bottom),
        ncols=columns,
        frameon=False,
        fontsize=9.5,
        labelcolor=INK,
        handlelength=3.2,
        borderaxespad=0.0,
    )


def _handle(look: Look, shows: Shows) -> Artist:
    """What stands in front of a look's name."""
    if shows == "bars":
        return Patch(facecolor=look.tint, edgecolor=look.colour)
    return Line2D([], [], **look.mark | {"linestyle": look.dashes if shows == "lines" else "none"}, linewidth=1.6, markersize=6)


def write_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write `folder`/`name` as PDF, PNG and SVG and return their paths. Equal figures give equal bytes."""
    paths = [folder / f"{name}{suffix}" for suffix in SUFFIXES]
    for path in paths:
        save_figure(figure, path, DOTS_PER_INCH)
    return paths
