"""The scale of scores from which a softmax is a hard maximum, in three arithmetics, and the least grid for it.

Let M keys have the greatest score and all others score at least eta = floor(ln(2 L^2)) + 1 less, so that each of the others has
an exponential below 1 / (2 L^2), relative to the greatest. With n <= L keys:

* `Grid(L)`, rounded down, stepwise: below 1/L, the others' exponentials round to 0. The M have weight floor(L/M) / L.
* `Grid(L, "nearest", "once")`: a weight is R(1 / (M + r)) with r < n / (2 L^2). Another's is below 1/(2L) and rounds to 0. For
  M = 1 it is above 1 - 1/(2L) and rounds to 1. For M > 1 it is R(1/M) unless L/M is half a step above a whole number,
  since else L/M is at least 1/(2M) from there, which exceeds what r takes away, n / (2 L M^2). It never is if L = 2^b: 2L/M is
  odd only for M = 2 L > n.
* float64: the others together weigh less than n / (2 L^2), so a retrieved number of magnitude V is off by at most
  2 V n / (2 L^2), besides the rounding of floats.

ln L (rounded down) or ln(2 L) would do for the grids alone; the eta here makes float64 right too. The second grid is that of
Wen, Dang, Lyu 2025 (arXiv:2402.18510), Definition A.1, except its end point: multiples of 2^-b below 2^b.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from seqsep.maths.arithmetic.grid import Grid

ROUNDINGS = ("floor", "nearest")


def hard_scale(steps: int) -> int:
    """eta = floor(ln(2 L^2)) + 1, the gap of scores that makes a softmax a hard maximum on a grid of L = `steps`.

    >>> hard_scale(4096), hard_scale(16)
    (18, 7)
    """
    return math.floor(math.log(2 * steps * steps)) + 1


def least_grid(tokens: int, needed: Callable[[int], int | Fraction], rounding: str = "floor") -> Grid:
    """The least grid with L >= needed(eta) for its own eta = `hard_scale(L)`, and L >= `tokens`.

    "floor": B.2's, L = max(4, tokens)^Kc with the least Kc >= 1, rounded down, softmax stepwise. "nearest": L = 2^b with the
    least b, rounded to the nearest, softmax once. `needed(eta)` is the greatest magnitude that an entry, a number of the
    computation or a winning score may have. Raises ValueError for another rounding.

    >>> least_grid(67, lambda eta: 2 * eta * 67).steps, least_grid(67, lambda eta: 2 * eta * 67, "nearest").steps
    (4489, 4096)
    """
    if rounding not in ROUNDINGS:
        raise ValueError(f"least_grid(rounding={rounding!r}): rounding is one of {', '.join(ROUNDINGS)}")
    exponent = 1
    while True:
        grid = Grid.of(tokens, exponent) if rounding == "floor" else Grid(1 << exponent, "nearest", "once")
        if grid.steps >= max(tokens, needed(hard_scale(grid.steps))):
            return grid
        exponent += 1


def uniform_weight(grid: Grid, keys: int) -> Fraction:
    """w, the weight of each of `keys` keys that tie at the greatest score: floor(L/M) / L, or L/M rounded to the nearest.

    >>> uniform_weight(Grid(100), 3), uniform_weight(Grid(128, "nearest", "once"), 3)
    (Fraction(33, 100), Fraction(43, 128))
    """
    return grid.nearest_step(Fraction(grid.steps, keys)) * grid.step
