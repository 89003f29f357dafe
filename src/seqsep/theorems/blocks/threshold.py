"""Hidden ReLU units that turn a number into a bit: one near 0 or 1, or a whole one."""

import numpy as np

from seqsep.theorems.blocks.space import Rows
from seqsep.theorems.blocks.units import Units


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


def at_least_one(inner: Rows, outer: Rows, bias: int = 0) -> Units:
    """Write `outer` if inner x + bias >= 1 and nothing if it is <= 0: min(1, relu(.)), two hidden units.

    >>> units = at_least_one(np.eye(2, dtype=np.int64)[:1], np.eye(2, dtype=np.int64)[1:])
    >>> [units.added([z, 0])[1] for z in (-2, 0, 1, 5)]
    [0.0, 0.0, 1.0, 1.0]
    """
    return Units(np.concatenate([inner, inner]), np.array([bias, bias - 1]), np.concatenate([outer, -outer]))
