"""Finds the witnesses of `communication`: rows that differ, minors, fooling sets, rectangles."""

import math

import numpy as np
from jaxtyping import Bool

from seqsep.exact._elimination import greatest_prime_below, independent_gf2, independent_in_floats, most_modulus
from seqsep.exact.witnesses import (
    OUTSIDE,
    Discrepancy,
    DistinctRows,
    FoolingSet,
    IncompatibleRows,
    Matrix,
    Merged,
    Rank,
)

MOST_CELLS = 400
EXACT_SIDE = 16


def distinguished(matrix: Matrix) -> DistinctRows:
    """All different rows; and the first columns in which rows that are neighbours in lexicographic order differ.

    These tell every two rows apart: at the first column where two rows differ, some neighbours between them differ first, too.
    """
    ordered, rows = np.unique(matrix, axis=0, return_index=True)
    columns = np.unique((ordered[1:] != ordered[:-1]).argmax(axis=1))
    return DistinctRows(matrix, np.sort(rows), columns)


def contradictions(matrix: Matrix) -> Bool[np.ndarray, "rows rows"]:
    """Which rows differ in a column where both are defined: columns where both are, minus those where they agree."""
    both = (matrix != OUTSIDE).astype(np.float32)
    common = both @ both.T
    for value in np.unique(matrix):
        if value != OUTSIDE:
            here = (matrix == value).astype(np.float32)
            common -= here @ here.T
    return np.asarray(common > 0)


def incompatible(matrix: Matrix) -> IncompatibleRows:
    """A clique of rows that contradict each other, greedily: next the one that contradicts most of those left."""
    against = contradictions(matrix)
    left, chosen = np.ones(len(matrix), dtype=bool), []
    while left.any():
        chosen.append(int(np.where(left, (against & left).sum(axis=1), -1).argmax()))
        left &= against[chosen[-1]]
    return IncompatibleRows(matrix, np.sort(np.array(chosen, dtype=np.int64)))


def merged(matrix: Matrix) -> Merged:
    """Rows join the first class that contradicts none of their answers; those that contradict most go first."""
    class_of, tables = np.zeros(len(matrix), dtype=np.int64), np.zeros((0, matrix.shape[1]), dtype=np.int64)
    for row in np.argsort(-contradictions(matrix).sum(axis=1), kind="stable"):
        own = matrix[row]
        fits = ((tables == own) | (tables == OUTSIDE) | (own == OUTSIDE)).all(axis=1)
        number = int(fits.argmax()) if fits.any() else len(tables)
        if number == len(tables):
            tables = np.concatenate([tables, own[None]])
        tables[number] = np.maximum(tables[number], own)
        class_of[row] = number
    return Merged(matrix, class_of)


def rank(matrix: Matrix, field: str) -> Rank:
    """The rank, exactly, and a minor of its size. Raises ValueError for another field.

    Over the rationals: elimination modulo a prime gives a nonsingular minor of r rows. If r is not the number of different
    rows or columns other than 0, further primes are tried: where all of them give at most r, and their product exceeds the
    greatest value a minor of r + 1 rows can have (Hadamard), every such minor is divisible by all of them, hence 0.
    """
    if field not in ("rationals", "gf2"):
        raise ValueError(f"rank_bound(field={field!r}): field is rationals or gf2")
    if field == "gf2":
        return Rank(matrix, *independent_gf2(matrix), prime=2)
    prime = greatest_prime_below(most_modulus(min(matrix.shape)) + 1)
    best, product = Rank(matrix, *independent_in_floats(matrix, prime), prime=prime), prime
    if len(best.rows) == min(matrix.shape):
        return best
    norms = np.sort((matrix.astype(object) ** 2).sum(axis=1))[::-1]
    enough = min(len(np.unique(matrix[(matrix != 0).any(axis=1)], axis=0)), _kinds_of_columns(matrix))
    while len(best.rows) < enough and product**2 <= math.prod(norms[: len(best.rows) + 1].tolist()):
        prime = greatest_prime_below(prime)
        found = Rank(matrix, *independent_in_floats(matrix, prime), prime=prime)
        product *= prime
        best = max(best, found, key=lambda one: len(one.rows))
    return best


def _kinds_of_columns(matrix: Matrix) -> int:
    return int(np.unique(matrix[:, (matrix != 0).any(axis=0)], axis=1).shape[1])


def greedy_fooling(matrix: Matrix, value: int) -> FoolingSet:
    """Next the input left whose row and column agree with the value at the fewest places; what it excludes goes."""
    agrees = (matrix == value) | (matrix == OUTSIDE)
    left, inputs = matrix == value, []
    cost = agrees.sum(axis=1)[:, None] * agrees.sum(axis=0)[None].astype(np.float64)
    while left.any():
        row, column = divmod(int(np.where(left, cost, np.inf).argmin()), matrix.shape[1])
        inputs.append((row, column))
        left &= ~(agrees[:, column, None] & agrees[row])
    rows, columns = np.array(inputs, dtype=np.int64).T
    return FoolingSet(matrix, value, rows.copy(), columns.copy())


def largest_fooling(matrix: Matrix, value: int) -> FoolingSet:
    """A largest set, by a MaxSAT solver (python-sat's RC2): one variable an input, no two that fool nobody.

    Raises ValueError without python-sat, or for more than 400 inputs with the value.
    """
    try:
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF
    except ImportError:
        raise ValueError("fooling_set(maximum=True): python-sat is missing: pip install seqsep[exact]") from None
    inputs = np.argwhere(matrix == value)
    if len(inputs) > MOST_CELLS:
        raise ValueError(f"fooling_set(maximum=True): {len(inputs)} inputs with the value, at most {MOST_CELLS}")
    mixed = matrix[inputs[:, 0, None], inputs[:, 1]]
    agrees = (mixed == value) | (mixed == OUTSIDE)
    formula = WCNF()
    for first, second in np.argwhere(np.triu(agrees & agrees.T, k=1)).tolist():
        formula.append([-first - 1, -second - 1])
    for number in range(len(inputs)):
        formula.append([number + 1], weight=1)
    with RC2(formula) as solver:
        model = set(solver.compute())
    rows, columns = inputs[[number for number in range(len(inputs)) if number + 1 in model]].T
    return FoolingSet(matrix, value, rows.copy(), columns.copy())


def discrepancy(matrix: Matrix) -> Discrepancy:
    """The greatest difference of ones and zeros of a rectangle: of all subsets of a side of at most 16 inputs.

    For a set of rows the best columns are those whose sum of signs is positive, or those where it is negative. Beyond: for
    indicator vectors u of the rows and v of the columns, |u^T S v| <= |S| sqrt(n m), and |S|^2, the greatest eigenvalue of
    S S^T, is at most the greatest row sum of its absolute values; the square root is rounded down, as the difference is whole.
    """
    signs = 2 * matrix - 1
    turned = len(signs) > signs.shape[1]
    short = signs.T if turned else signs
    if len(short) > EXACT_SIDE:
        norm = int(np.abs(signs @ signs.T).sum(axis=1).max())
        return Discrepancy(matrix, math.isqrt(norm * signs.size))
    masks = (np.arange(1 << len(short))[:, None] >> np.arange(len(short)) & 1).astype(np.float32)
    at_once = max(1, (1 << 20) // short.shape[1])
    best, chosen = -1, (0, 1)
    for first in range(0, len(masks), at_once):
        # Whole numbers up to 16 in float32; their sums in float64. Positive parts are (sum of |s| + sum of s) / 2.
        sums = masks[first : first + at_once] @ short.astype(np.float32)
        net, absolute = sums.sum(axis=1, dtype=np.float64), np.abs(sums).sum(axis=1, dtype=np.float64)
        for sign in (1, -1):
            totals = (absolute + sign * net) / 2
            if totals.max() > best:
                best, chosen = int(totals.max()), (first + int(totals.argmax()), sign)
    rows = np.flatnonzero(masks[chosen[0]])
    columns = np.flatnonzero(chosen[1] * short[rows].sum(axis=0) > 0)
    return Discrepancy(matrix, best, columns, rows) if turned else Discrepancy(matrix, best, rows, columns)
