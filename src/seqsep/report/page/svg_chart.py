"""Charts as geometry, in the coordinates of an SVG drawing; the template draws them, and matplotlib does for print.

`chart_layout` makes them from data.
"""

from dataclasses import dataclass

WIDTH = 490.0
HEIGHT = 316.0
LEFT = 46.0
RIGHT = 176.0
TOP = 12.0
BOTTOM = 40.0
SHAPES = {
    "o": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "s": "M-3.6-3.6h7.2v7.2h-7.2z",
    "^": "M0-4.6L4.4 3.4H-4.4z",
    "v": "M0 4.6L4.4-3.4H-4.4z",
    "<": "M-4.6 0L3.4-4.4V4.4z",
    ">": "M4.6 0L-3.4-4.4V4.4z",
    "h": "M0-4.8L4.2-2.4V2.4L0 4.8L-4.2 2.4V-2.4z",
    "*": "M0-5.4L1.3-1.8L5.1-1.7L2.1.7L3.2 4.4L0 2.2L-3.2 4.4L-2.1.7L-5.1-1.7L-1.3-1.8z",
    "d": "M0-5.4L3 0L0 5.4L-3 0z",
    "p": "M0-4.8L4.6-1.5L2.8 3.9H-2.8L-4.6-1.5z",
    "8": "M-1.8-4.4H1.8L4.4-1.8V1.8L1.8 4.4H-1.8L-4.4 1.8V-1.8z",
    "H": "M-2.4-4.2H2.4L4.8 0L2.4 4.2H-2.4L-4.8 0z",
    "D": "M0-5L5 0L0 5L-5 0z",
    "X": "M-4.4-2.4L-2.4-4.4L0-2L2.4-4.4L4.4-2.4L2 0L4.4 2.4L2.4 4.4L0 2L-2.4 4.4L-4.4 2.4L-2 0z",
    "P": "M-1.6-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
}
"""The path of each marker, by matplotlib's name for it."""


@dataclass(frozen=True)
class ChartLine:
    """A line in the drawing's coordinates; `variant` counts earlier lines of the same colour, for its dashes.

    `label_y` is the height of its label, which is `value` and `name`. `area` is the outline of a band around it.
    """

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
    area: str = ""


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
    lines: tuple[ChartLine, ...]
    x_title: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    guides: tuple[float, ...] = ()
    band: tuple[float, float] | None = None
    marks: tuple[Mark, ...] = ()
    steps: str = ""
    y_title: str = ""
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = WIDTH - RIGHT
    top: float = TOP
    bottom: float = HEIGHT - BOTTOM
