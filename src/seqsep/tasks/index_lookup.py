"""Index lookup: symbols s_1 .. s_N, then a position p; the answer is s_p.

Asked: the last token only.
Tokens: symbols 0 .. S - 1, position p is S + p - 1; N symbols are N + 1 tokens.
Lengths: training draws k uniformly from least_length .. length and then k symbols and p uniformly from 1 .. k; evaluation has
exactly `length` symbols.
Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 3; examples as in H.1, which says "N symbols" and means the drawn
length.
Shortcuts: none above chance 1/S, since symbols and position are uniform and independent; the last positions are rare in
training (p = N has probability about 1/(N (N - least_length + 1))), so a model may fail there and still score well.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from seqsep.exact.integers import ceil_log2
from seqsep.stream import below, draws
from seqsep.tasks._blocks import nothing_asked, use_of
from seqsep.tasks._rows import is_before
from seqsep.tasks.base import Batch, Task, require


@dataclass(frozen=True)
class IndexLookup(Task):
    """`length` symbols from an alphabet of `alphabet`, then a position token; training lengths from `least_length`.

    Fields:
        length: N, symbols of an evaluated input; 1 to 2^20.
        alphabet: S, symbols to choose from; 1 to 2^31.
        least_length: symbols of the shortest training input; from 1.

    >>> task = IndexLookup(length=3, alphabet=5)
    >>> task.solve((4, 0, 2, 5 + 0))
    4
    >>> task.answer_bits()
    7
    """

    name: ClassVar[str] = "index-lookup"

    alphabet: int = 64
    least_length: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        require(1 <= self.length <= 2**20, self, f"length is 1 to 2^20 symbols, found {self.length}")
        require(1 <= self.alphabet <= 2**31, self, f"alphabet is 1 to 2^31 symbols, found {self.alphabet}")
        require(self.least_length >= 1, self, f"least_length is at least 1 symbol, found {self.least_length}")
        object.__setattr__(self, "least_length", min(self.least_length, self.length))

    @property
    def vocabulary(self) -> int:
        return self.alphabet + self.length

    @property
    def classes(self) -> int:
        return self.alphabet

    @property
    def longest(self) -> int:
        return self.length + 1

    def solve(self, inputs: tuple[int, ...]) -> int:
        *symbols, question = inputs
        position = question - self.alphabet + 1
        if not 1 <= position <= len(symbols):
            raise ValueError(f"{self!r}: the question asks for position {position} of {len(symbols)} symbols")
        return symbols[position - 1]

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        uniform = draws(seed, use_of(evaluate), start, count, each=self.length + 2)
        if evaluate:
            lengths = np.full(count, self.length, dtype=np.int64)
        else:
            lengths = self.least_length + below(uniform[:, 0], self.length - self.least_length + 1)
        positions = below(uniform[:, 1], lengths)
        symbols = below(uniform[:, 2:], self.alphabet)
        rows = np.arange(count)
        inputs = np.zeros((count, self.longest), dtype=np.int64)
        inputs[:, : self.length] = np.where(is_before(lengths, self.length), symbols, 0)
        inputs[rows, lengths] = self.alphabet + positions
        targets = nothing_asked(count, self.longest)
        targets[rows, lengths] = symbols[rows, positions]
        return Batch(inputs, targets, lengths + 1)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        *symbols, question = inputs
        return {"symbols": symbols, "position": question - self.alphabet + 1, "answer": answer}

    def answer_bits(self) -> int:
        """ceil(N log2 S), exactly: every one of the S^N prefixes needs a state of its own (Theorem 3, any alphabet)."""
        return ceil_log2(self.alphabet**self.length)

    def alphabets(self, length: int) -> tuple[range, ...]:
        return (range(self.alphabet),) * length + (range(self.alphabet, self.alphabet + length),)
