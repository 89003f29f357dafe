"""The comparison of two strings of bits, once their difference is known up to 1/4."""

import numpy as np

from seqsep.theorems.blocks.space import Rows
from seqsep.theorems.blocks.units import Units


def mismatch(difference: Rows, write: Rows) -> Units:
    """0 if every difference v of two bits is within 1/2 of 0; at least 4 if one is at least 3/4 away.

    It is the sum over bits of 4 (relu(4 v - 2) + relu(-4 v - 2)), written to the one row of `write`.

    >>> units = mismatch(np.eye(3, dtype=np.int64)[:2], np.eye(3, dtype=np.int64)[2:])
    >>> [units.added(difference)[2] for difference in ([0.1, -0.5, 0], [0.1, 0.75, 0], [-1, 1, 0])]
    [0.0, 4.0, 16.0]
    """
    bits = len(difference)
    return Units(
        inner=np.concatenate([4 * difference, -4 * difference]),
        bias=np.full(2 * bits, -2),
        outer=np.repeat(4 * write, 2 * bits, axis=0),
    )
