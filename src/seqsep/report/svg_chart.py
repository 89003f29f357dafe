"""Line charts as geometry: where lines, ticks and direct labels go. The template draws them as inline SVG."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from seqsep.report.contender import Style

WIDTH, HEIGHT = 490.0, 316.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 176.0, 12.0, 40.0
LINE_OF_TEXT = 16.0
WIDTH_OF_LETTER = 6.6
SHAPES = {
    "o": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "s": "M-3.6-3.6h7.2v7.2h-7.2z",
    "^": "M0-4.6L4.4 3.4H-4.4z",
    "v": "M0 4.6L4.4-3.4H-4.4z",
    "<": "M-4.6 0L3.4-4.4V4.4z",
    ">": "M4.6 0L-3.4-4.4V4.4z",
    "h": "M0-4.8L4.2-2.4V2.4L0 4.8L-4.2 2.4V-2.4z",
    "*": "M0-5.4L1.3-1.8L5.1-1.7L2.1.7L3.2 4.4L0 2.2L-3.2 4.4L-2.1.7L-5.1-1.7L-1.3-1.8z",
    "D": "M0-5L5 0L0 5L-5 0z",
    "X": "M-4.4-2.4L-2.4-4.4L0-2L2.4-4.4L4.4-2.4L2 0L4.4 2.4L2.4 4.4L0 2L-2.4 4.4L-4.4 2.4L-2 0z",
    "P": "M-1.6-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
}


@runtime_checkable
class Look(Protocol):
    """How a line looks: a word that is safe as the name of a style, and the style."""

    @property
    def slug(self) -> str: ...

    @property
    def style(self) -> Style: ...


@dataclass(frozen=True)
class Data:
    """One line: its points in data coordinates, fainter lines of the same colour, single dots, and a label.

    `dashed` goes on where the points end, and bears the label then.
    """

    contender: Look
    value: str
    name: str
    points: tuple[tuple[float, float], ...]
    faint: tuple[tuple[tuple[float, float], ...], ...] = ()
    dots: tuple[tuple[float, float], ...] = ()
    dashed: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Axis:
    """A scale with its ticks; `log` for ratios. In a line chart only the horizontal one shows its title."""

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
class Line:
    """A line in the drawing's coordinates; `variant` counts earlier lines of the same colour, for its dashes."""

    slug: str
    variant: int
    shape: str
    value: str
    name: str
    path: str
    faint: tuple[str, ...]
    dots: tuple[tuple[float, float], ...]
    end: tuple[float, float]
    label_y: float
    dashed: str = ""


@dataclass(frozen=True)
class Mark:
    """A single point and where its label stands, in the drawing's coordinates; `anchor` is SVG's text-anchor."""

    slug: str
    shape: str
    name: str
    at: tuple[float, float]
    label: tuple[float, float]
    anchor: str
    strong: bool


@dataclass(frozen=True)
class Chart:
    """All that the template needs to draw one chart."""

    title: str
    summary: str
    lines: tuple[Line, ...]
    x_title: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    guides: tuple[float, ...]
    band: tuple[float, float] | None
    marks: tuple[Mark, ...] = ()
    steps: str = ""
    y_title: str = ""
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = WIDTH - RIGHT
    top: float = TOP
    bottom: float = HEIGHT - BOTTOM


def draw(
    title: str,
    summary: str,
    data: Sequence[Data],
    x: Axis,
    y: Axis,
    guides: Sequence[float] = (),
    band: tuple[float, float] | None = None,
) -> Chart:
    """Lay out one chart: `guides` are heights of reference, `band` a marked range of x. Points that are not finite go."""

    def at(point: tuple[float, float]) -> tuple[float, float]:
        across, up = x.place(point[0]), y.place(point[1])
        return round(LEFT + across * (WIDTH - LEFT - RIGHT), 1), round(HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM), 1)

    def path(points: Sequence[tuple[float, float]]) -> str:
        return "M" + "L".join(f"{across} {down}" for across, down in map(at, points)) if points else ""

    drawn = [(one, finite(one.points)) for one in data]
    drawn = [(one, points) for one, points in drawn if points]
    ends = [at((finite(one.dashed) or points)[-1]) for one, points in drawn]
    heights = spread_apart([end[1] for end in ends], LINE_OF_TEXT, TOP + 4, HEIGHT - BOTTOM)
    lines = tuple(
        Line(
            slug=one.contender.slug,
            variant=sum(other.contender.slug == one.contender.slug for other, _ in drawn[:place]),
            shape=SHAPES[one.contender.style.marker],
            value=one.value,
            name=one.name,
            path=path(points),
            faint=tuple(path(finite(other)) for other in one.faint),
            dots=tuple(map(at, finite(one.dots))),
            end=end,
            label_y=round(height, 1),
            dashed=path((points[-1], *finite(one.dashed))) if one.dashed else "",
        )
        for place, ((one, points), end, height) in enumerate(zip(drawn, ends, heights, strict=True))
    )
    return Chart(
        title=title,
        summary=summary,
        lines=lines,
        x_title=x.title,
        x_ticks=tuple((at((value, y.low))[0], text) for value, text in x.ticks),
        y_ticks=tuple((at((x.low, value))[1], text) for value, text in y.ticks),
        guides=tuple(at((x.low, value))[1] for value in guides),
        band=(at((band[0], y.low))[0], at((band[1], y.low))[0]) if band else None,
    )


def scatter(
    title: str,
    summary: str,
    points: Sequence[tuple[Look, str, tuple[float, float], bool]],
    x: Axis,
    y: Axis,
    step_through: Sequence[tuple[float, float]] = (),
) -> Chart:
    """Lay out points (look, label, place, strong), and a step line down through `step_through`, which goes right and falls.

    A label stands above and beside its point, and higher where it would run into that of a point to the left.
    """
    right = WIDTH - 24

    def at(point: tuple[float, float]) -> tuple[float, float]:
        across, up = x.place(point[0]), y.place(point[1])
        return round(LEFT + across * (right - LEFT), 1), round(HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM), 1)

    marks: list[Mark] = []
    taken: list[tuple[float, float, float]] = []
    for look, name, point, strong in sorted(points, key=lambda one: (at(one[2])[0], -at(one[2])[1])):
        across, down = at(point)
        wide, label_y = len(name) * WIDTH_OF_LETTER, down - 9
        anchor, label_x = ("start", across + 6) if across + 6 + wide <= WIDTH else ("end", across - 6)
        low, high = (label_x, label_x + wide) if anchor == "start" else (label_x - wide, label_x)
        while any(low < end + 4 and start - 4 < high and abs(label_y - used) < 15 for start, end, used in taken):
            label_y -= 3
        taken.append((low, high, label_y))
        label = (round(label_x, 1), round(label_y, 1))
        marks.append(Mark(look.slug, SHAPES[look.style.marker], name, (across, down), label, anchor, strong))
    steps = ""
    if step_through:
        corners = [at(point) for point in step_through]
        steps = f"M{corners[0][0]} {TOP}V{corners[0][1]}" + "".join(f"H{across}V{down}" for across, down in corners[1:])
        steps += f"H{right}"
    return Chart(
        title=title,
        summary=summary,
        lines=(),
        x_title=x.title,
        x_ticks=tuple((at((value, y.low))[0], text) for value, text in x.ticks),
        y_ticks=tuple((at((x.low, value))[1], text) for value, text in y.ticks),
        guides=(),
        band=None,
        marks=tuple(marks),
        steps=steps,
        y_title=y.title,
        right=right,
    )


def finite(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """The points that can be drawn."""
    return tuple(point for point in points if math.isfinite(point[0]) and math.isfinite(point[1]))


def spread_apart(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The heights moved as little as it takes to lie `gap` apart between `low` and `high`, in the same order.

    Labels that collide become one block, centred on the mean of what its members wished for (isotonic regression).
    """
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    blocks: list[list[float]] = []
    for place, index in enumerate(order):
        blocks.append([heights[index] - place * gap])
        while len(blocks) > 1 and sum(blocks[-2]) / len(blocks[-2]) >= sum(blocks[-1]) / len(blocks[-1]):
            collided = blocks.pop()
            blocks[-1] += collided
    shifted = [sum(block) / len(block) for block in blocks for _ in block]
    highest = high - (len(order) - 1) * gap
    placed = [0.0] * len(heights)
    for place, index in enumerate(order):
        placed[index] = max(low, min(shifted[place], highest)) + place * gap
    return placed


def round_ticks(high: float, about: int = 5) -> tuple[float, ...]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten from 0 to `high`."""
    rough = max(high, 1e-9) / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough * 0.999)
    return tuple(step * index for index in range(int(high / step * 1.0001) + 1))
