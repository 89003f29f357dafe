"""Counting: the task from its definition, its tokens, a user's input, and the thresholds as numbers of a grid.

N tokens x_1 .. x_N, then a token q and a threshold t: the answer is 1 if q occurs more than t times among the N, else 0.
Numbers are 0 .. S - 1, tokens and thresholds alike; to the network [BOS] is token 0 and the number s is token s + 1.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.theorems.base import number_in, symbols_in
from seqsep.theorems.blocks import uniform_weight


def solve(numbers: Sequence[int], query: int, threshold: int) -> int:
    """Return 1 if the query occurs more than `threshold` times, else 0, from the definition.

    >>> solve([2, 0, 2], query=2, threshold=1), solve([2, 0, 2], query=2, threshold=2)
    (1, 0)
    """
    return int(list(numbers).count(query) > threshold)


@dataclass(frozen=True)
class CountingEncoding:
    """The task for at most N = `length` numbers out of S = `alphabet`. Raises ValueError if one of the two is below 1.

    >>> task = CountingEncoding(length=3, alphabet=4)
    >>> task.base, task.inputs(np.array([[2, 0, 2]]), np.array([2]), np.array([1])).tolist()
    (6, [[0, 3, 1, 3, 3, 2]])
    """

    length: int
    alphabet: int

    def __post_init__(self) -> None:
        if min(self.length, self.alphabet) < 1:
            raise ValueError(f"CountingEncoding(length={self.length}, alphabet={self.alphabet}): both are at least 1")

    @property
    def tokens(self) -> int:
        """The most tokens of an input: [BOS], N numbers, the query and the threshold."""
        return self.length + 3

    @property
    def base(self) -> int:
        """n0 = max(N + 3, S + 1): the tokens, or the vocabulary if that is more."""
        return max(self.tokens, self.alphabet + 1)

    @property
    def scale(self) -> int:
        """b = 4 n0, by which a retrieved weight is multiplied in the read-out."""
        return 4 * self.base

    def inputs(
        self,
        sequences: Int64[np.ndarray, "batch n"],
        queries: Int64[np.ndarray, "batch"],
        thresholds: Int64[np.ndarray, "batch"],
    ) -> np.ndarray:
        """The tokens [BOS], sequence, query, threshold of each example."""
        bos = np.zeros((len(sequences), 1), dtype=np.int64)
        asked = np.stack([queries, thresholds], axis=1)
        return np.concatenate([bos, sequences + 1, asked + 1], axis=1)

    def answers(
        self,
        sequences: Int64[np.ndarray, "batch n"],
        queries: Int64[np.ndarray, "batch"],
        thresholds: Int64[np.ndarray, "batch"],
    ) -> Int64[np.ndarray, "batch"]:
        """The right answer of each example: `solve` for a batch."""
        return ((sequences == queries[:, None]).sum(axis=1) > thresholds).astype(np.int64)

    def limits(self, grid: Grid) -> Array:
        """u of [BOS] and of each number: b times what separates 1/(t + 2), for t occurrences, from 1/(t + 3), for t + 1.

        In steps, with f(d) the weight of one of d equal keys on this grid and 1/d that weight in the reals, u_t is b times the
        middle of the interval from max(L/(t + 3), f(t + 3)) to min(L/(t + 2), f(t + 2)), rounded down. Thresholds t >= N are
        never exceeded: u_t = 0.

        Let L >= n0^2 >= (t + 4)^2. Then L/(t + 2) - L/(t + 3) > 1 + (3t + 10)/((t + 2)(t + 3)). Rounding down moves
        L/(t + 2) by at most (t + 1)/(t + 2); rounding to the nearest moves each by at most 1/2. So the interval is longer than
        3/(t + 3) on both grids, and b times its half is at least 4 n0 * 3 / (2 (t + 3)) > 6 steps, 5 after u_t is rounded down.
        """
        numbers = np.zeros(self.alphabet + 1, dtype=np.int64)
        for threshold in range(min(self.alphabet, self.length)):
            numbers[threshold + 1] = math.floor(self.scale * self._middle(grid, threshold))
        return Array(numbers, grid.step)

    def margin(self, grid: Grid) -> Fraction:
        """The least |u_t - b f(m + 2)| over m <= N and t: at m = t or m = t + 1 if t < N, else at m = N. It is above 5/L."""
        limits = self.limits(grid).integers.tolist()
        weights = [self.scale * uniform_weight(grid, count + 2) * grid.steps for count in range(self.length + 1)]
        margins = [weights[-1]] if self.alphabet > self.length else []
        for threshold in range(min(self.alphabet, self.length)):
            margins += [abs(limits[threshold + 1] - weights[count]) for count in (threshold, threshold + 1)]
        return Fraction(min(margins)) / grid.steps

    def _middle(self, grid: Grid, threshold: int) -> Fraction:
        """The middle of the interval of `limits`, in steps."""
        ends = []
        for keys, inner in ((threshold + 3, max), (threshold + 2, min)):
            ends.append(inner(Fraction(grid.steps, keys), uniform_weight(grid, keys) * grid.steps))
        return (ends[0] + ends[1]) / 2


def read(given: Mapping[str, Any], alphabet: int, *, least: int = 1, most: int) -> tuple[list[int], int, int]:
    """A user's {"tokens": [..], "query": q, "threshold": t}, all out of 0 .. S - 1. Raises ValueError with the field's name.

    >>> read({"tokens": [2, 0, 2], "query": 2, "threshold": 1}, alphabet=4, most=8)
    ([2, 0, 2], 2, 1)
    """
    numbers = symbols_in(given, "tokens", alphabet, least=least, most=most)
    return numbers, number_in(given, "query", 0, alphabet - 1), number_in(given, "threshold", 0, alphabet - 1)
