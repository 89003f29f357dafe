"""The separation in bits as a figure for print: the charts of the page and of docs/separation.svg, drawn by matplotlib.

What stands where is decided by `svg_chart.Chart`: this file only draws its geometry, in its coordinates and in the page's
colours.
"""

import re
import textwrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from seqsep.report.figures.looks import DASHES, INK, LINE, SOFT
from seqsep.report.page.ledger_charts import LEDGER_STYLES, RECURRENT
from seqsep.report.page.ledger_picture import LedgerPicture
from seqsep.report.page.svg_chart import Chart, ChartLine, Mark

UNITS_AN_INCH = 100.0
MARGIN = 20.0
HEADING = 34.0
TITLE = 76.0
GAP = 26.0
SIZE = 9.0
SMALL = 8.3
CAPTION_LETTER = 6.4
LINE_OF_TEXT = 16.0


def draw_separation() -> Figure:
    """Draw weights, cache and least state over N, and the weights by position code, side by side."""
    picture = LedgerPicture.of_ledger()
    across = picture.panels[0].chart.width
    down = picture.panels[0].chart.height
    width = 2 * across + GAP + 2 * MARGIN
    rows = -(-len(picture.panels) // 2)
    caption = textwrap.wrap(picture.caption, round((width - 2 * MARGIN) / CAPTION_LETTER))
    height = TITLE + rows * (HEADING + down + GAP) + LINE_OF_TEXT * len(caption)
    figure = Figure(figsize=(width / UNITS_AN_INCH, height / UNITS_AN_INCH), facecolor="white")
    FigureCanvasAgg(figure)
    figure.text(MARGIN / width, 1 - 16 / height, picture.title, fontsize=14, weight="bold", color=INK, va="top")
    figure.text(MARGIN / width, 1 - 44 / height, picture.subtitle, fontsize=SIZE, color=SOFT, va="top")
    for place, panel in enumerate(picture.panels):
        row, column = divmod(place, 2)
        left = MARGIN + column * (across + GAP)
        top = TITLE + row * (HEADING + down + GAP)
        axes = figure.add_axes((left / width, 1 - (top + HEADING + down) / height, across / width, down / height))
        heading = axes.annotate(
            panel.name, (0, -HEADING + 10), fontsize=11, weight="bold", color=INK, va="top", annotation_clip=False
        )
        axes.annotate(
            panel.meaning,
            xy=(1.0, 0.0),
            xycoords=heading,
            xytext=(6, 0),
            textcoords="offset points",
            fontsize=SIZE,
            color=SOFT,
            va="bottom",
            annotation_clip=False,
        )
        draw_chart(axes, panel.chart)
    below = LINE_OF_TEXT * len(caption) / height
    figure.text(MARGIN / width, below, "\n".join(caption), fontsize=SMALL, color=SOFT, va="top", linespacing=1.3)
    return figure


def draw_chart(axes: Axes, chart: Chart) -> None:
    """Draw one chart in its own coordinates, which run down."""
    axes.set(xlim=(0, chart.width), ylim=(chart.height, 0))
    axes.axis("off")
    for y, text in chart.y_ticks:
        axes.plot([chart.left, chart.right], [y, y], color=LINE, linewidth=0.8, zorder=1)
        axes.text(chart.left - 7, y, text, fontsize=SMALL, color=SOFT, ha="right", va="center")
    for x, text in chart.x_ticks:
        axes.plot([x, x], [chart.bottom, chart.bottom + 4], color=SOFT, linewidth=0.8)
        axes.text(x, chart.bottom + 8, text, fontsize=SMALL, color=SOFT, ha="center", va="top")
    axes.text((chart.left + chart.right) / 2, chart.height - 2, chart.x_title, fontsize=SMALL, color=SOFT, ha="center")
    axes.text(chart.right, chart.top + 8, chart.y_title, fontsize=SMALL, color=SOFT, ha="right")
    for line in chart.lines:
        if line.area:
            axes.fill(*points(line.area), color=LEDGER_STYLES[line.slug].light, alpha=0.2, linewidth=0, zorder=1)
    for line in reversed(chart.lines):
        _draw_line(axes, line)
        _draw_label(axes, line, chart.right)
    if chart.steps:
        axes.plot(*points(chart.steps), color=INK, linewidth=1.2, alpha=0.75, zorder=2)
    for mark in chart.marks:
        _draw_mark(axes, mark)


def _draw_line(axes: Axes, line: ChartLine) -> None:
    style = LEDGER_STYLES[line.slug]
    strong = line.slug == RECURRENT.slug
    axes.plot(*points(line.path), color=style.light, linewidth=2.6 if strong else 1.5, zorder=3 if strong else 2)
    if line.dashed:
        axes.plot(*points(line.dashed), color=style.light, linewidth=1.5, linestyle=DASHES[1], zorder=2)
    edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.6}
    for at in line.dots or (line.end,):
        axes.plot(*at, style.marker, color=style.light, markersize=6.5, zorder=4, **edge)


def _draw_label(axes: Axes, line: ChartLine, right: float) -> None:
    """Draw the label of a line, beside the chart's right edge, with a leader from the line's end."""
    style = LEDGER_STYLES[line.slug]
    x, y = line.end
    label = right + 14
    axes.plot([x, right, label - 6], [y, y, line.label_y], ":", color=style.light, linewidth=0.9, zorder=1)
    axes.plot(label, line.label_y, style.marker, color=style.light, markersize=6)
    number = axes.annotate(line.value, (label + 10, line.label_y), fontsize=SIZE, weight="bold", color=INK, va="center")
    axes.annotate(
        line.name,
        xy=(1.0 if line.value else 0.0, 0.5),
        xycoords=number,
        xytext=(4 if line.value else 0, 0),
        textcoords="offset points",
        fontsize=SIZE,
        color=INK,
        va="center",
    )


def _draw_mark(axes: Axes, mark: Mark) -> None:
    style = LEDGER_STYLES[mark.slug]
    edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.6}
    axes.plot(*zip(mark.at, mark.label, strict=True), ":", color=style.light, linewidth=0.9, zorder=1)
    axes.plot(*mark.at, style.marker, color=style.light, markersize=7.5, zorder=4, **edge)
    axes.text(
        *mark.label,
        mark.name,
        fontsize=SIZE,
        color=INK,
        weight="bold" if mark.strong else "normal",
        ha="left" if mark.anchor == "start" else "right",
        va="baseline",
    )


def points(path: str) -> tuple[list[float], list[float]]:
    """The corners of an SVG path of absolute moves and lines (M, L, H, V); Z ends it.

    >>> points("M1 2V5H7")
    ([1.0, 1.0, 7.0], [2.0, 5.0, 5.0])
    """
    x = 0.0
    y = 0.0
    across = list[float]()
    down = list[float]()
    for command, numbers in re.findall(r"([MLHV])([^MLHVZ]*)", path):
        values = [float(number) for number in numbers.split()]
        x = values[0] if command != "V" else x
        y = values[-1] if command != "H" else y
        across.append(x)
        down.append(y)
    return across, down
