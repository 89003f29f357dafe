"""A lower bound on the bits that two parties exchange, for the best partition of the positions found.

A protocol for D(f) bits has at most 2^D leaves, each a rectangle of inputs with one answer (`communication`). The leaves with
answer v partition the ones of the matrix "f = v". So they are at least as many as its rank, over any field, and as the size of
any fooling set of that answer. Leaves of different answers are different:

    D(f) >= log2 of the sum, over the answers v, of max(rank, fooling set)

A bound from some rows and columns of the matrix is a bound for the whole one, so a sample of them is enough.

The search tries every partition if N <= 10, each on all its inputs if these are at most 2^14. Beyond N = 10 it tries prefixes,
odd against even positions, and a local search from the best of these. Of large matrices it takes sampled inputs, every answer
equally often. It measures the best partition again: on all inputs if these are at most 2^24, of which up to 4,096 different
rows and columns are kept, else on a larger sample. The result is a lower bound for *its* partition, which is enough for
Theorem 4 of Bhattamishra et al. 2024 (arXiv:2406.09347); another partition may be better.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.enumeration import OUTSIDE, Tabulated
from seqsep.maths.automata.layered import Layered
from seqsep.maths.automata.least_state import answered
from seqsep.maths.communication._elimination import greatest_prime_below, independent_gf2, independent_modulo
from seqsep.maths.communication.witness_search import greedy_fooling
from seqsep.maths.communication.witnesses import FoolingSet, Rank

MOST_TRIED = 10  # positions up to which all partitions are tried
MOST_WHOLE = 1 << 14  # inputs up to which a partition is tried on all of them
MOST_CELLS = 1 << 24
SAMPLED = 64
SAMPLED_LAST = 256
MOST_SIDE = 4096
MOST_MODULO = 160
MOST_FOOLED = 1 << 17
MOST_ANSWERS = 16
STEPS = 48
PRIME = greatest_prime_below(1 << 31)

Words = Int64[np.ndarray, "batch time"]
Matrix = Int64[np.ndarray, "rows columns"]


@dataclass(frozen=True)
class LeafBound:
    """At least `leaves` leaves have the answer `label`, as the witness proves.

    >>> from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
    >>> equality = tabulate(lambda word: word[0] == word[1], alphabet_ranges([4, 4]))
    >>> [(part.label, part.measure, part.leaves) for part in parts(equality.values())]
    [(1, 'rank over GF(2)', 4), (0, 'rank over GF(2)', 4)]
    """

    label: int
    measure: str
    leaves: int
    witness: Rank | FoolingSet


@dataclass(frozen=True)
class PartitionBound:
    """D(f) >= `bits` if Alice holds the positions `alice`, counted from 0, and Bob the other ones.

    >>> from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
    >>> equality = tabulate(lambda word: word[:2] == word[2:], alphabet_ranges([2] * 4))
    >>> bound = best_partition(SharedFunction.of_table(equality))
    >>> bound.alice, bound.bits
    ((0, 1), 3)
    """

    alice: tuple[int, ...]
    parts: tuple[LeafBound, ...]
    searched: str
    partitions: int

    @property
    def leaves(self) -> int:
        """A lower bound of the leaves of every protocol tree."""
        return max(1, sum(part.leaves for part in self.parts))

    @property
    def bits(self) -> int:
        """ceil(log2 of the leaves)."""
        return ceil_log2(self.leaves)

    @property
    def measure(self) -> str:
        """The measure that gave the bound: rank or fooling set, or both if the answers differ in this."""
        return " and ".join(dict.fromkeys(part.measure for part in self.parts)) or "none"

    def verify(self) -> None:
        """Check every witness from scratch, and that no answer is counted twice; raises ValueError if that fails."""
        if len({part.label for part in self.parts}) < len(self.parts):
            raise ValueError(f"PartitionBound(alice={self.alice}): an answer is counted twice")
        for part in self.parts:
            part.witness.verify()
            if len(part.witness.rows) != part.leaves:
                raise ValueError(f"PartitionBound: {part.leaves} leaves claimed, the witness shows {len(part.witness.rows)}")


@dataclass(frozen=True)
class SharedFunction:
    """A function whose positions are to be shared between two parties: its alphabets and its labels.

    `cells(words, alice, bob)` gives the labels of all inputs that are made of Alice's part of one word and Bob's part of
    another. `sample(count, draws)` gives random words of the domain, every answer equally often. `values` is the table of all
    labels with one axis a position, or None.

    >>> from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
    >>> equality = SharedFunction.of_table(tabulate(lambda word: word[0] == word[1], alphabet_ranges([3, 3])))
    >>> equality.matrix((0,), most_cells=9, sampled=4).tolist()
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """

    alphabets: tuple[int, ...]
    cells: Callable[[Words, tuple[int, ...], tuple[int, ...]], Matrix]
    sample: Callable[[int, np.random.Generator], Words]
    values: Any = None

    @classmethod
    def of_table(cls, table: Tabulated) -> "SharedFunction":
        """A function given by all its answers."""
        strides = np.array([math.prod(table.alphabets[place + 1 :]) for place in range(len(table.alphabets))], dtype=np.int64)
        by_label = [np.flatnonzero(table.labels == label) for label in range(len(table.answers))]

        def sample(count: int, draws: np.random.Generator) -> Words:
            each = -(-count // len(by_label))
            indices = np.unique(np.concatenate([inputs[draws.integers(0, len(inputs), each)] for inputs in by_label]))
            return (indices[:, None] // strides % np.array(table.alphabets)).astype(np.int64)

        def cells(words: Words, alice: tuple[int, ...], bob: tuple[int, ...]) -> Matrix:
            alice_part = words[:, alice] @ strides[list(alice)]
            bob_part = words[:, bob] @ strides[list(bob)]
            return table.labels[alice_part[:, None] + bob_part]

        return cls(table.alphabets, cells, sample, table.values())

    @classmethod
    def of_automaton(cls, automaton: Layered) -> "SharedFunction":
        """A function given by an automaton, for lengths at which the table would be too large."""
        alphabets = tuple(table.shape[1] for table in automaton.tables)

        def cells(words: Words, alice: tuple[int, ...], bob: tuple[int, ...]) -> Matrix:
            both = np.repeat(words, len(words), axis=0)
            both[:, bob] = np.tile(words[:, bob], (len(words), 1))
            return automaton.run(both).reshape(len(words), -1)

        return cls(alphabets, cells, lambda count, draws: np.unique(answered(automaton, count, draws), axis=0))

    def matrix(self, alice: tuple[int, ...], most_cells: int, sampled: int) -> Matrix:
        """Return the matrix of a partition, or its part on sampled inputs beyond `most_cells`. Equal rows and columns are kept
        once.
        """
        bob = tuple(place for place in range(len(self.alphabets)) if place not in alice)
        if self.values is not None and self.values.size <= most_cells:
            rows = math.prod(self.alphabets[place] for place in alice)
            return _distinct(self.values.transpose(alice + bob).reshape(rows, -1))
        return _distinct(self.cells(self.sample(sampled, np.random.default_rng(0)), alice, bob))


def best_partition(function: SharedFunction, seed: int = 0) -> PartitionBound:
    """The partition with the greatest bound that the search finds, measured again on more of its inputs.

    Its witnesses are checked: a fooling set pair by pair, a minor by elimination.

    >>> from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
    >>> inner_product = tabulate(lambda word: (word[0] * word[2] + word[1] * word[3]) % 2, alphabet_ranges([2] * 4))
    >>> best_partition(SharedFunction.of_table(inner_product)).bits
    3
    """
    length = len(function.alphabets)
    if length < 2:
        return PartitionBound(tuple(range(length)), (), "one position, no partition", 0)
    search = _PartitionSearch(function)
    for alice in _all(length) if length <= MOST_TRIED else _natural(length):
        search.attempt(alice)
    if length > MOST_TRIED:
        search.climb(length, np.random.default_rng(seed))
    matrix = function.matrix(search.alice, MOST_CELLS, SAMPLED_LAST)[:MOST_SIDE, :MOST_SIDE]
    searched = "all partitions" if length <= MOST_TRIED else "prefixes, odd and even positions, local search"
    best_parts = max((search.parts, parts(matrix)), key=lambda some: sum(part.leaves for part in some))
    best = PartitionBound(search.alice, best_parts, searched, search.partitions)
    best.verify()
    return best


def parts(matrix: Matrix) -> tuple[LeafBound, ...]:
    """For each answer the greater of rank and fooling set; without the rank if some input is outside the domain.

    >>> [part.leaves for part in parts(np.eye(4, dtype=np.int64))]
    [4, 4]
    """
    labels, counts = np.unique(matrix[matrix != OUTSIDE], return_counts=True)
    common = labels[np.argsort(-counts, kind="stable")][:MOST_ANSWERS]
    return tuple(_part(matrix, int(label)) for label in common)


def _part(matrix: Matrix, label: int) -> LeafBound:
    """The best bound for one answer. A larger field and the fooling set are tried only if they could be better."""
    candidates: list[LeafBound] = []
    most = min(matrix.shape)
    if not (matrix == OUTSIDE).any():
        equal = (matrix == label).astype(np.int64)
        candidates.append(_rank(label, Rank(equal, *independent_gf2(equal), prime=2)))
        if candidates[0].leaves < most <= MOST_MODULO:
            candidates.append(_rank(label, Rank(equal, *independent_modulo(equal, PRIME), prime=PRIME)))
    if not candidates or (max(part.leaves for part in candidates) < most and matrix.size <= MOST_FOOLED):
        fooling = greedy_fooling(matrix, label)
        candidates.append(LeafBound(label, "fooling set", len(fooling.rows), fooling))
    return max(candidates, key=lambda part: part.leaves)


def _rank(label: int, witness: Rank) -> LeafBound:
    field = "over GF(2)" if witness.prime == 2 else f"modulo {witness.prime:,}"
    return LeafBound(label, f"rank {field}", len(witness.rows), witness)


@dataclass
class _PartitionSearch:
    """The best partition so far. One whose number of rows and columns rules out a gain of a whole bit is not measured."""

    function: SharedFunction
    alice: tuple[int, ...] = ()
    parts: tuple[LeafBound, ...] = ()
    leaves: int = 0
    partitions: int = 0

    def attempt(self, alice: tuple[int, ...]) -> None:
        """Measure a partition, and keep it if it needs more leaves."""
        self.partitions += 1
        matrix = self.function.matrix(alice, MOST_WHOLE, SAMPLED)
        most = min(matrix.shape) * min(MOST_ANSWERS, len(np.unique(matrix)))
        if self.alice and ceil_log2(most) <= ceil_log2(max(self.leaves, 1)):
            return
        measured = parts(matrix)
        leaves = sum(part.leaves for part in measured)
        if not self.alice or leaves > self.leaves:
            self.alice = alice
            self.parts = measured
            self.leaves = leaves

    def climb(self, length: int, draws: np.random.Generator) -> None:
        """Local search: at random exchange a position of Alice's for one of Bob's, or give one away; keep what is better."""
        for _ in range(STEPS):
            alice = set(self.alice)
            mine = sorted(alice)
            theirs = [place for place in range(length) if place not in alice]
            move = draws.integers(3)
            if move != 1 and len(mine) > 1:
                alice.discard(mine[draws.integers(len(mine))])
            if move != 2 and len(theirs) > 1:
                alice.add(theirs[draws.integers(len(theirs))])
            if alice != set(self.alice) and 0 < len(alice) < length:
                self.attempt(tuple(sorted(alice)))


def _natural(length: int) -> list[tuple[int, ...]]:
    """The first half, every second position, and up to 16 other prefixes."""
    half = length // 2
    cuts = {1 + round(step * (length - 2) / 15) for step in range(16)} - {half}
    return [tuple(range(half)), tuple(range(0, length, 2)), *(tuple(range(cut)) for cut in sorted(cuts))]


def _all(length: int) -> Iterator[tuple[int, ...]]:
    """Every partition once, with position 0 for Alice: natural ones first, then the evenly sized ones."""
    first = [alice for alice in _natural(length) if 0 in alice]
    yield from dict.fromkeys(first)
    seen = set(first)
    for size in sorted(range(1, length), key=lambda size: abs(2 * size - length)):
        for rest in itertools.combinations(range(1, length), size - 1):
            if (0, *rest) not in seen:
                yield (0, *rest)


def _distinct(matrix: Matrix) -> Int64[np.ndarray, "_kept_rows _kept_columns"]:
    """The matrix with equal rows and columns once, by hashes. If two hashes collide, the lower bound can only get weaker."""
    for _ in range(2):
        weights = np.random.default_rng(1).integers(1, 1 << 62, matrix.shape[1], dtype=np.int64)
        with np.errstate(over="ignore"):
            _, first = np.unique(matrix @ weights, return_index=True)
        matrix = matrix[np.sort(first)].T
    return np.ascontiguousarray(matrix)
