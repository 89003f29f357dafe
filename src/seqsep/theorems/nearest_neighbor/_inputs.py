"""Inputs of the nearest-neighbour theorem: points on the grid, the margin measured there, the layout, and hard settings.

A batch of settings is points (batch, N, d') in steps of the grid and labels (batch, N); point k of a setting may be asked, with
the points before it and their labels as its past.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64, Shaped

from seqsep.exact.grid import Grid
from seqsep.exact.integers import Limbs, digits_of, dot

CIRCLE = [(3, 4, 5), (-5, 12, 13), (-15, -8, 17), (20, -21, 29)]
"""Four labelled points (x/z, y/z) of the unit circle."""
ASKED_ON_CIRCLE = [
    (sign * x, other * y, z)
    for a, b, z in ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25))
    for x, y in ((a, b), (b, a))
    for sign in (1, -1)
    for other in (1, -1)
]


class Settings(NamedTuple):
    points: Int64[np.ndarray, "batch N dimension"]
    labels: Int64[np.ndarray, "batch N"]


def measured(
    points: np.ndarray, labels: np.ndarray, asked: np.ndarray, grid: Grid
) -> tuple[Int64[np.ndarray, "batch asked"], Shaped[np.ndarray, "batch asked"]]:
    """The nearest label and the margin, in units of 1/L^2, of each asked point (batch, asked), counted from 0, at least 1.

    The margin is the greatest product less the greatest with a point of another label (2 where there is none): 0 where two
    nearest points disagree.
    """
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


def askable(length: int) -> np.ndarray:
    """The points k with N/2 < k <= N, counted from 0; the first has no past."""
    return np.arange(max(1, length // 2), length)


def tokens(settings: Settings, classes: int, grid: Grid) -> Int64[np.ndarray, "batch time coordinates"]:
    """[x, 0], [0, one-hot], .., [x, 0]: 2 N - 1 tokens; point k, from 0, is token 2 k. The last label is not shown."""
    points, labels = settings
    batch, length, dimension = points.shape
    found = np.zeros((batch, 2 * length, dimension + classes), dtype=np.int64)
    found[:, ::2, :dimension] = points
    found[:, 1::2, dimension:] = grid.steps * (labels[..., None] == np.arange(classes))
    return found[:, :-1]


def on_grid(real: np.ndarray, grid: Grid) -> Int64[np.ndarray, "..."]:
    """Rounded to the nearest step."""
    return np.rint(np.asarray(real, dtype=np.float64) * grid.steps).astype(np.int64)


def symbol_points(symbols: np.ndarray, alphabet: int, grid: Grid) -> Int64[np.ndarray, "... digits"]:
    """Digits of a symbol as ±floor(L / sqrt d) steps, d = max(1, ceil(log2 S))."""
    digits = digits_of(alphabet)
    return (2 * ((symbols[..., None] >> np.arange(digits)) & 1) - 1) * math.isqrt(grid.steps**2 // digits)


def on_circle(classes: int, grid: Grid, gamma: Fraction) -> Settings:
    """Every order and labelling of four points, with every question whose products with them are gamma apart on the grid."""
    fixed, sought = (on_grid(np.array([(x / z, y / z) for x, y, z in some]), grid) for some in (CIRCLE, ASKED_ON_CIRCLE))
    apart = np.diff(np.sort(sought @ fixed.T, axis=1)).min(axis=1)
    sought = sought[[int(gap) >= gamma * grid.steps**2 for gap in apart]]
    orders = np.array(list(permutations(range(4))))
    labellings = np.array(list(product(range(classes), repeat=4)))
    order, labelling, question = (
        part.ravel() for part in np.meshgrid(*(np.arange(len(some)) for some in (orders, labellings, sought)), indexing="ij")
    )
    points = np.concatenate([fixed[orders[order]], sought[question][:, None]], axis=1)
    return Settings(points, np.concatenate([labellings[labelling], np.zeros((len(order), 1), dtype=np.int64)], axis=1))


def hard(length: int, dimension: int, classes: int, grid: Grid, random: np.random.Generator, batch: int) -> Iterator[Settings]:
    """Random points; questions near, and equal to, earlier points; and one label changed at a time."""
    points = random.standard_normal((batch, length, dimension))
    half = length // 2
    for late in range(max(1, half), length, 2):  # near an earlier point
        near = points[np.arange(batch), random.integers(late, size=batch)]
        points[:, late] = near + 0.1 * random.standard_normal((batch, dimension))
    points /= np.maximum(np.linalg.norm(points, axis=-1, keepdims=True), 1e-9)
    labels = random.integers(classes, size=(batch, length))
    yield Settings(on_grid(points, grid), labels)
    copied = random.integers(max(1, half), size=(batch, length))
    copied[:, : max(1, half)] = np.arange(max(1, half))
    rows = np.arange(batch)[:, None]
    yield Settings(on_grid(points, grid)[rows, copied], labels[rows, copied])
    changed = np.repeat(labels[:1], batch, axis=0)
    places = np.linspace(0, length - 1, batch).astype(np.int64)
    changed[np.arange(batch), places] = (changed[np.arange(batch), places] + 1) % classes
    yield Settings(np.repeat(on_grid(points[:1], grid), batch, axis=0), changed)


def crowded(
    length: int, dimension: int, classes: int, grid: Grid, gamma: Fraction, random: np.random.Generator, batch: int
) -> Settings:
    """The last point is (1, 0, ..), one earlier point is nearest to it, and all others lie gamma below it, labelled otherwise.

    The nearest product runs from 1 (an equal point) to gamma - 1 (everything lies opposite); its place is the first, the
    middle, the last or any.
    """
    below = math.ceil(gamma * grid.steps)
    top = np.rint(np.linspace(below - grid.steps, grid.steps, batch)).astype(np.int64)
    points = np.zeros((batch, length, dimension), dtype=np.int64)
    points[:, :-1, 0] = (top - below)[:, None]
    place = np.array([0, (length - 1) // 2, length - 2, 0])[np.arange(batch) % 4]
    place = np.where(np.arange(batch) % 4 == 3, random.integers(length - 1, size=batch), place)
    points[np.arange(batch), place, 0] = top
    points[:, -1, 0] = grid.steps
    if dimension > 1:
        room = np.sqrt(np.maximum(0.0, 1 - (points[:, :-1, 0] / grid.steps) ** 2))
        points[:, :-1, 1] = (room * random.uniform(-1, 1, room.shape) * grid.steps).astype(np.int64)
    label = random.integers(classes, size=batch)
    labels = np.repeat(((label + (1 if classes > 1 else 0)) % classes)[:, None], length, axis=1)
    labels[np.arange(batch), place] = label
    return Settings(points, labels)


def recalled(
    length: int, alphabet: int, classes: int, grid: Grid, random: np.random.Generator, batch: int
) -> Iterator[Settings]:
    """MQAR: pairs in the first half, asked in the second in another order, or at random; and one value changed at a time."""
    half = max(1, length // 2)
    values = random.integers(classes, size=(batch, alphabet))
    keys = random.permuted(np.tile(np.arange(alphabet), (batch, 1)), axis=1)
    keys = keys[:, :half] if half <= alphabet else random.integers(alphabet, size=(batch, half))
    order = random.permuted(np.tile(np.arange(half), (batch, 1)), axis=1)
    again = np.concatenate([order, random.integers(half, size=(batch, 1))], axis=1)[:, : length - half]
    for later in (again, random.integers(half, size=(batch, length - half))):
        symbols = np.concatenate([keys, np.take_along_axis(keys, later, axis=1)], axis=1)
        yield Settings(symbol_points(symbols, alphabet, grid), np.take_along_axis(values, symbols, axis=1))
    values = np.repeat(values[:1], batch, axis=0)
    touched = keys[0, np.linspace(0, half - 1, batch).astype(np.int64)]
    values[np.arange(batch), touched] = (values[np.arange(batch), touched] + 1) % classes
    symbols = np.repeat(symbols[:1], batch, axis=0)
    yield Settings(symbol_points(symbols, alphabet, grid), np.take_along_axis(values, symbols, axis=1))


def nudged(settings: Settings, classes: int, grid: Grid, random: np.random.Generator) -> Settings:
    """One point of each setting moved a little, or one label drawn again: a step of a climb. Norms stay at most 1."""
    points, labels = settings.points.astype(np.float64) / grid.steps, settings.labels.copy()
    batch, length, dimension = points.shape
    rows, place = np.arange(batch), random.integers(length, size=batch)
    points[rows, place] += 10.0 ** -random.uniform(0, 4, (batch, 1)) * random.standard_normal((batch, dimension))
    points /= np.maximum(1.0, np.linalg.norm(points, axis=-1, keepdims=True))
    moved = random.integers(2, size=batch) == 0
    labels[rows, place] = np.where(moved, labels[rows, place], random.integers(classes, size=batch))
    return Settings(np.where(moved[:, None, None], on_grid(points, grid), settings.points), labels)
