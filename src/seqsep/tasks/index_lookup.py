"""Index lookup: symbols s_1 .. s_N, then a position p; the answer is s_p.

Queries: the last token only.
Tokens: symbols are 0 .. S - 1, and position p is the token S + p - 1. N symbols are N + 1 tokens.
Lengths: an evaluation example has exactly N = `length` symbols, and p is uniform in 1 .. N. `training_inputs` chooses the
training examples:
    drawn-length    k uniform in least_length .. N; k symbols, p uniform in 1 .. k
    full-length     N symbols, p uniform in 1 .. N
    drawn-position  k uniform in least_length .. N; N symbols, p uniform in 1 .. k
Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 3. H.1 samples "a length k uniformly between 10 and N" and then
"N symbols", and "a position between 1 and k". This is drawn-position if it is read literally, and drawn-length if "N symbols"
means k symbols.
Positions: except with full-length, the last positions are rare in training: p = N has the probability 1/(N (N - least_length
+ 1)). So a model may fail there and still have a high accuracy on its training distribution.
Shortcuts: no shortcut is better than chance, 1/S, because symbols and position are uniform and independent.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import OneOf, Range
from seqsep.core.stream import below, draws
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import nothing_asked, use_of
from seqsep.tasks._rows import is_before
from seqsep.tasks.base import Batch, Task

LEAST_LENGTH = 10
"""Of H.1."""
TRAINING = ("drawn-length", "full-length", "drawn-position")


@dataclass(frozen=True)
class IndexLookup(Task):
    """`length` symbols, then a position; the answer is the symbol at this position.

    >>> task = IndexLookup(length=3, alphabet=5)
    >>> task.solve((4, 0, 2, 5 + 0))
    4
    >>> task.answer_bits()
    7
    """

    name: ClassVar[str] = "index-lookup"

    length: Annotated[int, Range(1, 2**20, unit="symbols"), "N, symbols of an evaluated input"]
    alphabet: Annotated[int, Range(1, 2**31, unit="symbols"), "S, symbols to choose from"] = 64
    least_length: Annotated[int, Range(1, unit="symbol"), "least number k that is drawn for a training input"] = LEAST_LENGTH
    training_inputs: Annotated[str, OneOf(*TRAINING), "symbols and positions of training inputs"] = "drawn-length"

    def __post_init__(self) -> None:
        super().__post_init__()
        draws_none = self.training_inputs == "full-length"  # so that equal examples have equal fields
        object.__setattr__(self, "least_length", min(LEAST_LENGTH if draws_none else self.least_length, self.length))

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
        full = np.full(count, self.length, dtype=np.int64)
        drawn = self.least_length + below(uniform[:, 0], self.length - self.least_length + 1)
        lengths = drawn if self.training_inputs == "drawn-length" and not evaluate else full
        positions = below(uniform[:, 1], full if self.training_inputs == "full-length" or evaluate else drawn)
        symbols = below(uniform[:, 2:], self.alphabet)
        rows = np.arange(count)
        inputs = np.zeros((count, self.longest), dtype=np.int64)
        inputs[:, : self.length] = np.where(is_before(lengths, self.length), symbols, 0)
        inputs[rows, lengths] = self.alphabet + positions
        targets = nothing_asked(count, self.longest)
        targets[rows, lengths] = symbols[rows, positions]
        return Batch(inputs, targets, lengths + 1)

    def query_positions(self, batch: Batch) -> Int64[np.ndarray, "batch"]:
        return batch.inputs[np.arange(len(batch.lengths)), batch.lengths - 1] - self.alphabet + 1

    def mixed(self) -> "IndexLookup":
        return replace(self, training_inputs="drawn-length")

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        *symbols, question = inputs
        return {"symbols": symbols, "position": question - self.alphabet + 1, "answer": answer}

    def answer_bits(self) -> int:
        """Return ceil(N log2 S), exactly: every one of the S^N prefixes needs a state of its own (Theorem 3, any alphabet)."""
        return ceil_log2(self.alphabet**self.length)

    def alphabets(self, length: int) -> tuple[range, ...]:
        return (range(self.alphabet),) * length + (range(self.alphabet, self.alphabet + length),)
