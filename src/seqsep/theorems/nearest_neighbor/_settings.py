"""Settings of points and labels on the grid: their margins, their tokens, and symbols as points.

A batch of settings is points (batch, N, d') in steps of the grid and labels (batch, N). Point k of a setting may be asked; the
points before it and their labels are its past.
"""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64, Shaped

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import Limbs, digits_of, dot


class Settings(NamedTuple):
    """Points in steps of the grid, and their labels."""

    points: Int64[np.ndarray, "batch N dimension"]
    labels: Int64[np.ndarray, "batch N"]

    def some(self, rows: slice) -> "Settings":
        """These rows of the batch."""
        return Settings(self.points[rows], self.labels[rows])


def measured(
    settings: Settings, asked: Int64[np.ndarray, "batch asked"], grid: Grid
) -> tuple[Int64[np.ndarray, "batch asked"], Shaped[np.ndarray, "batch asked"]]:
    """The nearest label of each asked point, and its margin in units of 1/L^2.

    Points count from 0, and the first is not asked. The margin is the greatest product less the greatest with a point of
    another label (2 if there is none): 0 if two nearest points disagree.

    >>> settings = Settings(np.array([[[3], [-4], [4]]]), np.array([[5, 7, 0]]))
    >>> answers, margins = measured(settings, np.array([[2]]), Grid(4))
    >>> answers.tolist(), margins.tolist()
    ([[5]], [[28]])
    """
    points, labels = settings
    sought = np.take_along_axis(points, asked[..., None], axis=1)
    most = int(np.abs(points).max())
    products, _ = dot(sought, points.swapaxes(1, 2), most, most)
    if isinstance(products, Limbs):
        products = products.exactly()
    floor = -4 * points.shape[-1] * most * most - 1
    if abs(floor) >= 1 << 62:
        products = products.astype(np.object_)
    past = np.arange(points.shape[1]) < asked[..., None]
    products = np.where(past, products, floor)
    nearest = products.argmax(-1)
    best = np.take_along_axis(products, nearest[..., None], axis=-1)[..., 0]
    answers = np.take_along_axis(labels, nearest, axis=1)
    rival = np.where(labels[:, None] == answers[..., None], floor, products).max(-1)
    return answers, np.where(rival == floor, 2 * grid.steps**2, best - rival)


def askable(length: int) -> Int64[np.ndarray, "asked"]:
    """The points k with N/2 < k <= N, counted from 0; the first has no past."""
    return np.arange(max(1, length // 2), length)


def tokens(settings: Settings, classes: int, grid: Grid) -> Int64[np.ndarray, "batch time coordinates"]:
    """[x, 0], [0, one-hot], .., [x, 0]: 2 N - 1 tokens; point k, from 0, is token 2 k. The last label is not shown.

    >>> tokens(Settings(np.array([[[3], [4]]]), np.array([[1, 0]])), classes=2, grid=Grid(4)).tolist()
    [[[3, 0, 0], [0, 0, 4], [4, 0, 0]]]
    """
    points, labels = settings
    batch, length, dimension = points.shape
    vectors = np.zeros((batch, 2 * length, dimension + classes), dtype=np.int64)
    vectors[:, ::2, :dimension] = points
    vectors[:, 1::2, dimension:] = grid.steps * (labels[..., None] == np.arange(classes))
    return vectors[:, :-1]


def on_grid(real: np.ndarray, grid: Grid) -> Int64[np.ndarray, "..."]:
    """Real numbers in steps, rounded to the nearest."""
    return np.rint(np.asarray(real, dtype=np.float64) * grid.steps).astype(np.int64)


def symbol_points(symbols: np.ndarray, alphabet: int, grid: Grid) -> Int64[np.ndarray, "... digits"]:
    """The digits of a symbol as ±floor(L / sqrt d) steps, d = max(1, ceil(log2 S)).

    >>> symbol_points(np.array([0, 1, 2]), alphabet=3, grid=Grid(10)).tolist()
    [[-7, -7], [7, -7], [-7, 7]]
    """
    digits = digits_of(alphabet)
    signs = 2 * ((symbols[..., None] >> np.arange(digits)) & 1) - 1
    return signs * math.isqrt(grid.steps**2 // digits)
