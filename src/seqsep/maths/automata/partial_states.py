"""Lower and upper bounds for the least state of a function that is not defined on every input.

Two prefixes of one length are incompatible if some suffix completes both inside the domain and the answers differ. A model
that is right on the domain must keep incompatible prefixes apart. Compatible ones need not be one class: u may be compatible
with v and with w although v and w are not. The least number of states is a kind of colouring and hard to find, so we bound it.

Lower bound: prefixes of one length, every two incompatible, need a state each (`Clique`). Splits are searched as long as they
can raise this bound by a whole bit.
Upper bound: a layered automaton that is right on the whole domain. `merged` builds it from the first layer on. A state of layer
K represents a partial function of the tokens that follow; the states of layer K + 1 are merged, first fit, if they agree
wherever both are defined.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int64, Integer

from seqsep.core.names import ensure
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.enumeration import OUTSIDE, Tabulated
from seqsep.maths.automata.layered import Layered, of_values
from seqsep.maths.automata.least_state import every_label

MOST_WORK = 1 << 26  # cells compared for one split; beyond it the search ends with what it has
MOST_INPUTS = 1 << 18
MOST_COMPARED = 256  # prefixes whose incompatibilities are all tabulated
MOST_BRANCHES = 2000
FILLINGS = 4
STARTS = 8
FIRST_COLUMNS = 64

Rows = Integer[np.ndarray, "rows suffixes"]


@dataclass(frozen=True)
class Clique:
    """Pairwise incompatible prefixes of length `split`, as numbers in reading order: each needs a state of its own.

    >>> Clique(split=1, prefixes=(0, 1)).state_bits
    1
    """

    split: int
    prefixes: tuple[int, ...]

    @property
    def state_bits(self) -> int:
        """The lower bound, ceil(log2 of the number of prefixes)."""
        return ceil_log2(len(self.prefixes))

    def verify(self, table: Tabulated) -> None:
        """Compare every two prefixes from scratch. Raises ValueError with two that are compatible."""
        rows = table.labels.reshape(int(np.prod(table.alphabets[: self.split])), -1)
        for place, prefix in enumerate(self.prefixes):
            for other in self.prefixes[:place]:
                if not ((rows[prefix] != rows[other]) & (rows[prefix] != OUTSIDE) & (rows[other] != OUTSIDE)).any():
                    raise ValueError(f"Clique(split={self.split}): prefixes {other} and {prefix} are compatible")


@dataclass(frozen=True)
class PartialState:
    """A lower bound with its clique, and an upper bound with an automaton that is right on all `domain` inputs.

    >>> from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
    >>> either = bounds(tabulate(lambda word: word[0] if word[1] else None, alphabet_ranges([2, 2])))
    >>> either.lower_bits, either.upper_bits, either.domain
    (1, 1, 2)
    """

    clique: Clique
    automaton: Layered
    domain: int

    @property
    def lower_bits(self) -> int:
        """No model that is right on the domain has fewer state bits."""
        return self.clique.state_bits

    @property
    def upper_bits(self) -> int:
        """The bits of a state with which some model is right on the domain."""
        return self.automaton.state_bits


def bounds(table: Tabulated, name: str = "bounds") -> PartialState:
    """Both bounds. The automaton is run on every input and must agree wherever the function is defined.

    Raises ValueError for more than 2^18 inputs.

    >>> from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
    >>> table = tabulate(lambda word: word[0] if word[1] else None, alphabet_ranges([2, 2]))
    >>> bounds(table).clique
    Clique(split=1, prefixes=(0, 1))
    """
    if len(table.labels) > MOST_INPUTS:
        size = f"{len(table.labels):,} inputs of length {len(table.alphabets)}"
        raise ValueError(f"{name}: expected at most {MOST_INPUTS:,} inputs where some are outside the domain, found {size}")
    small = table.labels.astype(np.int8 if len(table.answers) < 127 else np.int64)
    automaton = min(_candidates(table, small), key=lambda one: (max(one.widths), sum(one.widths)))
    inside = table.labels != OUTSIDE
    ensure(np.array_equal(every_label(automaton)[inside], table.labels[inside]), "the merged automaton answers wrongly")
    best = Clique(0, (0,))
    for split in range(1, len(table.alphabets) + 1):
        by_prefix = small.reshape(int(np.prod(table.alphabets[:split])), -1)
        rows, first = np.unique(by_prefix, axis=0, return_index=True)
        if best.state_bits < min(ceil_log2(len(rows)), automaton.state_bits):
            prefixes: list[int] = sorted(first[clique(rows)].tolist())
            best = max(best, Clique(split, tuple(prefixes)), key=lambda one: len(one.prefixes))
    return PartialState(best, automaton, int(inside.sum()))


def _candidates(table: Tabulated, small: Integer[np.ndarray, "inputs"]) -> list[Layered]:
    """The merged automaton, and those of the total functions that answer OUTSIDE inputs with one of the commonest answers."""
    values, counts = np.unique(table.labels[table.labels != OUTSIDE], return_counts=True)
    candidates = [merged(small, table.alphabets)]
    for value in values[np.argsort(-counts, kind="stable")][:FILLINGS]:
        filled = np.where(table.labels == OUTSIDE, value, table.labels)
        candidates.append(of_values(filled.reshape(table.alphabets)))
    return candidates


def merged(labels: Integer[np.ndarray, "inputs"], alphabets: tuple[int, ...]) -> Layered:
    """An automaton that agrees with the labels wherever they are not OUTSIDE, by first-fit merging of each layer's states.

    >>> merged(np.array([0, OUTSIDE, OUTSIDE, 1]), (2, 2)).widths  # both prefixes can be one state
    [1, 1, 2]
    """
    rows = labels[None]
    tables = []
    for size in alphabets:
        distinct, inverse = np.unique(rows.reshape(len(rows) * size, -1), axis=0, return_inverse=True)
        states, rows_after = _merge(distinct)
        tables.append(states[inverse.reshape(-1)].reshape(len(rows), size))
        rows = rows_after
    return Layered(tuple(tables), 0, np.maximum(rows[:, 0], 0).astype(np.int64))


def _merge(rows: Rows) -> tuple[Int64[np.ndarray, "rows"], Integer[np.ndarray, "groups suffixes"]]:
    """The group of each row, and each group's answers as a row; rows with the most answers are placed first."""
    order = np.argsort(-(rows != OUTSIDE).sum(axis=1), kind="stable")
    group = np.zeros(len(rows), dtype=np.int64)
    answers = np.empty_like(rows)
    count = 0
    work = 0
    for index in order:
        row = rows[index]
        clashes, cells = _clashes(answers[:count] if work < MOST_WORK else answers[:0], row)
        work += cells
        free = np.flatnonzero(~clashes)
        if len(free):
            group[index] = free[0]
            answers[free[0]] = np.where(row == OUTSIDE, answers[free[0]], row)
        else:
            group[index] = count
            answers[count] = row
            count += 1
    return group, answers[:count]


def clique(rows: Rows) -> list[int]:
    """Pairwise incompatible rows: a largest set if a short search ends, else one that a greedy choice finds.

    >>> clique(np.array([[0, OUTSIDE], [1, 0], [OUTSIDE, 1]]))
    [1, 0]
    """
    if len(rows) <= MOST_COMPARED:
        clashes = incompatible(rows)
        starts = np.argsort(-clashes.sum(axis=1))[:STARTS].tolist()
        greedy = max((_grow(clashes, start) for start in starts), key=len)
        return _search(clashes, greedy)
    left = np.argsort(-(rows != OUTSIDE).sum(axis=1), kind="stable")
    chosen: list[int] = []
    work = 0
    while len(left) and work < MOST_WORK:
        chosen.append(int(left[0]))
        left = left[1:]
        clashes, cells = _clashes(rows[left], rows[chosen[-1]])
        left = left[clashes]
        work += cells
    return chosen


def incompatible(rows: Rows) -> Bool[np.ndarray, "rows rows"]:
    """Return the pairs of rows that differ in a column in which both are defined.

    >>> incompatible(np.array([[0, OUTSIDE], [1, 0], [OUTSIDE, 1]])).astype(int).tolist()
    [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    """
    return np.stack([_clashes(rows, row)[0] for row in rows])


def _clashes(rows: Rows, row: Integer[np.ndarray, "suffixes"]) -> tuple[Bool[np.ndarray, "rows"], int]:
    """Return the rows incompatible with one, and the number of cells compared; a few columns distinguish most rows."""
    clashes = np.zeros(len(rows), dtype=bool)
    cells = 0
    left: np.ndarray | slice = slice(None)
    for low, high in ((0, FIRST_COLUMNS), (FIRST_COLUMNS, len(row))):
        part = rows[left, low:high]
        own = row[low:high]
        clashes[left] = ((part != own) & (part != OUTSIDE) & (own != OUTSIDE)).any(axis=1)
        left = np.flatnonzero(~clashes)
        cells += part.size
    return clashes, cells


def _grow(clashes: Bool[np.ndarray, "rows rows"], start: int) -> list[int]:
    """Pairwise incompatible rows from one on; the next row is the one with the most incompatible rows among those left."""
    chosen = [start]
    left = clashes[start].copy()
    while left.any():
        best = int(np.argmax(np.where(left, clashes[:, left].sum(axis=1), -1)))
        chosen.append(best)
        left &= clashes[best]
    return chosen


def _search(clashes: Bool[np.ndarray, "rows rows"], best: list[int]) -> list[int]:
    """Branch and bound over sets of rows as bit masks, bounded by a greedy colouring; it stops after MOST_BRANCHES."""
    neighbours = [int("".join("1" if clash else "0" for clash in row[::-1]), 2) for row in clashes]
    branches = 0

    def extend(chosen: list[int], left: int) -> None:
        nonlocal best, branches
        branches += 1
        if branches > MOST_BRANCHES:
            return
        if len(chosen) > len(best):
            best = chosen
        for colour, row in reversed(_coloured(neighbours, left)):
            if len(chosen) + colour <= len(best):
                return
            extend([*chosen, row], left & neighbours[row])
            left &= ~(1 << row)

    extend([], (1 << len(neighbours)) - 1)
    return best


def _coloured(neighbours: list[int], left: int) -> list[tuple[int, int]]:
    """The rows with their colours, from 1, rising. Rows of one colour are compatible, so a clique has at most one of each."""
    coloured = []
    colour = 0
    while left:
        colour += 1
        free = left
        while free:
            row = (free & -free).bit_length() - 1
            free &= ~neighbours[row] & ~(1 << row)
            left &= ~(1 << row)
            coloured.append((colour, row))
    return coloured
