"""Charts put together with a title and a caption: for documents, for print, and for the report's page."""

from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from seqsep.report.figures.chart import GROUND, WIDTH, Chart, draw_chart
from seqsep.report.figures.line_styles import INK, SOFT
from seqsep.report.figures.picture_file import plain_svg
from seqsep.report.figures.text_width import wrapped

MARGIN = 16.0
GAP = 30.0
HEADING = 38.0
SUBTITLE = 11.0
CAPTION = 10.5


@dataclass(frozen=True)
class PicturePanel:
    """A chart with its heading: a name and what the chart shows."""

    name: str
    meaning: str
    chart: Chart


@dataclass(frozen=True)
class ChartPicture:
    """A picture's title, its subtitle, its panels, and a caption that can be read without the text around it."""

    title: str
    subtitle: str
    panels: tuple[PicturePanel, ...]
    caption: str = ""

    @property
    def summary(self) -> str:
        """The content in words, for readers who do not see it."""
        return " ".join(panel.chart.summary for panel in self.panels)


def draw_picture(picture: ChartPicture, columns: int = 1) -> Figure:
    """Draw a picture; its panels are in `columns`, row by row."""
    columns = min(columns, len(picture.panels))
    rows = [picture.panels[first : first + columns] for first in range(0, len(picture.panels), columns)]
    width = 2 * MARGIN + columns * WIDTH + (columns - 1) * GAP
    title = _paragraph(picture.title, width, 15.0, weight="bold", color=INK)
    subtitle = _paragraph(picture.subtitle, width, SUBTITLE, color=SOFT)
    caption = _paragraph(picture.caption, width, CAPTION, color=SOFT)
    heading = HEADING if any(panel.name for panel in picture.panels) else 0.0
    heights = [heading + max(panel.chart.height for panel in row) + GAP / 2 for row in rows]
    height = 2 * MARGIN + sum(words["height"] for words in (title, subtitle, caption)) + 10 + sum(heights)
    figure, axes = _sheet(width, height)
    top = _write(axes, subtitle, _write(axes, title, MARGIN)) + 10
    for row, tall in zip(rows, heights, strict=True):
        for column, panel in enumerate(row):
            left = MARGIN + column * (WIDTH + GAP)
            axes.text(left, top + 10, panel.name, fontsize=12, weight="bold", color=INK, va="center")
            axes.text(left, top + 27, panel.meaning, fontsize=SUBTITLE, color=SOFT, va="center")
            draw_chart(axes, panel.chart, (left, top + heading))
        top += tall
    _write(axes, caption, top)
    return figure


def picture_svg(picture: ChartPicture) -> str:
    """Return a picture as SVG text that every viewer draws, dark on white."""
    return plain_svg(draw_picture(picture), picture.title, picture.summary, "picture") + "\n"


def chart_svg(chart: Chart, name: str) -> str:
    """Return a chart for a page: its colours are CSS variables, and its ids begin with `name`."""
    figure, axes = _sheet(WIDTH, chart.height, ground="none")
    draw_chart(axes, chart, (0.0, 0.0))
    return plain_svg(figure, chart.title, chart.summary, name, for_page=True)


def _sheet(width: float, height: float, ground: str = GROUND) -> tuple[Figure, Axes]:
    """Return an empty figure, and axes over all of it whose unit is a point and which run down."""
    figure = Figure(figsize=(width / 72, height / 72), facecolor=ground)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    return figure, axes


def _paragraph(text: str, width: float, size: float, **look: Any) -> dict[str, Any]:
    lines = wrapped(text, (width - 2 * MARGIN) / 72, size, look.get("weight", "normal")) if text else []
    return {"lines": lines, "size": size, "look": look, "height": (1.4 * size) * len(lines) + (6 if lines else 0)}


def _write(axes: Axes, words: dict[str, Any], top: float) -> float:
    """Write a paragraph's lines and return the height below it."""
    for number, line in enumerate(words["lines"]):
        height = top + 1.4 * words["size"] * (number + 0.5)
        axes.text(MARGIN, height, line, fontsize=words["size"], va="center", **words["look"])
    return top + float(words["height"])
