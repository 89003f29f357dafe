"""Random orders, distinct numbers and the layout of questions, for a block of examples at once; 32-bit draws in.

All of it is integers or float64 sums, products, quotients and roots, which IEEE 754 rounds alike on every platform.
"""

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache, partial
from itertools import accumulate
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Int64, Shaped, UInt32
from numpy.lib.stride_tricks import as_strided

from seqsep.exact.integers import ceil_log2
from seqsep.stream import Use, below, draws

TOKENS_AT_ONCE = 1 << 17
LOG_2 = 0.6931471805599453
HALF_ROOT = 0.7071067811865476


class Cut:
    """The draws of a block of examples, each example's cut into parts of given widths; at any attempt."""

    def __init__(self, widths: tuple[int, ...], seed: int, use: Use, start: int, count: int) -> None:
        self.ends = (0, *accumulate(widths))
        self.draws = partial(draws, seed, use, start, count, self.ends[-1])
        self.first = self.draws()

    def part(self, place: int, attempt: int = 0) -> UInt32[np.ndarray, "batch width"]:
        whole = self.draws(attempt) if attempt else self.first
        return whole[:, self.ends[place] : self.ends[place + 1]]


@cache
def keep_freed_memory() -> None:
    """Spare page faults, which took up to half of the time: the GNU C library returns what is freed to the system only beyond
    twice the largest array freed so far (mallopt(3), M_MMAP_THRESHOLD; up to 32 MiB), so free one that was never touched."""
    np.empty(33_000_000, dtype=np.uint8)


def parts(count: int, tokens: int) -> Iterator[tuple[int, int]]:
    """First and behind-last example of parts of a block whose intermediate arrays stay in a core's cache."""
    keep_freed_memory()
    size = max(1, TOKENS_AT_ONCE // tokens)
    for first in range(0, count, size):
        yield first, min(first + size, count)


def order(
    uniform: UInt32[np.ndarray, "batch count"], among: Int64[np.ndarray, "batch"] | None = None
) -> Int64[np.ndarray, "batch count"]:
    """A random order of 0 .. count - 1: the columns sorted by their draws, of equal draws the earlier first.

    With `among`, of 0 .. among - 1, which differs by example; the numbers from there on follow in their own order. The
    probability of an order is within count^2 / 2^32 of uniform.
    """
    count = uniform.shape[1]
    low = (1 << max(count - 1, 1).bit_length()) - 1
    if among is not None:
        there = before(among, count)
        uniform = np.where(there, uniform, np.uint32(0xFFFFFFFF))
    ranked = uniform & np.uint32(~low & 0xFFFFFFFF)
    ranked |= np.arange(count, dtype=np.uint32)
    ranked.sort(axis=1)
    ties = (ranked[:, 1:] ^ ranked[:, :-1]) <= low
    if among is not None:
        ties &= there[:, 1:]
    places = (ranked & np.uint32(low)).astype(np.int64)
    close = np.flatnonzero(ties.any(axis=1))
    if len(close):  # the high bits leave the order open there
        whole = (uniform[close].astype(np.uint64) << np.uint64(32)) | np.arange(count, dtype=np.uint64)
        whole.sort(axis=1)
        places[close] = (whole & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return places


@cache
def draws_for_distinct(count: int, bound: int) -> int:
    """Draws to hand to `distinct`: all `bound` to be put in order, or enough that a further attempt is rare."""
    if 2 * count > bound:
        return bound
    repeats = sum(bound / (bound - taken) for taken in range(count)) - count
    return count + int(repeats + 6 * repeats**0.5) + 4


def distinct(
    draw: Callable[[int], UInt32[np.ndarray, "batch draws"]], count: int, bound: int
) -> Int64[np.ndarray, "batch count"]:
    """`count` different numbers below `bound`, every list of them equally likely; draw(attempt) has draws_for_distinct columns.

    These are the first `count` different ones of a sequence of uniform numbers (no number is preferred, so no list is), or,
    where more than half of all numbers are wanted, the first of a random order of all.
    """
    if 2 * count > bound:
        return order(draw(0))[:, :count]
    values = below(draw(0), bound)
    attempt = 0
    while True:
        tried = values.shape[1]
        bits = tried.bit_length()
        kind: Any = np.uint32 if bound << bits <= 1 << 32 else np.uint64  # half as long to sort
        ranked = (values.astype(kind) << kind(bits)) | np.arange(tried, dtype=kind)
        ranked.sort(axis=1)
        number = ranked >> kind(bits)
        equal = np.flatnonzero(number[:, 1:] == number[:, :-1])
        rows = equal // max(tried - 1, 1)
        fresh = np.ones(values.shape, dtype=np.bool_)
        fresh[rows, (ranked.ravel()[equal + rows + 1] & kind((1 << bits) - 1)).astype(np.int64)] = False
        if int(fresh.sum(axis=1).min(initial=count)) >= count:
            break
        attempt += 1
        values = np.concatenate([values, below(draw(attempt), bound)], axis=1)
    fresh &= np.cumsum(fresh, axis=1, dtype=np.int32) <= count
    return values[fresh].reshape(-1, count)


def before(ends: Int64[np.ndarray, "batch"], length: int) -> Bool[np.ndarray, "batch length"]:
    """Which of `length` places lie before each end; in 32 bits, which takes a third of the time of 64."""
    return np.arange(length, dtype=np.int32) < ends.astype(np.int32)[:, None]


def below_into(uniform: UInt32[np.ndarray, "batch count"], bound: int, out: Int64[np.ndarray, "batch count"]) -> None:
    """`below`, written where it is wanted: half as long."""
    product = out.view(np.uint64)
    np.multiply(uniform, np.uint64(bound), out=product)
    product >>= np.uint64(32)


def chosen(
    table: Shaped[np.ndarray, "batch count *each"], columns: Int64[np.ndarray, "batch asked"]
) -> Shaped[np.ndarray, "batch asked *each"]:
    """table[row, columns[row]] for every row, and columns that there are."""
    starts = np.arange(len(table)) * table.shape[1]
    every = table.reshape(-1, *table.shape[2:])
    return every.take(columns + starts[:, None], axis=0, mode="clip")  # which looks for no error, in half the time


def write_from(
    starts: Int64[np.ndarray, "batch"],
    values: Shaped[np.ndarray, "batch some *each"],
    out: Shaped[np.ndarray, "batch length *each"],
) -> None:
    """out[row, starts[row] : starts[row] + some] = values[row] for every row, as one copy a row.

    Raises ValueError where they do not fit, or the rows of `out` do not follow each other without a gap.
    """
    (some, *each), (rows, length) = values.shape[1:], out.shape[:2]
    if out.strides[0] != length * out.strides[1] or not 0 <= starts.min(initial=0) <= starts.max(initial=0) <= length - some:
        raise ValueError(f"write_from(..): {some} places from every start lie in rows of {length}, which have no gaps")
    windows = as_strided(out, (rows * length - some + 1, some, *each), (out.strides[1], *out.strides[1:]))
    windows[starts + np.arange(rows) * length] = values


def asked_again(
    uniform: UInt32[np.ndarray, "batch half_and_one"], points: Int64[np.ndarray, "batch"], length: int
) -> Int64[np.ndarray, "batch asked"]:
    """Which pair each point behind the told ones is about, of `points` that there are and at most `length`: the n = points // 2
    pairs told in a random order, and, where `points` is odd, one of them once more. Behind the last point length // 2."""
    half, pairs = length // 2, points // 2
    again = order(uniform[:, : length - half], pairs)
    odd = np.flatnonzero(points % 2)
    again[odd, pairs[odd]] = below(uniform[odd, pairs[odd]], pairs[odd])
    return np.where(before(points - pairs, length - half), again, half)


def weighted_order(
    uniform: UInt32[np.ndarray, "batch count"], waits: Float64[np.ndarray, "count"], wanted: int
) -> Int64[np.ndarray, "batch wanted"]:
    """The first `wanted` of 0 .. count - 1 drawn one after another without replacement, by the weights 1/waits of those left.

    Each number arrives at -wait ln(u), u = (draw + 1/2) / 2^32, and the first to arrive is drawn first: with independent
    exponential times that is this distribution. ln is its series, off by at most 1e-9.
    """
    mantissa, exponent = np.frexp(uniform + 0.5)  # ln mantissa = 2 artanh z - (ln 2) / 2, z = (m - r) / (m + r), r = sqrt 1/2
    ratio = mantissa - HALF_ROOT
    mantissa += HALF_ROOT
    ratio /= mantissa
    square = np.square(ratio, out=mantissa)
    series = square * (2 / 11)
    for odd in (9, 7, 5, 3, 1):
        series += 2 / odd
        series *= square if odd > 1 else ratio
    arrival = np.multiply(exponent, -LOG_2, out=square)
    arrival += LOG_2 * 32.5
    arrival -= series
    arrival *= waits
    bits = ceil_log2(uniform.shape[1])
    ranked = np.maximum(arrival, 0.0, out=arrival).view(np.int64)  # a float64 that is not negative is ordered as its bits
    ranked >>= bits
    ranked <<= bits
    ranked |= np.arange(uniform.shape[1])
    ranked.sort(axis=1)
    return ranked[:, :wanted] & ((1 << bits) - 1)


@cache
def power_law_waits(count: int, power: float) -> Float64[np.ndarray, "count"]:
    """i^(1 - power) for i = 1 .. count, correctly rounded: one over the weights of the power law i^(power - 1)."""
    exponent = 1 - Decimal(power)
    return np.array([float(Decimal(place) ** exponent) for place in range(1, count + 1)])
