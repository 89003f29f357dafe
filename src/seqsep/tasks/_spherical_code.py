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

from seqsep.core.stream import Use, draws

MOST_DIMENSIONS = 64
MOST_NORM = 4000
CANDIDATES_AT_ONCE = 512
TRIES = 64
ROUNDING = 1e-6
"""The most that float32 coordinates add to a difference of two products."""


@dataclass(frozen=True)
class SphericalCode:
    """Points with whole coordinates; moving each coordinate by ±1, ±3, .. ±(2^noise_bits - 1) keeps the margin."""

    points: Float32[np.ndarray, "dimension size"]
    noise_bits: int


def sine_of_turn(gamma: float) -> float:
    """Return sin theta, rounded down, by bisection over sin 2 theta.

    >>> 0 < sine_of_turn(0.05) < sine_of_turn(0.25)
    True
    """
    low = 0.0
    high = 1.0
    for _ in range(60):
        middle = (low + high) / 2
        left = 2 * gamma * sqrt(1 - middle * middle) - 2 * sqrt(gamma * (1 - gamma)) * middle
        if left >= gamma + ROUNDING:
            low = middle
        else:
            high = middle
    return sqrt((1 - sqrt(1 - low * low)) / 2) * (1 - 1e-9)


@cache
def spherical_code(dimension: int, gamma: float, size: int) -> SphericalCode:
    """Return the first `size` random directions that are apart from all kept before. They are the same for every seed.

    Raises ValueError if 64 `size` directions are not enough for that.
    """
    sine = sine_of_turn(gamma)
    noise_bits = 6
    while noise_bits and _norm(dimension, sine, noise_bits) * (1 + sine) + 8 > MOST_NORM:
        noise_bits -= 1
    norm = _norm(dimension, sine, noise_bits) if noise_bits else MOST_NORM // 2
    kept = np.empty((size, dimension), dtype=np.float64)
    count = 0
    for start in range(0, TRIES * size, CANDIDATES_AT_ONCE):
        points = _candidates(start, dimension, norm, noise_bits)
        points = points[~_is_near(points, kept[:count], gamma).any(axis=1)]
        points = points[_apart_from_earlier(points, gamma)][: size - count]
        kept[count : count + len(points)] = points
        count += len(points)
        if count == size:
            return SphericalCode(np.ascontiguousarray(kept.T, dtype=np.float32), noise_bits)
    raise ValueError(
        f"spherical_code(dimension={dimension}, gamma={gamma}, size={size}): among {TRIES * size:,} directions only {count} "
        "lie so far apart; a smaller margin or a greater dimension is needed"
    )


def _candidates(start: int, dimension: int, norm: int, noise_bits: int) -> Float64[np.ndarray, "some dimension"]:
    """Return random directions of about this norm, rounded: to even numbers if noise moves them, else to odd ones.

    A coordinate is the sum of four bytes less 510: nearly normal, so nearly every direction is as likely.
    """
    words = draws(0, Use.CODE, start, CANDIDATES_AT_ONCE, each=dimension)
    raw = words.astype("<u4").view(np.uint8).reshape(*words.shape, 4).sum(axis=2, dtype=np.int64) - 510
    raw = raw[(raw != 0).any(axis=1)].astype(np.float64)
    halves = np.rint(raw * (norm / 2 / np.sqrt((raw * raw).sum(axis=1)))[:, None])
    return 2 * halves + (noise_bits == 0)  # moved points are odd: no coordinate is 0


def _apart_from_earlier(points: Float64[np.ndarray, "some dimension"], gamma: float) -> Bool[np.ndarray, "some"]:
    """Return the points that are kept if, in order, each point is kept that is far from all those kept before it."""
    is_near = _is_near(points, points, gamma)
    is_kept = np.zeros(len(points), dtype=np.bool_)
    for place in range(len(points)):
        is_kept[place] = not (is_near[place] & is_kept).any()
    return is_kept


def _norm(dimension: int, sine: float, noise_bits: int) -> int:
    """Return the least norm for which noise turns a point, whose coordinates are rounded to even numbers, by at most theta."""
    return ceil((2**noise_bits - 1) * sqrt(dimension) / sine + sqrt(dimension))


def _is_near(
    points: Float64[np.ndarray, "some dimension"], others: Float64[np.ndarray, "other dimension"], gamma: float
) -> Bool[np.ndarray, "some other"]:
    """Return the products of directions that are above 1 - 2 gamma; sums of whole numbers, exact in any order."""
    norms = np.sqrt((points * points).sum(axis=1))
    other_norms = np.sqrt((others * others).sum(axis=1))
    return points @ others.T > (1 - 2 * gamma) * norms[:, None] * other_norms
