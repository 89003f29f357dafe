"""N-gram retrieval: symbols, then c - 1 of them as a question; the answer is the symbol behind their first occurrence.

Asked: the last token only. FAILED, class S, is the answer if the question does not occur; the examples ask for what occurs.
Tokens: symbols 0 .. S - 1, S is `alphabet`, or `length` if that is 0; the question is written in the same symbols.
Lengths: training draws n uniformly from least_length .. length and then n symbols; evaluation has exactly `length` symbols.
Examples: symbols are uniform and independent; the question is the beginning of one of the n - c + 1 grams of c symbols, c is
`gram`, each equally likely. With gram = 2 it is associative recall as the paper has it, where keys and values are the same
symbols and follow each other everywhere (`associative_recall` is another task: pairs, each key once).
Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), definitions 4.3 and 4.4.
We differ: the paper says nothing of repeated grams, FAILED, or how inputs are drawn, and trains no model on this task.
Shortcuts: with gram >= 3 fewer symbols of the question may do. With gram = 3 and N = 64, what stands behind the first
occurrence of its last symbol alone is right in 0.65 of the examples for S = N, and in 0.35 of them for S = N/4.
"""

from dataclasses import dataclass
from math import perm
from typing import Any, ClassVar

import numpy as np

from seqsep.core.stream import below, draws
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import nothing_asked, use_of
from seqsep.tasks._rows import chosen, is_before
from seqsep.tasks.base import Batch, Task, require


@dataclass(frozen=True)
class NgramRetrieval(Task):
    """`length` symbols from an alphabet of `alphabet` (0: as many as symbols), then a question of `gram` - 1 of them.

    Fields:
        length: N, symbols of an evaluated input, at least gram; 2 to 2^20.
        gram: c, one more than the symbols of a question; 2 to 64.
        alphabet: symbols to choose from; 0 to 2^30, and 0: as many as the length.
        least_length: symbols of the shortest training input, at least gram; from 2.

    >>> task = NgramRetrieval(length=5)
    >>> task.solve((3, 1, 4, 1, 0, 4, 1)), task.solve((3, 1, 4, 1, 0, 2, 2))
    (0, 5)
    """

    name: ClassVar[str] = "ngram-retrieval"

    gram: int = 3
    alphabet: int = 0
    least_length: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        require(2 <= self.gram <= 64, self, f"gram is 2 to 64 symbols, found {self.gram}")
        require(self.gram <= self.length <= 2**20, self, f"length is gram, {self.gram}, to 2^20 symbols, found {self.length}")
        require(0 <= self.alphabet <= 2**30, self, f"alphabet is 0 or up to 2^30 symbols, found {self.alphabet}")
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
        """The answer is null for FAILED."""
        asked = self.gram - 1
        found = None if answer == self.vocabulary else answer
        return {"tokens": list(inputs[:-asked]), "query": list(inputs[-asked:]), "answer": found}

    def answer_bits(self) -> int | None:
        """What is needed at least: two sequences in which no c - 1 symbols stand twice are told apart by some question.

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
