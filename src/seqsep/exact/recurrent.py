"""Recurrent layers on the grid Q_p: what they remember after every token, and the range of each number remembered.

    linear    h_t = R(A h_(t-1) + B x_t)                h_0 = 0
    Elman     h_t = relu(R(W h_(t-1) + U x_t + b))      h_0 = start

R rounds to the grid and saturates (`exact.grid`); the sum inside is exact and rounded once. `exact.executor` runs networks of
such layers.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from seqsep.exact.grid import Array, Grid, Tally, common_unit, joined
from seqsep.exact.integers import ceil_log2
from seqsep.exact.network import ElmanLayer, LinearLayer

RecurrentLayer = ElmanLayer | LinearLayer


@dataclass(frozen=True)
class StateRange:
    """The least and the greatest value that a remembered number met; all that it met are multiples of `unit`, at most 1.

    >>> StateRange(Fraction(-1), Fraction(5), Fraction(1)).bits  # seven values
    3
    """

    least: Fraction
    greatest: Fraction
    unit: Fraction

    @property
    def bits(self) -> int:
        """The bits that number the multiples of `unit` from `least` to `greatest`."""
        return ceil_log2(int((self.greatest - self.least) / self.unit) + 1)

    def joined(self, other: "StateRange") -> "StateRange":
        """The range of the values that either met.

        >>> one = StateRange(Fraction(0), Fraction(1), Fraction(1))
        >>> one.joined(StateRange(Fraction(-2), Fraction(0), Fraction(1))).bits  # -2 .. 1
        2
        """
        return StateRange(min(self.least, other.least), max(self.greatest, other.greatest), common_unit(self.unit, other.unit))


def start_of(layer: RecurrentLayer, batch: int) -> Array:
    """h_0 of every example, (batch, r)."""
    if isinstance(layer, LinearLayer):
        return Array(np.zeros((batch, layer.remembered), dtype=np.int64))
    return Array(np.repeat(layer.start.integers[None], batch, axis=0), layer.start.unit)


def after(grid: Grid, layer: RecurrentLayer, state: Array, x: Array, *, tally: Tally, where: str) -> Array:
    """h_t, (batch, r), of `state` = h_(t-1), (batch, r), and the vectors x = x_t, (batch, d)."""
    weights = joined([layer.recurrent, layer.input], axis=1).transposed()
    both = joined([state, x], axis=1)
    if isinstance(layer, LinearLayer):
        return grid.product(both, weights, tally, where)
    sums = grid.product(both, weights, tally, where, bias=layer.bias)
    return Array(np.maximum(sums.integers, 0), sums.unit)


def states(grid: Grid, layer: RecurrentLayer, x: Array, *, tally: Tally, where: str) -> Array:
    """h_0, h_1, .., h_T of the vectors x_1, .., x_T: (batch, T + 1, r) of x (batch, T, d)."""
    batch, time, _ = x.integers.shape
    met = [start_of(layer, batch)]
    for t in range(time):
        met.append(after(grid, layer, met[-1], x[:, t], tally=tally, where=where))
    return joined([Array(state.integers[:, None], state.unit) for state in met], axis=1)


def ranges(met: Array) -> tuple[StateRange, ...]:
    """The range of each remembered number, the last axis of `met`.

    >>> [one.bits for one in ranges(Array(np.array([[[0, 0], [1, 7], [0, 3]]]), Fraction(1, 2)))]
    [1, 3]
    """
    return tuple(_range(met[..., number]) for number in range(met.integers.shape[-1]))


def _range(met: Array) -> StateRange:
    lifted = met.lifted()
    values = lifted.integers if lifted.integers.size else np.zeros(1, dtype=np.int64)
    least = int(values.min())
    greatest = int(values.max())
    return StateRange(least * lifted.unit, greatest * lifted.unit, min(lifted.unit, Fraction(1)))
