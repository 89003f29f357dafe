"""A figure with a title, a legend and a caption around its panels, laid out in inches; and how figures become files."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from seqsep.report.figures.looks import INK, SOFT, Look

SUFFIXES = (".pdf", ".png", ".svg")
DOTS_PER_INCH = 110
MARGIN = 0.2
LINE_OF_LEGEND = 0.21


@dataclass(frozen=True)
class SheetStyle:
    """Type sizes in points; the width of a title's letter, the height of a caption's line and the title's place in inches."""

    title_size: float
    title_letter: float
    title_below_top: float
    caption_size: float
    caption_line: float
    caption_letters_an_inch: float
    most_legend_columns: int


class Sheet:
    """A figure whose width is known, and whose height follows from what stands above its legend and caption.

    `bottom` is the height of legend and caption, in inches; panels stand above it.
    """

    def __init__(self, title: str, caption: str, looks: Iterable[Look], least_width: float, style: SheetStyle) -> None:
        self.title = title
        self.style = style
        self.looks = [look for look in looks if look.label]
        self.width = max(least_width, 2 * MARGIN + style.title_letter * len(title))
        across = self.width - 2 * MARGIN
        self.lines = textwrap.wrap(caption, int(style.caption_letters_an_inch * across))
        self.legend_bottom = 0.15 + style.caption_line * len(self.lines)
        longest_label = max([len(look.label) for look in self.looks], default=1)
        self.legend_columns = max(1, min(style.most_legend_columns, int(across / (0.75 + 0.085 * longest_label))))
        self.bottom = self.legend_bottom + 0.12 + LINE_OF_LEGEND * math.ceil(len(self.looks) / self.legend_columns)

    def start(self, height_above: float, with_lines: bool = True) -> None:
        """Make the figure, with so many inches above the legend; `with_lines`: the legend shows lines and not markers alone."""
        style = self.style
        self.height = self.bottom + height_above
        self.figure = Figure(figsize=(self.width, self.height), facecolor="white")
        FigureCanvasAgg(self.figure)
        left = MARGIN / self.width
        top = 1 - style.title_below_top / self.height
        self.figure.text(left, top, self.title, fontsize=style.title_size, weight="bold", color=INK, va="top")
        caption: dict[str, Any] = {"fontsize": style.caption_size, "color": SOFT, "va": "bottom", "linespacing": 1.25}
        self.figure.text(left, 0.1 / self.height, "\n".join(self.lines), **caption)
        draw_legend(
            self.figure,
            self.looks,
            bottom=self.legend_bottom / self.height,
            columns=self.legend_columns,
            with_lines=with_lines,
        )

    def axes(self, left: float, bottom: float, width: float, height: float) -> Axes:
        """A panel, its place and size in inches."""
        place = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        return self.figure.add_axes(place)


def draw_legend(figure: Figure, looks: Sequence[Look], bottom: float, columns: int, with_lines: bool = True) -> None:
    """One legend for all panels, `bottom` above the figure's bottom as a fraction, at most `columns` entries wide."""
    handles = [
        Line2D([], [], **look.mark() | {"linestyle": look.dashes if with_lines else "none"}, linewidth=1.6, markersize=6)
        for look in looks
    ]
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


def write_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write `folder`/`name` as PDF, PNG and SVG and return their paths. Equal figures give equal bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    dates = {".pdf": {"CreationDate": None}, ".png": {"Software": None}, ".svg": {"Date": None}}
    for suffix in SUFFIXES:
        with rc_context({"svg.hashsalt": name}):
            figure.savefig(folder / f"{name}{suffix}", dpi=DOTS_PER_INCH, metadata=dates[suffix])
    return [folder / f"{name}{suffix}" for suffix in SUFFIXES]
