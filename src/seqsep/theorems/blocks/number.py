"""Whole numbers in the residual stream: v beside v^2, so that squared differences are products and a logit can peak at v."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int64
from numpy.typing import ArrayLike

from seqsep.theorems.blocks.space import Rows, Spaces


class Number(NamedTuple):
    """A whole number v that the residual stream holds: the rows that read v and v^2.

    >>> spaces = Spaces(time=2, one=1)
    >>> before = number(spaces, "time").plus(-3, spaces["one"])  # t - 3 and (t - 3)^2 = t^2 - 6 t + 9
    >>> [int((rows @ [5, 25, 1])[0]) for rows in before]
    [2, 4]
    """

    value: Rows
    square: Rows

    def plus(self, shift: int, one: Rows) -> "Number":
        """v + shift, and its square v^2 + 2 shift v + shift^2; `one` reads 1."""
        return Number(self.value + shift * one, self.square + 2 * shift * self.value + shift * shift * one)


def number(spaces: Spaces, name: str) -> Number:
    """The number in a space of two coordinates, (v, v^2). Raises ValueError for a space of another size.

    >>> number(Spaces(one=1, time=2), "time").square.tolist()
    [[0, 0, 1]]
    """
    if spaces.size(name) != 2:
        raise ValueError(f"number({name}): a number has 2 coordinates, the space has {spaces.size(name)}")
    rows = spaces[name]
    return Number(rows[:1], rows[1:])


def with_squares(values: ArrayLike) -> Int64[np.ndarray, "count 2"]:
    """The table of (v, v^2), a row a value: a function of the index if the values are.

    >>> with_squares([0, 3, -2]).tolist()
    [[0, 0], [3, 9], [-2, 4]]
    """
    column = np.array(values, dtype=np.int64)[:, None]
    return np.concatenate([column, column * column], axis=1)


def peaks(values: ArrayLike, total: Rows, unit: Rows) -> Int64[np.ndarray, "count width"]:
    """Logits 2 i s - i^2 u for each i of `values`, if `total` reads s and `unit` reads u > 0: they peak at i = s / u.

    If s = v u for a whole v, the logit is u (v^2 - (v - i)^2): greatest at i = v, by u (v - i)^2 >= u over every other i.
    So a number is read out although only v times an unknown weight u is known. With u = 1 the i^2 may go to the bias instead.

    >>> rows = peaks([0, 1, 2, 3], total=np.array([[1, 0]]), unit=np.array([[0, 1]]))
    >>> (rows @ [10, 5]).tolist()  # s = 2 u, u = 5
    [0, 15, 20, 15]
    """
    column = np.array(values, dtype=np.int64)[:, None]
    return np.asarray(2 * column * total - column * column * unit)
