"""The separation in bits as a figure for print: the charts of the page and of docs/separation.svg, drawn by matplotlib.

What stands where is `chart.Chart`'s: this file only draws its geometry, in its coordinates and in the page's colours.
"""

import re

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from seqsep.report.ledger_charts import LEDGER_STYLES
from seqsep.report.ledger_picture import drawings
from seqsep.report.looks import DASHES, INK, LINE, SOFT
from seqsep.report.svg_chart import Chart

UNITS_AN_INCH = 100.0
HEADING, TITLE, GAP = 34.0, 76.0, 26.0
SIZE, SMALL = 9.0, 8.3


def draw_separation() -> Figure:
    """Three panels of sizes over N, one a total, and width against precision."""
    title, subtitle, panels = drawings()
    across, down = panels[0][2].width, panels[0][2].height
    width, height = 2 * across + GAP + 40, TITLE + 2 * (HEADING + down + GAP)
    figure = Figure(figsize=(width / UNITS_AN_INCH, height / UNITS_AN_INCH), facecolor="white")
    FigureCanvasAgg(figure)
    figure.text(20 / width, 1 - 16 / height, title, fontsize=14, weight="bold", color=INK, va="top")
    figure.text(20 / width, 1 - 44 / height, subtitle, fontsize=SIZE, color=SOFT, va="top")
    for place, (name, meaning, chart) in enumerate(panels):
        left = 20 + (place % 2) * (across + GAP)
        top = TITLE + (place // 2) * (HEADING + down + GAP)
        axes = figure.add_axes((left / width, 1 - (top + HEADING + down) / height, across / width, down / height))
        heading = axes.annotate(
            name, (0, -HEADING + 10), fontsize=11, weight="bold", color=INK, va="top", annotation_clip=False
        )
        axes.annotate(meaning, xy=(1.0, 0.0), xycoords=heading, xytext=(6, 0), textcoords="offset points", fontsize=SIZE,
                      color=SOFT, va="bottom", annotation_clip=False)  # fmt: skip
        plot_chart(axes, chart)
    return figure


def plot_chart(axes: Axes, chart: Chart) -> None:
    """One chart in its own coordinates, which run down."""
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
    for line in reversed(chart.lines):
        style, strong = LEDGER_STYLES[line.slug], line.slug == "least-state"
        axes.plot(*points(line.path), color=style.light, linewidth=2.6 if strong else 1.5, zorder=3 if strong else 2)
        if line.dashed:
            axes.plot(*points(line.dashed), color=style.light, linewidth=1.5, linestyle=DASHES[1], zorder=2)
        (x, y), label = line.end, chart.right + 14
        axes.plot([x, chart.right, label - 6], [y, y, line.label_y], ":", color=style.light, linewidth=0.9, zorder=1)
        for at in line.dots or (line.end,):
            axes.plot(
                *at, style.marker, color=style.light, markersize=6.5, markeredgecolor="white", markeredgewidth=0.6, zorder=4
            )
        axes.plot(label, line.label_y, style.marker, color=style.light, markersize=6)
        number = axes.annotate(line.value, (label + 10, line.label_y), fontsize=SIZE, weight="bold", color=INK, va="center")
        axes.annotate(line.name, xy=(1.0 if line.value else 0.0, 0.5), xycoords=number, xytext=(4 if line.value else 0, 0),
                      textcoords="offset points", fontsize=SIZE, color=INK, va="center")  # fmt: skip
    if chart.steps:
        axes.plot(*points(chart.steps), color=INK, linewidth=1.2, alpha=0.75, zorder=2)
    for mark in chart.marks:
        style = LEDGER_STYLES[mark.slug]
        axes.plot(*zip(mark.at, mark.label, strict=True), ":", color=style.light, linewidth=0.9, zorder=1)
        axes.plot(
            *mark.at, style.marker, color=style.light, markersize=7.5, markeredgecolor="white", markeredgewidth=0.6, zorder=4
        )
        axes.text(*mark.label, mark.name, fontsize=SIZE, color=INK, weight="bold" if mark.strong else "normal",
                  ha="left" if mark.anchor == "start" else "right", va="baseline")  # fmt: skip


def points(path: str) -> tuple[list[float], list[float]]:
    """The corners of an SVG path of absolute moves and lines (M, L, H, V)."""
    x, y, across, down = 0.0, 0.0, list[float](), list[float]()
    for command, numbers in re.findall(r"([MLHV])([^MLHV]*)", path):
        values = [float(number) for number in numbers.split()]
        x = values[0] if command != "V" else x
        y = values[-1] if command != "H" else y
        across.append(x)
        down.append(y)
    return across, down
