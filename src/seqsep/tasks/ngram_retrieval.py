"""N-gram retrieval: symbols, then c - 1 of them as a query; the answer is the symbol after their first occurrence.

Queries: the last token only. If the query does not occur, the answer is FAILED, which is class S. In the examples it always
occurs.
Tokens: symbols are 0 .. S - 1. S is `alphabet`, or `length` if `alphabet` is 0. The query is written with the same symbols.
Lengths: a training example has n symbols, n uniform in least_length .. length. An evaluation example has exactly `length`
symbols.
Examples: symbols are uniform and independent. c is `gram`, and a gram is c consecutive symbols. The query is the first c - 1
symbols of one of the n - c + 1 grams; each gram is equally likely. With gram = 2 this is associative recall as the paper
defines it: every symbol is a key, and the next symbol is its value. Our task `associative_recall` is another one: it has
pairs, and each key occurs once.
Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), definitions 4.3 and 4.4.
We differ: the paper says nothing about repeated grams, FAILED, or how inputs are drawn, and trains no model on this task.
Shortcuts: with gram >= 3, fewer symbols of the query may be enough. For gram = 3 and N = 64, take the symbol after the first
occurrence of the query's last symbol. It is right in 0.65 of the examples for S = N, and in 0.35 of them for S = N/4.
"""

from dataclasses import dataclass
from math import perm
from typing import Annotated, Any, ClassVar

import numpy as np

from seqsep.core.options import Range
from seqsep.core.stream import below, draws
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import nothing_asked, use_of
from seqsep.tasks._rows import chosen, is_before
from seqsep.tasks.base import Batch, Task, require


@dataclass(frozen=True)
class NgramRetrieval(Task):
    """`length` symbols, then `gram` - 1 of them as a query; the answer is the symbol after their first occurrence.

    >>> task = NgramRetrieval(length=5)
    >>> task.solve((3, 1, 4, 1, 0, 4, 1)), task.solve((3, 1, 4, 1, 0, 2, 2))
    (0, 5)
    """

    name: ClassVar[str] = "ngram-retrieval"

    length: Annotated[int, Range(2, 2**20), "N, symbols of an evaluated input, at least gram"]
    gram: Annotated[int, Range(2, 64, unit="symbols"), "c, one more than the symbols of a query"] = 3
    alphabet: Annotated[int, Range(0, 2**30, unit="symbols"), "symbols to choose from, 0 for as many as the length"] = 0
    least_length: Annotated[int, Range(2), "symbols of the shortest training input, at least gram"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.gram <= self.length <= 2**20, self, f"length is gram, {self.gram}, to 2^20 symbols, found {self.length}")
        require(self.least_length >= self.gram, self, f"least_length is at least gram, {self.gram}, found {self.least_length}")
        object.__setattr__(self, "least_length", min(self.least_length, self.length))
        object.__setattr__(self, "alphabet", 0 if self.alphabet == self.length else self.alphabet)

    @property
    def vocabulary(self) -> int:
        return self.alphabet or self.length

    @property
    def classes(self) -> int:
        return self.vocabulary + 1

    @property
    def longest(self) -> int:
        return self.length + self.gram - 1

    def solve(self, inputs: tuple[int, ...]) -> int:
        asked = self.gram - 1
        symbols = inputs[:-asked]
        if len(symbols) < self.gram:
            raise ValueError(f"{self!r}: expected at least {self.gram} symbols before the question, found {len(symbols)}")
        for place in range(len(symbols) - asked):
            if symbols[place : place + asked] == inputs[-asked:]:
                return symbols[place + asked]
        return self.vocabulary

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        uniform = draws(seed, use_of(evaluate), start, count, each=self.length + 2)
        asked = self.gram - 1
        lengths = np.full(count, self.length, dtype=np.int64)
        if not evaluate:
            lengths = self.least_length + below(uniform[:, 0], self.length - self.least_length + 1)
        symbols = below(uniform[:, 2:], self.vocabulary)
        places = below(uniform[:, 1], lengths - asked)
        question = chosen(symbols, places[:, None] + np.arange(asked))
        occurs = np.ones((count, self.length - asked), dtype=np.bool_)
        for offset in range(asked):
            occurs &= symbols[:, offset : self.length - asked + offset] == question[:, offset, None]
        first = occurs.argmax(axis=1)
        rows = np.arange(count)
        inputs = np.zeros((count, self.longest), dtype=np.int64)
        inputs[:, : self.length] = np.where(is_before(lengths, self.length), symbols, 0)
        inputs[rows[:, None], lengths[:, None] + np.arange(asked)] = question
        targets = nothing_asked(count, self.longest)
        targets[rows, lengths + asked - 1] = symbols[rows, first + asked]
        return Batch(inputs, targets, lengths + asked)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        """Return the readable form; the answer is null for FAILED."""
        asked = self.gram - 1
        found = None if answer == self.vocabulary else answer
        return {"tokens": list(inputs[:-asked]), "query": list(inputs[-asked:]), "answer": found}

    def answer_bits(self) -> int | None:
        """Return the least state in bits for the answers: some question distinguishes two sequences in which no c - 1 symbols
        occur twice.

        At least S^n - C(n - c + 2, 2) S^(n - c + 1) sequences are such, and for c = 2 exactly S! / (S - n)! (theorem
        recall-state). None if that is none, as with small alphabets.
        """
        symbols = self.vocabulary
        if self.gram == 2:
            sequences = perm(symbols, self.length)
        else:
            grams = self.length - self.gram + 2
            sequences = symbols**self.length - grams * (grams - 1) // 2 * symbols ** (grams - 1)
        return ceil_log2(sequences) if sequences > 0 else None

    def alphabets(self, length: int) -> tuple[range, ...]:
        return (range(self.vocabulary),) * (length + self.gram - 1)
