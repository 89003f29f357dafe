"""Exponentials and softmax on the grid Q_p, correctly rounded at the places that `Grid.softmax` names.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendices B.2 and D.
"""

import decimal
import math
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64, Shaped

from seqsep.exact.grid import Array, Grid, Tally
from seqsep.exact.integers import fits, total_by_row, widened

FLOAT_SLACK = 2.0**-40  # numpy's exp is within 4 units of the last place; the argument adds 2^-46
LN_2_ABOVE = 0.6931472


class Weights(NamedTuple):
    """Attention weights above 0, in steps, row by row: entry i is weight `steps[i]` of key `key[i]` in row `row[i]`."""

    row: Int64[np.ndarray, "entries"]
    key: Int64[np.ndarray, "entries"]
    steps: Shaped[np.ndarray, "entries"]
    first: Int64[np.ndarray, "rows"]


def cut(grid: Grid) -> float:
    """Exponents below -cut round to 0 steps: L < 2^b, so e^x L < 1 (nearest: < 1/2) once x < -b ln 2 (-(b + 1) ln 2)."""
    return (grid.steps.bit_length() + (grid.rounding == "nearest")) * LN_2_ABOVE


def exponentials(grid: Grid, exponents: Array) -> Shaped[np.ndarray, "..."]:
    """e^x for x <= 0 in steps, correctly rounded: in float64, and in higher precision near a grid line."""
    flat = exponents.integers.ravel()
    steps = np.zeros(flat.shape, dtype=np.int64 if fits(grid.steps) else np.object_)
    steps[flat == 0] = grid.steps
    alive = np.flatnonzero((flat != 0) & (flat >= -math.ceil(cut(grid) / exponents.unit)))
    if len(alive) == 0:
        return steps.reshape(exponents.integers.shape)
    distinct, where = np.unique(flat[alive], return_inverse=True)
    value = np.exp(distinct.astype(np.float64) * float(exponents.unit)) * float(grid.steps)
    half = 0.5 if grid.rounding == "nearest" else 0.0
    below, above = np.floor(value * (1 - FLOAT_SLACK) + half), np.floor(value * (1 + FLOAT_SLACK) + half)
    unclear = (below != above) | (above >= 2.0**52)
    found = np.where(unclear, 0, below).astype(np.int64).astype(steps.dtype)
    for index in np.flatnonzero(unclear):
        found[index] = _exponential(grid, int(distinct[index]) * exponents.unit)
    steps[alive] = found[where.reshape(-1)]
    return steps.reshape(exponents.integers.shape)


def _exponential(grid: Grid, exponent: Fraction) -> int:
    """e^x for a rational x < 0 in steps, rounded: e^x is irrational there, so some precision tells it from a grid line."""
    for digits in _precisions(grid.steps):
        low, high = _exp_between(exponent, digits)
        first, last = (grid.nearest_step(bound * grid.steps) for bound in (low, high))
        if first == last:
            return first
    raise AssertionError("unreachable")


def attend(grid: Grid, scores: Array, allowed: Bool[np.ndarray, "rows keys"] | None, tally: Tally, where: str) -> Weights:
    """The softmax of every row over its allowed keys (at least one), rounded at the places that `softmax` names."""
    integers = scores.integers
    lowest = int(integers.min()) - 1
    if not fits(max(int(integers.max()) - lowest, -lowest)):
        integers = widened(integers)  # a difference of two scores passes 64 bits
    if allowed is not None:
        integers = np.where(allowed, integers, lowest)
    top = integers.max(axis=1, keepdims=True)
    below = integers - top
    span = int(top.max()) - int(integers.min())
    if grid.softmax == "once":
        return _attend_once(grid, Array(below, scores.unit), allowed)
    if span * scores.unit > grid.steps:
        lost = below < -math.floor(grid.steps / scores.unit)
        tally.saturated[f"{where} minus maximum"] += int((lost if allowed is None else lost & allowed).sum())
    alive = below >= -math.ceil(cut(grid) / scores.unit)
    if allowed is not None:
        alive &= allowed
    row, key = np.nonzero(alive)
    steps = exponentials(grid, Array(below[row, key], scores.unit))
    first = np.searchsorted(row, np.arange(len(integers)))
    total = total_by_row(steps, first, grid.steps)
    weights = _quotient(grid, steps, np.repeat(total, np.diff(np.append(first, len(row)))))
    return Weights(row, key, weights, first)


def _quotient(grid: Grid, steps: np.ndarray, total: np.ndarray) -> np.ndarray:
    """steps / total in steps, rounded.

    In float64 the quotient is right to less than 1 while L < 2^50, and steps * L - quotient * total tells by how much: it is
    less than 2 total in magnitude, so int64 holds it though the two products may wrap.
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
    """Exact weights e^(x_i) / sum over j of e^(x_j), then rounded.

    A row of equal scores has the rational weights 1/m. In any other row every weight is irrational: distinct exponents have
    linearly independent exponentials over the rationals (Lindemann-Weierstrass), so some precision tells it from a line.
    """
    rows, keys = below.integers.shape
    mask = np.ones((rows, keys), dtype=bool) if allowed is None else allowed
    steps: Shaped[np.ndarray, "rows keys"] = np.zeros((rows, keys), dtype=np.int64 if fits(grid.steps) else np.object_)
    value = np.where(mask, np.exp(np.maximum(below.integers.astype(np.float64) * float(below.unit), -700.0)), 0.0)
    value = value / value.sum(axis=1, keepdims=True) * float(grid.steps)
    half = 0.5 if grid.rounding == "nearest" else 0.0
    slack = FLOAT_SLACK * (1 + keys * 2.0**-10)
    low, high = np.floor(value * (1 - slack) + half), np.floor(value * (1 + slack) + half)
    unclear = ((low != high) | (high >= 2.0**52)) & mask
    steps[...] = np.where(unclear, 0, low).astype(np.int64).astype(steps.dtype)
    for place in np.flatnonzero(unclear.any(axis=1)):
        exponents = Counter(below.integers[place, mask[place]].tolist())
        found = _weights_exactly(grid, {int(x) * below.unit: count for x, count in exponents.items()})
        for other in np.flatnonzero(unclear[place]):
            steps[place, other] = found[int(below.integers[place, other]) * below.unit]
    row, key = np.nonzero(mask & np.greater(steps, 0).astype(bool))
    return Weights(row, key, steps[row, key], np.searchsorted(row, np.arange(rows)))


def _weights_exactly(grid: Grid, exponents: dict[Fraction, int]) -> dict[Fraction, int]:
    """The weight of each exponent (at most 0, with its count), by intervals narrowed until both ends round alike.

    At d digits, exponentials of x < -3 d are only known to lie in (0, 10^-d). Where all others are 1, no interval is narrow
    enough if their weight 1/m is on a line: the weight is then just below it, and those far below round to 0.
    """
    if len(exponents) == 1:
        [(exponent, count)] = exponents.items()
        return {exponent: grid.nearest_step(Fraction(grid.steps, count))}
    found: dict[Fraction, int] = {}
    for digits in _precisions(grid.steps * sum(exponents.values())):
        far = {x for x in exponents if x < -3 * digits}
        if len(far) == len(exponents) - 1:
            share = Fraction(grid.steps, exponents[Fraction(0)]) + (Fraction(1, 2) if grid.rounding == "nearest" else 0)
            return dict.fromkeys(far, 0) | {Fraction(0): math.ceil(share) - 1}
        bounds = {x: (Fraction(0), Fraction(1, 10**digits)) if x in far else _exp_between(x, digits) for x in exponents}
        least, most = (sum(bounds[x][end] * count for x, count in exponents.items()) for end in (0, 1))
        for x, (low, high) in bounds.items():
            first, last = grid.nearest_step(low * grid.steps / most), grid.nearest_step(high * grid.steps / least)
            if first == last:
                found[x] = first
        if len(found) == len(exponents):
            return found
    raise AssertionError("unreachable")


def mix(grid: Grid, weights: Weights, values: Array, batch: Int64[np.ndarray, "rows"], tally: Tally, where: str) -> Array:
    """Sums of weights times values (batch, keys, coordinates): exact, rounded once; row r reads values[batch[r]]."""
    width = values.integers.shape[-1]
    rows = len(weights.first)
    most = (grid.steps + (len(weights.key) if grid.rounding == "nearest" else 0)) * max(1, values.most)
    wide = not fits(most) or weights.steps.dtype == np.object_ or values.integers.dtype == np.object_
    sums = np.zeros((rows, width), dtype=np.object_ if wide else np.int64)
    last = np.append(weights.first, len(weights.row))
    begin = 0
    while begin < rows:
        end = max(begin + 1, int(np.searchsorted(last, last[begin] + (1 << 21), side="right")) - 1)
        part = slice(int(last[begin]), int(last[end]))
        some = values.integers[batch[weights.row[part]], weights.key[part]]
        steps = weights.steps[part, None]
        terms = widened(steps) * widened(some) if wide else steps * some
        sums[begin:end] = _by_row(terms, last[begin : end + 1] - last[begin])
        begin = end
    return grid.place(Array(sums, values.unit * grid.step), tally, where)


def _by_row(terms: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Sums of consecutive terms between bounds; an empty stretch sums to 0."""
    filled = np.flatnonzero(np.diff(bounds))
    sums = np.zeros((len(bounds) - 1, terms.shape[1]), dtype=terms.dtype)
    if len(filled):
        sums[filled] = np.add.reduceat(terms, bounds[filled], axis=0)
    return sums


def _precisions(steps: int) -> list[int]:
    first = len(str(steps)) + 12
    return [first << doubling for doubling in range(12)]


def _exp_between(exponent: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds of e^x, from `decimal`, whose exp is correctly rounded: half a unit in the last digit either way."""
    with decimal.localcontext(prec=digits, Emin=-999_999, Emax=999_999) as context:
        context.rounding = decimal.ROUND_FLOOR
        low = (decimal.Decimal(exponent.numerator) / exponent.denominator).exp().next_minus()
        context.rounding = decimal.ROUND_CEILING
        high = (decimal.Decimal(exponent.numerator) / exponent.denominator).exp().next_plus()
    return Fraction(low), Fraction(high)
