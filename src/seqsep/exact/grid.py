"""The grid Q_p, and arithmetic on it: exact integers, rounded only where that is asked for.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendix B.2: the numbers between -n^Kc and n^Kc of step n^-Kc, with n the
length and Kc a constant. Here L = `steps` = n^Kc steps make 1, so Q_p is {i / L : |i| <= L^2}, of 2 L^2 + 1 numbers, and
p = bit_length(2 L^2) bits hold one (B.2 prints 2 Kc log2 n, up to two bits less).
We differ: B.2 rounds down; here `rounding` is "floor" or "nearest" (halves up), since the proof of Theorem 6 needs the latter
where it says that a weight of 1 - 1/(2 n^Kc) "rounds to 1". `softmax` names the places where a softmax is rounded:

* "stepwise": appendix D's order. Subtract the row's maximum, round each exponential, divide each by their exact sum, round.
* "once": the exact softmax, then rounded.

Sums of products are formed exactly and rounded once, then both ends saturate at ±L. An `Array` carries its own unit: integer
scores of any size stay integers of unit 1, which lie on every grid. Numbers are int64 where a bound computed before the
operation proves that nothing wraps (through float64 products, whole or in two limbs, where every sum is proved below 2^53),
and Python integers where it does not. A `Tally` counts what was rounded and what saturated, by the place where it happened.
"""

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from jaxtyping import Float64, Shaped

from seqsep.exact.integers import Limbs, dot, fits, scaled, widened

Rounding = Literal["floor", "nearest"]
Softmax = Literal["stepwise", "once"]


@dataclass(frozen=True)
class Array:
    """Integers times `unit`: int64, or Python integers where those would wrap. The entries are not written to.

    `by_index` marks a stored table that is a function of the position or index alone.
    """

    integers: Shaped[np.ndarray, "..."]
    unit: Fraction = Fraction(1)
    by_index: bool = False

    def __post_init__(self) -> None:
        if self.integers.dtype not in (np.int64, np.object_):
            raise ValueError(f"Array(integers of {self.integers.dtype}): integers are int64 or Python's")
        self.integers.setflags(write=False)

    def floats(self) -> Float64[np.ndarray, "..."]:
        return self.integers.astype(np.float64) * float(self.unit)

    def __getitem__(self, index: object) -> "Array":
        return replace(self, integers=self.integers[index])  # type: ignore[call-overload]

    @cached_property
    def most(self) -> int:
        """Greatest magnitude of an integer."""
        if self.integers.size == 0:
            return 0
        return max(int(self.integers.max()), -int(self.integers.min()))

    @property
    def largest(self) -> Fraction:
        """Greatest magnitude of an entry."""
        return self.most * self.unit

    def of_unit(self, unit: Fraction) -> "Array":
        """The same numbers in a unit that divides this one."""
        factor = self.unit / unit
        assert factor.denominator == 1, (self.unit, unit)
        return self if factor == 1 else Array(scaled(self.integers, self.most, int(factor)), unit, self.by_index)

    def lifted(self) -> "Array":
        """The same numbers in the largest unit that the entries allow, at most 1: it keeps later products small."""
        if self.unit >= 1 or self.integers.dtype == np.object_:
            return self
        common = int(np.gcd.reduce(self.integers, axis=None)) or self.unit.denominator
        factor = math.gcd(common, self.unit.denominator)
        return self if factor == 1 else Array(self.integers // factor, self.unit * factor, self.by_index)

    def plus(self, other: "Array") -> "Array":
        """The exact sum."""
        unit = common_unit(self.unit, other.unit)
        first, second = self.of_unit(unit), other.of_unit(unit)
        if fits(first.most + second.most):
            return Array(first.integers + second.integers, unit)
        return Array(widened(first.integers) + widened(second.integers), unit)


def common_unit(first: Fraction, second: Fraction) -> Fraction:
    """The largest unit that divides both."""
    return Fraction(
        math.gcd(first.numerator * second.denominator, second.numerator * first.denominator),
        first.denominator * second.denominator,
    )


def least_exponent(tokens: int, needed: int | Fraction, unit: Fraction = Fraction(1), least: int = 1) -> int:
    """The least Kc >= `least` for which the grid of `tokens` tokens has `needed` steps a unit and holds `unit`.

    >>> least_exponent(10, 100), least_exponent(10, 101), least_exponent(10, 1, Fraction(1, 8))
    (2, 3, 3)
    """
    exponent = least
    while True:
        steps = Grid.of(tokens, exponent).steps
        if steps >= needed and (unit * steps).denominator == 1:
            return exponent
        exponent += 1


@dataclass
class Tally:
    """How many numbers were rounded (moved) and saturated, by place; the exponentials of a softmax are not listed.

    A number that saturates may count as rounded as well.
    """

    rounded: Counter[str] = field(default_factory=Counter)
    saturated: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Grid:
    """Q_p with L = `steps` steps per unit. Raises ValueError for fewer than 2 steps."""

    steps: int
    rounding: Rounding = "floor"
    softmax: Softmax = "stepwise"

    def __post_init__(self) -> None:
        if self.steps < 2:
            raise ValueError(f"Grid(steps={self.steps}): a unit has at least 2 steps")

    @classmethod
    def of(cls, tokens: int, exponent: int, rounding: Rounding = "floor", softmax: Softmax = "stepwise") -> "Grid":
        """B.2's grid for `tokens` tokens, [BOS] and question included, with Kc = `exponent`.

        The base is at least 4: at base 3, Kc = 1, a uniform weight of 1/(N+1) would round down to 0.
        """
        return cls(max(4, tokens) ** exponent, rounding, softmax)

    @property
    def precision(self) -> int:
        """p, the bits of a number: bit_length(2 L^2)."""
        return (2 * self.steps * self.steps).bit_length()

    @property
    def step(self) -> Fraction:
        return Fraction(1, self.steps)

    def holds(self, array: Array) -> bool:
        """Whether every entry is a number of the grid."""
        apart = (array.unit * self.steps).denominator
        return array.largest <= self.steps and not (array.integers % apart).any()

    def place(self, array: Array, tally: Tally, where: str) -> Array:
        """Round to the grid once, then saturate."""
        return self._place(array.integers, array.most, array.unit, tally, where)

    def product(self, x: Array, y: Array, tally: Tally, where: str, bias: Array | None = None) -> Array:
        """x @ y (+ bias) over the last axis of x and the second last of y: summed exactly, rounded once, saturated."""
        unit = x.unit * y.unit
        sums, most = dot(x.integers, y.integers, x.most, y.most)
        if bias is not None and bias.most:
            if isinstance(sums, Limbs):
                sums = sums.exactly()
            both = Array(sums, unit).plus(bias)
            sums, most, unit = both.integers, both.most, both.unit
        return self._place(sums, most, unit, tally, where)

    def multiply(self, x: Array, y: Array, tally: Tally, where: str) -> Array:
        """x * y entry by entry, rounded once, saturated.

        Products that may pass int64 are told apart in float64: beyond 2^61 they saturate on any grid with L^3 < 2^60 and unit
        at least L^-2; the others are right although the array's product wraps elsewhere.
        """
        unit, most = x.unit * y.unit, x.most * y.most
        if fits(most):
            return self._place(x.integers * y.integers, most, unit, tally, where)
        small = x.integers.dtype == y.integers.dtype == np.int64 and (unit * self.steps).numerator == 1
        if not (small and unit * self.steps * self.steps >= 1 and self.steps**3 < 1 << 60):
            return self._place(widened(x.integers) * widened(y.integers), most, unit, tally, where)
        estimate = x.integers.astype(np.float64) * y.integers.astype(np.float64)
        in_steps = unit * self.steps
        quotient, moved = _rounded(
            x.integers * y.integers, 0, in_steps.numerator, in_steps.denominator, self.rounding == "nearest", self.steps
        )
        np.putmask(quotient, estimate > 2.0**61, 1 << 61)
        np.putmask(quotient, estimate < -(2.0**61), -(1 << 61))
        tally.rounded[where] += moved
        return self._saturate(quotient, self.step, tally, where)

    def nearest_step(self, value: Fraction) -> int:
        """One number in steps, rounded."""
        return math.floor(value + Fraction(1, 2)) if self.rounding == "nearest" else math.floor(value)

    def _place(self, integers: np.ndarray | Limbs, most: int, unit: Fraction, tally: Tally, where: str) -> Array:
        in_steps = unit * self.steps
        if in_steps.denominator != 1:
            doubled = self.rounding == "nearest"
            numerator, denominator = in_steps.numerator, in_steps.denominator
            rounded, moved = _rounded(integers, most, numerator, denominator, doubled, self.steps)
            tally.rounded[where] += moved
            integers, unit = rounded, self.step
        elif isinstance(integers, Limbs):
            integers = integers.exactly()
        return self._saturate(integers, unit, tally, where)

    def _saturate(self, integers: np.ndarray, unit: Fraction, tally: Tally, where: str) -> Array:
        found = Array(integers, unit)
        if found.largest <= self.steps:
            return Array(integers.astype(np.int64), unit) if integers.dtype == np.object_ and fits(found.most) else found
        end = math.floor(self.steps / unit)
        if end * unit != self.steps:  # the end of the grid is not a multiple of the array's own unit
            tally.saturated[where] += int(np.count_nonzero((integers > end) | (integers < -end)))
            return self._saturate(found.of_unit(self.step).integers, self.step, Tally(), where)
        clipped = np.clip(integers, -end, end)
        tally.saturated[where] += int(np.count_nonzero(clipped != integers))
        return Array(clipped.astype(np.int64, copy=False) if fits(end) else clipped, unit)


def _rounded(
    integers: np.ndarray | Limbs, most: int, numerator: int, denominator: int, nearest: bool, steps: int
) -> tuple[np.ndarray, int]:
    """floor or nearest of integers * numerator / denominator, and how many of them moved."""
    if isinstance(integers, Limbs):
        if numerator == 1 and integers.divides(denominator, steps * steps):
            return integers.divided(denominator, nearest)
        integers, most = integers.exactly(), most
    if not fits(2 * most * numerator + 2 * denominator):
        integers = widened(integers)
    product = integers * numerator
    quotient = (2 * product + denominator) // (2 * denominator) if nearest else product // denominator
    return quotient, int((quotient * denominator != product).sum())
