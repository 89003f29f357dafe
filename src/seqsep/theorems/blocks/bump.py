"""Hidden units that keep a value if a whole number is 0."""

import numpy as np

from seqsep.theorems.blocks.space import Rows
from seqsep.theorems.blocks.units import Units


def bump(value: Rows, difference: Rows, most: int, write: Rows) -> Units:
    """Write v if d = 0 and nothing if not, for a number 0 <= v <= V = `most` and a whole number d: four units.

    relu(v + V d) - relu(V d) is v if d >= 0 and 0 if d <= -1; less the same for d - 1, it is v at d = 0 only.

    >>> rows = np.eye(3, dtype=np.int64)
    >>> units = bump(rows[:1], rows[1:2], most=9, write=rows[2:])
    >>> [units.added([7, d, 0])[2] for d in (-4, -1, 0, 1, 5)]
    [0.0, 0.0, 7.0, 0.0, 0.0]
    """
    return Units(
        inner=np.concatenate([value + most * difference, most * difference, value + most * difference, most * difference]),
        bias=np.array([0, 0, -most, -most]),
        outer=np.concatenate([write, -write, -write, write]),
    )
