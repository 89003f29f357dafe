"""The residual stream that all canaries share: each token has a coordinate of its own, and one coordinate is constant.

The embedding of a token is HEIGHT on its coordinate and HEIGHT on the constant one. The mean square is 2 * 512^2 / 512 = 1,024.
So the first RMSNorm divides by 32 in every type, since its epsilon is lost in rounding. After it all entries are NORMED or 0.
"""

import numpy as np
from jaxtyping import Float32

WIDTH = 512
HEIGHT = 512
NORMED = 16
LONGEST = 1 << 17
"""Tokens of the longest conversation, of most canaries."""

Matrix = Float32[np.ndarray, "..."]


def embedding(rows: int) -> Float32[np.ndarray, "rows width"]:
    """Return the embedding of tokens 0 to rows - 1. The constant coordinate is number `rows`.

    >>> embedding(128)[3].nonzero()[0].tolist()
    [3, 128]
    """
    table = np.zeros((rows, WIDTH), dtype=np.float32)
    table[np.arange(rows), np.arange(rows)] = HEIGHT
    table[:, rows] = HEIGHT
    return table


def ones(size: int = WIDTH) -> Matrix:
    """Return the scale of a norm."""
    return np.ones(size, dtype=np.float32)


def zeros(*shape: int) -> Matrix:
    """Return a weight of zeros."""
    return np.zeros(shape, dtype=np.float32)
