"""Hidden ReLU units: the input of each one, and the vector that it adds to the residual stream."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64
from numpy.typing import ArrayLike

from seqsep.maths.networks.network import FeedForward, whole
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
        """Return the vector that the units add to the residual stream at `x`, in floats."""
        hidden = np.maximum(self.inner @ np.array(x, dtype=np.float64) + self.bias, 0)
        return [float(entry) for entry in self.outer.T @ hidden]


def feed_forward(units: Sequence[Units], bias: Int64[np.ndarray, "width"]) -> FeedForward:
    """The part with all these hidden units side by side, which also adds `bias`.

    >>> one = np.eye(1, dtype=np.int64)
    >>> rectified = Units(one, np.zeros(1, int), one)
    >>> feed_forward([rectified, rectified], bias=np.array([-1])).outer.integers.tolist()
    [[1, 1]]
    """
    inner, inner_bias, outer = (np.concatenate(part) for part in zip(*units, strict=True))
    return FeedForward(whole(inner), whole(inner_bias), whole(outer.T), whole(bias))
