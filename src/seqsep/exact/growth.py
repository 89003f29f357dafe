"""How a quantity grows with the length: constant, logarithmic or linear, by least squares, with the raw numbers.

What is fitted is log2 of the number of classes (the state before it is rounded up to whole bits), and its running maximum: a
model that serves length N and all shorter ones of the list needs that much, and languages without words of some lengths, as
Dyck words of odd length, have gaps. A fit over a few lengths describes these numbers; it proves nothing about other lengths.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

FEWEST = 3
FLAT = 1e-9

Kind = Literal["constant", "logarithmic", "linear"]


@dataclass(frozen=True)
class Fit:
    """bits = intercept + slope * g(N); `error` is the root mean square of what is left, in bits."""

    slope: float
    intercept: float
    error: float


@dataclass(frozen=True)
class Growth:
    """The kind, with its own fit and the other one; slopes are bits per token and bits per doubling of N."""

    kind: Kind
    linear: Fit
    logarithmic: Fit
    points: tuple[tuple[int, float], ...]

    @property
    def slope(self) -> float:
        """Of the kind's own fit: bits per token, or bits per doubling; 0 for constant."""
        return {"constant": 0.0, "linear": self.linear.slope, "logarithmic": self.logarithmic.slope}[self.kind]

    @property
    def unit(self) -> str:
        return "bits per doubling of N" if self.kind == "logarithmic" else "bits per token"

    def line(self) -> str:
        """For a person."""
        lengths = f"N = {self.points[0][0]} to {self.points[-1][0]}"
        if self.kind == "constant":
            return f"constant over {lengths}"
        error = (self.linear if self.kind == "linear" else self.logarithmic).error
        return f"{self.kind} over {lengths}: {self.slope:.3g} {self.unit} (off by {error:.2g} bits, root mean square)"

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "kind": self.kind,
            "slope": round(self.slope, 6),
            "unit": self.unit,
            "fits": {name: _record(fit) for name, fit in (("linear", self.linear), ("logarithmic", self.logarithmic))},
            "points": [[length, round(bits, 6)] for length, bits in self.points],
        }


def growth(classes: Sequence[tuple[int, int]]) -> Growth | None:
    """The growth of the state over (length, classes), lengths rising; None for fewer than three lengths.

    Constant: no length of the upper half needs more than the lower half does. Else the fit with the smaller error.
    """
    if len(classes) < FEWEST:
        return None
    points = tuple((length, math.log2(count)) for length, count in classes)
    lengths = np.array([length for length, _ in points], dtype=float)
    highest = np.maximum.accumulate([bits for _, bits in points])
    linear, logarithmic = _fit(lengths, highest), _fit(np.log2(lengths), highest)
    middle = (len(points) + 1) // 2
    if highest[-1] <= highest[middle - 1] + FLAT:
        kind: Kind = "constant"
    else:
        kind = "linear" if linear.error < logarithmic.error else "logarithmic"
    return Growth(kind, linear, logarithmic, points)


def _fit(across: np.ndarray, bits: np.ndarray) -> Fit:
    slope, intercept = np.polyfit(across, bits, 1)
    return Fit(float(slope), float(intercept), float(np.sqrt(np.mean((intercept + slope * across - bits) ** 2))))


def _record(fit: Fit) -> dict[str, float]:
    return {"slope": round(fit.slope, 6), "intercept": round(fit.intercept, 6), "error": round(fit.error, 6)}
