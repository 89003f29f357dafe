"""Puts settings to the nearest-neighbour network and requires the right answers; climbs towards smaller margins."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from seqsep.exact.executor import Execution
from seqsep.exact.grid import Array
from seqsep.exact.network import Network
from seqsep.theorems.checking import passes
from seqsep.theorems.nearest_neighbor import _inputs as drawn
from seqsep.theorems.trial import Trial, distances

CLIMBS = 12


class Asking:
    """Asks every point in the second half whose margin on the grid is at least gamma, or `most_asked` of them."""

    def __init__(self, theorem: str, network: Network, gamma: Fraction, most_asked: int | None = None) -> None:
        self.network, self.gamma, self.most_asked = network, gamma, most_asked
        self.classes = len(network.readout.integers)
        self.trial = Trial(theorem, network, lambda result: distances(self._retrieved(result), Fraction(0)))
        self.least_gamma: Fraction | None = None

    def _retrieved(self, result: Execution) -> Array:
        return result.attended[1][..., self.network.spaces["label"]]

    def put(self, settings: drawn.Settings) -> tuple[np.ndarray, np.ndarray]:
        """Which settings have an askable last point, and the least digit retrieved for it, in steps."""
        grid, (points, labels) = self.network.grid, settings
        places = drawn.askable(points.shape[1])
        if self.most_asked is not None and len(places) > self.most_asked:
            places = places[np.linspace(0, len(places) - 1, self.most_asked).astype(np.int64)]
        expected, margins = drawn.measured(points, labels, np.broadcast_to(places, (len(points), len(places))), grid)
        good = (margins >= math.ceil(self.gamma * grid.steps**2)).astype(bool)
        kept, digits = np.flatnonzero(good.any(axis=1)), np.zeros(len(points), dtype=np.int64)
        if len(kept) == 0:
            return good[:, -1], digits
        # A question without the margin is replaced by the last one of its setting that has it, which counts once.
        which = np.where(good, np.arange(len(places)), -1)
        chosen = np.where(good, which, which.max(axis=1, keepdims=True))[kept]
        at = 2 * places[chosen]

        def readable(row: int) -> Mapping[str, Any]:
            shown = points[kept[row]] / grid.steps, labels[kept[row]], at[row] // 2 + 1
            return dict(zip(("points", "labels", "asked"), (part.tolist() for part in shown), strict=True))

        inputs = drawn.tokens(drawn.Settings(points[kept], labels[kept]), self.classes, grid)
        result = self.trial.require(inputs, np.take_along_axis(expected[kept], chosen, axis=1), readable, at)
        self.trial.inputs -= int((~good[kept]).sum())
        least = Fraction(int(margins[good].min()), grid.steps**2)
        self.least_gamma = least if self.least_gamma is None else min(self.least_gamma, least)
        digits[kept] = np.abs(self._retrieved(result).of_unit(grid.step).integers[:, -1]).min(axis=-1)
        return good[:, -1], digits

    def put_all(self, settings: drawn.Settings, at_once: int = 1024) -> None:
        """In parts, so that a wrong answer is found early and only the first few thousand run in float64 too."""
        for first in range(0, len(settings.points), at_once):
            self.put(drawn.Settings(*(part[first : first + at_once] for part in settings)))

    def climb(self, settings: drawn.Settings, random: np.random.Generator) -> None:
        """Move points and draw labels again so that the digits retrieved for the last question shrink."""
        best = np.full(len(settings.points), np.iinfo(np.int64).max)
        other = settings
        for _ in range(CLIMBS):
            allowed, now = self.put(other)
            better = allowed & (now < best)
            best = np.where(better, now, best)
            settings = drawn.Settings(
                np.where(better[:, None, None], other.points, settings.points),
                np.where(better[:, None], other.labels, settings.labels),
            )
            other = drawn.nudged(settings, self.classes, self.network.grid, random)

    def try_hard(self, length: int, dimension: int, random: np.random.Generator, batch: int, until: int = 1 << 62) -> None:
        """Settings of `length` points and, below 1,024, of fewer, and climbs, until so many questions are answered."""
        grid = self.network.grid
        for shorter in lengths(length) if length < 1024 else [length]:
            self.put(drawn.crowded(shorter, dimension, self.classes, grid, self.gamma, random, batch))
            for settings in drawn.hard(shorter, dimension, self.classes, grid, random, batch):
                if self.trial.inputs < until:
                    self.put(settings)
        if length <= 64 and self.trial.inputs < until:
            size = min(length, 12)
            self.climb(next(drawn.hard(size, dimension, self.classes, grid, random, batch)), random)
            self.climb(drawn.crowded(size, dimension, self.classes, grid, self.gamma, random, batch), random)

    def try_recall(self, length: int, alphabet: int, random: np.random.Generator, batch: int) -> None:
        """MQAR over an alphabet, with shorter inputs too."""
        for shorter in lengths(length):
            for settings in drawn.recalled(shorter, alphabet, self.classes, self.network.grid, random, batch):
                self.put(settings)


def lengths(length: int) -> list[int]:
    """The edges, a power of two, and the length itself."""
    return sorted({2, min(3, length), 1 << (length.bit_length() - 1), length})


def answers_hard(theorem: str, network: Network, gamma: Fraction, length: int, dimension: int, seed: int) -> bool:
    """Whether hard settings, drawn on the network's own grid with margins of at least gamma there, are all answered."""
    asking, random = Asking(theorem, network, gamma), np.random.default_rng(seed)
    asking.trial.in_floats = 0

    def ask_all() -> None:
        asking.put(drawn.crowded(length, dimension, asking.classes, network.grid, gamma, random, 8))
        for settings in drawn.hard(length, dimension, asking.classes, network.grid, random, 8):
            asking.put(settings)

    return passes(ask_all) and asking.trial.inputs > 0


def plan(inputs_small: int, inputs_large: int) -> Iterator[tuple[int, int, int, int]]:
    """(N, c, questions, settings at once), for margins down to n^-c: half of the small ones at N <= 64, half at 100 and 250."""
    cases = [(length, power) for length in (2, 3, 4, 8, 16, 33, 64) for power in (1, 2)]
    for length, power in cases:
        yield length, power, inputs_small // 2 // len(cases) + 1, 24
    for length, power in ((100, 1), (100, 2), (250, 1), (250, 2)):
        yield length, power, inputs_small // 8 + 1, 8
    for length, power in ((1024, 1), (1024, 2), (4096, 1), (4096, 2)) if inputs_large else ():
        yield length, power, inputs_large // 4 + 1, 1
