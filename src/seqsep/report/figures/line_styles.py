"""The line styles of the rows of one figure: colour and marker of the architecture, dashes and filling of its several sizes.

Colours are those of `styles`; no two rows have both a marker and its filling in common, which tells them apart in
grey too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from matplotlib.colors import to_rgb

from seqsep.report.sized_model import MOST_NAMED, SizedModel, in_places
from seqsep.report.styles import FILLS, SPARE_MARKERS, STYLES, Style

INK = "#131a22"
SOFT = "#566270"
LINE = "#dce1e7"
DASHES: tuple[Any, ...] = (
    "-",
    (0, (2.4, 1.4)),
    (0, (0.6, 1.4)),
    (0, (4.5, 1.2, 0.8, 1.2)),
    (0, (6, 2)),
    (0, (3, 1, 0.8, 1, 0.8, 1)),
)
MARKERS = (*(style.marker for style in STYLES.values()), *SPARE_MARKERS)
WHITE_OF_FILL = dict(zip(FILLS, (0.0, 0.55, 0.3, 0.75, 0.15, 0.65), strict=True))
"""The share of white that a bar has in place of each filling of a marker."""
Mark = tuple[str, str]
"""A marker and its filling."""


@dataclass(frozen=True)
class LineStyle:
    """A row's line and marker. `label` is its entry in the legend, empty if another row of its architecture has it."""

    label: str
    colour: str
    marker: str
    dashes: Any
    fill: str

    @property
    def tint(self) -> tuple[float, float, float]:
        """The colour of a bar: the architecture's own, mixed with white for each further size."""
        white = WHITE_OF_FILL[self.fill]
        red, green, blue = to_rgb(self.colour)
        return (red + (1 - red) * white, green + (1 - green) * white, blue + (1 - blue) * white)

    @property
    def line(self) -> dict[str, Any]:
        """The arguments of matplotlib's `plot` for a line without markers."""
        return {"color": self.colour, "linestyle": self.dashes}

    @property
    def mark(self) -> dict[str, Any]:
        """The arguments of `plot` for markers."""
        return {"color": self.colour, "marker": self.marker, "fillstyle": self.fill, "markerfacecoloralt": "white"}


def line_styles(names: Mapping[SizedModel, str]) -> dict[SizedModel, LineStyle]:
    """Return the look of each model, by the names that a table gives them.

    Above `MOST_NAMED` models the sizes of one architecture share a look and one entry in the legend.

    >>> [look.fill for look in line_styles({SizedModel(("mamba",), 32): "narrow", SizedModel(("mamba",), 64): "wide"}).values()]
    ['full', 'none']
    """
    together = len(names) > MOST_NAMED
    chosen = dict[SizedModel, LineStyle]()
    shared = dict[object, LineStyle]()
    marks = set[Mark]()
    for model in in_places(names):
        contender = (model.architecture, model.label) if together else model
        if contender in shared:
            chosen[model] = replace(shared[contender], label="")
            continue
        variant = sum(look.colour == model.style.light for look in shared.values())
        marker, fill = _free_mark(model.style, marks)
        marks.add((marker, fill))
        chosen[model] = shared[contender] = LineStyle(
            label=model.title if together else names[model],
            colour=model.style.light,
            marker=marker,
            dashes=DASHES[variant % len(DASHES)],
            fill=fill,
        )
    return chosen


def _free_mark(style: Style, taken: set[Mark]) -> Mark:
    """Return the style's own marker under the first filling that no earlier row has, else the first free mark."""
    first = FILLS.index(style.fill)
    own = [(style.marker, fill) for fill in (*FILLS[first:], *FILLS[:first])]
    all_marks = [*own, *((marker, fill) for fill in FILLS for marker in MARKERS)]
    return next((mark for mark in all_marks if mark not in taken), own[0])
