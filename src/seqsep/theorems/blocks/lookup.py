"""Attention that looks up a position by its address, and attention that averages over all positions.

A position writes the key T(p) of its own address, and the query of the address that it asks for, scaled by eta. By the gap of
the position code, the address asked for gets a weight of at least 1 / (1 + leakage(eta)): see `maths.codes.position_code`.
"""

from fractions import Fraction

import numpy as np

from seqsep.maths.arithmetic.grid import least_exponent
from seqsep.maths.codes.position_code import PositionCode
from seqsep.maths.networks.network import Head, whole
from seqsep.theorems.blocks.space import Rows, Spaces


def lookup(spaces: Spaces, eta: int, value: str, asked: str = "asked", own: str = "own", sign: int = 1) -> Head:
    """The head with scores eta * asked . own; what it reads from the space `value` is added there, times `sign`.

    Raises ValueError if the spaces `asked` and `own` differ in size.

    >>> head = lookup(Spaces(symbol=1, asked=2, own=2), eta=3, value="symbol", sign=-1)
    >>> head.query.integers.tolist(), head.output.integers.T.tolist()
    ([[0, 3, 0, 0, 0], [0, 0, 3, 0, 0]], [[-1, 0, 0, 0, 0]])
    """
    spaces.require_same_size(asked, own)
    return Head(
        query=whole(eta * spaces[asked]),
        key=whole(spaces[own]),
        value=whole(spaces[value]),
        output=whole(sign * spaces[value].T),
    )


def average(value: Rows, output: Rows) -> Head:
    """The head whose scores are all 0: it adds the mean of what `value` reads, over the positions seen, to `output`.

    Raises ValueError if the two have different numbers of rows.

    >>> spaces = Spaces(count=1, total=1)
    >>> average(spaces["count"], spaces["total"]).query.integers.tolist()
    [[0, 0]]
    """
    if len(value) != len(output):
        raise ValueError(f"average(value of {len(value)} rows, output of {len(output)} rows): as many are required")
    nothing = whole(np.zeros((1, value.shape[1])))
    return Head(nothing, nothing, value=whole(value), output=whole(output.T))


def largest_entry(code: PositionCode, eta: int) -> Fraction:
    """The largest magnitude of an entry of a key, and of a query scaled by eta.

    Both are met at the first or the last address.

    >>> from seqsep.maths.codes.codes import position_code
    >>> largest_entry(position_code("one-hot", 8), eta=3)
    Fraction(3, 1)
    """
    ends = np.array([0, code.count - 1])
    key = int(np.abs(code.keys(ends)).max())
    query = int(np.abs(code.queries(ends)).max())
    return max(key, eta * query) * code.unit


def largest_score(code: PositionCode, eta: int) -> Fraction:
    """The largest score that an address asked for can get: the first's or the last's.

    >>> from seqsep.maths.codes.codes import position_code
    >>> largest_score(position_code("binary", 16), eta=3)  # 4 digits, each +1 or -1
    Fraction(12, 1)
    """
    ends = np.array([0, code.count - 1])
    products = code.keys(ends).astype(object) * code.queries(ends).astype(object)  # they may pass 64 bits
    return eta * int(products.sum(1).max()) * code.unit**2


def lookup_exponent(code: PositionCode, eta: int, least: int) -> int:
    """The least Kc with L >= `least` whose grid holds the entries and largest scores of a lookup.

    >>> from seqsep.maths.codes.codes import position_code
    >>> lookup_exponent(position_code("parabola", 64), eta=2, least=4)
    2
    """
    needed = max(largest_entry(code, eta), largest_score(code, eta), Fraction(least))
    return least_exponent(code.count, needed, code.unit)
