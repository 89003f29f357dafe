"""From data to a chart: where lines, points, ticks and direct labels go."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.report.page.svg_chart import BOTTOM, HEIGHT, LEFT, RIGHT, SHAPES, TOP, WIDTH, Chart, ChartLine, Mark
from seqsep.report.styles import Style
from seqsep.report.ticks import finite, spread_apart

LINE_OF_TEXT = 16.0
WIDTH_OF_LETTER = 6.6
Point = tuple[float, float]


@dataclass(frozen=True)
class LineData:
    """One line in data coordinates: its points, fainter lines of the same colour, single dots, and a label.

    `dashed` continues the line; the label stands at its end then. `band` is the lower and the upper edge of a band around it.
    """

    style: Style
    value: str
    name: str
    points: tuple[Point, ...]
    faint: tuple[tuple[Point, ...], ...] = ()
    dots: tuple[Point, ...] = ()
    dashed: tuple[Point, ...] = ()
    band: tuple[tuple[Point, ...], tuple[Point, ...]] | None = None


@dataclass(frozen=True)
class PointData:
    """One point in data coordinates with its label; `strong` labels are bold."""

    style: Style
    name: str
    point: Point
    strong: bool


@dataclass(frozen=True)
class Axis:
    """A scale with its ticks; `log` for ratios. In a line chart only the horizontal one shows its title.

    >>> round(Axis(1.0, 100.0, ticks=(), log=True).place(10.0), 6)
    0.5
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    title: str = ""
    log: bool = False

    def place(self, value: float) -> float:
        """0 at `low`, 1 at `high`; what lies outside is drawn on the edge."""
        value = min(max(value, self.low), self.high)
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Frame:
    """The area of a chart between its axes; `right` is its right edge in the drawing."""

    x: Axis
    y: Axis
    right: float = WIDTH - RIGHT

    def at(self, point: Point) -> Point:
        """A point of the data in the drawing's coordinates."""
        across = LEFT + self.x.place(point[0]) * (self.right - LEFT)
        down = HEIGHT - BOTTOM - self.y.place(point[1]) * (HEIGHT - TOP - BOTTOM)
        return round(across, 1), round(down, 1)

    def across(self, value: float) -> float:
        """The place of a value of x."""
        return self.at((value, self.y.low))[0]

    def down(self, value: float) -> float:
        """The place of a value of y."""
        return self.at((self.x.low, value))[1]

    def path(self, points: Sequence[Point]) -> str:
        """A path of SVG through points; empty without any."""
        return "M" + "L".join(f"{across} {down}" for across, down in map(self.at, points)) if points else ""

    def x_ticks(self) -> tuple[tuple[float, str], ...]:
        """The places of the horizontal axis's ticks, with their labels."""
        return tuple((self.across(value), text) for value, text in self.x.ticks)

    def y_ticks(self) -> tuple[tuple[float, str], ...]:
        """The places of the vertical axis's ticks, with their labels."""
        return tuple((self.down(value), text) for value, text in self.y.ticks)


def line_chart(
    title: str,
    summary: str,
    data: Sequence[LineData],
    *,
    x: Axis,
    y: Axis,
    guides: Sequence[float] = (),
    band: Point | None = None,
) -> Chart:
    """Lay out lines with their labels on the right; points that are not finite are left out.

    `guides` are heights of reference, `band` a marked range of x.
    """
    frame = Frame(x, y)
    drawn = [line for line in data if finite(line.points)]
    ends = [frame.at((finite(line.dashed) or finite(line.points))[-1]) for line in drawn]
    heights = spread_apart([end[1] for end in ends], gap=LINE_OF_TEXT, low=TOP + 4, high=HEIGHT - BOTTOM)
    lines: list[ChartLine] = []
    for line, end, height in zip(drawn, ends, heights, strict=True):
        points = finite(line.points)
        lines.append(
            ChartLine(
                slug=line.style.slug,
                variant=sum(earlier.slug == line.style.slug for earlier in lines),
                shape=SHAPES[line.style.marker],
                value=line.value,
                name=line.name,
                path=frame.path(points),
                faint=tuple(frame.path(finite(other)) for other in line.faint),
                dots=tuple(map(frame.at, finite(line.dots))),
                end=end,
                label_y=round(height, 1),
                dashed=frame.path((points[-1], *finite(line.dashed))) if line.dashed else "",
                area=f"{frame.path((*line.band[0], *reversed(line.band[1])))}Z" if line.band else "",
            )
        )
    return Chart(
        title=title,
        summary=summary,
        lines=tuple(lines),
        x_title=x.title,
        x_ticks=frame.x_ticks(),
        y_ticks=frame.y_ticks(),
        guides=tuple(map(frame.down, guides)),
        band=(frame.across(band[0]), frame.across(band[1])) if band else None,
    )


def scatter_chart(
    title: str, summary: str, data: Sequence[PointData], *, x: Axis, y: Axis, frontier: Sequence[Point] = ()
) -> Chart:
    """Lay out points with their labels, and a step line down through `frontier`, which goes right and falls."""
    frame = Frame(x, y, right=WIDTH - 24)
    marks: list[Mark] = []
    for one in sorted(data, key=lambda one: (frame.at(one.point)[0], -frame.at(one.point)[1])):
        marks.append(_mark(one, frame.at(one.point), beside=marks))
    return Chart(
        title=title,
        summary=summary,
        lines=(),
        x_title=x.title,
        x_ticks=frame.x_ticks(),
        y_ticks=frame.y_ticks(),
        marks=tuple(marks),
        steps=_step_line(frame, frontier),
        y_title=y.title,
        right=frame.right,
    )


def _mark(one: PointData, at: Point, beside: Sequence[Mark]) -> Mark:
    """A point with its label above and beside it. The label moves up if it would run into an earlier one."""
    across, down = at
    fits = across + 6 + _text_width(one.name) <= WIDTH
    anchor = "start" if fits else "end"
    label_x = across + 6 if fits else across - 6
    label_y = down - 9
    low, high = _label_span(label_x, one.name, anchor)
    others = [(*_label_span(mark.label[0], mark.name, mark.anchor), mark.label[1]) for mark in beside]
    while any(low < end + 4 and start - 4 < high and abs(label_y - used) < 15 for start, end, used in others):
        label_y -= 3
    return Mark(
        slug=one.style.slug,
        shape=SHAPES[one.style.marker],
        name=one.name,
        at=at,
        label=(round(label_x, 1), round(label_y, 1)),
        anchor=anchor,
        strong=one.strong,
    )


def _text_width(text: str) -> float:
    return len(text) * WIDTH_OF_LETTER


def _label_span(x: float, text: str, anchor: str) -> Point:
    """From where to where a label reaches."""
    return (x, x + _text_width(text)) if anchor == "start" else (x - _text_width(text), x)


def _step_line(frame: Frame, frontier: Sequence[Point]) -> str:
    if not frontier:
        return ""
    first, *others = map(frame.at, frontier)
    return f"M{first[0]} {TOP}V{first[1]}" + "".join(f"H{across}V{down}" for across, down in others) + f"H{frame.right}"
