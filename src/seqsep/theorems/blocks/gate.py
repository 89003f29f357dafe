"""Scores that keep a head from seeing some keys."""

from seqsep.theorems.blocks.head import Scores
from seqsep.theorems.blocks.space import Rows


def gated(one: Rows, key: Rows) -> Scores:
    """A key scores what `key` reads there: 0 if it passes, and -G or less if not; `one` reads 1 in the query.

    If G is at least the hard maximum's eta, the M keys that pass have equal weights and the others weigh 0.

    >>> import numpy as np
    >>> odd = np.array([[1, 0]])
    >>> gated(np.array([[0, 1]]), -9 * odd).between(np.array([0, 1]), np.array([1, 1]))
    -9
    """
    return Scores(one, key)
