"""Hidden ReLU units that turn a number near 0 or 1 into a bit."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64
from numpy.typing import ArrayLike

from seqsep.exact.network import FeedForward, whole
from seqsep.theorems.blocks.space import Rows


class Units(NamedTuple):
    """Hidden units of a feed-forward part: unit i adds relu(inner[i] . x + bias[i]) * outer[i] to x.

    >>> identity = np.eye(2, dtype=np.int64)
    >>> absolute = Units(np.concatenate([identity[:1], -identity[:1]]), np.zeros(2, int), np.repeat(identity[1:], 2, axis=0))
    >>> absolute.added([-3, 0])
    [0.0, 3.0]
    """

    inner: Rows
    bias: Int64[np.ndarray, "units"]
    outer: Rows

    def added(self, x: ArrayLike) -> list[float]:
        """What the units add to a vector of the residual stream, in floats."""
        hidden = np.maximum(self.inner @ np.array(x, dtype=np.float64) + self.bias, 0)
        return [float(entry) for entry in self.outer.T @ hidden]


def feed_forward(units: Sequence[Units], bias: Int64[np.ndarray, "width"]) -> FeedForward:
    """The part with all these hidden units side by side, which also adds `bias`.

    >>> bit = doubled_bit(np.eye(1, dtype=np.int64), np.eye(1, dtype=np.int64))
    >>> feed_forward([bit, bit], bias=np.array([-1])).outer.integers.tolist()
    [[1, -1, 1, -1]]
    """
    inner, inner_bias, outer = (np.concatenate(part) for part in zip(*units, strict=True))
    return FeedForward(whole(inner), whole(inner_bias), whole(outer.T), whole(bias))


def doubled_bit(read: Rows, write: Rows) -> Units:
    """2 if the number z that `read` reads is at least 3/4, and 0 if it is at most 1/4: relu(4 z - 1) - relu(4 z - 3).

    One bit a row; `write` says where it goes.

    >>> units = doubled_bit(np.eye(2, dtype=np.int64)[:1], np.eye(2, dtype=np.int64)[1:])
    >>> [units.added([z, 0]) for z in (0.2, 0.25, 0.75, 1)]
    [[0.0, 0.0], [0.0, 0.0], [0.0, 2.0], [0.0, 2.0]]
    """
    bits = len(read)
    return Units(
        inner=np.concatenate([4 * read, 4 * read]),
        bias=np.repeat([-1, -3], bits),
        outer=np.concatenate([write, -write]),
    )


def doubled_in_place(space: Rows) -> Units:
    """Numbers z >= 0 become 2 if they are at least 3/4, and 0 if they are at most 1/4: `doubled_bit`, less relu(z).

    >>> units = doubled_in_place(np.eye(1, dtype=np.int64))
    >>> [z + units.added([z])[0] for z in (0.125, 0.25, 0.75, 1)]
    [0.0, 0.0, 2.0, 2.0]
    """
    bit = doubled_bit(space, space)
    return Units(
        inner=np.concatenate([bit.inner, space]),
        bias=np.concatenate([bit.bias, np.zeros(len(space), dtype=np.int64)]),
        outer=np.concatenate([bit.outer, -space]),
    )
