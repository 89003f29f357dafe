"""The gap of a rotary head at every distance, enclosed: no cosine of a library is trusted.

Pair i turns by theta_i = base^(-i/k) a token. If every pair is aligned to one distance, a token that is n places further has a
score that is lower by gap(n) = sum over pairs of 1 - cos(n theta_i).

Enclosure, as code: theta_i is the k-th root of a whole number, so `angle` returns it to one unit of 2^-128. The Taylor series
of cosine and sine, and at most 2^10 + 2^10 turns, add errors below 2^-90 in all. Rounded to float64, an entry of the two
tables is wrong by less than 2^-53.9. The cosine of n = 1024 a + b is two products and a difference of such entries, which IEEE
754 rounds correctly, so it is wrong by less than 2^-50. The sum of k terms below 2 adds k roundings of partial sums below 2k.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Float64

UNIT = 1 << 128
TABLE = 1 << 10
MOST_DISTANCE = TABLE * TABLE - 1
"""The greatest distance of `gaps`."""


def angle(base: int, pairs: int, pair: int) -> int:
    """Return theta of a pair in units of 2^-128, rounded down.

    >>> angle(10_000, 2, 0) == UNIT, angle(10_000, 2, 1) == UNIT // 100
    (True, True)
    """
    return _root(UNIT**pairs // base**pair, pairs)


def _root(number: int, degree: int) -> int:
    """Return the whole part of a root, by Newton's method from above."""
    guess = 1 << -(-number.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + number // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def error(pairs: int) -> float:
    """Return the most by which an entry of `gaps` is wrong: k (k + 5) 2^-52."""
    return pairs * (pairs + 5) * 2.0**-52


def gaps(angles: Sequence[int], longest: int) -> Float64[np.ndarray, "longest"]:
    """Return gap(n) for n = 1 to `longest`, each to within `error`.

    Arguments:
        angles: theta of each pair, in units of 2^-128, at most 1.
        longest: the greatest n, at most `MOST_DISTANCE`.

    >>> gaps([UNIT], 2).round(3).tolist()
    [0.46, 1.416]
    """
    rows = longest // TABLE + 1
    total = np.zeros((rows, TABLE))
    for theta in angles:
        step = _turn(theta)
        small = _powers(step, TABLE + 1)
        large = _floats(_powers(small[-1], rows))
        near = _floats(small[:TABLE])
        total += 1 - (np.outer(large[0], near[0]) - np.outer(large[1], near[1]))
    return total.ravel()[1 : longest + 1]


@lru_cache(maxsize=64)
def least_gap(angles: tuple[int, ...], longest: int) -> tuple[float, int]:
    """Return a number that no gap to `longest` is below, and the distance of the least gap.

    >>> least_gap((UNIT,), 1000)[1]
    710
    """
    found = gaps(angles, longest)
    place = int(found.argmin())
    return float(found[place]) - error(len(angles)), place + 1


def _turn(theta: int) -> tuple[int, int]:
    """Return cosine and sine of an angle of at most 1, by Taylor's series: 40 terms, each rounded once."""
    sums = [0, 0, 0, 0]
    term = UNIT
    for order in range(40):
        sums[order % 4] += term
        term = term * theta // UNIT // (order + 1)
    return sums[0] - sums[2], sums[1] - sums[3]


def _powers(step: tuple[int, int], count: int) -> list[tuple[int, int]]:
    """Return the turns by 0, 1, .. times a step."""
    found = [(UNIT, 0)]
    for _ in range(count - 1):
        cosine, sine = found[-1]
        found.append(((cosine * step[0] - sine * step[1]) // UNIT, (cosine * step[1] + sine * step[0]) // UNIT))
    return found


def _floats(turns: Sequence[tuple[int, int]]) -> tuple[Float64[np.ndarray, "n"], Float64[np.ndarray, "n"]]:
    """Return cosines and sines as the nearest float64: Python divides whole numbers with one rounding."""
    return np.array([cosine / UNIT for cosine, _ in turns]), np.array([sine / UNIT for _, sine in turns])
