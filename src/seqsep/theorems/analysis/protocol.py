"""An upper bound on the bits that two parties exchange: one sends which of its rows it has, and the other sends the answer."""

import math
from collections.abc import Sequence

import numpy as np

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.enumeration import Tabulated
from seqsep.maths.automata.least_state import LeastState

MOST_CELLS = 1 << 20


def bits_enough(table: Tabulated | None, least: LeastState | None, alice: Sequence[int], answers: int) -> int | None:
    """Return bits with which two parties compute a function, if one holds the positions `alice`; None if it is not known.

    Two inputs of a party are in one row if all inputs of the other party have the same answers with both. The party with fewer
    rows sends its row, and the other party sends the answer. Without a table, the number of rows is known if `alice` has the
    first positions: it is the number of classes of these prefixes.

    >>> from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
    >>> equality = tabulate(lambda word: word[:2] == word[2:], alphabet_ranges([2] * 4))
    >>> bits_enough(equality, None, (0, 1), answers=2), bits_enough(equality, None, (0, 1, 2), answers=2)
    (3, 2)
    """
    said = ceil_log2(max(1, answers))
    if table is not None and table.labels.size <= MOST_CELLS:
        return ceil_log2(_fewest_rows(table, alice)) + said
    if least is not None and tuple(alice) == tuple(range(len(alice))):
        return ceil_log2(least.classes_by_split[len(alice)]) + said
    return None


def _fewest_rows(table: Tabulated, alice: Sequence[int]) -> int:
    """Return the number of different rows or columns of the matrix of a partition, whichever is less."""
    alphabets = table.alphabets
    bob = [place for place in range(len(alphabets)) if place not in set(alice)]
    ordered = np.transpose(table.labels.reshape(alphabets), [*alice, *bob])
    matrix = ordered.reshape(math.prod(alphabets[place] for place in alice), -1)
    return min(len({row.tobytes() for row in np.ascontiguousarray(side)}) for side in (matrix, matrix.T))
