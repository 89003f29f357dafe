"""Two-party functions as matrices, and measures of what they cost to compute by exchanging bits.

Alice knows a row, Bob a column, both the matrix. Two costs are measured, and never mixed:
* *one-way*: Alice sends one message, Bob answers. Its cost is exactly ceil(log2 of the number of distinct rows).
* D(f), *two-way deterministic*: the least depth of a protocol tree, each bit sent by the one or the other, with one answer on
  every input that reaches a leaf: both parties know it at the end. (Where only one has to know it, at most the ceil(log2 of the
  number of answers) bits that tell the other are saved. `rank_bound` and `fooling_set` bound that cost as well.)

A `Measure` says of which cost it is a bound, and in which direction: `lower`, `upper` or `exact`. Its witness carries the
matrix and has a `verify()` that checks the claim from scratch.

Source of the definitions: Kushilevitz and Nisan 1997, chapter 1; appendices B.1 and E of Bhattamishra et al. 2024.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from jaxtyping import Int64

from seqsep.exact import witness_search
from seqsep.exact.integers import ceil_log2
from seqsep.exact.protocol_trees import ProtocolTree, search
from seqsep.exact.witnesses import OUTSIDE, Discrepancy, DistinctRows, FoolingSet, IncompatibleRows, Merged, Rank

MOST_ENTRIES = 1 << 26
Label = Literal["lower", "upper", "exact"]
Cost = Literal["one-way", "two-way"]


@dataclass(frozen=True)
class TwoParty:
    """f(x, y): entry (i, j) is the answer to Alice's i-th and Bob's j-th input, a number from 0; OUTSIDE (-1): not defined.

    Raises ValueError for a matrix without rows or columns, or with an entry below -1.
    """

    matrix: Int64[np.ndarray, "rows columns"]

    def __post_init__(self) -> None:
        shape = "x".join(map(str, self.matrix.shape))
        if self.matrix.ndim != 2 or not self.matrix.size or self.matrix.min() < OUTSIDE:
            raise ValueError(f"TwoParty({shape} matrix): expected rows and columns of whole numbers from 0, or {OUTSIDE}")

    @cached_property
    def total(self) -> bool:
        """Whether the function is defined everywhere."""
        return bool((self.matrix != OUTSIDE).all())

    @cached_property
    def answers(self) -> list[int]:
        """The answers that occur, ascending."""
        return [answer for answer in np.unique(self.matrix).tolist() if answer != OUTSIDE]

    def transposed(self) -> "TwoParty":
        """The same function with the parties' names exchanged."""
        return TwoParty(np.ascontiguousarray(self.matrix.T))


@dataclass(frozen=True)
class Measure:
    """A bound, in bits, of one cost of a function; `value` is the number that it comes from (rows, a rank, a size)."""

    name: str
    label: Label
    of: Cost
    bits: int
    value: int
    witness: Any


def two_party(function: Callable[[list[int]], int | None], alphabets: Sequence[int], alice: Sequence[int]) -> TwoParty:
    """A function of N tokens, of which Alice has those at the positions `alice` (from 0) and Bob the others.

    Token t is below alphabets[t]; None is an answer outside the domain. Rows and columns are in lexicographic order of the
    parties' tokens, each in the order of its positions. Raises ValueError for positions that are not there or stand twice,
    more than 2^26 inputs, or an answer that is no whole number from 0.
    """
    call = f"two_party(.., {len(alphabets)} positions, alice={list(alice)})"
    if math.prod(alphabets) > MOST_ENTRIES:
        raise ValueError(f"{call}: {math.prod(alphabets):,} inputs, at most {MOST_ENTRIES:,}")
    values = np.empty(math.prod(alphabets), dtype=np.int64)
    for place, tokens in enumerate(itertools.product(*map(range, alphabets))):
        answer = function(list(tokens))
        if answer is not None and (not isinstance(answer, int | np.integer | np.bool_) or answer < 0):
            raise ValueError(f"{call}: expected answers from 0, or None, found {answer!r} for {list(tokens)}")
        values[place] = OUTSIDE if answer is None else int(answer)
    return of_values(values.reshape(tuple(alphabets)), alice)


def of_values(values: Int64[np.ndarray, "..."], alice: Sequence[int]) -> TwoParty:
    """The same from an array of answers, one axis a position. Raises ValueError for positions not there, or there twice."""
    mine = sorted(set(alice))
    if len(mine) != len(alice) or any(not 0 <= position < values.ndim for position in mine):
        raise ValueError(f"of_values({values.ndim} positions, alice={list(alice)}): different positions from 0 are required")
    theirs = [position for position in range(values.ndim) if position not in mine]
    rows = math.prod(values.shape[position] for position in mine)
    return TwoParty(np.ascontiguousarray(values.transpose(mine + theirs).reshape(rows, -1)).astype(np.int64))


def distinct_rows(f: TwoParty) -> Measure:
    """The exact one-way cost of a total function: ceil(log2 of the number of distinct rows).

    Rows that differ need different messages, since Bob answers from the message and his column; and the number of the row's
    class is enough. Raises ValueError for a partial function, where rows may be merged in several ways: `incompatible_rows`
    and `merged_rows` bound its cost from below and above.
    """
    if not f.total:
        raise ValueError("distinct_rows: the function has inputs outside its domain; see incompatible_rows and merged_rows")
    witness = witness_search.distinguished(f.matrix)
    return Measure("distinct rows", "exact", "one-way", ceil_log2(len(witness.rows)), len(witness.rows), witness)


def incompatible_rows(f: TwoParty) -> Measure:
    """A lower bound of the one-way cost of any function: rows of which every two differ in a column where both are defined."""
    witness = witness_search.incompatible(f.matrix)
    return Measure("incompatible rows", "lower", "one-way", ceil_log2(len(witness.rows)), len(witness.rows), witness)


def merged_rows(f: TwoParty) -> Measure:
    """An upper bound of the one-way cost of any function: rows put together, greedily, where none contradict."""
    witness = witness_search.merged(f.matrix)
    return Measure("merged rows", "upper", "one-way", ceil_log2(witness.classes), witness.classes, witness)


def rank_bound(f: TwoParty, field: str = "rationals") -> Measure:
    """log2 of the rank is a lower bound of D(f).

    The leaves of a protocol are rectangles, at most 2^D of them, on each of which f is constant; so f is the sum of at most 2^D
    matrices of rank 1, over any field. (With an answer that Bob alone knows, a leaf's rows are equal: again rank 1.)
    `field` is rationals or gf2. Raises ValueError for another field or a partial function.
    """
    if not f.total:
        raise ValueError("rank_bound: the function has inputs outside its domain")
    witness = witness_search.rank(f.matrix, field)
    found = len(witness.rows)
    name = "log-rank" if field == "rationals" else "log-rank over GF(2)"
    return Measure(name, "lower", "two-way", ceil_log2(max(1, found)), found, witness)


def fooling_set(f: TwoParty, value: int = 1, maximum: bool = False) -> Measure:
    """log2 of the size of a fooling set is a lower bound of D(f) (Fact 4 of Bhattamishra et al. 2024, Definition 1).

    Inputs with the answer `value`, such that for every two of them, (x, y) and (x', y'), one of (x, y') and (x', y) is defined
    and has another answer. At one leaf there would be all four. Greedy; with `maximum` the largest one, found by a solver
    (extra `exact`: python-sat). Raises ValueError where no input has the value.
    """
    if value not in f.answers:
        raise ValueError(f"fooling_set(value={value}): answers are {f.answers[:10]}")
    witness = (witness_search.largest_fooling if maximum else witness_search.greedy_fooling)(f.matrix, value)
    name = "maximum fooling set" if maximum else "fooling set"
    return Measure(name, "lower", "two-way", ceil_log2(len(witness.rows)), len(witness.rows), witness)


def discrepancy_bound(f: TwoParty) -> Measure:
    """log2(1 / discrepancy) is a lower bound of D(f), for answers 0 and 1 and uniform inputs.

    On a rectangle where f is constant, ones and zeros differ by its whole area. The leaves cover all rows x columns inputs,
    each at most `value` = the greatest difference of any rectangle: 2^D >= rows x columns / value. Where a side has at most 16
    inputs the difference is found exactly, elsewhere an upper bound of it by the spectral norm, in whole numbers.
    Raises ValueError for a partial function or other answers.
    """
    if not f.total or not set(f.answers) <= {0, 1}:
        raise ValueError(f"discrepancy_bound: expected answers 0 and 1 everywhere, found {f.answers[:10]}, total: {f.total}")
    witness = witness_search.discrepancy(f.matrix)
    leaves = -(-f.matrix.size // witness.most)
    return Measure("discrepancy", "lower", "two-way", ceil_log2(leaves), witness.most, witness)


def trivial_cost(f: TwoParty) -> Measure:
    """An upper bound of D(f): one party sends its class of equal rows, the other the answer."""
    told = ceil_log2(len(f.answers)) if f.answers else 0
    ways = [distinct_rows(one) if one.total else merged_rows(one) for one in (f, f.transposed())]
    least = min(ways, key=lambda way: way.bits)
    return Measure("one way, and the answer back", "upper", "two-way", least.bits + told, least.value, least.witness)


def protocol_cost(f: TwoParty, most_nodes: int = 2_000_000) -> Measure:
    """D(f) exactly, with a tree of that depth: up to 8 x 8 different rows and columns, and 16 x 16 where it ends.

    Raises ValueError beyond 16 x 16, or where the search takes more than `most_nodes` rectangles.
    """
    tree = search(f.matrix, most_nodes)
    return Measure("protocol tree", "exact", "two-way", tree.depth, tree.leaves, tree)


__all__ = [
    "OUTSIDE",
    "Discrepancy",
    "DistinctRows",
    "FoolingSet",
    "IncompatibleRows",
    "Measure",
    "Merged",
    "ProtocolTree",
    "Rank",
    "TwoParty",
    "discrepancy_bound",
    "distinct_rows",
    "fooling_set",
    "incompatible_rows",
    "merged_rows",
    "of_values",
    "protocol_cost",
    "rank_bound",
    "trivial_cost",
    "two_party",
]
