"""Unit vectors in general position that stay apart: the points of nearest neighbour before each is moved a little.

Let 0 < gamma <= 1/2, mu = 1 - 2 gamma and phi = arccos mu. Vectors with products at most mu, each turned by at most an angle
theta, keep a margin: of a point and two others, one turned from the same vector, the product with that one is at least
cos 2 theta and with the other at most cos(phi - 2 theta), so it is larger by at least

    cos 2 theta - cos(phi - 2 theta) = 2 gamma cos 2 theta - 2 sqrt(gamma (1 - gamma)) sin 2 theta,

which falls from 2 gamma at theta = 0. theta is the largest angle that leaves gamma. All numbers are integers below 2^24 or come
of sums, products, quotients and roots, so that every platform has the same vectors.
"""

from dataclasses import dataclass
from functools import cache
from math import ceil, sqrt

import numpy as np
from jaxtyping import Bool, Float32, Float64

from seqsep.stream import Use, draws

MOST_DIMENSIONS = 64
MOST_NORM = 4000
CANDIDATES_AT_ONCE = 512
TRIES = 64
ROUNDING = 1e-6
"""What float32 coordinates may add to a difference of two products."""


@dataclass(frozen=True)
class SphericalCode:
    """`points` have whole coordinates (coordinate, point); moving each by ±1, ±3, .. ±(2^noise_bits - 1) keeps the margin."""

    points: Float32[np.ndarray, "dimension size"]
    noise_bits: int


def sine_of_turn(gamma: float) -> float:
    """sin theta, rounded down: by bisection over sin 2 theta."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        left = 2 * gamma * sqrt(1 - middle * middle) - 2 * sqrt(gamma * (1 - gamma)) * middle
        low, high = (middle, high) if left >= gamma + ROUNDING else (low, middle)
    return sqrt((1 - sqrt(1 - low * low)) / 2) * (1 - 1e-9)


@cache
def spherical_code(dimension: int, gamma: float, size: int) -> SphericalCode:
    """The first `size` of random directions that lie apart from all kept before; the same for every seed.

    A direction has coordinates that are sums of four bytes less 510: nearly normal, so nearly every direction is as likely.
    Raises ValueError where 64 `size` directions do not hold so many.
    """
    sine = sine_of_turn(gamma)
    noise_bits = 6
    while noise_bits and _norm(dimension, sine, noise_bits) * (1 + sine) + 8 > MOST_NORM:
        noise_bits -= 1
    norm = _norm(dimension, sine, noise_bits) if noise_bits else MOST_NORM // 2
    kept = np.empty((size, dimension), dtype=np.float64)
    count = 0
    for start in range(0, TRIES * size, CANDIDATES_AT_ONCE):
        words = draws(0, Use.CODE, start, CANDIDATES_AT_ONCE, dimension)
        raw = words.astype("<u4").view(np.uint8).reshape(*words.shape, 4).sum(axis=2, dtype=np.int64) - 510
        raw = raw[(raw != 0).any(axis=1)].astype(np.float64)
        halves = np.rint(raw * (norm / 2 / np.sqrt((raw * raw).sum(axis=1)))[:, None])
        points = 2 * halves + (noise_bits == 0)  # moved points are odd: no coordinate is 0
        points = points[~_near(points, kept[:count], gamma).any(axis=1)]
        among = _near(points, points, gamma)
        taken = np.zeros(len(points), dtype=np.bool_)
        for place in range(len(points)):
            taken[place] = not (among[place] & taken).any()
        points = points[taken][: size - count]
        kept[count : count + len(points)] = points
        count += len(points)
        if count == size:
            return SphericalCode(np.ascontiguousarray(kept.T, dtype=np.float32), noise_bits)
    raise ValueError(
        f"spherical_code(dimension={dimension}, gamma={gamma}, size={size}): among {TRIES * size:,} directions only {count} "
        "lie so far apart; a smaller margin or a greater dimension is needed"
    )


def _norm(dimension: int, sine: float, noise_bits: int) -> int:
    """The least norm for which noise turns a point, whose coordinates are rounded to even numbers, by at most theta."""
    return ceil((2**noise_bits - 1) * sqrt(dimension) / sine + sqrt(dimension))


def _near(
    points: Float64[np.ndarray, "some dimension"], others: Float64[np.ndarray, "other dimension"], gamma: float
) -> Bool[np.ndarray, "some other"]:
    """Which products of directions are above 1 - 2 gamma; sums of whole numbers, exact in any order."""
    norms, other_norms = (np.sqrt((some * some).sum(axis=1)) for some in (points, others))
    return points @ others.T > (1 - 2 * gamma) * norms[:, None] * other_norms
