"""Exact arithmetic of whole numbers: logarithms and binary digits, and products of integer arrays.

Products are taken in float64 if sums are proved below 2^53, in int64 below 2^63, else in limbs or Python integers.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64, Shaped

INT64 = 1 << 63
FLOAT64 = 1 << 53


def ceil_log2(count: int) -> int:
    """ceil(log2 count), exactly: the bits that tell `count` >= 1 cases apart.

    >>> [ceil_log2(count) for count in (1, 2, 3, 4, 5, 2**100 + 1)]
    [0, 1, 2, 2, 3, 101]
    """
    return (count - 1).bit_length()


def digits_of(count: int) -> int:
    """The binary digits that spell the numbers 0 .. count - 1, and at least one.

    >>> [digits_of(count) for count in (1, 2, 3, 4, 5)]
    [1, 1, 2, 2, 3]
    """
    return max(1, ceil_log2(count))


def spelled(count: int) -> Int64[np.ndarray, "count digits"]:
    """The binary digits of 0 .. count - 1, the least first, in `digits_of(count)` columns.

    >>> spelled(3).tolist()
    [[0, 0], [1, 0], [0, 1]]
    """
    return (np.arange(count, dtype=np.int64)[:, None] >> np.arange(digits_of(count))) & 1


def fits(most: int) -> bool:
    """Whether magnitudes up to `most` fit int64."""
    return most < INT64


def widened(integers: Shaped[np.ndarray, "..."]) -> Shaped[np.ndarray, "..."]:
    """The same numbers as Python integers."""
    return integers.astype(np.object_)


def scaled(integers: Shaped[np.ndarray, "..."], most: int, factor: int) -> Shaped[np.ndarray, "..."]:
    """integers * factor, where magnitudes are at most `most`."""
    return integers * factor if fits(most * abs(factor)) and fits(abs(factor)) else widened(integers) * factor


@dataclass(frozen=True)
class Limbs:
    """high * 2^(2 shift) + middle * 2^shift + low, for sums that pass int64; |high|, |low| < 2^53 and |middle| < 2^54."""

    high: Int64[np.ndarray, "..."]
    middle: Int64[np.ndarray, "..."]
    low: Int64[np.ndarray, "..."]
    shift: int

    def exactly(self) -> Shaped[np.ndarray, "..."]:
        """As Python integers."""
        return (widened(self.high) << 2 * self.shift) + (widened(self.middle) << self.shift) + widened(self.low)

    def divides(self, divisor: int, end: int) -> bool:
        """Whether `divided` stays within int64 for this divisor and a saturation at ±`end`."""
        return divisor << (self.shift + 2) < INT64 and (1 << (54 + self.shift)) // divisor < 1 << 60 and end < 1 << 60

    def divided(self, divisor: int, nearest: bool) -> tuple[Int64[np.ndarray, "..."], int]:
        """floor (or nearest, halves up) of the number / divisor by long division, and how many were not whole.

        Right wherever the quotient is below 2^61; a greater one comes out at least 2^60 in magnitude, of the right sign.
        """
        first, rest = _divided(self.high, divisor)
        second, rest = _divided((rest << self.shift) + self.middle, divisor)
        third, rest = _divided((rest << self.shift) + self.low, divisor)
        moved = int(np.count_nonzero(rest))
        limit = 1 << max(0, 61 - 2 * self.shift)
        quotient = (np.clip(first, -limit, limit) << 2 * self.shift) + (second << self.shift) + third
        return (quotient + (2 * rest >= divisor) if nearest else quotient), moved


def _divided(number: Int64[np.ndarray, "..."], divisor: int) -> tuple[Int64[np.ndarray, "..."], Int64[np.ndarray, "..."]]:
    """Quotient and rest; faster than numpy's divmod, which does not turn a fixed divisor into a multiplication."""
    quotient = number // divisor
    return quotient, number - quotient * divisor


def dot(
    x: Shaped[np.ndarray, "*batch rows inner"], y: Shaped[np.ndarray, "*batch inner columns"], x_most: int, y_most: int
) -> tuple[Shaped[np.ndarray, "*batch rows columns"] | Limbs, int]:
    """x @ y exactly, and a bound of its magnitudes; `x_most` and `y_most` bound the magnitudes of x and y."""
    inner = x.shape[-1]
    most = inner * x_most * y_most
    if x.dtype == np.object_ or y.dtype == np.object_:
        return np.matmul(widened(x), widened(y)), most
    if most < FLOAT64:
        return (x.astype(np.float64) @ y.astype(np.float64)).astype(np.int64), most
    if fits(most):
        return x @ y, most
    shift = -(-max(x_most, y_most).bit_length() // 2)
    if inner << 2 * shift >= FLOAT64:
        return np.matmul(widened(x), widened(y)), most
    x_high, x_low = (part.astype(np.float64) for part in (x >> shift, x & ((1 << shift) - 1)))
    y_high, y_low = (part.astype(np.float64) for part in (y >> shift, y & ((1 << shift) - 1)))
    middle = (x_high @ y_low).astype(np.int64) + (x_low @ y_high).astype(np.int64)
    return Limbs((x_high @ y_high).astype(np.int64), middle, (x_low @ y_low).astype(np.int64), shift), most


def total_by_row(
    steps: Shaped[np.ndarray, "entries"], first: Int64[np.ndarray, "rows"], most: int
) -> Shaped[np.ndarray, "rows"]:
    """Sums of consecutive entries, row by row, each entry at most `most`; every row has one."""
    return np.add.reduceat(steps if fits(len(steps) * most) else widened(steps), first)
