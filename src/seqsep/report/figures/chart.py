"""One chart of lines or points with their labels, as data and as matplotlib draws it; `chart_picture` puts charts together.

Sizes are in points of 1/72 inch. A chart is `WIDTH` wide, so that its letters stay legible on a page of 400 pixels.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

from seqsep.report.figures.line_styles import DASHES, INK, LINE, SOFT
from seqsep.report.figures.text_width import text_width
from seqsep.report.styles import FILLS, Style
from seqsep.report.ticks import finite, spread_apart

WIDTH = 420.0
PLOT_HEIGHT = 240.0
TOP = 12.0
BOTTOM = 46.0
LINE_OF_TEXT = 16.0
LABEL = 11.5
TICK = 10.5
MARK = 24.0
"""The room for a mark before its label."""
MOST_BESIDE = 168.0
"""Labels wider than this are below the chart and not beside it."""
GROUND = "#ffffff"
EDGE: dict[str, Any] = {"markeredgecolor": GROUND, "markeredgewidth": 0.8}
Point = tuple[float, float]


@dataclass(frozen=True)
class LineData:
    """A line in data coordinates: its points, fainter lines of the same colour, single dots, and a label.

    `dashed` continues the line. `band` is the lower and the upper edge of a band around it. The label is `value` and `name`.
    """

    style: Style
    value: str
    name: str
    points: tuple[Point, ...]
    faint: tuple[tuple[Point, ...], ...] = ()
    dots: tuple[Point, ...] = ()
    dashed: tuple[Point, ...] = ()
    band: tuple[tuple[Point, ...], tuple[Point, ...]] | None = None

    @property
    def label(self) -> str:
        """The words at the line's end."""
        return f"{self.value} {self.name}".strip()

    @property
    def end(self) -> Point:
        """The last finite point."""
        return (finite(self.dashed) or finite(self.points))[-1]


@dataclass(frozen=True)
class PointData:
    """A single point in data coordinates with its label. A `strong` label is bold."""

    style: Style
    name: str
    point: Point
    strong: bool


@dataclass(frozen=True)
class Axis:
    """A scale with its ticks; `log` for ratios. The vertical axis of a chart of lines shows no title.

    >>> round(Axis(1.0, 100.0, ticks=(), log=True).place(10.0), 6)
    0.5
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    title: str = ""
    log: bool = False

    def place(self, value: float) -> float:
        """Return 0 for `low` and 1 for `high`; a value outside of them is drawn on the edge."""
        value = min(max(value, self.low), self.high)
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Chart:
    """The content of a chart: lines with labels, or points and a step line down through `frontier`.

    `summary` is for readers who do not see it. `guides` are heights of reference, and `band` is a marked range of x.
    """

    title: str
    summary: str
    x: Axis
    y: Axis
    lines: tuple[LineData, ...] = ()
    points: tuple[PointData, ...] = ()
    guides: tuple[float, ...] = ()
    band: Point | None = None
    frontier: tuple[Point, ...] = ()

    @property
    def shown(self) -> tuple[LineData, ...]:
        """The lines that have a finite point."""
        return tuple(line for line in self.lines if finite(line.points))

    @property
    def label_width(self) -> float:
        """The width of the widest label with its mark."""
        return MARK + max([72 * text_width(line.label, LABEL) for line in self.shown], default=0.0)

    @property
    def key_columns(self) -> int:
        """The columns of labels below the chart; 0 if labels are beside it."""
        return 0 if self.label_width <= MOST_BESIDE else max(1, int(WIDTH // self.label_width))

    @property
    def left(self) -> float:
        """The left edge of the area between the axes."""
        return 8.0 + max([72 * text_width(text, TICK) for _, text in self.y.ticks], default=0.0)

    @property
    def right(self) -> float:
        """The right edge of the area between the axes."""
        return WIDTH - (24.0 if self.key_columns or not self.shown else self.label_width + 10.0)

    @property
    def bottom(self) -> float:
        """The lower edge of the area between the axes, from the top of the chart."""
        return TOP + PLOT_HEIGHT

    @property
    def height(self) -> float:
        """The height of the chart with its labels."""
        rows = math.ceil(len(self.shown) / self.key_columns) if self.key_columns else 0
        return self.bottom + BOTTOM + LINE_OF_TEXT * rows

    def at(self, point: Point) -> Point:
        """Return a point of the data in the chart's coordinates, which run down."""
        across = self.left + self.x.place(point[0]) * (self.right - self.left)
        return across, self.bottom - self.y.place(point[1]) * PLOT_HEIGHT

    def label_places(self) -> list[Point]:
        """Return the place of the mark before each label of the lines shown."""
        if not self.key_columns:
            ends = [self.at(line.end)[1] for line in self.shown]
            heights = spread_apart(ends, gap=LINE_OF_TEXT, low=TOP, high=self.bottom)
            return [(self.right + 16.0, height) for height in heights]
        column = WIDTH / self.key_columns
        rows = math.ceil(len(self.shown) / self.key_columns)
        order = sorted(range(len(self.shown)), key=lambda number: self.at(self.shown[number].end)[1])
        places = {
            number: (10.0 + column * (rank // rows), self.bottom + BOTTOM + LINE_OF_TEXT * (rank % rows))
            for rank, number in enumerate(order)
        }
        return [places[number] for number in range(len(order))]


def draw_chart(axes: Axes, chart: Chart, corner: Point) -> None:
    """Draw a chart on axes whose unit is a point and which run down; `corner` is its upper left corner."""
    Drawing(axes, chart, corner).draw()


@dataclass(frozen=True)
class Drawing:
    """A chart at its place on axes."""

    axes: Axes
    chart: Chart
    corner: Point

    def draw(self) -> None:
        """Draw the scales, then lines with their labels, then points."""
        self._draw_scales()
        chart = self.chart
        for line in chart.shown:
            if line.band is not None:
                self._fill((*line.band[0], *reversed(line.band[1])), line.style.light)
            for other in line.faint:
                self._line(other, line.style.light, linewidth=1.2, alpha=0.3)
        places = chart.label_places()
        for number, line in reversed(list(enumerate(chart.shown))):
            variant = sum(earlier.style.slug == line.style.slug for earlier in chart.shown[:number])
            self._draw_line(line, variant, places[number])
        if chart.frontier:
            self._draw_frontier()
        labels: list[tuple[float, float, float]] = []
        for point in sorted(chart.points, key=lambda one: (chart.at(one.point)[0], -chart.at(one.point)[1])):
            labels.append(self._draw_point(point, labels))

    def _plot(self, points: Sequence[Point], **look: Any) -> None:
        """Plot points of the chart's coordinates."""
        across, down = self.corner
        self.axes.plot([x + across for x, _ in points], [y + down for _, y in points], **look)

    def _line(self, points: Sequence[Point], colour: str, **look: Any) -> None:
        """Plot points of the data."""
        style: dict[str, Any] = {"solid_capstyle": "round", "solid_joinstyle": "round"}
        self._plot([self.chart.at(point) for point in finite(points)], color=colour, **style | look)

    def _text(self, at: Point, text: str, **look: Any) -> None:
        style: dict[str, Any] = {"fontsize": LABEL, "color": INK, "va": "center"}
        self.axes.text(at[0] + self.corner[0], at[1] + self.corner[1], text, **style | look)

    def _fill(self, points: Sequence[Point], colour: str, alpha: float = 0.18) -> None:
        corners = [self.chart.at(point) for point in points]
        across, down = self.corner
        self.axes.fill([x + across for x, _ in corners], [y + down for _, y in corners], color=colour, alpha=alpha, linewidth=0)

    def _draw_scales(self) -> None:
        chart = self.chart
        tick: dict[str, Any] = {"fontsize": TICK, "color": SOFT}
        if chart.band is not None:
            low, high = chart.band
            self._fill(((low, chart.y.low), (high, chart.y.low), (high, chart.y.high), (low, chart.y.high)), LINE, alpha=0.5)
        for value, text in chart.y.ticks:
            _, y = chart.at((chart.x.low, value))
            self._plot([(chart.left, y), (chart.right, y)], color=LINE, linewidth=1)
            self._text((chart.left - 6, y), text, ha="right", **tick)
        for value, text in chart.x.ticks:
            x, _ = chart.at((value, chart.y.low))
            self._plot([(x, chart.bottom), (x, chart.bottom + 4)], color=SOFT, linewidth=0.8)
            self._text((x, chart.bottom + 11), text, ha="center", **tick)
        for height in chart.guides:
            self._line(((chart.x.low, height), (chart.x.high, height)), SOFT, linewidth=1, linestyle=":")
        middle = (chart.left + chart.right) / 2
        half = min(36 * text_width(chart.x.title, TICK), middle)
        self._text((max(half, min(middle, WIDTH - half)), chart.bottom + 27), chart.x.title, ha="center", **tick)
        self._text((chart.right, TOP + 8), chart.y.title, ha="right", **tick)

    def _draw_line(self, line: LineData, variant: int, place: Point) -> None:
        """Draw a line, its marks and its label; `variant` counts the earlier lines of the same colour."""
        chart = self.chart
        style = line.style
        points = finite(line.points)
        self._line(points, style.light, linewidth=2.6 if style.strong else 1.8, linestyle=DASHES[variant % len(DASHES)])
        if line.dashed:
            self._line((points[-1], *line.dashed), style.light, linewidth=1.8, linestyle=DASHES[1])
        end = chart.at(line.end)
        if not chart.key_columns:
            leader = [end, (chart.right, end[1]), (place[0] - 7, place[1])]
            self._plot(leader, color=style.light, linewidth=0.9, linestyle=":")
        mark = marker(style, variant)
        for at in [*map(chart.at, finite(line.dots))] or [end]:
            self._plot([at], **mark)
        self._plot([place], **mark)
        self._text((place[0] + 10, place[1]), line.label)

    def _draw_frontier(self) -> None:
        """Draw a step line, which goes right and falls."""
        chart = self.chart
        first, *others = map(chart.at, chart.frontier)
        steps = [(first[0], TOP), first]
        for at in others:
            steps += [(at[0], steps[-1][1]), at]
        self._plot([*steps, (chart.right, steps[-1][1])], color=INK, linewidth=1.4, alpha=0.75)

    def _draw_point(self, one: PointData, labels: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
        """Draw a point and its label, which moves up if it would run into an earlier one; return its ends and its height."""
        x, y = self.chart.at(one.point)
        weight = "bold" if one.strong else "normal"
        width = 72 * text_width(one.name, LABEL, weight)
        low = x + 6 if x + 6 + width <= WIDTH else x - 6 - width
        height = y - 13
        while any(low < end + 4 and start - 4 < low + width and abs(height - used) < 15 for start, end, used in labels):
            height -= 3
        self._plot([(x, y), (low if low > x else low + width, height)], color=one.style.light, linewidth=0.9, linestyle=":")
        self._plot([(x, y)], **marker(one.style))
        self._text((low, height), one.name, weight=weight, bbox={"facecolor": GROUND, "edgecolor": "none", "pad": 0.5})
        return low, low + width, height


def marker(style: Style, variant: int = 0) -> dict[str, Any]:
    """Return a style's marker as `plot` takes it; further variants are filled otherwise.

    >>> marker(Style("lstm", "LSTM", light="#0072b2", dark="#53b4ee", marker="s"), 2)["fillstyle"]
    'left'
    """
    fill = FILLS[(FILLS.index(style.fill) + variant) % len(FILLS)]
    size = 9.5 if style.marker == "*" else 6.5
    look: dict[str, Any] = {"color": style.light, "marker": style.marker, "linestyle": "none", "markersize": size}
    if fill == "full":
        return look | EDGE
    if fill == "none":
        return look | {"markerfacecolor": GROUND}
    return look | {"fillstyle": fill, "markerfacecoloralt": GROUND}
