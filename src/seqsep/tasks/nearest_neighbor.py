"""Nearest neighbour: labelled unit vectors, then unit vectors to label: the answer is the label of the nearest earlier vector.

    x_1 y_1 .. x_N:   the answer at x_k, N/2 < k <= N, is y_j for the j < k with the greatest <x_k, x_j>
    <x_k, x_j> >= <x_k, x_i> + margin for every other i < k

Queries: every x_k with k > N/2; its label follows. An example is right only if all its answers are right.
Inputs are vectors: a point is [x, 0], a label is [0, one-hot]; N points are 2 N - 1 vectors.
Lengths: a training example has an even number of points, uniform in least_length .. length. If least_length is odd, the next
even number replaces it. An evaluation example has exactly `length` points.
Points: all examples use one set of M random directions, which are far enough apart: the product of two is at most 1 - 2 margin
(`_spherical_code`). M is a power of two, at least 128 and at least 2 `length`. A point is made in three steps:
* The first half of the points are different directions of the set. If the directions are numbered 0 .. M - 1, those of an
  example are u t + w modulo M, for t = 0 .. N/2 - 1. The odd number u and the number w are drawn for each example. The second
  half are the same directions in random order.
* Noise is added to each coordinate of every point, and the point is normalised. The noise is uniform over at most 64 evenly
  spaced values. It is so small that the margin always holds.
* The coordinates are permuted at random and get random signs, the same for all points of an example. A coordinate is a float32,
  with the same bits on every platform.
Labels: those of the first half are uniform and independent.
Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 5.2 and appendix G (NSTNB).
We differ: the paper only says which inputs are allowed, and we choose a way to draw them. N is even, so that each of the
first N/2 points is the nearest one for one query, as in appendix G. There are `classes` labels.
Shortcuts: the input shows the label after each query. So a model can count which labels have not come again yet, and the later
answers are easier to guess; the last answer is the only label that is left. A query is much nearer to its nearest point than
random points are to each other: by default the product of the two is 0.999 on average. The set of directions is the same for
every seed. In d dimensions, it can be turned in 2^d d! ways. For d = 2 or 3 these are so few that a model can memorise them.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import Float32, Int8, Int64

from seqsep.core.options import Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import ExampleDraws, filled, nothing_asked, use_of
from seqsep.tasks._orders import asked_again, order
from seqsep.tasks._rows import chosen, write_from
from seqsep.tasks._spherical_code import MOST_DIMENSIONS, spherical_code
from seqsep.tasks.base import NOTHING_ASKED, Batch, Task, require

LOW_HALF = 0xFFFFFFFF


@dataclass(frozen=True)
class NearestNeighbor(Task):
    """`length` unit vectors, the first half with labels; the answers are the labels of the second half.

    >>> task = NearestNeighbor(length=2, dimension=2)
    >>> task.solve(((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), (0.6, 0.8, 0.0, 0.0)))
    1
    >>> NearestNeighbor(length=20).answer_bits()
    10
    """

    name: ClassVar[str] = "nearest-neighbor"

    length: Annotated[int, Range(2, 2**16, unit="points"), "N, points of an evaluated input, an even number"]
    dimension: Annotated[int, Range(2, 64), "d, coordinates of a point"] = 8
    classes: Annotated[int, Range(1, 2**16), "labels to choose from"] = 2
    margin: Annotated[
        float, Range(0.00001, 0.5), "the product with the nearest point exceeds the other products by this number"
    ] = 0.05
    least_length: Annotated[int, Range(2, unit="points"), "points of the shortest training input"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.length % 2 == 0, self, f"length is even, half of the points are queries, found {self.length}")
        require(2 <= self.dimension <= MOST_DIMENSIONS, self, f"dimension is 2 to {MOST_DIMENSIONS}, found {self.dimension}")
        object.__setattr__(self, "least_length", min(self.least_length + self.least_length % 2, self.length))
        object.__setattr__(self, "margin", float(self.margin))

    @property
    def vocabulary(self) -> int:
        return 0

    @property
    def coordinates(self) -> int:
        return self.dimension + self.classes

    @property
    def longest(self) -> int:
        return 2 * self.length - 1

    def solve(self, inputs: tuple[Any, ...]) -> int:
        points, labels = self._read(inputs)
        *earlier, asked = points
        if not earlier:
            raise ValueError(f"{self!r}: the question is the first point, nothing is before it")
        products = [sum(a * b for a, b in zip(asked, point, strict=True)) for point in earlier]
        return labels[products.index(max(products))]

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        """Return the examples. Raises ValueError if no such set of directions is found for the dimension and margin."""
        inputs = np.empty((count, 2 * self.length, self.coordinates), dtype=np.float32)
        lengths = np.full(count, self.longest, dtype=np.int64)
        batch = Batch(inputs, nothing_asked(count, 2 * self.length), lengths)
        filled(batch, 2 * self.longest, partial(self._fill, start=start, seed=seed, use=use_of(evaluate)))
        return Batch(inputs[:, :-1], batch.targets[:, :-1], lengths)

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        """Write the examples from start + first on; lengths are those of evaluation, targets ask for nothing."""
        count = len(batch.lengths)
        half = self.length // 2
        noise_bits = spherical_code(self.dimension, self.margin, self._directions()).noise_bits
        noise_draws = -(-self.length * self.dimension // 4) if noise_bits else 0
        widths = (3, half, half + 1, self.dimension, 2, noise_draws)
        example_draws = ExampleDraws(widths, seed=seed, use=use, start=start + first, count=count)
        points = np.full(count, self.length, dtype=np.int64)
        if use is Use.TRAINING:
            lengths_apart = (self.length - self.least_length) // 2 + 1
            points = self.least_length + 2 * below(example_draws.part(0)[:, 0], lengths_apart)
            batch.lengths[:] = 2 * points - 1
        told = self._told(example_draws, count)
        asked = chosen(told, asked_again(example_draws.part(2), points, self.length))
        write_from(points // 2, asked, told)
        write_from(points // 2, np.where(asked < 0, NOTHING_ASKED, asked >> 32), batch.targets[:, ::2])
        rows = self._rows(told, points, example_draws, noise_bits)
        inputs = batch.inputs.reshape(count, self.length, 2 * self.coordinates)
        np.matmul(rows.transpose(1, 2, 0), self._turns(example_draws), out=inputs)

    def _told(self, example_draws: ExampleDraws, count: int) -> Int64[np.ndarray, "batch points"]:
        """Label and direction of every point of the first half, as label * 2^32 + direction; -1 for the points after it."""
        half = self.length // 2
        offset, apart = (example_draws.part(0)[:, place, None].astype(np.int64) for place in (1, 2))
        told = np.full((count, self.length), -1, dtype=np.int64)
        told[:, :half] = ((apart | 1) * np.arange(half) + offset) & (self._directions() - 1)
        told[:, :half] |= below(example_draws.part(1), self.classes) << 32
        return told

    def _rows(
        self,
        told: Int64[np.ndarray, "batch points"],
        points: Int64[np.ndarray, "batch"],
        example_draws: ExampleDraws,
        noise_bits: int,
    ) -> Float32[np.ndarray, "coordinates batch points"]:
        """Return every point with its noise, normalised, and after its coordinates the one-hot label. Zeros follow the last
        point.
        """
        code = spherical_code(self.dimension, self.margin, self._directions())
        labels = told >> 32
        directions = told & LOW_HALF
        rows = np.empty((self.coordinates, *told.shape), dtype=np.float32)
        squares, square = np.zeros((2, *told.shape), dtype=np.float32)
        noise = self._noise(example_draws, noise_bits)
        for coordinate, row in enumerate(rows[: self.dimension]):  # one at a time, while it is in cache
            code.points[coordinate].take(directions, out=row, mode="clip")
            if noise_bits:
                row += noise[:, coordinate]
            squares += np.multiply(row, row, out=square)
        rows[: self.dimension] *= (labels >= 0) / np.sqrt(squares)
        labels[np.arange(len(labels)), points - 1] = -1  # the last point's is not said
        for label in range(self.classes):
            np.equal(labels, label, out=rows[self.dimension + label])
        return rows

    def _directions(self) -> int:
        """Return the size of the fixed set: a power of two, from 128 and twice the length."""
        return max(128, 1 << ceil_log2(2 * self.length))

    def _noise(self, example_draws: ExampleDraws, bits: int) -> Int8[np.ndarray, "batch dimension points"]:
        """Return odd numbers from 1 - 2^bits to 2^bits - 1, each from the high bits of a byte. They must not be used if `bits`
        is 0.
        """
        raw = np.ascontiguousarray(example_draws.part(5)).astype("<u4", copy=False).view(np.uint8)
        high = (raw[:, : self.length * self.dimension] >> np.uint8(8 - bits)).view(np.int8)
        high += high
        high -= np.int8(2**bits - 1)
        return high.reshape(len(raw), -1, self.length)

    def _turns(self, example_draws: ExampleDraws) -> Float32[np.ndarray, "batch coordinates both"]:
        """Return matrices from a point and its label to two inputs: the point's coordinates exchanged, with signs, and the
        label.
        """
        places = order(example_draws.part(3))
        coordinate = np.arange(self.dimension)
        signs = example_draws.part(4)[:, coordinate // 32] >> coordinate.astype(np.uint32) % 32
        turns = np.zeros((len(places), self.coordinates, 2 * self.coordinates), dtype=np.float32)
        turns[np.arange(len(places))[:, None], coordinate, places] = 1 - 2 * (signs & 1).astype(np.int64)
        label = np.arange(self.dimension, self.coordinates)
        turns[:, label, label + self.coordinates] = 1
        return turns

    def readable(self, inputs: tuple[Any, ...], answer: int) -> dict[str, Any]:
        """Return the last point as the query, with all points before it and their labels. Earlier questions are among them."""
        points, labels = self._read(inputs)
        return {"points": points[:-1], "labels": labels, "query": points[-1], "answer": answer}

    def _read(self, inputs: tuple[Any, ...]) -> tuple[list[list[float]], list[int]]:
        """Return points and labels. Raises ValueError unless the last vector is a point."""
        if len(inputs) % 2 == 0:
            raise ValueError(f"{self!r}: a question ends in a point, so it has an odd number of vectors, found {len(inputs)}")
        points = [[float(entry) for entry in vector[: self.dimension]] for vector in inputs[::2]]
        labels = [list(vector[self.dimension :]).index(1) for vector in inputs[1::2]]
        return points, labels

    def answer_bits(self) -> int:
        """Return ceil((N/2) log2 C), exactly: N/2 bits for two labels (Theorem 8; theorem nearest-neighbor-state)."""
        return ceil_log2(self.classes ** (self.length // 2))

    def alphabets(self, length: int) -> tuple[range, ...]:
        raise ValueError(f"{self!r}: inputs are vectors, not tokens")
