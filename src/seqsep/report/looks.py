"""How the rows of one figure look: colour and marker of the architecture, dashes and filling of its several sizes.

Colours are those of `contender.STYLES`, the same everywhere; in grey print a marker and dashes say the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from seqsep.report.contender import Contender, names

INK, SOFT, LINE = "#131a22", "#566270", "#dce1e7"
DASHES: tuple[Any, ...] = (
    "-", (0, (2.4, 1.4)), (0, (0.6, 1.4)), (0, (4.5, 1.2, 0.8, 1.2)), (0, (6, 2)), (0, (3, 1, 0.8, 1, 0.8, 1)),
)  # fmt: skip
FILLS = ("full", "none", "left", "right", "top", "bottom")
MOST_NAMED = 12
SUFFIXES = (".pdf", ".png", ".svg")
DOTS_PER_INCH = 110


@dataclass(frozen=True)
class Look:
    """A row's line and marker; `label` is its entry in the legend, empty where another row of its architecture has it."""

    label: str
    colour: str
    marker: str
    dashes: Any
    fill: str

    def line(self) -> dict[str, Any]:
        """What matplotlib's `plot` takes for a line without markers."""
        return {"color": self.colour, "linestyle": self.dashes}

    def mark(self) -> dict[str, Any]:
        """What `plot` takes for markers."""
        return {"color": self.colour, "marker": self.marker, "fillstyle": self.fill, "markerfacecoloralt": "white"}


def looks(contenders: Iterable[Contender]) -> dict[Contender, Look]:
    """A look each. Above `MOST_NAMED` rows the sizes of one architecture share a look and one entry in the legend."""
    titles = names(contenders)
    found, drawn = dict[Contender, Look](), list[str]()
    for one, name in titles.items():
        before = drawn.count(one.slug)
        drawn.append(one.slug)
        variant = min(before, len(DASHES) - 1)
        label = name
        if len(titles) > MOST_NAMED:
            again = any(one.architecture == other.architecture for other in found)
            variant, label = 0, "" if again else one.title
        found[one] = Look(label, one.style.light, one.style.marker, DASHES[variant], FILLS[variant])
    return found


def legend(figure: Figure, shown: Iterable[Look], y: float, columns: int, with_lines: bool = True) -> None:
    """One legend for all panels, `y` above the bottom as a fraction, at most `columns` entries wide."""
    named = [look for look in shown if look.label]
    handles = [
        Line2D([], [], **look.mark() | {"linestyle": look.dashes if with_lines else "none"}, linewidth=1.6, markersize=6)
        for look in named
    ]
    labels = [look.label for look in named]
    figure.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.03, y), ncols=columns, frameon=False, fontsize=9.5,
                  labelcolor=INK, handlelength=3.2, borderaxespad=0.0)  # fmt: skip


def write_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """`folder`/`name` as PDF, PNG and SVG; returns their paths. Equal figures give equal bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    dates = {".pdf": {"CreationDate": None}, ".png": {"Software": None}, ".svg": {"Date": None}}
    for suffix in SUFFIXES:
        with rc_context({"svg.hashsalt": name}):
            figure.savefig(folder / f"{name}{suffix}", dpi=DOTS_PER_INCH, metadata=dates[suffix])
    return [folder / f"{name}{suffix}" for suffix in SUFFIXES]
