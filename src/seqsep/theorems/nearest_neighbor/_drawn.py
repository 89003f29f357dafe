"""Settings to test nearest neighbour on: every order of four points of a circle, and random and hard ones."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product

import numpy as np

from seqsep.maths.arithmetic.grid import Grid
from seqsep.theorems.nearest_neighbor._settings import Settings, on_grid, symbol_points

CIRCLE = [(3, 4, 5), (-5, 12, 13), (-15, -8, 17), (20, -21, 29)]
"""Four labelled points (x/z, y/z) of the unit circle."""
ASKED_ON_CIRCLE = [
    (sign * x, other * y, z)
    for a, b, z in ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25))
    for x, y in ((a, b), (b, a))
    for sign in (1, -1)
    for other in (1, -1)
]


def on_circle(classes: int, grid: Grid, gamma: Fraction) -> Settings:
    """Every order and labelling of four points, with every question whose products with them are gamma apart on the grid."""
    fixed = on_grid(np.array([(x / z, y / z) for x, y, z in CIRCLE]), grid)
    sought = on_grid(np.array([(x / z, y / z) for x, y, z in ASKED_ON_CIRCLE]), grid)
    apart = np.diff(np.sort(sought @ fixed.T, axis=1)).min(axis=1)
    sought = sought[[int(gap) >= gamma * grid.steps**2 for gap in apart]]
    orders = np.array(list(permutations(range(4))))
    labellings = np.array(list(product(range(classes), repeat=4)))
    every = np.indices((len(orders), len(labellings), len(sought))).reshape(3, -1)
    order, labelling, question = every
    points = np.concatenate([fixed[orders[order]], sought[question][:, None]], axis=1)
    labels = np.concatenate([labellings[labelling], np.zeros((len(order), 1), dtype=np.int64)], axis=1)
    return Settings(points, labels)


@dataclass(frozen=True)
class SettingSampler:
    """Draws settings with labels 0 .. C - 1 on a grid, `batch` at once; each draw moves the generator on."""

    classes: int
    grid: Grid
    random: np.random.Generator
    batch: int

    def hard(self, length: int, dimension: int) -> Iterator[Settings]:
        """Random points; last points near, and equal to, earlier points; and one label changed at a time."""
        random = self.random
        rows = np.arange(self.batch)
        points = random.standard_normal((self.batch, length, dimension))
        first_half = max(1, length // 2)
        for late in range(first_half, length, 2):
            earlier = points[rows, random.integers(late, size=self.batch)]
            points[:, late] = earlier + 0.1 * random.standard_normal((self.batch, dimension))
        points /= np.maximum(np.linalg.norm(points, axis=-1, keepdims=True), 1e-9)
        labels = random.integers(self.classes, size=(self.batch, length))
        yield Settings(on_grid(points, self.grid), labels)
        copied = random.integers(first_half, size=(self.batch, length))
        copied[:, :first_half] = np.arange(first_half)
        yield Settings(on_grid(points, self.grid)[rows[:, None], copied], labels[rows[:, None], copied])
        changed = np.repeat(labels[:1], self.batch, axis=0)
        places = np.linspace(0, length - 1, self.batch).astype(np.int64)
        changed[rows, places] = (changed[rows, places] + 1) % self.classes
        yield Settings(np.repeat(on_grid(points[:1], self.grid), self.batch, axis=0), changed)

    def crowded(self, length: int, dimension: int, gamma: Fraction) -> Settings:
        """Settings in which one point is nearest to the last, (1, 0, ..), and all others have products gamma below its
        product.

        The others have another label, if there is one. The nearest product runs from 1 (an equal point) to gamma - 1 (all
        others are opposite). The nearest point is the first, the middle one, the last or any.
        """
        random = self.random
        steps = self.grid.steps
        rows = np.arange(self.batch)
        below = math.ceil(gamma * steps)
        top = np.rint(np.linspace(below - steps, steps, self.batch)).astype(np.int64)
        points = np.zeros((self.batch, length, dimension), dtype=np.int64)
        points[:, :-1, 0] = (top - below)[:, None]
        place = np.array([0, (length - 1) // 2, length - 2, 0])[rows % 4]
        place = np.where(rows % 4 == 3, random.integers(length - 1, size=self.batch), place)
        points[rows, place, 0] = top
        points[:, -1, 0] = steps
        if dimension > 1:
            room = np.sqrt(np.maximum(0.0, 1 - (points[:, :-1, 0] / steps) ** 2))
            points[:, :-1, 1] = (room * random.uniform(-1, 1, room.shape) * steps).astype(np.int64)
        label = random.integers(self.classes, size=self.batch)
        other_label = (label + (1 if self.classes > 1 else 0)) % self.classes
        labels = np.repeat(other_label[:, None], length, axis=1)
        labels[rows, place] = label
        return Settings(points, labels)

    def recalled(self, length: int, alphabet: int) -> Iterator[Settings]:
        """MQAR: pairs in the first half, whose keys return in the second, in another order or at random; one value changed."""
        random = self.random
        half = max(1, length // 2)
        values = random.integers(self.classes, size=(self.batch, alphabet))
        keys = random.permuted(np.tile(np.arange(alphabet), (self.batch, 1)), axis=1)
        keys = keys[:, :half] if half <= alphabet else random.integers(alphabet, size=(self.batch, half))
        order = random.permuted(np.tile(np.arange(half), (self.batch, 1)), axis=1)
        again = np.concatenate([order, random.integers(half, size=(self.batch, 1))], axis=1)[:, : length - half]
        for later in (again, random.integers(half, size=(self.batch, length - half))):
            symbols = np.concatenate([keys, np.take_along_axis(keys, later, axis=1)], axis=1)
            yield self._of_symbols(symbols, values, alphabet)
        values = np.repeat(values[:1], self.batch, axis=0)
        rows = np.arange(self.batch)
        touched = keys[0, np.linspace(0, half - 1, self.batch).astype(np.int64)]
        values[rows, touched] = (values[rows, touched] + 1) % self.classes
        yield self._of_symbols(np.repeat(symbols[:1], self.batch, axis=0), values, alphabet)

    def _of_symbols(self, symbols: np.ndarray, values: np.ndarray, alphabet: int) -> Settings:
        """Symbols as points, labelled by each row's own values."""
        return Settings(symbol_points(symbols, alphabet, self.grid), np.take_along_axis(values, symbols, axis=1))

    def nudged(self, settings: Settings) -> Settings:
        """One point of each setting moved a little, or one label drawn again: a step of a climb. Norms stay at most 1."""
        random = self.random
        points = settings.points.astype(np.float64) / self.grid.steps
        labels = settings.labels.copy()
        batch, length, dimension = points.shape
        rows = np.arange(batch)
        place = random.integers(length, size=batch)
        points[rows, place] += 10.0 ** -random.uniform(0, 4, (batch, 1)) * random.standard_normal((batch, dimension))
        points /= np.maximum(1.0, np.linalg.norm(points, axis=-1, keepdims=True))
        moved = random.integers(2, size=batch) == 0
        labels[rows, place] = np.where(moved, labels[rows, place], random.integers(self.classes, size=batch))
        return Settings(np.where(moved[:, None, None], on_grid(points, self.grid), settings.points), labels)
