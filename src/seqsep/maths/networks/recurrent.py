"""Recurrent layers on the grid Q_p: what they remember after every token, and the range of each number remembered.

    linear    h_t = R(A h_(t-1) + B x_t)                h_0 = 0
    Elman     h_t = relu(R(W h_(t-1) + U x_t + b))      h_0 = start

R rounds to the grid and saturates (`maths.arithmetic.grid`); the sum inside is exact and rounded once.
`maths.networks.executor` runs networks of such layers.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from jaxtyping import Shaped

from seqsep.maths.arithmetic.grid import Array, Grid, Tally, common_unit, joined
from seqsep.maths.arithmetic.integers import FLOAT64, Limbs, ceil_log2, dot, fits
from seqsep.maths.networks.network import ElmanLayer, LinearLayer

RecurrentLayer = ElmanLayer | LinearLayer
Numbers = Shaped[np.ndarray, "..."]


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
    """h_0, h_1, .., h_T of the vectors x_1, .., x_T: (batch, T + 1, r) of x (batch, T, d).

    If one unit serves all states and the numbers fit (`_scaled`), only A h_(t-1) and R are left for every t. If not, every
    state is put together by itself, in whatever integers it needs.
    """
    scaled = _scaled(grid, layer, x)
    if scaled is not None:
        return _states_of_one_unit(grid, scaled, tally=tally, where=where)
    batch, time, _ = x.integers.shape
    met = [start_of(layer, batch)]
    for t in range(time):
        met.append(after(grid, layer, met[-1], x[:, t], tally=tally, where=where))
    return joined([Array(state.integers[:, None], state.unit) for state in met], axis=1)


class _Scaled(NamedTuple):
    """A recurrence in integers: states are multiples of `unit`, and sums inside R of unit / `parts`.

    `weights` (r, r) is A transposed, `given` (T, batch, r) what x_t and the bias add, `start` is h_0 and R saturates at `end`;
    no state is below `least`.
    """

    weights: Numbers
    given: Numbers
    start: Numbers
    unit: Fraction
    parts: int
    end: int
    least: int


def _scaled(grid: Grid, layer: RecurrentLayer, x: Array) -> _Scaled | None:
    """The recurrence in integers, or None if int64 may not hold them.

    Every state is on the grid, a multiple of 1/L. If A is whole and what the inputs add is on the grid, states stay multiples
    of the unit of both, and R rounds nothing. |A h + B x| is at most the greatest row sum of |A| times `end`, and |B x|.
    While twice that is below 2^53, products are computed in float64, which is exact there.
    """
    added = _added(layer, x)
    if added is None:
        return None
    recurrent = layer.recurrent.lifted()
    start = start_of(layer, len(x.integers)).lifted()
    is_whole = recurrent.unit.denominator == 1 and (added.unit * grid.steps).denominator == 1
    unit = common_unit(common_unit(added.unit, start.unit), Fraction(1)) if is_whole else grid.step
    part = common_unit(common_unit(recurrent.unit * unit, added.unit), unit)
    weights = Array(recurrent.integers, recurrent.unit * unit).of_unit(part)
    given = added.of_unit(part)
    end = int(grid.steps / unit)
    parts = int(unit / part)
    row_sum = max(sum(map(abs, row)) for row in weights.integers.tolist())
    most = 2 * (row_sum * end + given.most) + parts
    if not fits(most):
        return None
    exact = np.float64 if most < FLOAT64 else np.int64
    return _Scaled(
        weights=weights.integers.T.astype(exact),
        given=given.integers.swapaxes(0, 1).astype(exact),
        start=start.of_unit(unit).integers.astype(exact),
        unit=unit,
        parts=parts,
        end=end,
        least=-end if isinstance(layer, LinearLayer) else 0,
    )


def _added(layer: RecurrentLayer, x: Array) -> Array | None:
    """B x_t, or U x_t + b, exactly: (batch, T, r). None if int64 may not hold it."""
    batch, time, width = x.integers.shape
    rows = x.integers.reshape(batch * time, width)
    sums, _ = dot(rows, layer.input.integers.T, x.most, layer.input.most)
    if isinstance(sums, Limbs) or sums.dtype == np.object_:
        return None
    products = Array(sums.reshape(batch, time, -1), x.unit * layer.input.unit)
    added = products if isinstance(layer, LinearLayer) else products.plus(layer.bias)
    return None if added.integers.dtype == np.object_ else added.lifted()


def _states_of_one_unit(grid: Grid, scaled: _Scaled, *, tally: Tally, where: str) -> Array:
    """h_0 .. h_T, one after the other; what R moved and cut off is counted at the end, from the sums inside it."""
    sums = scaled.given
    met = np.empty((len(sums) + 1, *scaled.start.shape), dtype=sums.dtype)
    met[0] = scaled.start
    for now, before, behind in zip(sums, met[:-1], met[1:], strict=True):
        now += before @ scaled.weights
        np.minimum(now if scaled.parts == 1 else _in_units(grid, now, scaled.parts), scaled.end, out=behind)
        np.maximum(behind, scaled.least, out=behind)
    quotient = _in_units(grid, sums, scaled.parts)
    tally.rounded[where] += int(np.count_nonzero(quotient * scaled.parts != sums))
    tally.saturated[where] += int(np.count_nonzero(np.abs(quotient) > scaled.end))
    return Array(met.swapaxes(0, 1).astype(np.int64), scaled.unit)


def _in_units(grid: Grid, sums: Numbers, parts: int) -> Numbers:
    """round(sums / parts)."""
    if parts == 1:
        return sums
    return (2 * sums + parts) // (2 * parts) if grid.rounding == "nearest" else sums // parts


def ranges(met: Array) -> tuple[StateRange, ...]:
    """The range of each remembered number, the last axis of `met`.

    >>> [one.bits for one in ranges(Array(np.array([[[0, 0], [1, 7], [0, 3]]]), Fraction(1, 2)))]
    [1, 3]
    """
    values = met.integers.reshape(-1, met.integers.shape[-1])
    if not len(values):
        values = np.zeros((1, values.shape[1]), dtype=np.int64)
    divisors = np.ones(values.shape[1], dtype=np.int64) if values.dtype == np.object_ else np.gcd.reduce(values, axis=0)
    least = values.min(axis=0).tolist()
    greatest = values.max(axis=0).tolist()
    return tuple(
        StateRange(low * met.unit, high * met.unit, _whole_part(met.unit, divisor))
        for low, high, divisor in zip(least, greatest, divisors.tolist(), strict=True)
    )


def _whole_part(unit: Fraction, divisor: int) -> Fraction:
    """The largest unit, at most 1, that divides all multiples of `divisor` units; 0 units are divided by 1."""
    return min(unit * math.gcd(divisor, unit.denominator), Fraction(1))
