"""The numbers of p bits of the paper, a grid Q_p, and exact arithmetic with explicit rounding to it.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendix B.2: the numbers between -n^Kc and n^Kc of step n^-Kc, with n the
length and Kc a constant. With L = `steps` = n^Kc steps to a unit

    Q_p = {i / L : |i| <= L^2},   2 L^2 + 1 numbers,   p = bit_length(2 L^2)

and x is placed on the grid by R(x) = min(max(round(x L) / L, -L), L), where

    rounding = "floor"     round(y) = floor(y)
    rounding = "nearest"   round(y) = floor(y + 1/2)

We differ: B.2 prints p = 2 Kc log2 n, up to two bits less. B.2 rounds down; the proof of Theorem 6 needs "nearest" where it
says that a weight of 1 - 1/(2 n^Kc) "rounds to 1". `Grid.softmax` names the places where a softmax is rounded:

* "stepwise": appendix D's order. Subtract the row's maximum, round each exponential, divide each by their exact sum, round.
* "once": the exact softmax, then rounded.

Sums of products are formed exactly and rounded once. An `Array` carries its own unit: integer scores of any size stay integers
of unit 1, which are on every grid. Entries are int64 if a bound computed before the operation proves that nothing wraps, and
Python integers if not (`maths.arithmetic.integers`). A `Tally` counts what was rounded and what saturated, by place.
"""

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, reduce
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float64, Shaped

from seqsep.core.names import InternalError
from seqsep.maths.arithmetic.integers import Limbs, dot, fits, scaled, widened

Rounding = Literal["floor", "nearest"]
Softmax = Literal["stepwise", "once"]


@dataclass(frozen=True)
class Array:
    """The numbers integers * unit, exactly. The integers are int64, or Python's if those would wrap, and are read-only.

    `by_index` marks a stored table that is a function of the position or index alone (`network.SizeLedger`).
    Raises ValueError for integers of another type.

    >>> quarters = Array(np.array([1, 6]), Fraction(1, 4))
    >>> quarters.plus(Array(np.array([1, 1]))).floats().tolist()
    [1.25, 2.5]
    """

    integers: Shaped[np.ndarray, "..."]
    unit: Fraction = Fraction(1)
    by_index: bool = False

    def __post_init__(self) -> None:
        if self.integers.dtype not in (np.int64, np.object_):
            raise ValueError(f"Array(integers of {self.integers.dtype}): integers are int64 or Python's")
        self.integers.setflags(write=False)

    def floats(self) -> Float64[np.ndarray, "..."]:
        """The numbers in float64, each rounded."""
        return self.integers.astype(np.float64) * float(self.unit)

    def __getitem__(self, index: object) -> "Array":
        return replace(self, integers=self.integers[index])  # type: ignore[call-overload]

    @cached_property
    def most(self) -> int:
        """The greatest magnitude of the integers."""
        if self.integers.size == 0:
            return 0
        return max(int(self.integers.max()), -int(self.integers.min()))

    @property
    def largest(self) -> Fraction:
        """The greatest magnitude of the numbers: `most` units."""
        return self.most * self.unit

    def of_unit(self, unit: Fraction) -> "Array":
        """The same numbers in another unit, which must divide this one."""
        factor = self.unit / unit
        if factor.denominator != 1:
            raise InternalError(f"a unit of {unit} does not divide one of {self.unit}")
        return self if factor == 1 else Array(scaled(self.integers, self.most, int(factor)), unit, self.by_index)

    def lifted(self) -> "Array":
        """The same numbers in the largest unit, at most 1, that divides all of them; it keeps later products small."""
        if self.unit >= 1 or self.integers.dtype == np.object_:
            return self
        common = int(np.gcd.reduce(self.integers, axis=None)) or self.unit.denominator
        factor = math.gcd(common, self.unit.denominator)
        return self if factor == 1 else Array(self.integers // factor, self.unit * factor, self.by_index)

    def transposed(self) -> "Array":
        """The same numbers with the last two axes exchanged."""
        return Array(self.integers.swapaxes(-1, -2), self.unit)

    def plus(self, other: "Array") -> "Array":
        """The exact sum."""
        unit = common_unit(self.unit, other.unit)
        first = self.of_unit(unit)
        second = other.of_unit(unit)
        if fits(first.most + second.most):
            return Array(first.integers + second.integers, unit)
        return Array(widened(first.integers) + widened(second.integers), unit)


def common_unit(first: Fraction, second: Fraction) -> Fraction:
    """The largest unit that divides both.

    >>> common_unit(Fraction(1, 4), Fraction(1, 6))
    Fraction(1, 12)
    """
    return Fraction(
        math.gcd(first.numerator * second.denominator, second.numerator * first.denominator),
        first.denominator * second.denominator,
    )


def common(parts: list[Array]) -> Fraction:
    """The largest unit that divides the units of all parts.

    >>> common([Array(np.array([1]), Fraction(1, 4)), Array(np.array([1]), Fraction(1, 6))])
    Fraction(1, 12)
    """
    return reduce(common_unit, (part.unit for part in parts))


def joined(parts: list[Array], axis: int = 0) -> Array:
    """The parts one after the other, in the largest unit that divides all of theirs.

    >>> joined([Array(np.array([1])), Array(np.array([1]), Fraction(1, 4))]).integers.tolist()
    [4, 1]
    """
    if len(parts) == 1:
        return parts[0]
    unit = common(parts)
    return Array(np.concatenate([part.of_unit(unit).integers for part in parts], axis), unit)


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
    """The counts of numbers that rounding changed, and of numbers that saturated, for each place of a network.

    A place is a name, such as that of a layer's output. A number may be in both counts.

    The exponentials and weights of a softmax are not counted as rounded.

    Fields:
        rounded: counts of numbers that rounding changed.
        saturated: counts of numbers that reached an end of the grid.

    >>> tally = Tally()
    >>> Grid(10).place(Array(np.array([1, 50, 5000]), Fraction(1, 100)), tally, "here").floats().tolist()
    [0.0, 0.5, 10.0]
    >>> tally.rounded["here"], tally.saturated["here"]
    (1, 1)
    """

    rounded: Counter[str] = field(default_factory=Counter)
    saturated: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Grid:
    """The numbers of p-bit arithmetic, multiples of 1/L from -L to L, and the rules of rounding.

    Fields:
        steps: L, the number of steps from 0 to 1; from 2.
        rounding: direction of rounding: floor as in Bhattamishra et al. 2024, nearest as in Wen, Dang, Lyu 2025.
        softmax: rounding of a softmax: stepwise after every operation, or once at its end.

    Raises ValueError for fewer than 2 steps.

    >>> Grid(steps=8).precision  # -64/8 .. 64/8
    8
    """

    steps: int
    rounding: Rounding = "floor"
    softmax: Softmax = "stepwise"

    def __post_init__(self) -> None:
        if self.steps < 2:
            raise ValueError(f"Grid(steps={self.steps}): a unit has at least 2 steps")

    @classmethod
    def of(cls, tokens: int, exponent: int, rounding: Rounding = "floor", softmax: Softmax = "stepwise") -> "Grid":
        """B.2's grid for n = `tokens` tokens, [BOS] and question included, and Kc = `exponent`: L = max(4, n)^Kc.

        We differ for n < 4: at base 3 and Kc = 1, a uniform weight of 1/(N+1) would round down to 0.

        >>> Grid.of(tokens=12, exponent=2).steps
        144
        """
        return cls(max(4, tokens) ** exponent, rounding, softmax)

    @property
    def precision(self) -> int:
        """p = bit_length(2 L^2), the bits that hold a number of the grid."""
        return (2 * self.steps * self.steps).bit_length()

    @property
    def step(self) -> Fraction:
        """1 / L, the distance of neighbours."""
        return Fraction(1, self.steps)

    def holds(self, array: Array) -> bool:
        """Return True if every number is on the grid."""
        units_per_step = (array.unit * self.steps).denominator
        return array.largest <= self.steps and not (array.integers % units_per_step).any()

    def place(self, array: Array, tally: Tally, where: str) -> Array:
        """R(array): rounded to the grid once, then saturated; counted in `tally` under the name `where`."""
        return self._place(_Exact(array.integers, array.most, array.unit), tally, where)

    def product(self, x: Array, y: Array, tally: Tally, where: str, bias: Array | None = None) -> Array:
        """R(x @ y + bias), over the last axis of x and the second last of y. The sum is exact and rounded once."""
        unit = x.unit * y.unit
        sums, most = dot(x.integers, y.integers, x.most, y.most)
        if bias is None or not bias.most:
            return self._place(_Exact(sums, most, unit), tally, where)
        if isinstance(sums, Limbs):
            sums = sums.exactly()
        return self.place(Array(sums, unit).plus(bias), tally, where)

    def multiply(self, x: Array, y: Array, tally: Tally, where: str) -> Array:
        """R(x y), entry by entry.

        If some product may pass int64, a float64 estimate finds those that do. On a grid with L^3 < 2^60 and for a unit of at
        least L^-2, a product beyond 2^61 units saturates, so its exact value is not needed; the others are right although
        the array's product wraps elsewhere. In every other case products are formed in Python integers.
        """
        unit = x.unit * y.unit
        most = x.most * y.most
        if fits(most):
            return self._place(_Exact(x.integers * y.integers, most, unit), tally, where)
        in_steps = unit * self.steps
        is_small = x.integers.dtype == y.integers.dtype == np.int64 and in_steps.numerator == 1
        if not (is_small and in_steps * self.steps >= 1 and self.steps**3 < 1 << 60):
            return self._place(_Exact(widened(x.integers) * widened(y.integers), most, unit), tally, where)
        estimate = x.integers.astype(np.float64) * y.integers.astype(np.float64)
        wrapped = _Exact(x.integers * y.integers, 0, unit)  # a bound of 0 keeps them in int64
        quotient, moved = _rounded(wrapped, self)
        np.putmask(quotient, estimate > 2.0**61, 1 << 61)
        np.putmask(quotient, estimate < -(2.0**61), -(1 << 61))
        tally.rounded[where] += moved
        return self._saturate(quotient, self.step, tally, where)

    def nearest_step(self, value: Fraction) -> int:
        """round(value): a number of steps, rounded to a whole one."""
        return math.floor(value + Fraction(1, 2)) if self.rounding == "nearest" else math.floor(value)

    def _place(self, exact: "_Exact", tally: Tally, where: str) -> Array:
        if (exact.unit * self.steps).denominator != 1:
            steps, moved = _rounded(exact, self)
            tally.rounded[where] += moved
            return self._saturate(steps, self.step, tally, where)
        integers = exact.integers.exactly() if isinstance(exact.integers, Limbs) else exact.integers
        return self._saturate(integers, exact.unit, tally, where)

    def _saturate(self, integers: Shaped[np.ndarray, "..."], unit: Fraction, tally: Tally, where: str) -> Array:
        """min(max(x, -L), L) of numbers that are on the grid except for their size."""
        array = Array(integers, unit)
        if array.largest <= self.steps:
            is_wide_in_vain = integers.dtype == np.object_ and fits(array.most)
            return Array(integers.astype(np.int64), unit) if is_wide_in_vain else array
        end = math.floor(self.steps / unit)
        if end * unit != self.steps:  # L is not a multiple of the array's own unit: clip in steps
            tally.saturated[where] += int(np.count_nonzero((integers > end) | (integers < -end)))
            return self._saturate(array.of_unit(self.step).integers, self.step, Tally(), where)
        clipped = np.clip(integers, -end, end)
        tally.saturated[where] += int(np.count_nonzero(clipped != integers))
        return Array(clipped.astype(np.int64, copy=False) if fits(end) else clipped, unit)


class _Exact(NamedTuple):
    """Numbers before rounding: integers (or limbs that represent them) times `unit`, of magnitude at most `most` units."""

    integers: Shaped[np.ndarray, "..."] | Limbs
    most: int
    unit: Fraction


def _rounded(exact: _Exact, grid: Grid) -> tuple[Shaped[np.ndarray, "..."], int]:
    """round(x L) in steps, and how many numbers it moved."""
    integers = exact.integers
    numerator = (exact.unit * grid.steps).numerator
    denominator = (exact.unit * grid.steps).denominator
    if isinstance(integers, Limbs):
        if numerator == 1 and integers.divides(denominator, grid.steps**2):
            return integers.divided(denominator, grid.rounding == "nearest")
        integers = integers.exactly()
    if not fits(2 * exact.most * numerator + 2 * denominator):
        integers = widened(integers)
    product = integers * numerator
    is_nearest = grid.rounding == "nearest"
    quotient = (2 * product + denominator) // (2 * denominator) if is_nearest else product // denominator
    return quotient, int((quotient * denominator != product).sum())
