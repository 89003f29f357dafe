"""Scales and slots of `sparse_threshold_two_layers`: the rows that a formula puts into the network."""

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

import numpy as np
from jaxtyping import Int64

from seqsep.exact.codes import PositionCode
from seqsep.exact.formulas import AtLeast, Thresholds
from seqsep.exact.grid import Array, Grid

MOST_TOKENS = 1 << 16


@dataclass(frozen=True)
class Scales:
    """eta; c = ceil(ln 12k), by which a bit moves a score; Z = ceil(ln 12kn) for a head without a literal; and Kc."""

    eta: int
    literal: int
    nothing: int
    exponent: int

    @classmethod
    def of(cls, code: PositionCode, k: int, eta: int | None = None) -> "Scales":
        literal, nothing = math.ceil(math.log(12 * k)), math.ceil(math.log(12 * k * code.count))
        if eta is None:
            least = math.exp(-literal) / (14 * k)
            doubled = next(power for power in count() if code.leakage(1 << power) <= least)
            eta = bisect_left(range(1 << doubled), True, lo=1, key=lambda scale: code.leakage(scale) <= least)
        ends = np.array([0, code.count - 1])
        keys, queries = code.keys(ends).astype(object), code.queries(ends).astype(object)  # products may pass 64 bits
        entry = max(int(np.abs(keys).max()), eta * int(np.abs(queries).max())) * code.unit
        top = eta * int((keys * queries).sum(1).max()) * code.unit**2 + literal
        needed, base, exponent = max(entry, top, Fraction(nothing), Fraction(12 * k)), max(4, code.count), 1
        while base**exponent < needed or (code.unit * base**exponent).denominator != 1:
            exponent += 1
        return cls(eta, literal, nothing, exponent)


def slot_rows(
    formula: Thresholds, k: int, code: PositionCode, scales: Scales, grid: Grid, place: Int64[np.ndarray, "1 width"]
) -> Array:
    """The slots' rows without their keys."""
    r, gates = code.dimension, [gate for gate in formula.features if isinstance(gate, AtLeast)]
    literals = np.array([gate.literals + (0,) * (k - len(gate.literals)) for gate in gates], dtype=np.int64).reshape(-1)
    unused, variables = literals[:, None] == 0, np.abs(literals)
    queries = np.where(unused, 0, code.queries(variables)).astype(object)  # products may pass 64 bits
    scores = scales.eta * (queries * code.keys(variables)).sum(1) * code.unit**2
    unit = Fraction(1) if code.unit == 1 else grid.step
    tops = np.array([math.floor(score / unit) for score in scores], dtype=object).reshape(-1, 1)
    per_unit = int(1 / unit)
    tops = np.where(unused, scales.nothing * per_unit, tops)
    parts = [queries * int(code.unit / unit), np.sign(literals)[:, None] * per_unit, tops]
    rows = np.zeros((len(gates), place.shape[1]), dtype=object)
    rows[:, : k * (r + 2)] = np.concatenate(parts, axis=1).reshape(len(gates), k * (r + 2))
    rows += np.array([[k + 1 - clipped(gate.least, 0, k + 1)] for gate in gates]).reshape(-1, 1) * place * per_unit
    return Array(rows if any(abs(entry) >> 62 for entry in rows.ravel()) else rows.astype(np.int64), unit, formula.by_index)


def clipped(value: int, least: int, most: int) -> int:
    """The value, moved into a range."""
    return min(max(value, least), most)


def sizes_of(formula: Thresholds, heads: int | None, variant: str) -> tuple[int, int]:
    """k and n for a formula of slots. Raises ValueError where the formula does not fit."""
    k = max(1, formula.sparsity) if heads is None else heads
    slots = len(formula.features)
    n = 1 + formula.variables + (0 if variant == "printed" else slots)
    call = f"build({formula.variables} variables, {slots} slots, heads={heads}, variant={variant!r})"
    if k < max(1, formula.sparsity):
        raise ValueError(f"{call}: heads is at least {max(1, formula.sparsity)}, the most literals of a slot")
    if variant == "printed" and slots > formula.variables:
        raise ValueError(f"{call}: the printed layout has one slot for each variable")
    if n > MOST_TOKENS:
        raise ValueError(f"{call}: at most {MOST_TOKENS:,} tokens")
    return k, n
