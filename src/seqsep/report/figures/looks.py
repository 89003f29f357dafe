"""How the rows of one figure look: colour and marker of the architecture, dashes and filling of its several sizes.

Colours are those of `sized_model.STYLES`, the same everywhere; in grey print a marker and dashes say the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seqsep.report.sized_model import MOST_NAMED, SizedModel

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
FILLS = ("full", "none", "left", "right", "top", "bottom")


@dataclass(frozen=True)
class Look:
    """A row's line and marker. `label` is its entry in the legend, empty if another row of its architecture has it."""

    label: str
    colour: str
    marker: str
    dashes: Any
    fill: str

    @property
    def line(self) -> dict[str, Any]:
        """What matplotlib's `plot` takes for a line without markers."""
        return {"color": self.colour, "linestyle": self.dashes}

    @property
    def mark(self) -> dict[str, Any]:
        """What `plot` takes for markers."""
        return {"color": self.colour, "marker": self.marker, "fillstyle": self.fill, "markerfacecoloralt": "white"}


def looks(names: Mapping[SizedModel, str]) -> dict[SizedModel, Look]:
    """The look of each model, by the names that a table gives them.

    Above `MOST_NAMED` models the sizes of one architecture share a look and one entry in the legend.

    >>> [look.fill for look in looks({SizedModel(("mamba",), 32): "narrow", SizedModel(("mamba",), 64): "wide"}).values()]
    ['full', 'none']
    """
    chosen = dict[SizedModel, Look]()
    for model, name in names.items():
        before = [other for other in chosen if other.slug == model.slug]
        variant = min(len(before), len(DASHES) - 1)
        label = name
        if len(names) > MOST_NAMED:
            variant = 0
            label = "" if any(other.architecture == model.architecture for other in chosen) else model.title
        chosen[model] = Look(
            label=label,
            colour=model.style.light,
            marker=model.style.marker,
            dashes=DASHES[variant],
            fill=FILLS[variant],
        )
    return chosen
