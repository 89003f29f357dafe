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

import decimal
import math
from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64, Shaped

from seqsep.exact.integers import Limbs, dot, fits, scaled, total_by_row, widened

Rounding = Literal["floor", "nearest"]
Softmax = Literal["stepwise", "once"]
FLOAT_SLACK = 2.0**-40  # numpy's exp is within 4 units of the last place; the argument adds 2^-46
LN_2_ABOVE = 0.6931472


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


@dataclass
class Tally:
    """How many numbers were rounded (moved) and saturated, by place; the exponentials of a softmax are not listed.

    A number that saturates may count as rounded as well.
    """

    rounded: Counter[str] = field(default_factory=Counter)
    saturated: Counter[str] = field(default_factory=Counter)


class Weights(NamedTuple):
    """Attention weights above 0, in steps, row by row: entry i is weight `steps[i]` of key `key[i]` in row `row[i]`."""

    row: Int64[np.ndarray, "entries"]
    key: Int64[np.ndarray, "entries"]
    steps: Shaped[np.ndarray, "entries"]
    first: Int64[np.ndarray, "rows"]


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

    @property
    def cut(self) -> float:
        """Exponents below -cut round to 0 steps: L < 2^b, so e^x L < 1 (nearest: < 1/2) once x < -b ln 2 (-(b + 1) ln 2)."""
        return (self.steps.bit_length() + (self.rounding == "nearest")) * LN_2_ABOVE

    def exp(self, exponents: Array) -> Shaped[np.ndarray, "..."]:
        """e^x for x <= 0 in steps, correctly rounded: in float64, and in higher precision near a grid line."""
        flat = exponents.integers.ravel()
        steps = np.zeros(flat.shape, dtype=np.int64 if fits(self.steps) else np.object_)
        steps[flat == 0] = self.steps
        alive = np.flatnonzero((flat != 0) & (flat >= -math.ceil(self.cut / exponents.unit)))
        if len(alive) == 0:
            return steps.reshape(exponents.integers.shape)
        distinct, where = np.unique(flat[alive], return_inverse=True)
        value = np.exp(distinct.astype(np.float64) * float(exponents.unit)) * float(self.steps)
        half = 0.5 if self.rounding == "nearest" else 0.0
        below, above = np.floor(value * (1 - FLOAT_SLACK) + half), np.floor(value * (1 + FLOAT_SLACK) + half)
        unclear = (below != above) | (above >= 2.0**52)
        found = np.where(unclear, 0, below).astype(np.int64).astype(steps.dtype)
        for index in np.flatnonzero(unclear):
            found[index] = self._exp_exactly(int(distinct[index]) * exponents.unit)
        steps[alive] = found[where.reshape(-1)]
        return steps.reshape(exponents.integers.shape)

    def _exp_exactly(self, exponent: Fraction) -> int:
        """e^x for a rational x < 0 in steps, rounded: e^x is irrational there, so some precision tells it from a grid line."""
        for digits in _precisions(self.steps):
            low, high = _exp_between(exponent, digits)
            first, last = (self._round(bound * self.steps) for bound in (low, high))
            if first == last:
                return first
        raise AssertionError("unreachable")

    def _round(self, value: Fraction) -> int:
        return math.floor(value + Fraction(1, 2)) if self.rounding == "nearest" else math.floor(value)

    def attend(self, scores: Array, allowed: Bool[np.ndarray, "rows keys"] | None, tally: Tally, where: str) -> Weights:
        """The softmax of every row over its allowed keys (at least one), rounded at the places that `softmax` names."""
        integers = scores.integers
        if allowed is not None:
            lowest = int(integers.min()) - 1
            integers = np.where(allowed, integers, lowest)
        top = integers.max(axis=1, keepdims=True)
        below = integers - top
        span = int(top.max()) - int(integers.min())
        if self.softmax == "once":
            return self._attend_once(Array(below, scores.unit), allowed)
        if span * scores.unit > self.steps:
            lost = below < -math.floor(self.steps / scores.unit)
            tally.saturated[f"{where} minus maximum"] += int((lost if allowed is None else lost & allowed).sum())
        alive = below >= -math.ceil(self.cut / scores.unit)
        if allowed is not None:
            alive &= allowed
        row, key = np.nonzero(alive)
        steps = self.exp(Array(below[row, key], scores.unit))
        first = np.searchsorted(row, np.arange(len(integers)))
        total = total_by_row(steps, first, self.steps)
        weights = self._quotient(steps, np.repeat(total, np.diff(np.append(first, len(row)))))
        return Weights(row, key, weights, first)

    def _quotient(self, steps: np.ndarray, total: np.ndarray) -> np.ndarray:
        """steps / total in steps, rounded."""
        doubled = 2 if self.rounding == "nearest" else 1
        if steps.dtype == np.object_ or not fits(4 * self.steps * max(self.steps, int(total.max()))):
            steps, total = widened(steps), widened(total)
        numerator = doubled * self.steps * steps
        return (numerator + total if doubled == 2 else numerator) // (doubled * total)

    def _attend_once(self, below: Array, allowed: Bool[np.ndarray, "rows keys"] | None) -> Weights:
        """Exact weights e^(x_i) / sum over j of e^(x_j), then rounded.

        A row of equal scores has the rational weights 1/m. In any other row every weight is irrational: distinct exponents have
        linearly independent exponentials over the rationals (Lindemann-Weierstrass), so some precision tells it from a line.
        """
        rows, keys = below.integers.shape
        mask = np.ones((rows, keys), dtype=bool) if allowed is None else allowed
        steps = np.zeros((rows, keys), dtype=np.int64 if fits(self.steps) else np.object_)
        value = np.where(mask, np.exp(np.maximum(below.integers.astype(np.float64) * float(below.unit), -700.0)), 0.0)
        value = value / value.sum(axis=1, keepdims=True) * float(self.steps)
        half = 0.5 if self.rounding == "nearest" else 0.0
        slack = FLOAT_SLACK * (1 + keys * 2.0**-10)
        low, high = np.floor(value * (1 - slack) + half), np.floor(value * (1 + slack) + half)
        unclear = ((low != high) | (high >= 2.0**52)) & mask
        steps[...] = np.where(unclear, 0, low).astype(np.int64).astype(steps.dtype)
        for place in np.flatnonzero(unclear.any(axis=1)):
            exponents = Counter(below.integers[place, mask[place]].tolist())
            found = self._weights_exactly({int(x) * below.unit: count for x, count in exponents.items()})
            for other in np.flatnonzero(unclear[place]):
                steps[place, other] = found[int(below.integers[place, other]) * below.unit]
        row, key = np.nonzero(mask & (steps > 0))
        return Weights(row, key, steps[row, key], np.searchsorted(row, np.arange(rows)))

    def _weights_exactly(self, exponents: dict[Fraction, int]) -> dict[Fraction, int]:
        if len(exponents) == 1:
            [(exponent, count)] = exponents.items()
            return {exponent: self._round(Fraction(self.steps, count))}
        found: dict[Fraction, int] = {}
        for digits in _precisions(self.steps * sum(exponents.values())):
            bounds = {x: _exp_between(x, digits) for x in exponents}
            least, most = (sum(bounds[x][end] * count for x, count in exponents.items()) for end in (0, 1))
            for x, (low, high) in bounds.items():
                first, last = self._round(low * self.steps / most), self._round(high * self.steps / least)
                if first == last:
                    found[x] = first
            if len(found) == len(exponents):
                return found
        raise AssertionError("unreachable")

    def mix(self, weights: Weights, values: Array, batch: Int64[np.ndarray, "rows"], tally: Tally, where: str) -> Array:
        """Sums of weights times values (batch, keys, coordinates): exact, rounded once; row r reads values[batch[r]]."""
        width = values.integers.shape[-1]
        rows = len(weights.first)
        most = (self.steps + (len(weights.key) if self.rounding == "nearest" else 0)) * max(1, values.most)
        wide = not fits(most) or weights.steps.dtype == np.object_ or values.integers.dtype == np.object_
        sums = np.zeros((rows, width), dtype=np.object_ if wide else np.int64)
        last = np.append(weights.first, len(weights.row))
        begin = 0
        while begin < rows:
            end = max(begin + 1, int(np.searchsorted(last, last[begin] + (1 << 21), side="right")) - 1)
            part = slice(int(last[begin]), int(last[end]))
            some = values.integers[batch[weights.row[part]], weights.key[part]]
            steps = weights.steps[part, None]
            terms = widened(steps) * widened(some) if wide else steps * some
            sums[begin:end] = _by_row(terms, last[begin : end + 1] - last[begin])
            begin = end
        return self.place(Array(sums, values.unit * self.step), tally, where)


def _by_row(terms: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Sums of consecutive terms between bounds; an empty stretch sums to 0."""
    filled = np.flatnonzero(np.diff(bounds))
    sums = np.zeros((len(bounds) - 1, terms.shape[1]), dtype=terms.dtype)
    if len(filled):
        sums[filled] = np.add.reduceat(terms, bounds[filled], axis=0)
    return sums


def _precisions(steps: int) -> list[int]:
    first = len(str(steps)) + 12
    return [first << doubling for doubling in range(12)]


def _exp_between(exponent: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds of e^x, from `decimal`, whose exp is correctly rounded: half a unit in the last digit either way."""
    with decimal.localcontext(prec=digits, Emin=-999_999, Emax=999_999) as context:
        context.rounding = decimal.ROUND_FLOOR
        low = (decimal.Decimal(exponent.numerator) / exponent.denominator).exp().next_minus()
        context.rounding = decimal.ROUND_CEILING
        high = (decimal.Decimal(exponent.numerator) / exponent.denominator).exp().next_plus()
    return Fraction(low), Fraction(high)


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
