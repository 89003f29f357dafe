"""The algorithms that find the witnesses of `communication`: rows that differ, minors, fooling sets, rectangles."""

import math

import numpy as np
from jaxtyping import Bool

from seqsep.core.names import install
from seqsep.maths.communication._elimination import greatest_prime_below, independent_gf2, independent_in_floats, most_modulus
from seqsep.maths.communication.witnesses import (
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
    """All different rows, and columns that tell them apart.

    The columns are those in which rows that are neighbours in lexicographic order first differ. They tell any two rows apart:
    at the first column where these differ, some neighbours between them first differ, too.

    >>> distinguished(np.array([[0, 1], [0, 1], [1, 1]])).columns.tolist()
    [0]
    """
    ordered, rows = np.unique(matrix, axis=0, return_index=True)
    columns = np.unique((ordered[1:] != ordered[:-1]).argmax(axis=1))
    return DistinctRows(matrix, np.sort(rows), columns)


def contradictions(matrix: Matrix) -> Bool[np.ndarray, "rows rows"]:
    """Return the pairs of rows that differ in a column in which both are defined.

    These columns are counted as those where both are defined, less those where they agree.

    >>> contradictions(np.array([[0, OUTSIDE], [1, 0], [OUTSIDE, 0]])).astype(int).tolist()
    [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    """
    both = (matrix != OUTSIDE).astype(np.float32)
    common = both @ both.T
    for value in np.unique(matrix):
        if value != OUTSIDE:
            has_value = (matrix == value).astype(np.float32)
            common -= has_value @ has_value.T
    return np.asarray(common > 0)


def incompatible(matrix: Matrix) -> IncompatibleRows:
    """A clique of rows that contradict each other. The next row is always the one that contradicts most of those left.

    >>> incompatible(np.array([[0, OUTSIDE], [1, 0], [OUTSIDE, 0]])).rows.tolist()
    [0, 1]
    """
    against = contradictions(matrix)
    left = np.ones(len(matrix), dtype=bool)
    chosen: list[int] = []
    while left.any():
        chosen.append(int(np.where(left, (against & left).sum(axis=1), -1).argmax()))
        left &= against[chosen[-1]]
    return IncompatibleRows(matrix, np.sort(np.array(chosen, dtype=np.int64)))


def merged(matrix: Matrix) -> Merged:
    """Classes of rows that agree where defined: a row joins the first class that it does not contradict.

    Rows that contradict the most other rows come first.

    >>> merged(np.array([[0, OUTSIDE], [1, 0], [OUTSIDE, 0]])).class_of.tolist()
    [0, 1, 0]
    """
    class_of = np.zeros(len(matrix), dtype=np.int64)
    tables = np.zeros((0, matrix.shape[1]), dtype=np.int64)
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
    """The rank over the rationals or gf2, exactly, with a nonsingular minor. Raises ValueError for another field.

    Over the rationals, elimination modulo a prime gives a nonsingular minor of r rows. If r is not the number of different
    rows or columns other than 0, further primes are tried. Let all give at most r, and let their product exceed the greatest
    value that a minor of r + 1 rows can have (Hadamard). Then every such minor is divisible by all of them, hence 0.

    >>> len(rank(np.array([[1, 1], [1, 3]]), "rationals").rows), len(rank(np.array([[1, 1], [1, 3]]), "gf2").rows)
    (2, 1)
    """
    if field not in ("rationals", "gf2"):
        raise ValueError(f"rank_bound(field={field!r}): field is rationals or gf2")
    if field == "gf2":
        return Rank(matrix, *independent_gf2(matrix), prime=2)
    prime = greatest_prime_below(most_modulus(min(matrix.shape)) + 1)
    best = Rank(matrix, *independent_in_floats(matrix, prime), prime=prime)
    product = prime
    if len(best.rows) == min(matrix.shape):
        return best
    norms = np.sort((matrix.astype(object) ** 2).sum(axis=1))[::-1]
    enough = min(_kinds_of_rows(matrix), _kinds_of_rows(matrix.T))
    while len(best.rows) < enough and product**2 <= math.prod(norms[: len(best.rows) + 1].tolist()):
        prime = greatest_prime_below(prime)
        candidate = Rank(matrix, *independent_in_floats(matrix, prime), prime=prime)
        product *= prime
        best = max(best, candidate, key=lambda one: len(one.rows))
    return best


def _kinds_of_rows(matrix: Matrix) -> int:
    """Count the different rows other than 0."""
    return len(np.unique(matrix[(matrix != 0).any(axis=1)], axis=0))


def greedy_fooling(matrix: Matrix, value: int) -> FoolingSet:
    """A fooling set of inputs with the value, chosen greedily.

    The next input is the one whose row and column have the value, or none, at the fewest places; what it excludes is dropped.

    >>> greedy_fooling(np.eye(3, dtype=np.int64), 1).rows.tolist()
    [0, 1, 2]
    """
    agrees = (matrix == value) | (matrix == OUTSIDE)
    left = matrix == value
    inputs = []
    cost = agrees.sum(axis=1)[:, None] * agrees.sum(axis=0)[None].astype(np.float64)
    while left.any():
        row, column = divmod(int(np.where(left, cost, np.inf).argmin()), matrix.shape[1])
        inputs.append((row, column))
        left &= ~(agrees[:, column, None] & agrees[row])
    rows, columns = np.array(inputs, dtype=np.int64).T
    return FoolingSet(matrix, value, rows.copy(), columns.copy())


def largest_fooling(matrix: Matrix, value: int) -> FoolingSet:
    """A largest fooling set, by a MaxSAT solver (python-sat's RC2): a variable for each input with the value.

    Raises ValueError without python-sat, or for more than 400 inputs with the value.

    >>> len(largest_fooling(np.array([[1, 1], [0, 1]]), 1).rows)
    2
    """
    try:
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF
    except ImportError:
        raise ValueError(f"fooling_set(maximum=True): python-sat is missing: {install('exact')}") from None
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
    """The greatest difference of the numbers of ones and zeros on a rectangle, or an upper bound of it.

    If the shorter side has at most 16 inputs, all its subsets are tried: for a set of rows, with answers as signs S, the best
    columns are those whose sum of signs is positive, or those whose sum is negative. Beyond that, |u^T S v| <= |S| sqrt(n m)
    for indicator vectors u of the rows and v of the columns, and |S|^2, the greatest eigenvalue of S S^T, is at most the
    greatest row sum of its absolute values. The square root is rounded down, since the difference is whole.

    >>> discrepancy(np.eye(4, dtype=np.int64)).most  # the whole matrix: 12 zeros and 4 ones
    8
    """
    signs = 2 * matrix - 1
    turned = len(signs) > signs.shape[1]
    short = signs.T if turned else signs
    if len(short) > EXACT_SIDE:
        norm = int(np.abs(signs @ signs.T).sum(axis=1).max())
        return Discrepancy(matrix, math.isqrt(norm * signs.size))
    masks = (np.arange(1 << len(short))[:, None] >> np.arange(len(short)) & 1).astype(np.float32)
    at_once = max(1, (1 << 20) // short.shape[1])
    best = -1
    chosen = (0, 1)
    for first in range(0, len(masks), at_once):
        # Exact: whole numbers up to 16 in float32, their sums in float64. The positive parts add up to (sum |s| + sum s) / 2.
        sums = masks[first : first + at_once] @ short.astype(np.float32)
        net = sums.sum(axis=1, dtype=np.float64)
        absolute = np.abs(sums).sum(axis=1, dtype=np.float64)
        for sign in (1, -1):
            totals = (absolute + sign * net) / 2
            if totals.max() > best:
                best = int(totals.max())
                chosen = (first + int(totals.argmax()), sign)
    rows = np.flatnonzero(masks[chosen[0]])
    columns = np.flatnonzero(chosen[1] * short[rows].sum(axis=0) > 0)
    return Discrepancy(matrix, best, columns, rows) if turned else Discrepancy(matrix, best, rows, columns)
