"""Two-party functions as matrices, and what they cost to compute by exchanging bits.

Alice knows a row, Bob a column, both the matrix. There are two costs:
* *one-way*: Alice sends one message, Bob answers. The cost is exactly ceil(log2 of the number of distinct rows).
* D(f), *two-way deterministic*: the least depth of a protocol tree. Each bit is sent by the one or the other, and every input
  that reaches a leaf has one answer, so both parties know it. (If only one has to know it, this saves at most the ceil(log2 of
  the number of answers) bits that tell the other. `rank_bound` and `fooling_set` bound that cost as well.)

A `Measure` says which cost it bounds and from which side: `lower`, `upper` or `exact`. Its witness carries the matrix and has a
`verify()` that checks the claim from scratch.

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

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.communication import witness_search
from seqsep.maths.communication.protocol_trees import search
from seqsep.maths.communication.witnesses import OUTSIDE

MOST_ENTRIES = 1 << 26
Label = Literal["lower", "upper", "exact"]
Cost = Literal["one-way", "two-way"]


@dataclass(frozen=True)
class TwoParty:
    """A function f(x, y) as a matrix: entry (i, j) is the answer to Alice's i-th and Bob's j-th input.

    Answers are whole numbers from 0; OUTSIDE, -1, means an input outside the domain.
    Raises ValueError for a matrix without rows or columns, or with an entry below -1.

    >>> TwoParty(np.array([[0, 1], [OUTSIDE, 1]])).total
    False
    """

    matrix: Int64[np.ndarray, "rows columns"]

    def __post_init__(self) -> None:
        shape = "x".join(map(str, self.matrix.shape))
        if self.matrix.ndim != 2 or not self.matrix.size or self.matrix.min() < OUTSIDE:
            raise ValueError(f"TwoParty({shape} matrix): expected rows and columns of whole numbers from 0, or {OUTSIDE}")

    @cached_property
    def total(self) -> bool:
        """True if the function is defined everywhere."""
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
    """A bound, in bits, of one cost of a function, with its witness.

    `value` is the number that the bound comes from: of rows, a rank, a size, a discrepancy or a number of leaves.

    >>> measure = distinct_rows(TwoParty(np.array([[0, 1], [1, 1]])))
    >>> measure.name, measure.label, measure.of, measure.bits
    ('distinct rows', 'exact', 'one-way', 1)
    """

    name: str
    label: Label
    of: Cost
    bits: int
    value: int
    witness: Any


def two_party(function: Callable[[list[int]], int | None], alphabets: Sequence[int], alice: Sequence[int]) -> TwoParty:
    """Return a function of N tokens as a matrix: Alice has the tokens at the positions `alice`, Bob the other ones.

    Positions count from 0. Token t is below alphabets[t]; the answer None says that an input is outside the domain. Rows and
    columns are in the lexicographic order of the parties' tokens, in the order of their positions. Raises ValueError for
    positions that do not exist or are given twice, for more than 2^26 inputs, or for an answer that is not a whole number from
    0.

    >>> two_party(lambda word: int(word[0] == word[1]), [2, 2], alice=[0]).matrix.tolist()
    [[1, 0], [0, 1]]
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
    """Return the same as `two_party`, from an array of answers with one axis a position.

    Raises ValueError for positions that do not exist or are given twice.

    >>> of_values(np.array([[0, 1], [2, 3]]), alice=[1]).matrix.tolist()
    [[0, 2], [1, 3]]
    """
    mine = sorted(set(alice))
    if len(mine) != len(alice) or any(not 0 <= position < values.ndim for position in mine):
        raise ValueError(f"of_values({values.ndim} positions, alice={list(alice)}): different positions from 0 are required")
    theirs = [position for position in range(values.ndim) if position not in mine]
    rows = math.prod(values.shape[position] for position in mine)
    return TwoParty(np.ascontiguousarray(values.transpose(mine + theirs).reshape(rows, -1)).astype(np.int64))


def distinct_rows(f: TwoParty) -> Measure:
    """The exact one-way cost of a total function: ceil(log2 of the number of distinct rows).

    Rows that differ need different messages, since Bob answers from the message and his column; and the number of the row's
    class is enough. Raises ValueError for a partial function, whose rows may be merged in several ways: `incompatible_rows`
    and `merged_rows` bound its cost from below and above.

    >>> equality = TwoParty(np.eye(8, dtype=np.int64))
    >>> distinct_rows(equality).bits
    3
    """
    if not f.total:
        raise ValueError("distinct_rows: the function has inputs outside its domain; see incompatible_rows and merged_rows")
    witness = witness_search.distinguished(f.matrix)
    rows = len(witness.rows)
    return Measure(name="distinct rows", label="exact", of="one-way", bits=ceil_log2(rows), value=rows, witness=witness)


def incompatible_rows(f: TwoParty) -> Measure:
    """A lower bound of the one-way cost of any function: rows, every two of which contradict each other.

    Two rows contradict each other if they differ in a column where both are defined.

    >>> incompatible_rows(TwoParty(np.array([[0, OUTSIDE], [1, 0], [OUTSIDE, 1]]))).value
    2
    """
    witness = witness_search.incompatible(f.matrix)
    rows = len(witness.rows)
    return Measure(name="incompatible rows", label="lower", of="one-way", bits=ceil_log2(rows), value=rows, witness=witness)


def merged_rows(f: TwoParty) -> Measure:
    """An upper bound of the one-way cost of any function: classes of rows that nowhere contradict each other, greedily.

    >>> merged_rows(TwoParty(np.array([[0, OUTSIDE], [1, 0], [OUTSIDE, 1]]))).value
    2
    """
    witness = witness_search.merged(f.matrix)
    classes = witness.classes
    return Measure(name="merged rows", label="upper", of="one-way", bits=ceil_log2(classes), value=classes, witness=witness)


def rank_bound(f: TwoParty, field: str = "rationals") -> Measure:
    """A lower bound of D(f): log2 of the rank over a field, rationals or gf2.

    The leaves of a protocol are rectangles, at most 2^D of them, on each of which f is constant; so f is the sum of at most 2^D
    matrices of rank 1, over any field. (If Bob alone has to know the answer, a leaf's rows are equal: again rank 1.)
    Raises ValueError for another field or a partial function.

    >>> equality = TwoParty(np.eye(8, dtype=np.int64))
    >>> rank_bound(equality).bits, rank_bound(equality).witness.verify()
    (3, None)
    """
    if not f.total:
        raise ValueError("rank_bound: the function has inputs outside its domain")
    witness = witness_search.rank(f.matrix, field)
    rank = len(witness.rows)
    name = "log-rank" if field == "rationals" else "log-rank over GF(2)"
    return Measure(name=name, label="lower", of="two-way", bits=ceil_log2(max(1, rank)), value=rank, witness=witness)


def fooling_set(f: TwoParty, value: int = 1, maximum: bool = False) -> Measure:
    """A lower bound of D(f): log2 of the size of a fooling set.

    Source: Fact 4 and Definition 1 of Bhattamishra et al. 2024. A fooling set holds inputs with the answer `value`, such that
    of every two, (x, y) and (x', y'), one of (x, y') and (x', y) is defined and has another answer; so no two are at one leaf,
    a rectangle. It is found greedily; with `maximum` a largest one is found by a solver (extra `exact`: python-sat). Raises
    ValueError if no input has the value.

    >>> fooling_set(TwoParty(np.eye(8, dtype=np.int64))).value
    8
    """
    if value not in f.answers:
        raise ValueError(f"fooling_set(value={value}): answers are {f.answers[:10]}")
    find = witness_search.largest_fooling if maximum else witness_search.greedy_fooling
    witness = find(f.matrix, value)
    size = len(witness.rows)
    name = "maximum fooling set" if maximum else "fooling set"
    return Measure(name=name, label="lower", of="two-way", bits=ceil_log2(size), value=size, witness=witness)


def discrepancy_bound(f: TwoParty) -> Measure:
    """A lower bound of D(f): log2(1 / discrepancy), for answers 0 and 1 and uniform inputs.

    On a rectangle with one answer, ones and zeros differ by its whole area. So the leaves, which cover all rows x columns
    inputs, have an area of at most `value` each, the greatest difference on any rectangle: 2^D >= rows x columns / value.
    If a side has at most 16 inputs the difference is exact, else an upper bound by the spectral norm, in whole numbers.
    Raises ValueError for a partial function or other answers.

    >>> inner_product = TwoParty(np.array([[0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]]))
    >>> discrepancy_bound(inner_product).value, discrepancy_bound(inner_product).bits
    (5, 2)
    """
    if not f.total or not set(f.answers) <= {0, 1}:
        raise ValueError(f"discrepancy_bound: expected answers 0 and 1 everywhere, found {f.answers[:10]}, total: {f.total}")
    witness = witness_search.discrepancy(f.matrix)
    leaves = -(-f.matrix.size // witness.most)
    bits = ceil_log2(leaves)
    return Measure(name="discrepancy", label="lower", of="two-way", bits=bits, value=witness.most, witness=witness)


def trivial_cost(f: TwoParty) -> Measure:
    """An upper bound of D(f): one party sends the class of its row or column, the other one the answer.

    >>> trivial_cost(TwoParty(np.eye(8, dtype=np.int64))).bits
    4
    """
    answer_bits = ceil_log2(len(f.answers)) if f.answers else 0
    one_way = [distinct_rows(one) if one.total else merged_rows(one) for one in (f, f.transposed())]
    least = min(one_way, key=lambda way: way.bits)
    return Measure(
        name="one way, and the answer back",
        label="upper",
        of="two-way",
        bits=least.bits + answer_bits,
        value=least.value,
        witness=least.witness,
    )


def protocol_cost(f: TwoParty, most_nodes: int = 2_000_000) -> Measure:
    """D(f) exactly, with a protocol tree of that depth.

    8 x 8 different rows and columns are fast, 16 x 16 may take too long. Raises ValueError beyond 16 x 16, or if the search
    takes more than `most_nodes` rectangles.

    >>> protocol_cost(TwoParty(np.eye(4, dtype=np.int64))).bits
    3
    """
    tree = search(f.matrix, most_nodes)
    return Measure(name="protocol tree", label="exact", of="two-way", bits=tree.depth, value=tree.leaves, witness=tree)
