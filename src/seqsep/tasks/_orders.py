"""Random orders and distinct numbers for a block of examples at once, from 32-bit draws.

All of it is integers or float64 sums, products, quotients and roots, which IEEE 754 rounds alike on every platform.
"""

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Int64, UInt32

from seqsep.core.stream import below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._rows import is_before

LOG_2 = 0.6931471805599453
HALF_ROOT = 0.7071067811865476


def order(
    uniform: UInt32[np.ndarray, "batch count"], among: Int64[np.ndarray, "batch"] | None = None
) -> Int64[np.ndarray, "batch count"]:
    """Return a random order of 0 .. count - 1: the columns sorted by their draws, of equal draws the earlier first.

    With `among`, which differs by example, the order is of 0 .. among - 1, and the numbers from there on follow in their own
    order. The probability of an order is within count^2 / 2^32 of uniform.

    >>> order(np.array([[8, 5, 9]], dtype=np.uint32)).tolist()
    [[1, 0, 2]]
    """
    count = uniform.shape[1]
    low = (1 << max(count - 1, 1).bit_length()) - 1
    if among is not None:
        is_among = is_before(among, count)
        uniform = np.where(is_among, uniform, np.uint32(0xFFFFFFFF))
    ranked = uniform & np.uint32(~low & 0xFFFFFFFF)
    ranked |= np.arange(count, dtype=np.uint32)
    ranked.sort(axis=1)
    ties = (ranked[:, 1:] ^ ranked[:, :-1]) <= low
    if among is not None:
        ties &= is_among[:, 1:]
    places = (ranked & np.uint32(low)).astype(np.int64)
    undecided = np.flatnonzero(ties.any(axis=1))  # rows whose order is open after the high bits
    if len(undecided):
        whole = (uniform[undecided].astype(np.uint64) << np.uint64(32)) | np.arange(count, dtype=np.uint64)
        whole.sort(axis=1)
        places[undecided] = (whole & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return places


@cache
def draws_for_distinct(count: int, bound: int) -> int:
    """Return the number of draws to hand to `distinct`: all `bound` to be put in order, or enough that a further attempt is
    rare.
    """
    if 2 * count > bound:
        return bound
    repeats = sum(bound / (bound - taken) for taken in range(count)) - count
    return count + int(repeats + 6 * repeats**0.5) + 4


def distinct(
    draw: Callable[[int], UInt32[np.ndarray, "batch draws"]], count: int, bound: int
) -> Int64[np.ndarray, "batch count"]:
    """Return `count` different numbers below `bound`, every list of them equally likely; draw(attempt) has draws_for_distinct
    columns.

    These are the first `count` different ones of a sequence of uniform numbers (no number is preferred, so no list is). If
    more than half of all numbers are wanted, they are the first of a random order of all.
    """
    if 2 * count > bound:
        return order(draw(0))[:, :count]
    values = below(draw(0), bound)
    attempt = 0
    while True:
        is_fresh = _first_occurrences(values, bound)
        if int(is_fresh.sum(axis=1).min(initial=count)) >= count:
            break
        attempt += 1
        values = np.concatenate([values, below(draw(attempt), bound)], axis=1)
    is_fresh &= np.cumsum(is_fresh, axis=1, dtype=np.int32) <= count
    return values[is_fresh].reshape(-1, count)


def _first_occurrences(values: Int64[np.ndarray, "batch tried"], bound: int) -> Bool[np.ndarray, "batch tried"]:
    """Return, for each number below `bound`, whether it occurs for the first time in its row; found by sorting with places."""
    tried = values.shape[1]
    bits = tried.bit_length()
    whole: Any = np.uint32 if bound << bits <= 1 << 32 else np.uint64  # half as long to sort
    ranked = (values.astype(whole) << whole(bits)) | np.arange(tried, dtype=whole)
    ranked.sort(axis=1)
    number = ranked >> whole(bits)
    equal = np.flatnonzero(number[:, 1:] == number[:, :-1])
    rows = equal // max(tried - 1, 1)
    places = (ranked.ravel()[equal + rows + 1] & whole((1 << bits) - 1)).astype(np.int64)
    is_first = np.ones(values.shape, dtype=np.bool_)
    is_first[rows, places] = False
    return is_first


def asked_again(
    uniform: UInt32[np.ndarray, "batch half_and_one"], points: Int64[np.ndarray, "batch"], length: int
) -> Int64[np.ndarray, "batch asked"]:
    """Return the pair that each point after the given ones asks for. The example has `points` points, at most `length`.

    The n = points // 2 pairs told come in a random order, and, if `points` is odd, one of them once more. After the last point
    the entry is length // 2.
    """
    half = length // 2
    pairs = points // 2
    again = order(uniform[:, : length - half], pairs)
    odd = np.flatnonzero(points % 2)
    again[odd, pairs[odd]] = below(uniform[odd, pairs[odd]], pairs[odd])
    return np.where(is_before(points - pairs, length - half), again, half)


def weighted_order(
    uniform: UInt32[np.ndarray, "batch count"], waits: Float64[np.ndarray, "count"], wanted: int
) -> Int64[np.ndarray, "batch wanted"]:
    """Return the first `wanted` of 0 .. count - 1, drawn without replacement by the weights 1/waits of those left.

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
    """Return i^(1 - power) for i = 1 .. count, correctly rounded: one over the weights of the power law i^(power - 1).

    >>> power_law_waits(3, 0.5).tolist()
    [1.0, 1.4142135623730951, 1.7320508075688772]
    """
    exponent = 1 - Decimal(power)
    return np.array([float(Decimal(place) ** exponent) for place in range(1, count + 1)])
