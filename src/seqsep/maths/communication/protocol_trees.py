"""D(f) exactly: the least depth of a protocol tree, by search over rectangles.

A node of the tree splits Alice's rows or Bob's columns in two; a leaf is a rectangle with one answer wherever f is defined.
Depths are tried from 0 up. A rectangle has no tree of a depth if the ranks over GF(2) of the matrices "f = v", summed over the
answers v, exceed 2^depth: the tree has at most 2^depth leaves, and each matrix is the sum of its leaves' rectangles.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from jaxtyping import Int64

from seqsep.maths.communication.witnesses import OUTSIDE

MOST_SIDE = 16


@dataclass(frozen=True)
class Leaf:
    """The answer on a rectangle.

    >>> search(np.array([[1, 1]])).root
    Leaf(answer=1)
    """

    answer: int


@dataclass(frozen=True)
class Bit:
    """The bit that a party sends, 1 for its inputs in `ones`, and the tree after either bit.

    >>> search(np.array([[0, 1]])).root
    Bit(party='bob', ones=frozenset({1}), zero=Leaf(answer=0), one=Leaf(answer=1))
    """

    party: "Party"
    ones: frozenset[int]
    zero: "Tree"
    one: "Tree"


Party: TypeAlias = Literal["alice", "bob"]
Tree: TypeAlias = Leaf | Bit


@dataclass(frozen=True)
class ProtocolTree:
    """A protocol of least depth, in bits, for a matrix; entries of -1 may be answered anyhow.

    >>> tree = search(np.array([[0, 1], [1, 0]]))
    >>> tree.depth, tree.leaves, tree.answer(1, 0)
    (2, 4, (1, '10'))
    """

    matrix: Int64[np.ndarray, "rows columns"]
    root: Tree
    depth: int

    @property
    def leaves(self) -> int:
        """The number of leaves of the tree."""
        return sum(1 for _ in _leaves(self.root))

    def answer(self, row: int, column: int) -> tuple[int, str]:
        """The answer on an input, and the bits that the parties send."""
        node = self.root
        sent = ""
        while isinstance(node, Bit):
            bit = (row if node.party == "alice" else column) in node.ones
            node = node.one if bit else node.zero
            sent += "1" if bit else "0"
        return node.answer, sent

    def verify(self, most_nodes: int = 2_000_000) -> None:
        """Check that every input is answered right in `depth` bits, and that no tree has less depth.

        Raises ValueError with the input or the depth that is wrong.
        """
        longest = 0
        for row, column in np.ndindex(self.matrix.shape):
            answer, sent = self.answer(row, column)
            longest = max(longest, len(sent))
            if self.matrix[row, column] not in (answer, OUTSIDE):
                raise ValueError(f"ProtocolTree: input ({row}, {column}) is answered {answer}, not {self.matrix[row, column]}")
        if longest != self.depth:
            raise ValueError(f"ProtocolTree: depth {self.depth} is claimed, {longest} bits are sent")
        if self.depth and _RectangleSearch(self.matrix, most_nodes).tree(self.depth - 1) is not None:
            raise ValueError(f"ProtocolTree: there is a tree of depth {self.depth - 1}")


def _leaves(node: Tree) -> Iterator[Leaf]:
    if isinstance(node, Leaf):
        yield node
    else:
        yield from _leaves(node.zero)
        yield from _leaves(node.one)


def search(matrix: Int64[np.ndarray, "rows columns"], most_nodes: int = 2_000_000) -> ProtocolTree:
    """A tree of least depth. Raises ValueError beyond 16 x 16 different rows and columns, or `most_nodes` rectangles.

    >>> search(np.eye(4, dtype=np.int64)).depth  # equality of two bits
    3
    """
    trees = _RectangleSearch(matrix, most_nodes)
    depth = 0
    while (root := trees.tree(depth)) is None:
        depth += 1
    return ProtocolTree(matrix, root, depth)


class _RectangleSearch:
    """A search over rectangles, as masks of rows and of columns. Of inputs alike in a rectangle only the first is kept."""

    def __init__(self, matrix: Int64[np.ndarray, "rows columns"], most_nodes: int) -> None:
        small, self.column_of = np.unique(matrix, axis=1, return_inverse=True)
        small, self.row_of = np.unique(small, axis=0, return_inverse=True)
        rows, columns = small.shape
        if max(rows, columns) > MOST_SIDE:
            raise ValueError(f"search: {rows} x {columns} different rows and columns, at most {MOST_SIDE} x {MOST_SIDE}")
        self.values = [value for value in np.unique(matrix).tolist() if value != OUTSIDE]
        self.total = bool((matrix != OUTSIDE).all())
        self.lines = {"alice": [self._masks(row) for row in small], "bob": [self._masks(column) for column in small.T]}
        self.whole = (1 << rows) - 1, (1 << columns) - 1
        self.most_nodes = most_nodes
        self.nodes = 0
        self.failed: dict[tuple[int, int], int] = {}
        self.solved: dict[tuple[int, int], tuple[int, int | tuple[Party, int]]] = {}

    def _masks(self, line: Int64[np.ndarray, "_size"]) -> list[int]:
        """Return the places of each value in a row or column, as bits."""
        return [sum(1 << place for place in np.flatnonzero(line == value).tolist()) for value in self.values]

    def tree(self, depth: int) -> Tree | None:
        """A tree of at most that depth, or None if there is none."""
        return self._build(*self.whole) if self._solvable(*self.whole, depth) else None

    def _first_of(self, party: Party, mine: int, theirs: int) -> dict[int, int]:
        """For each of a party's inputs, the first one that agrees with it on the other party's inputs."""
        first: dict[tuple[int, ...], int] = {}
        lines = self.lines[party]
        return {one: first.setdefault(tuple(mask & theirs for mask in lines[one]), one) for one in _members(mine)}

    def _key(self, rows: int, columns: int) -> tuple[int, int]:
        """The rectangle with one row and one column of each kind."""
        rows = sum(1 << one for one in set(self._first_of("alice", rows, columns).values()))
        return rows, sum(1 << one for one in set(self._first_of("bob", columns, rows).values()))

    def _solvable(self, rows: int, columns: int, depth: int) -> bool:
        """Return True if a rectangle has a tree of that depth; if so, its root is kept in `solved`."""
        key = rows, columns = self._key(rows, columns)
        if self.failed.get(key, -1) >= depth:
            return False
        if key in self.solved and self.solved[key][0] <= depth:
            return True
        self.nodes += 1
        if self.nodes > self.most_nodes:
            raise ValueError(f"search: neither a tree nor a proof that there is none within {self.most_nodes:,} rectangles")
        choice = self._choice(rows, columns, depth)
        if choice is None:
            self.failed[key] = depth
            return False
        self.solved[key] = depth, choice
        return True

    def _choice(self, rows: int, columns: int, depth: int) -> int | tuple[Party, int] | None:
        """The root of a tree of that depth, or None: an answer, or who splits and which inputs send 0."""
        here = [[self.lines["alice"][row][place] & columns for row in _members(rows)] for place in range(len(self.values))]
        present = [value for value, masks in zip(self.values, here, strict=True) if any(masks)]
        if len(present) <= 1:
            return (present or self.values or [0])[0]
        if len(present) > 1 << depth or (self.total and sum(map(_rank, here)) > 1 << depth):
            return None
        for part in _halves(rows):
            if self._solvable(part, columns, depth - 1) and self._solvable(rows & ~part, columns, depth - 1):
                return "alice", part
        for part in _halves(columns):
            if self._solvable(rows, part, depth - 1) and self._solvable(rows, columns & ~part, depth - 1):
                return "bob", part
        return None

    def _build(self, rows: int, columns: int) -> Tree:
        """Return the tree of a solved rectangle, in which every input follows the one that represents it."""
        choice = self.solved[self._key(rows, columns)][1]
        if isinstance(choice, int):
            return Leaf(choice)
        party, zero = choice
        mine, theirs = (rows, columns) if party == "alice" else (columns, rows)
        # Rows that agree on the key's columns agree on all columns of the rectangle, so the first of each kind is the same.
        first = self._first_of(party, mine, theirs)
        with_zero = sum(1 << one for one in first if zero >> first[one] & 1)
        with_one = mine & ~with_zero
        if party == "alice":
            trees = self._build(with_zero, columns), self._build(with_one, columns)
        else:
            trees = self._build(rows, with_zero), self._build(rows, with_one)
        numbers = self.row_of if party == "alice" else self.column_of
        ones = frozenset(place for place, one in enumerate(numbers.reshape(-1).tolist()) if with_one >> one & 1)
        return Bit(party, ones, *trees)


def _members(mask: int) -> list[int]:
    """The places of the bits that are 1."""
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


def _halves(mask: int) -> Iterator[int]:
    """One part of each split of a mask in two, the part with its lowest bit. The most even splits come first."""
    lowest, *rest = (1 << place for place in _members(mask))
    for size in sorted(range(len(rest)), key=lambda size: abs(2 * (size + 1) - len(rest) - 1)):
        for part in combinations(rest, size):
            yield lowest + sum(part)


def _rank(rows: list[int]) -> int:
    """The rank over GF(2) of rows given as bit masks."""
    basis: list[int] = []
    for row in rows:
        for known in basis:
            row = min(row, row ^ known)
        if row:
            basis.append(row)
    return len(basis)
