"""Scores that choose among matches: the first or the last of them."""

from seqsep.theorems.blocks.head import Scores
from seqsep.theorems.blocks.space import Rows


def first(time: Rows, one: Rows, slope: int) -> Scores:
    """-slope t_j: of keys that score alike otherwise the first wins, by at least `slope`.

    Added to a `match` of scale B the first match wins by at least min(slope, B - slope T) if times differ by at most T.

    >>> import numpy as np
    >>> first(np.array([[1, 0]]), np.array([[0, 1]]), slope=2).between(np.array([9, 1]), np.array([4, 1]))
    -8
    """
    return Scores(-slope * one, time)


def last(time: Rows, one: Rows, slope: int) -> Scores:
    """slope t_j: of keys that score alike otherwise the last wins, by at least `slope`; as `first`.

    >>> import numpy as np
    >>> last(np.array([[1, 0]]), np.array([[0, 1]]), slope=2).between(np.array([9, 1]), np.array([4, 1]))
    8
    """
    return Scores(slope * one, time)
