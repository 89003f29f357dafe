"""Attention heads put together from scores: the key that a query attends to, its value, and the space for the result."""

from dataclasses import dataclass

import numpy as np

from seqsep.maths.networks.network import AttentionLayer, Head, whole
from seqsep.theorems.blocks.space import Rows


@dataclass(frozen=True)
class Scores:
    """Scores s(k, j) = (query x_k) . (key x_j): each row of `query` is multiplied with the same row of `key`.

    The sum of two scores has the rows of both. Raises ValueError if `query` and `key` have different numbers of rows.

    >>> one = np.array([[1, 0]])
    >>> time = np.array([[0, 1]])
    >>> later = Scores(one, 3 * time) + Scores(time, -time)  # 3 t_j - t_k t_j
    >>> later.between(np.array([1, 4]), np.array([1, 2]))
    -2
    """

    query: Rows
    key: Rows

    def __post_init__(self) -> None:
        if len(self.query) != len(self.key):
            raise ValueError(f"Scores(query of {len(self.query)} rows, key of {len(self.key)} rows): as many are required")

    def __add__(self, other: "Scores") -> "Scores":
        return Scores(np.concatenate([self.query, other.query]), np.concatenate([self.key, other.key]))

    def between(self, asking: np.ndarray, asked: np.ndarray) -> int:
        """s(k, j) for the vectors x_k = `asking` and x_j = `asked`, exactly."""
        products = (self.query @ asking).astype(object) * (self.key @ asked).astype(object)
        return int(products.sum())


def head(scores: Scores, value: Rows, output: Rows) -> Head:
    """Build a head that attends by `scores` and adds what it reads at `value` to `output`.

    Raises ValueError if `value` and `output` have different numbers of rows.

    >>> one = np.array([[1, 0]])
    >>> head(Scores(one, one), value=one, output=np.array([[0, 1]])).output.integers.tolist()
    [[0], [1]]
    """
    if len(value) != len(output):
        raise ValueError(f"head(value of {len(value)} rows, output of {len(output)} rows): as many are required")
    return Head(whole(scores.query), whole(scores.key), whole(value), whole(output.T))


def side_by_side(*heads: Head) -> AttentionLayer:
    """Put heads into one layer, with rows of zeros in one that is narrower than another.

    >>> one = np.array([[1, 0]])
    >>> two = np.eye(2, dtype=np.int64)
    >>> layer = side_by_side(head(Scores(one, one), one, one), head(Scores(two, two), one, one))
    >>> [one.key.integers.tolist() for one in layer.heads]
    [[[1, 0], [0, 0]], [[1, 0], [0, 1]]]
    """
    key_width = max(len(one.key.integers) for one in heads)
    value_width = max(len(one.value.integers) for one in heads)
    widened = []
    for one in heads:
        scores = Scores(_padded(one.query.integers, key_width), _padded(one.key.integers, key_width))
        value = _padded(one.value.integers, value_width)
        widened.append(head(scores, value, _padded(one.output.integers.T, value_width)))
    return AttentionLayer(tuple(widened))


def _padded(rows: Rows, count: int) -> Rows:
    """Add rows of zeros up to a count."""
    return np.pad(rows, ((0, count - len(rows)), (0, 0)))
