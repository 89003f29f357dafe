"""Exponentials and softmax on the grid Q_p, correctly rounded at the places that `Grid.softmax` names.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendices B.2 (the grid) and D (the order of the steps). For the scores
s_1 .. s_n of a row over its allowed keys, with R rounding to the grid (`maths.arithmetic.grid`), the weights a_j are

    stepwise   d_j = max(s_j - max_i s_i, -L),   e_j = R(exp(d_j)),   a_j = R(e_j / sum over i of e_i)
    once       a_j = R(exp(s_j) / sum over i of exp(s_i))

The sum of the e_i is exact. A float64 value decides if all numbers within its error bound round alike; if not, `decimal`
decides, at a precision that is doubled until both ends of an interval around the exact value round alike. Integers that may
pass 64 bits, by a bound computed beforehand, are Python's.
"""

import decimal
import math
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64, Shaped

from seqsep.core.names import InternalError
from seqsep.maths.arithmetic.grid import Array, Grid, Tally
from seqsep.maths.arithmetic.integers import fits, total_by_row, widened

FLOAT_SLACK = 2.0**-40  # relative; numpy's exp is within 4 units of the last place, and rounding its argument adds 2^-46
LN_2_ABOVE = 0.6931472
FLOAT_INTEGERS = 2.0**52  # from here on float64 has no fractions
LEAST_EXPONENT = -700.0  # lower exponents are raised to it, so that e^x is a normal number; the weight is 0 either way
MIXED_AT_ONCE = 1 << 21


class Weights(NamedTuple):
    """Attention weights in steps of the grid: entry i is weight steps[i] of key key[i] in row row[i].

    Entries are sorted by row; row r begins at entry first[r]. Keys without an entry have weight 0.

    >>> from seqsep.maths.arithmetic.grid import Grid
    >>> weights = attend(Grid(100), Array(np.array([[0, 20, 20], [20, 0, 0]])), None, Tally(), "layer 0")
    >>> weights.row.tolist(), weights.key.tolist(), weights.steps.tolist()
    ([0, 0, 1], [1, 2, 0], [50, 50, 100])
    """

    row: Int64[np.ndarray, "entries"]
    key: Int64[np.ndarray, "entries"]
    steps: Shaped[np.ndarray, "entries"]
    first: Int64[np.ndarray, "rows"]


def underflow(grid: Grid) -> float:
    """A bound u such that e^x rounds to 0 steps for all x < -u.

    Let L < 2^b. If x < -b ln 2, then e^x L < 1, which is rounded down to 0; if x < -(b + 1) ln 2, then e^x L < 1/2, which is
    rounded to the nearest to 0.

    >>> round(underflow(Grid(1000)), 2)
    6.93
    """
    return (grid.steps.bit_length() + (grid.rounding == "nearest")) * LN_2_ABOVE


def exponentials(grid: Grid, exponents: Array) -> Shaped[np.ndarray, "..."]:
    """Return R(e^x) in steps for each x <= 0.

    It comes from float64, or from `decimal` if e^x is near a boundary of rounding.

    >>> exponentials(Grid(1000), Array(np.array([0, -1, -7]))).tolist()
    [1000, 367, 0]
    """
    flat = exponents.integers.ravel()
    steps = np.zeros(flat.shape, dtype=np.int64 if fits(grid.steps) else np.object_)
    steps[flat == 0] = grid.steps
    alive = np.flatnonzero((flat != 0) & (flat >= -math.ceil(underflow(grid) / exponents.unit)))
    if len(alive) == 0:
        return steps.reshape(exponents.integers.shape)
    distinct, where = np.unique(flat[alive], return_inverse=True)
    value = np.exp(distinct.astype(np.float64) * float(exponents.unit)) * float(grid.steps)
    half = 0.5 if grid.rounding == "nearest" else 0.0
    low = np.floor(value * (1 - FLOAT_SLACK) + half)
    high = np.floor(value * (1 + FLOAT_SLACK) + half)
    unclear = (low != high) | (high >= FLOAT_INTEGERS)
    rounded = np.where(unclear, 0, low).astype(np.int64).astype(steps.dtype)
    for index in np.flatnonzero(unclear):
        rounded[index] = _exponential(grid, int(distinct[index]) * exponents.unit)
    steps[alive] = rounded[where.reshape(-1)]
    return steps.reshape(exponents.integers.shape)


def _exponential(grid: Grid, exponent: Fraction) -> int:
    """R(e^x) in steps for a rational x < 0. As e^x is irrational, some precision tells it from a boundary of rounding."""
    for digits in _precisions(grid.steps):
        low, high = _exp_between(exponent, digits)
        first, last = (grid.nearest_step(bound * grid.steps) for bound in (low, high))
        if first == last:
            return first
    raise InternalError("unreachable")


def attend(grid: Grid, scores: Array, allowed: Bool[np.ndarray, "rows keys"] | None, tally: Tally, where: str) -> Weights:
    """Return the softmax of every row over its allowed keys, rounded at the places that `Grid.softmax` specifies.

    If differences of scores may exceed 64 bits, they are computed in Python integers. A difference below -L is counted in
    `tally` as saturated, at the place "`where` minus maximum". Saturation does not change its exponential, which is 0.

    Arguments:
        grid: the grid, with its rules of rounding.
        scores: scores on the grid, of the shape (rows, keys).
        allowed: the keys to which each row may attend, at least one per row; None means all keys.
        tally: counts of rounded and saturated numbers, which the call increases.
        where: name of the place in the counts.

    >>> weights = attend(Grid(100), Array(np.array([[3, 3, 3]])), np.array([[True, True, False]]), Tally(), "layer 0")
    >>> weights.steps.tolist()
    [50, 50]
    """
    integers = scores.integers
    lowest = int(integers.min()) - 1
    if not fits(max(int(integers.max()) - lowest, -lowest)):
        integers = widened(integers)
    if allowed is not None:
        integers = np.where(allowed, integers, lowest)
    top = integers.max(axis=1, keepdims=True)
    below = integers - top
    span = int(top.max()) - int(integers.min())
    if grid.softmax == "once":
        return _attend_once(grid, Array(below, scores.unit), allowed)
    if span * scores.unit > grid.steps:
        beyond = below < -math.floor(grid.steps / scores.unit)
        if allowed is not None:
            beyond &= allowed
        tally.saturated[f"{where} minus maximum"] += int(beyond.sum())
    alive = below >= -math.ceil(underflow(grid) / scores.unit)
    if allowed is not None:
        alive &= allowed
    row, key = np.nonzero(alive)
    steps = exponentials(grid, Array(below[row, key], scores.unit))
    first = np.searchsorted(row, np.arange(len(integers)))
    total = total_by_row(steps, first, grid.steps)
    entries_by_row = np.diff(np.append(first, len(row)))
    weights = _quotient(grid, steps, np.repeat(total, entries_by_row))
    return Weights(row, key, weights, first)


def _quotient(grid: Grid, steps: np.ndarray, total: np.ndarray) -> np.ndarray:
    """R(steps / total), in steps.

    While L < 2^50 the float64 quotient is off by less than 1, and steps * L - quotient * total tells by how much. This
    difference is below 2 total < 2^61 in magnitude, so int64 holds it although both products may wrap.
    """
    if steps.dtype == np.object_ or grid.steps >= 1 << 50 or int(total.max()) >= 1 << 60:
        steps, total = widened(steps), widened(total)
        quotient = grid.steps * steps // total
    else:
        quotient = (steps / total * grid.steps).astype(np.int64)
        quotient += (steps * grid.steps - quotient * total) // total
    if grid.rounding == "nearest":
        quotient = quotient + (2 * (steps * grid.steps - quotient * total) >= total)
    return quotient


def _attend_once(grid: Grid, below: Array, allowed: Bool[np.ndarray, "rows keys"] | None) -> Weights:
    """R(e^(x_i) / sum over j of e^(x_j)) for the exponents x = `below` of each row.

    A row of m equal scores has the rational weights 1/m. In any other row every weight is irrational, since distinct rational
    exponents have exponentials that are linearly independent over the rationals (Lindemann-Weierstrass). So some precision
    tells a weight from a boundary of rounding.
    """
    rows, keys = below.integers.shape
    mask = np.ones((rows, keys), dtype=bool) if allowed is None else allowed
    steps: Shaped[np.ndarray, "rows keys"] = np.zeros((rows, keys), dtype=np.int64 if fits(grid.steps) else np.object_)
    exponent = np.maximum(below.integers.astype(np.float64) * float(below.unit), LEAST_EXPONENT)
    value = np.where(mask, np.exp(exponent), 0.0)
    value = value / value.sum(axis=1, keepdims=True) * float(grid.steps)
    half = 0.5 if grid.rounding == "nearest" else 0.0
    slack = FLOAT_SLACK * (1 + keys * 2.0**-10)
    low = np.floor(value * (1 - slack) + half)
    high = np.floor(value * (1 + slack) + half)
    unclear = ((low != high) | (high >= FLOAT_INTEGERS)) & mask
    steps[...] = np.where(unclear, 0, low).astype(np.int64).astype(steps.dtype)
    for some_row in np.flatnonzero(unclear.any(axis=1)):
        exponents = Counter(below.integers[some_row, mask[some_row]].tolist())
        weights = _weights_exactly(grid, {int(x) * below.unit: count for x, count in exponents.items()})
        for some_key in np.flatnonzero(unclear[some_row]):
            steps[some_row, some_key] = weights[int(below.integers[some_row, some_key]) * below.unit]
    row, key = np.nonzero(mask & np.greater(steps, 0).astype(bool))
    return Weights(row, key, steps[row, key], np.searchsorted(row, np.arange(rows)))


def _weights_exactly(grid: Grid, exponents: dict[Fraction, int]) -> dict[Fraction, int]:
    """Return the weight in steps of each exponent x <= 0, from how often each occurs.

    Intervals are narrowed until both ends round alike. At d digits, exponentials of x < -3 d are only known to be in
    (0, 10^-d). If all other exponents are 0, m of them, no interval is narrow enough if 1/m is a boundary of rounding. Then
    the weight is just below 1/m, and those of the far exponents round to 0.
    """
    if len(exponents) == 1:
        [(exponent, count)] = exponents.items()
        return {exponent: grid.nearest_step(Fraction(grid.steps, count))}
    weights: dict[Fraction, int] = {}
    for digits in _precisions(grid.steps * sum(exponents.values())):
        far = {x for x in exponents if x < -3 * digits}
        if len(far) == len(exponents) - 1:
            share = Fraction(grid.steps, exponents[Fraction(0)])
            if grid.rounding == "nearest":
                share += Fraction(1, 2)
            return dict.fromkeys(far, 0) | {Fraction(0): math.ceil(share) - 1}
        bounds = {x: _exp_between(x, digits) for x in exponents if x not in far}
        bounds |= dict.fromkeys(far, (Fraction(0), Fraction(1, 10**digits)))
        least = sum(bounds[x][0] * count for x, count in exponents.items())
        most = sum(bounds[x][1] * count for x, count in exponents.items())
        for x, (low, high) in bounds.items():
            first = grid.nearest_step(low * grid.steps / most)
            last = grid.nearest_step(high * grid.steps / least)
            if first == last:
                weights[x] = first
        if len(weights) == len(exponents):
            return weights
    raise InternalError("unreachable")


def mix(grid: Grid, weights: Weights, values: Array, batch: Int64[np.ndarray, "rows"], tally: Tally, where: str) -> Array:
    """R(sum over keys j of a_rj values[batch[r], j]) for each row r of weights; values are (batch, keys, coordinates).

    A row's weights add up to at most L steps rounded down, or L plus one step a key rounded to the nearest. Times the
    greatest value that bounds every sum: beyond 64 bits sums are formed in Python integers.

    >>> weights = attend(Grid(100), Array(np.array([[3, 3]])), None, Tally(), "layer 0")
    >>> mix(Grid(100), weights, Array(np.array([[[1], [4]]])), np.array([0]), Tally(), "mixed").floats().tolist()
    [[2.5]]
    """
    width = values.integers.shape[-1]
    rows = len(weights.first)
    most_weight = grid.steps + (len(weights.key) if grid.rounding == "nearest" else 0)
    wide = (
        not fits(most_weight * max(1, values.most)) or weights.steps.dtype == np.object_ or values.integers.dtype == np.object_
    )
    sums = np.zeros((rows, width), dtype=np.object_ if wide else np.int64)
    last = np.append(weights.first, len(weights.row))
    begin = 0
    while begin < rows:
        end = max(begin + 1, int(np.searchsorted(last, last[begin] + MIXED_AT_ONCE, side="right")) - 1)
        part = slice(int(last[begin]), int(last[end]))
        some = values.integers[batch[weights.row[part]], weights.key[part]]
        steps = weights.steps[part, None]
        terms = widened(steps) * widened(some) if wide else steps * some
        sums[begin:end] = _by_row(terms, last[begin : end + 1] - last[begin])
        begin = end
    return grid.place(Array(sums, values.unit * grid.step), tally, where)


def _by_row(terms: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """The sum of the terms from each bound to the next; 0 if there are none."""
    filled = np.flatnonzero(np.diff(bounds))
    sums = np.zeros((len(bounds) - 1, terms.shape[1]), dtype=terms.dtype)
    if len(filled):
        sums[filled] = np.add.reduceat(terms, bounds[filled], axis=0)
    return sums


def _precisions(steps: int) -> list[int]:
    first = len(str(steps)) + 12
    return [first << doubling for doubling in range(12)]


def _exp_between(exponent: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return bounds of e^x to `digits` digits. `decimal` rounds exp correctly, so the next number either way is a bound."""
    with decimal.localcontext(prec=digits, Emin=-999_999, Emax=999_999) as context:
        context.rounding = decimal.ROUND_FLOOR
        low = (decimal.Decimal(exponent.numerator) / exponent.denominator).exp().next_minus()
        context.rounding = decimal.ROUND_CEILING
        high = (decimal.Decimal(exponent.numerator) / exponent.denominator).exp().next_plus()
    return Fraction(low), Fraction(high)
