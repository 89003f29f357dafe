"""Linear recurrences put together from the numbers that they keep: those of earlier tokens, and sums over all of them."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from seqsep.maths.networks.network import LinearLayer, whole
from seqsep.theorems.blocks.space import Rows


class Remembered(NamedTuple):
    """Numbers h of a linear recurrence: h_t = `recurrent` h_(t-1) + `input` x_t, and number i is added to row i of `write`.

    >>> total = running_sum(np.array([[1, 0]]), np.array([[0, 1]]))
    >>> total.recurrent.tolist(), total.input.tolist(), total.write.tolist()
    ([[1]], [[1, 0]], [[0, 1]])
    """

    recurrent: Int64[np.ndarray, "numbers numbers"]
    input: Rows
    write: Rows


def running_sum(read: Rows, write: Rows) -> Remembered:
    """One number: the sum of what `read` reads in all earlier tokens is added to `write`.

    >>> running_sum(np.array([[1, 0]]), np.array([[0, 1]])).recurrent.tolist()
    [[1]]
    """
    return Remembered(np.eye(len(read), dtype=np.int64), read, write)


def shift_register(read: Rows, taps: Mapping[int, Rows]) -> Remembered:
    """As many numbers as the deepest tap: what `read` reads i tokens back is added to `taps[i]`, if there is such a tap.

    Before the first token every number is 0. Raises ValueError for no taps, or a tap less than one token back.

    >>> last_but_one = shift_register(np.array([[1, 0]]), {2: np.array([[0, 1]])})
    >>> last_but_one.recurrent.tolist(), last_but_one.write.tolist()
    ([[0, 0], [1, 0]], [[0, 0], [0, 1]])
    """
    if not taps or min(taps) < 1:
        raise ValueError(f"shift_register(taps={sorted(taps)}): expected taps from 1 token back on")
    depth = max(taps)
    nothing = np.zeros_like(read)
    return Remembered(
        recurrent=np.eye(depth, k=-1, dtype=np.int64),
        input=np.concatenate([read, *[nothing] * (depth - 1)]),
        write=np.concatenate([taps.get(back, nothing) for back in range(1, depth + 1)]),
    )


def linear_layer(*parts: Remembered) -> LinearLayer:
    """The layer that remembers all the parts side by side.

    >>> rows = np.eye(3, dtype=np.int64)
    >>> linear_layer(running_sum(rows[:1], rows[1:2]), shift_register(rows[:1], {2: rows[2:]})).recurrent.integers.tolist()
    [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    """
    count = sum(len(part.recurrent) for part in parts)
    recurrent = np.zeros((count, count), dtype=np.int64)
    first = 0
    for part in parts:
        some = slice(first, first + len(part.recurrent))
        recurrent[some, some] = part.recurrent
        first = some.stop
    inputs = np.concatenate([part.input for part in parts])
    return LinearLayer(whole(recurrent), whole(inputs), whole(np.concatenate([part.write for part in parts]).T))
