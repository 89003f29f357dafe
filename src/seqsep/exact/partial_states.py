"""Bounds for the least state of a function that is not defined on every input.

Two prefixes of one length are incompatible where some suffix completes both inside the domain and the answers differ. A model
that is right on the domain must keep incompatible prefixes apart; compatible ones need not be one class, since u may go with v
and with w although v and w are incompatible. The least number of states is a colouring of a kind and hard to find.
Lower bound: prefixes of one length, every two incompatible, need a state each (`Clique`, re-checked by its own `verify`).
Splits are searched while they can raise this bound by a whole bit.
Upper bound: a layered automaton that is right on the whole domain. `merged` builds it from the front: the states of layer K
stand for partial functions of what follows; those of layer K + 1 are merged, first fit, while they agree where defined.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int64, Integer

from seqsep.exact.enumeration import OUTSIDE, Tabulated
from seqsep.exact.integers import ceil_log2
from seqsep.exact.layered import Layered, of_values
from seqsep.exact.least_state import every_label

MOST_WORK = 1 << 26  # cells compared for one split; beyond it what was found so far stands
MOST_INPUTS = 1 << 18
MOST_COMPARED = 256  # prefixes whose incompatibilities are all tabulated
MOST_BRANCHES = 2000
FILLINGS = 4
FIRST_COLUMNS = 64

Rows = Integer[np.ndarray, "rows suffixes"]


@dataclass(frozen=True)
class Clique:
    """Pairwise incompatible prefixes of length `split`, as numbers in reading order: a lower bound on the states there."""

    split: int
    prefixes: tuple[int, ...]

    @property
    def state_bits(self) -> int:
        return ceil_log2(len(self.prefixes))

    def verify(self, table: Tabulated) -> None:
        """Compare every two prefixes from scratch. Raises ValueError naming two that are compatible."""
        rows = table.labels.reshape(int(np.prod(table.alphabets[: self.split])), -1)
        for place, prefix in enumerate(self.prefixes):
            for other in self.prefixes[:place]:
                if not ((rows[prefix] != rows[other]) & (rows[prefix] != OUTSIDE) & (rows[other] != OUTSIDE)).any():
                    raise ValueError(f"Clique(split={self.split}): prefixes {other} and {prefix} are compatible")


@dataclass(frozen=True)
class PartialState:
    """A lower bound with its clique, and an upper bound: an automaton that is right on all `domain` inputs."""

    clique: Clique
    automaton: Layered
    domain: int

    @property
    def lower_bits(self) -> int:
        return self.clique.state_bits

    @property
    def upper_bits(self) -> int:
        return self.automaton.state_bits


def bounds(table: Tabulated, name: str = "bounds") -> PartialState:
    """Both bounds. The automaton is run on every input and agrees wherever the function is defined.

    Raises ValueError for more than 2^18 inputs.
    """
    if len(table.labels) > MOST_INPUTS:
        found = f"{len(table.labels):,} inputs of length {len(table.alphabets)}"
        raise ValueError(f"{name}: expected at most {MOST_INPUTS:,} inputs where some are outside the domain, found {found}")
    small = table.labels.astype(np.int8 if len(table.answers) < 127 else np.int64)
    automaton = min(_candidates(table, small), key=lambda one: (max(one.widths), sum(one.widths)))
    inside = table.labels != OUTSIDE
    assert np.array_equal(every_label(automaton)[inside], table.labels[inside]), "the merged automaton errs"
    best = Clique(0, (0,))
    for split in range(1, len(table.alphabets) + 1):
        rows, first = np.unique(small.reshape(int(np.prod(table.alphabets[:split])), -1), axis=0, return_index=True)
        if best.state_bits < min(ceil_log2(len(rows)), automaton.state_bits):
            prefixes: list[int] = sorted(first[clique(rows)].tolist())
            best = max(best, Clique(split, tuple(prefixes)), key=lambda one: len(one.prefixes))
    return PartialState(best, automaton, int(inside.sum()))


def _candidates(table: Tabulated, small: Integer[np.ndarray, "inputs"]) -> list[Layered]:
    """The merged automaton, and those of total functions that extend this one by one of its commonest answers."""
    values, counts = np.unique(table.labels[table.labels != OUTSIDE], return_counts=True)
    common = values[np.argsort(-counts, kind="stable")][:FILLINGS]
    filled = [of_values(np.where(table.labels == OUTSIDE, value, table.labels).reshape(table.alphabets)) for value in common]
    return [merged(small, table.alphabets), *filled]


def merged(labels: Integer[np.ndarray, "inputs"], alphabets: tuple[int, ...]) -> Layered:
    """First-fit merging from the front."""
    rows, tables = labels[None], []
    for size in alphabets:
        distinct, inverse = np.unique(rows.reshape(len(rows) * size, -1), axis=0, return_inverse=True)
        states, rows_after = _merge(distinct)
        tables.append(states[inverse.reshape(-1)].reshape(len(rows), size))
        rows = rows_after
    return Layered(tuple(tables), 0, np.maximum(rows[:, 0], 0).astype(np.int64))


def _merge(rows: Rows) -> tuple[Int64[np.ndarray, "rows"], Integer[np.ndarray, "groups suffixes"]]:
    """The group of each row and the groups as rows; rows with most answers first."""
    order = np.argsort(-(rows != OUTSIDE).sum(axis=1), kind="stable")
    group = np.zeros(len(rows), dtype=np.int64)
    made, count, work = np.empty_like(rows), 0, 0
    for index in order:
        row = rows[index]
        clashes, cells = _clashes(made[:count] if work < MOST_WORK else made[:0], row)
        work += cells
        free = np.flatnonzero(~clashes)
        if len(free):
            group[index] = free[0]
            made[free[0]] = np.where(row == OUTSIDE, made[free[0]], row)
        else:
            group[index], made[count] = count, row
            count += 1
    return group, made[:count]


def clique(rows: Rows) -> list[int]:
    """Pairwise incompatible rows: the most there are where a short search ends, else those that a greedy choice finds."""
    if len(rows) <= MOST_COMPARED:
        clashes = incompatible(rows)
        greedy = max((_grow(clashes, start) for start in np.argsort(-clashes.sum(axis=1))[:8].tolist()), key=len)
        return _search(clashes, greedy)
    alive, found, work = np.argsort(-(rows != OUTSIDE).sum(axis=1), kind="stable"), [], 0
    while len(alive) and work < MOST_WORK:
        chosen, alive = alive[0], alive[1:]
        found.append(int(chosen))
        clashes, cells = _clashes(rows[alive], rows[chosen])
        alive, work = alive[clashes], work + cells
    return found


def incompatible(rows: Rows) -> Bool[np.ndarray, "rows rows"]:
    """Which rows differ somewhere where both are defined."""
    return np.stack([_clashes(rows, row)[0] for row in rows])


def _clashes(rows: Rows, row: Integer[np.ndarray, "suffixes"]) -> tuple[Bool[np.ndarray, "rows"], int]:
    """The rows that are incompatible with one, and the cells compared: few columns tell most rows apart."""
    found, cells = np.zeros(len(rows), dtype=bool), 0
    left: np.ndarray | slice = slice(None)
    for low, high in ((0, FIRST_COLUMNS), (FIRST_COLUMNS, len(row))):
        part, own = rows[left, low:high], row[low:high]
        found[left] = ((part != own) & (part != OUTSIDE) & (own != OUTSIDE)).any(axis=1)
        left, cells = np.flatnonzero(~found), cells + part.size
    return found, cells


def _grow(clashes: Bool[np.ndarray, "rows rows"], start: int) -> list[int]:
    """From one row, always the next with the most incompatible rows among those left."""
    found, alive = [start], clashes[start].copy()
    while alive.any():
        best = int(np.argmax(np.where(alive, clashes[:, alive].sum(axis=1), -1)))
        found.append(best)
        alive &= clashes[best]
    return found


def _search(clashes: Bool[np.ndarray, "rows rows"], best: list[int]) -> list[int]:
    """Branch and bound over sets of rows as bits, a greedy colouring as the bound; stops after MOST_BRANCHES."""
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
    """Rows with their colours, from 1, rising; rows of one colour are compatible, so a clique has at most one of each."""
    found, colour = [], 0
    while left:
        colour += 1
        free = left
        while free:
            row = (free & -free).bit_length() - 1
            free &= ~neighbours[row] & ~(1 << row)
            left &= ~(1 << row)
            found.append((colour, row))
    return found
