"""How many bits two parties must exchange to compute a function, over the best partition of its positions that is found.

A protocol for D(f) bits has at most 2^D leaves, each a rectangle of inputs with one answer (`communication`). The leaves with
answer v add up to the matrix of "f = v", so they are at least as many as its rank, over any field, and as any fooling set of
that answer has members. Leaves of different answers are different: D(f) >= log2 of the sum, over the answers, of the greater of
the two. So a bound from any rows and columns of the matrix is a bound for the whole one, and a sample of them is enough.

Searched: every partition for N <= 10, each on all its inputs where there are at most 2^14. Beyond N = 10: prefixes, odd against
even positions, and a local search from the best of these. Large matrices are cut to sampled inputs, every answer equally often;
the best partition is measured again on a larger part. What is found is a lower bound for *its* partition, which is enough for
Theorem 4 of Bhattamishra et al. 2024 (arXiv:2406.09347); that no other partition is better is not claimed.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.exact._elimination import greatest_prime_below, independent_gf2, independent_modulo
from seqsep.exact.enumeration import OUTSIDE, Tabulated
from seqsep.exact.integers import ceil_log2
from seqsep.exact.layered import Layered
from seqsep.exact.least_state import answered
from seqsep.exact.witness_search import greedy_fooling
from seqsep.exact.witnesses import FoolingSet, Rank

MOST_TRIED = 10  # positions up to which all partitions are tried
MOST_WHOLE = 1 << 14  # inputs up to which a partition is tried on all of them
MOST_CELLS = 1 << 22
SAMPLED, SAMPLED_LAST = 64, 256
MOST_SIDE = 1024
MOST_MODULO = 160
MOST_FOOLED = 1 << 17
MOST_ANSWERS = 16
MOST_VERIFIED = 256
STEPS = 48
PRIME = greatest_prime_below(1 << 31)

Words = Int64[np.ndarray, "batch time"]
Matrix = Int64[np.ndarray, "rows columns"]


@dataclass(frozen=True)
class LeafBound:
    """Leaves with one answer: at least `leaves`, by the witness."""

    label: int
    measure: str
    leaves: int
    witness: Rank | FoolingSet


@dataclass(frozen=True)
class PartitionBound:
    """D(f) >= `bits` where Alice holds the positions `alice` (from 0) and Bob the others; a lower bound."""

    alice: tuple[int, ...]
    parts: tuple[LeafBound, ...]
    searched: str
    partitions: int

    @property
    def leaves(self) -> int:
        return max(1, sum(part.leaves for part in self.parts))

    @property
    def bits(self) -> int:
        return ceil_log2(self.leaves)

    @property
    def measure(self) -> str:
        """What gave it: rank, fooling set, or both, for different answers."""
        return " and ".join(dict.fromkeys(part.measure for part in self.parts)) or "none"

    def verify(self) -> None:
        """Check every witness from scratch, and that no answer is counted twice. Raises ValueError."""
        if len({part.label for part in self.parts}) < len(self.parts):
            raise ValueError(f"PartitionBound(alice={self.alice}): an answer is counted twice")
        for part in self.parts:
            part.witness.verify()
            if len(part.witness.rows) != part.leaves:
                raise ValueError(f"PartitionBound: {part.leaves} leaves claimed, the witness shows {len(part.witness.rows)}")


@dataclass(frozen=True)
class SharedFunction:
    """A function to be shared: its alphabets, and the table of all its labels if there is one.

    `cells(words, alice, bob)`: the labels of all inputs made of Alice's part of one word and Bob's part of another;
    `sample(count, draws)`: random words of the domain, every answer equally often.
    """

    alphabets: tuple[int, ...]
    cells: Callable[[Words, tuple[int, ...], tuple[int, ...]], Matrix]
    sample: Callable[[int, np.random.Generator], Words]
    values: Any = None

    @classmethod
    def of_table(cls, table: Tabulated) -> "SharedFunction":
        strides = np.array([math.prod(table.alphabets[place + 1 :]) for place in range(len(table.alphabets))], dtype=np.int64)
        found = [np.flatnonzero(table.labels == label) for label in range(len(table.answers))]

        def sample(count: int, draws: np.random.Generator) -> Words:
            each = [some[draws.integers(0, len(some), -(-count // len(found)))] for some in found]
            indices = np.unique(np.concatenate(each))
            return (indices[:, None] // strides % np.array(table.alphabets)).astype(np.int64)

        def cells(words: Words, alice: tuple[int, ...], bob: tuple[int, ...]) -> Matrix:
            return table.labels[(words[:, alice] @ strides[list(alice)])[:, None] + words[:, bob] @ strides[list(bob)]]

        return cls(table.alphabets, cells, sample, table.values())

    @classmethod
    def of_automaton(cls, automaton: Layered) -> "SharedFunction":
        alphabets = tuple(table.shape[1] for table in automaton.tables)

        def cells(words: Words, alice: tuple[int, ...], bob: tuple[int, ...]) -> Matrix:
            both = np.repeat(words, len(words), axis=0)
            both[:, bob] = np.tile(words[:, bob], (len(words), 1))
            return automaton.run(both).reshape(len(words), -1)

        return cls(alphabets, cells, lambda count, draws: np.unique(answered(automaton, count, draws), axis=0))

    def matrix(self, alice: tuple[int, ...], most_cells: int, sampled: int) -> Matrix:
        """The matrix of a partition, all of it or rows and columns of sampled inputs; equal rows and columns once each."""
        bob = tuple(place for place in range(len(self.alphabets)) if place not in alice)
        if self.values is not None and self.values.size <= most_cells:
            rows = math.prod(self.alphabets[place] for place in alice)
            return _distinct(self.values.transpose(alice + bob).reshape(rows, -1))
        return _distinct(self.cells(self.sample(sampled, np.random.default_rng(0)), alice, bob))


def best_partition(function: SharedFunction, seed: int = 0) -> PartitionBound:
    """The partition with the greatest bound that the search finds, measured again on more of its inputs.

    Witnesses of up to 256 rows are checked here; larger ones by `verify()`, which takes a minute at 1,024.
    """
    length = len(function.alphabets)
    if length < 2:
        return PartitionBound(tuple(range(length)), (), "one position, no partition", 0)
    search = _Search(function)
    for alice in _all(length) if length <= MOST_TRIED else _natural(length):
        search.attempt(alice)
    if length > MOST_TRIED:
        search.climb(length, np.random.default_rng(seed))
    matrix = function.matrix(search.alice, MOST_CELLS, SAMPLED_LAST)[:MOST_SIDE, :MOST_SIDE]
    searched = "all partitions" if length <= MOST_TRIED else "prefixes, odd and even positions, local search"
    found = max((search.parts, parts(matrix)), key=lambda some: sum(part.leaves for part in some))
    best = PartitionBound(search.alice, found, searched, search.partitions)
    if best.leaves <= MOST_VERIFIED:
        best.verify()
    return best


def parts(matrix: Matrix) -> tuple[LeafBound, ...]:
    """For each answer the greater of a rank and a fooling set; with inputs outside the domain, fooling sets only."""
    labels, counts = np.unique(matrix[matrix != OUTSIDE], return_counts=True)
    common = labels[np.argsort(-counts, kind="stable")][:MOST_ANSWERS]
    return tuple(_part(matrix, int(label)) for label in common)


def _part(matrix: Matrix, label: int) -> LeafBound:
    found: list[LeafBound] = []
    most = min(matrix.shape)
    if not (matrix == OUTSIDE).any():
        equal = (matrix == label).astype(np.int64)
        found.append(_rank(label, Rank(equal, *independent_gf2(equal), prime=2)))
        if found[0].leaves < most <= MOST_MODULO:
            found.append(_rank(label, Rank(equal, *independent_modulo(equal, PRIME), prime=PRIME)))
    if not found or (max(part.leaves for part in found) < most and matrix.size <= MOST_FOOLED):
        fooling = greedy_fooling(matrix, label)
        found.append(LeafBound(label, "fooling set", len(fooling.rows), fooling))
    return max(found, key=lambda part: part.leaves)


def _rank(label: int, witness: Rank) -> LeafBound:
    return LeafBound(label, "rank", len(witness.rows), witness)


@dataclass
class _Search:
    """The best partition so far; one that can't gain a whole bit by its numbers of rows and columns is not measured."""

    function: SharedFunction
    alice: tuple[int, ...] = ()
    parts: tuple[LeafBound, ...] = ()
    leaves: int = 0
    partitions: int = 0

    def attempt(self, alice: tuple[int, ...]) -> None:
        """Measure a partition; keep it if it has more leaves."""
        self.partitions += 1
        matrix = self.function.matrix(alice, MOST_WHOLE, SAMPLED)
        most = min(matrix.shape) * min(MOST_ANSWERS, len(np.unique(matrix)))
        if self.alice and ceil_log2(most) <= ceil_log2(max(self.leaves, 1)):
            return
        found = parts(matrix)
        leaves = sum(part.leaves for part in found)
        if not self.alice or leaves > self.leaves:
            self.alice, self.parts, self.leaves = alice, found, leaves

    def climb(self, length: int, draws: np.random.Generator) -> None:
        """Exchange a position of Alice's for one of Bob's, or give one away, at random; keep what is better."""
        for _ in range(STEPS):
            alice = set(self.alice)
            mine, theirs = sorted(alice), [place for place in range(length) if place not in alice]
            move = draws.integers(3)
            if move != 1 and len(mine) > 1:
                alice.discard(mine[draws.integers(len(mine))])
            if move != 2 and len(theirs) > 1:
                alice.add(theirs[draws.integers(len(theirs))])
            if alice != set(self.alice) and 0 < len(alice) < length:
                self.attempt(tuple(sorted(alice)))


def _natural(length: int) -> list[tuple[int, ...]]:
    """Prefixes, at most 16 of them, and the odd positions (from 1)."""
    cuts = sorted({1 + round(step * (length - 2) / 15) for step in range(16)} | {length // 2})
    return [tuple(range(length // 2)), tuple(range(0, length, 2)), *(tuple(range(cut)) for cut in cuts if cut != length // 2)]


def _all(length: int) -> Iterator[tuple[int, ...]]:
    """Every partition, once (Alice has position 0): natural ones first, then by how even they are."""
    first = [alice for alice in _natural(length) if 0 in alice]
    yield from dict.fromkeys(first)
    seen = set(first)
    for size in sorted(range(1, length), key=lambda size: abs(2 * size - length)):
        for rest in itertools.combinations(range(1, length), size - 1):
            if (0, *rest) not in seen:
                yield (0, *rest)


def _distinct(matrix: Matrix) -> Int64[np.ndarray, "_kept_rows _kept_columns"]:
    """Rows and columns that differ, by hashes: where two collide, one is lost, which can only weaken a lower bound."""
    for _ in range(2):
        weights = np.random.default_rng(1).integers(1, 1 << 62, matrix.shape[1], dtype=np.int64)
        with np.errstate(over="ignore"):
            _, first = np.unique(matrix @ weights, return_index=True)
        matrix = matrix[np.sort(first)].T
    return np.ascontiguousarray(matrix)
