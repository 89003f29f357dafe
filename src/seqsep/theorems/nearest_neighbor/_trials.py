"""Settings on which the nearest-neighbour network runs, the right answers, and climbs to smaller margins."""

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.executor import Execution
from seqsep.maths.networks.network import Network
from seqsep.theorems.checking import passes
from seqsep.theorems.nearest_neighbor._drawn import SettingSampler
from seqsep.theorems.nearest_neighbor._settings import Settings, askable, measured, tokens
from seqsep.theorems.trial import Trial, distances

CLIMBS = 12


class NeighborTrial:
    """Asks a network for the points of the second half whose margin is at least gamma, at most `most_asked`."""

    def __init__(self, theorem: str, network: Network, gamma: Fraction, most_asked: int | None = None) -> None:
        self.network = network
        self.gamma = gamma
        self.most_asked = most_asked
        self.classes = len(network.readout.integers)
        self.trial = Trial(theorem, network, lambda result: distances(self._retrieved(result), Fraction(0)))
        self.least_gamma: Fraction | None = None

    def source(self, random: np.random.Generator, batch: int) -> SettingSampler:
        """A source of settings on the network's grid, with as many labels as it has classes."""
        return SettingSampler(self.classes, self.network.grid, random, batch)

    def _retrieved(self, result: Execution) -> Array:
        return result.attended[1][..., self.network.spaces["label"]]

    def put(self, settings: Settings) -> tuple[Bool[np.ndarray, "batch"], Int64[np.ndarray, "batch"]]:
        """Ask for every point that has the margin, and require the right answers.

        Returns whether each setting's last point has the margin, and the least digit retrieved for the last point, in steps (0
        if none is).
        """
        grid = self.network.grid
        places = self._places(settings.points.shape[1])
        expected, margins = measured(settings, np.broadcast_to(places, (len(settings.points), len(places))), grid)
        good = (margins >= math.ceil(self.gamma * grid.steps**2)).astype(bool)
        digits = np.zeros(len(good), dtype=np.int64)
        kept = np.flatnonzero(good.any(axis=1))
        if len(kept):
            chosen = _last_good(good[kept])
            questions = NeighborQuestions(
                settings=Settings(settings.points[kept], settings.labels[kept]),
                asked=places[chosen],
                answers=np.take_along_axis(expected[kept], chosen, axis=1),
            )
            digits[kept] = self._require(questions)
            self.trial.inputs -= int((~good[kept]).sum())  # a question that replaces another counts once
            least = Fraction(int(margins[good].min()), grid.steps**2)
            self.least_gamma = least if self.least_gamma is None else min(self.least_gamma, least)
        return good[:, -1], digits

    def _places(self, length: int) -> Int64[np.ndarray, "asked"]:
        """The points to ask, from 0: all in the second half, or spread ones."""
        places = askable(length)
        if self.most_asked is None or len(places) <= self.most_asked:
            return places
        return places[np.linspace(0, len(places) - 1, self.most_asked).astype(np.int64)]

    def _require(self, questions: "NeighborQuestions") -> Int64[np.ndarray, "batch"]:
        """Require the answers; return the least digit retrieved for each last point, in steps."""
        grid = self.network.grid
        inputs = tokens(questions.settings, self.classes, grid)
        result = self.trial.require(inputs, questions.answers, questions.readable(grid.steps), at=2 * questions.asked)
        least: np.ndarray = np.abs(self._retrieved(result).of_unit(grid.step).integers[:, -1]).min(axis=-1)
        return least

    def put_all(self, settings: Settings, at_once: int = 1024) -> None:
        """Run settings in parts: a wrong answer is met early, and only the first few thousand run in float64 too."""
        for first in range(0, len(settings.points), at_once):
            self.put(settings.some(slice(first, first + at_once)))

    def climb(self, settings: Settings, source: SettingSampler) -> None:
        """Move points and draw labels again so that the digits retrieved for the last point shrink."""
        best = np.full(len(settings.points), np.iinfo(np.int64).max)
        nudged = settings
        for _ in range(CLIMBS):
            allowed, digits = self.put(nudged)
            better = allowed & (digits < best)
            best = np.where(better, digits, best)
            settings = Settings(
                np.where(better[:, None, None], nudged.points, settings.points),
                np.where(better[:, None], nudged.labels, settings.labels),
            )
            nudged = source.nudged(settings)

    def try_hard(self, length: int, dimension: int, source: SettingSampler, until: int = 1 << 62) -> None:
        """Test hard settings of `length` points, and of fewer below 1,024, then climb, up to a number of answered points."""
        for shorter in lengths(length) if length < 1024 else [length]:
            self.put(source.crowded(shorter, dimension, self.gamma))
            for settings in source.hard(shorter, dimension):
                if self.trial.inputs < until:
                    self.put(settings)
        if length <= 64 and self.trial.inputs < until:
            size = min(length, 12)
            self.climb(next(source.hard(size, dimension)), source)
            self.climb(source.crowded(size, dimension, self.gamma), source)

    def try_recall(self, length: int, alphabet: int, source: SettingSampler) -> None:
        """Test MQAR over an alphabet, with shorter inputs too."""
        for shorter in lengths(length):
            for settings in source.recalled(shorter, alphabet):
                self.put(settings)


class NeighborQuestions(NamedTuple):
    """Settings, the points that are asked, from 0, and the right answers."""

    settings: Settings
    asked: Int64[np.ndarray, "batch asked"]
    answers: Int64[np.ndarray, "batch asked"]

    def readable(self, steps: int) -> Callable[[int], Mapping[str, Any]]:
        """A row as a user would write it: real points, and the points asked from 1."""

        def row_of(row: int) -> Mapping[str, Any]:
            return {
                "points": (self.settings.points[row] / steps).tolist(),
                "labels": self.settings.labels[row].tolist(),
                "asked": (self.asked[row] + 1).tolist(),
            }

        return row_of


def _last_good(good: Bool[np.ndarray, "batch asked"]) -> Int64[np.ndarray, "batch asked"]:
    """The place itself if it is good, else the last good one of its row."""
    places = np.where(good, np.arange(good.shape[1]), -1)
    return np.where(good, places, places.max(axis=1, keepdims=True))


def lengths(length: int) -> list[int]:
    """Return lengths to test: 2, 3, the greatest power of two up to the length, and the length itself."""
    return sorted({2, min(3, length), 1 << (length.bit_length() - 1), length})


def answers_hard(asking: NeighborTrial, length: int, dimension: int, seed: int) -> bool:
    """Return True if a network answers all hard settings, drawn on its own grid with margins of at least gamma there."""
    asking.trial.in_floats = 0
    source = asking.source(np.random.default_rng(seed), batch=8)

    def ask_all() -> None:
        asking.put(source.crowded(length, dimension, asking.gamma))
        for settings in source.hard(length, dimension):
            asking.put(settings)

    return passes(ask_all) and asking.trial.inputs > 0


class NeighborSeries(NamedTuple):
    """One length and least margin n^-c of the long check: a number of answered points, `batch` settings at once."""

    length: int
    power: int
    inputs: int
    batch: int


def all_series(inputs_small: int, inputs_large: int) -> Iterator[NeighborSeries]:
    """The long check: half of the small inputs at N <= 64, half at 100 and 250; the large ones at 1,024 and 4,096."""
    short = [(length, power) for length in (2, 3, 4, 8, 16, 33, 64) for power in (1, 2)]
    for length, power in short:
        yield NeighborSeries(length, power, inputs_small // 2 // len(short) + 1, batch=24)
    for length, power in ((100, 1), (100, 2), (250, 1), (250, 2)):
        yield NeighborSeries(length, power, inputs_small // 8 + 1, batch=8)
    for length, power in ((1024, 1), (1024, 2), (4096, 1), (4096, 2)) if inputs_large else ():
        yield NeighborSeries(length, power, inputs_large // 4 + 1, batch=1)
