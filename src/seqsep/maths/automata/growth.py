"""The growth of the least state with the length N: constant, logarithmic or linear, by least squares.

    bits(N) = running maximum over the lengths up to N of log2(classes)   ~   intercept + slope * g(N),   g(N) = N or log2 N

log2(classes) is the state before it is rounded up to whole bits. The running maximum is what a model needs that serves all the
lengths up to N; it also bridges the gaps of languages without words of some lengths, such as Dyck words of odd length. A fit
over a few lengths describes these numbers and proves nothing about other lengths. The state of a regular language is constant
by its automaton (`AutomatonGrowth`), and nothing is fitted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from seqsep.maths.arithmetic.integers import ceil_log2

FEWEST = 3
ALIKE = 1.5
"""Two fits are alike if the worse one is off by less than so many times as much."""

Kind = Literal["constant", "logarithmic", "linear"]


@dataclass(frozen=True)
class Fit:
    """bits = intercept + slope * g(N); `error` is the root mean square of the residuals, in bits.

    >>> Fit(slope=2.0, intercept=0.5, error=0.0).slope
    2.0
    """

    slope: float
    intercept: float
    error: float


@dataclass(frozen=True)
class Growth:
    """The kind of growth, both fits, and the (length, bits) that were fitted.

    The slope of the linear fit is in bits per token, that of the logarithmic one in bits per doubling of N.

    >>> linear = growth([(2, 4), (4, 16), (8, 256)])
    >>> linear.kind, round(linear.slope, 6), linear.unit
    ('linear', 1.0, 'bits per token')
    """

    kind: Kind
    linear: Fit
    logarithmic: Fit
    points: tuple[tuple[int, float], ...]

    @property
    def slope(self) -> float:
        """The slope of the kind's own fit, in `unit`; 0 if the kind is constant."""
        return {"constant": 0.0, "linear": self.linear.slope, "logarithmic": self.logarithmic.slope}[self.kind]

    @property
    def unit(self) -> str:
        """The unit of `slope`."""
        return "bits per doubling of N" if self.kind == "logarithmic" else "bits per token"

    def line(self) -> str:
        """The kind, slope and error in one line of text."""
        lengths = f"N = {self.points[0][0]} to {self.points[-1][0]}"
        if self.kind == "constant":
            return f"constant over {lengths}"
        kinds = ("linear", "logarithmic") if self.kind == "linear" else ("logarithmic", "linear")
        error, other = (self.linear.error, self.logarithmic.error)[:: 1 if self.kind == "linear" else -1]
        is_close = other < ALIKE * error
        said = f"{kinds[0]}, hardly better than {kinds[1]}," if is_close else kinds[0]
        errors = f"off by {error:.2g} bits, root mean square; {kinds[1]}: {other:.2g}"
        return f"{said} over {lengths}: {self.slope:.3g} {self.unit} ({errors})"

    def record(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {
            "kind": self.kind,
            "basis": "fit",
            "slope": round(self.slope, 6),
            "unit": self.unit,
            "fits": {name: _record(fit) for name, fit in (("linear", self.linear), ("logarithmic", self.logarithmic))},
            "points": [[length, round(bits, 6)] for length, bits in self.points],
        }


@dataclass(frozen=True)
class AutomatonGrowth:
    """The growth of a regular language's state: none, because one automaton of `states` states serves every length.

    >>> AutomatonGrowth(states=7).line()
    'constant, by the smallest automaton: 7 states, so 3 bits are enough at every N'
    """

    states: int
    kind: Kind = "constant"

    @property
    def state_bits(self) -> int:
        """The bits of a state."""
        return ceil_log2(self.states)

    def line(self) -> str:
        """The growth in one line of text."""
        states = "1 state" if self.states == 1 else f"{self.states:,} states"
        bits = "1 bit is" if self.state_bits == 1 else f"{self.state_bits} bits are"
        return f"constant, by the smallest automaton: {states}, so {bits} enough at every N"

    def record(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {"kind": self.kind, "basis": "automaton", "states": self.states, "state_bits": self.state_bits}


def growth(classes: Sequence[tuple[int, int]]) -> Growth | None:
    """The growth of the state over (length, classes), by rising length; None for fewer than three lengths.

    The kind is constant if no length of the upper half needs more than the lower half; else it is the fit with less error.

    >>> growth([(2, 3), (4, 5), (8, 9), (16, 17)]).kind
    'logarithmic'
    """
    if len(classes) < FEWEST:
        return None
    points = tuple((length, math.log2(count)) for length, count in classes)
    lengths = np.array([length for length, _ in points], dtype=float)
    highest = np.maximum.accumulate([bits for _, bits in points])
    linear = _fit(lengths, highest)
    logarithmic = _fit(np.log2(lengths), highest)
    middle = (len(points) + 1) // 2
    if highest[-1] == highest[middle - 1]:  # equal counts have equal logarithms
        kind: Kind = "constant"
    else:  # two rounded errors that are equal would say nothing either way
        kind = "linear" if linear.error < logarithmic.error else "logarithmic"
    return Growth(kind, linear, logarithmic, points)


def _fit(across: np.ndarray, bits: np.ndarray) -> Fit:
    slope, intercept = np.polyfit(across, bits, 1)
    residuals = intercept + slope * across - bits
    return Fit(float(slope), float(intercept), float(np.sqrt(np.mean(residuals**2))))


def _record(fit: Fit) -> dict[str, float]:
    return {"slope": round(fit.slope, 6), "intercept": round(fit.intercept, 6), "error": round(fit.error, 6)}
