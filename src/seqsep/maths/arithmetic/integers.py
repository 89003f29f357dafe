"""Exact arithmetic of whole numbers: logarithms and binary digits, and products of integer arrays.

No product wraps and none is rounded: before each one the magnitude of its sums is bounded by inner * max |x| * max |y|, or
where that is 2^53 or more by the sum over the coordinates of max |x| * max |y| in each. Below 2^53 it is computed in float64,
which is fast and exact there; below 2^63 in int64; beyond, in two limbs of float64 products each, or in Python integers.
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
    """Return True if magnitudes up to `most` fit int64.

    >>> fits(2**63 - 1), fits(2**63)
    (True, False)
    """
    return most < INT64


def widened(integers: Shaped[np.ndarray, "..."]) -> Shaped[np.ndarray, "..."]:
    """The same numbers as Python integers, which cannot wrap.

    >>> int(widened(np.array([2**62]))[0] * 4) == 2**64
    True
    """
    return integers.astype(np.object_)


def scaled(integers: Shaped[np.ndarray, "..."], most: int, factor: int) -> Shaped[np.ndarray, "..."]:
    """integers * factor exactly, for integers of magnitude at most `most`.

    >>> scaled(np.array([3]), most=3, factor=2**62)
    array([13835058055282163712], dtype=object)
    """
    if fits(most * abs(factor)) and fits(abs(factor)):
        return integers * factor
    return widened(integers) * factor


@dataclass(frozen=True)
class Limbs:
    """Sums that pass int64, as high 2^(2 shift) + middle 2^shift + low.

    |high| and |low| are below 2^53, |middle| is below 2^54.

    >>> entries = np.array([[2**40, 1]])
    >>> sums, most = dot(entries, entries.T, 2**40, 2**40)
    >>> type(sums).__name__, sums.exactly().tolist() == [[2**80 + 1]]
    ('Limbs', True)
    """

    high: Int64[np.ndarray, "..."]
    middle: Int64[np.ndarray, "..."]
    low: Int64[np.ndarray, "..."]
    shift: int

    def exactly(self) -> Shaped[np.ndarray, "..."]:
        """The sums as Python integers."""
        return (widened(self.high) << 2 * self.shift) + (widened(self.middle) << self.shift) + widened(self.low)

    def divides(self, divisor: int, end: int) -> bool:
        """Return True if `divided` stays within int64 for this divisor, and is right up to a saturation at ±`end`."""
        rests_fit = divisor << (self.shift + 2) < INT64
        quotients_fit = (1 << (54 + self.shift)) // divisor < 1 << 60
        return rests_fit and quotients_fit and end < 1 << 60

    def divided(self, divisor: int, nearest: bool) -> tuple[Int64[np.ndarray, "..."], int]:
        """floor(sum / divisor), or floor(sum / divisor + 1/2), by long division; and how many quotients were not whole.

        A quotient below 2^61 is right; a greater one comes out as at least 2^60 in magnitude, with the right sign.
        """
        first, rest = _divided(self.high, divisor)
        second, rest = _divided((rest << self.shift) + self.middle, divisor)
        third, rest = _divided((rest << self.shift) + self.low, divisor)
        moved = int(np.count_nonzero(rest))
        limit = 1 << max(0, 61 - 2 * self.shift)
        quotient = (np.clip(first, -limit, limit) << 2 * self.shift) + (second << self.shift) + third
        if nearest:
            quotient = quotient + (2 * rest >= divisor)
        return quotient, moved


def _divided(number: Int64[np.ndarray, "..."], divisor: int) -> tuple[Int64[np.ndarray, "..."], Int64[np.ndarray, "..."]]:
    """The quotient and the rest; faster than numpy's divmod, which does not turn a fixed divisor into a multiplication."""
    quotient = number // divisor
    return quotient, number - quotient * divisor


def dot(
    x: Shaped[np.ndarray, "*batch rows inner"], y: Shaped[np.ndarray, "*batch inner columns"], x_most: int, y_most: int
) -> tuple[Shaped[np.ndarray, "*batch rows columns"] | Limbs, int]:
    """x @ y exactly, and a bound of its magnitudes; `x_most` and `y_most` bound those of x and y.

    >>> dot(np.array([[1, 2]]), np.array([[3], [4]]), x_most=2, y_most=4)
    (array([[11]]), 16)
    """
    inner = x.shape[-1]
    most = inner * x_most * y_most
    if x.dtype == np.object_ or y.dtype == np.object_:
        return np.matmul(widened(x), widened(y)), most
    if most >= FLOAT64 and x.size and y.size:
        most = min(most, _by_coordinate(x, y))
    if most < FLOAT64:
        return (x.astype(np.float64) @ y.astype(np.float64)).astype(np.int64), most
    if fits(most):
        return x @ y, most
    shift = -(-max(x_most, y_most).bit_length() // 2)
    if inner << 2 * shift >= FLOAT64:
        return np.matmul(widened(x), widened(y)), most
    low_bits = (1 << shift) - 1
    x_high = (x >> shift).astype(np.float64)
    x_low = (x & low_bits).astype(np.float64)
    y_high = (y >> shift).astype(np.float64)
    y_low = (y & low_bits).astype(np.float64)
    high = (x_high @ y_high).astype(np.int64)
    middle = (x_high @ y_low).astype(np.int64) + (x_low @ y_high).astype(np.int64)
    low = (x_low @ y_low).astype(np.int64)
    return Limbs(high, middle, low, shift), most


def _by_coordinate(x: Int64[np.ndarray, "*batch rows inner"], y: Int64[np.ndarray, "*batch inner columns"]) -> int:
    """sum over k of max |x_.k| max |y_k.|: a bound of x @ y which is small where large coordinates meet small ones."""
    along_x = [_magnitude(x[..., k]) for k in range(x.shape[-1])]
    along_y = [_magnitude(y[..., k, :]) for k in range(x.shape[-1])]
    return sum(one * other for one, other in zip(along_x, along_y, strict=True))


def _magnitude(integers: Int64[np.ndarray, "..."]) -> int:
    return max(int(integers.max()), -int(integers.min()))


def total_by_row(
    steps: Shaped[np.ndarray, "entries"], first: Int64[np.ndarray, "rows"], most: int
) -> Shaped[np.ndarray, "rows"]:
    """The sum of each row's entries, at most `most` each. Row r begins at first[r] and has at least one entry.

    >>> total_by_row(np.array([1, 2, 3]), first=np.array([0, 2]), most=3).tolist()
    [3, 3]
    """
    return np.add.reduceat(steps if fits(len(steps) * most) else widened(steps), first)
