"""Modular count: how many tokens are the symbol 1, modulo m? With m = 2 this is parity.

Queries: with `ask="all"`, every symbol: the answer is the count so far, modulo m. With `ask="last"`, an end token after the
symbols: the answer is the count of all, modulo m.
Tokens: symbols are 0 .. S - 1, and with `ask="last"` the end token is S. S is `alphabet`.
Lengths: a training example has n symbols, n uniform in least_length .. length. An evaluation example has exactly `length`
symbols.
Examples: symbols are uniform and independent.
Least state: K symbols have min(m, K + 1) counts modulo m. With `ask="last"` the state before the end token holds those of N
symbols. With `ask="all"` the last symbol and the state before it decide the answer, so the largest state holds those of N - 1
symbols. A model that answers from its state only needs those of N.
Source: parity is a task of Hahn 2020 (arXiv:1906.06755). Grazzi et al. 2024 (arXiv:2411.12537) ask which recurrences count
modulo m.
We differ: only the symbol 1 is counted, so the alphabet does not depend on the modulus.
Shortcuts: a count below m needs no modulus. If the length is small beside m, a model that counts without the modulus is right.
The count is near N / S, so for m far above the square root of N some answers are much more likely than others.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np

from seqsep.core.options import OneOf, Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import ExampleDraws, filled, nothing_asked, use_of
from seqsep.tasks._walks import ASKED, drawn_lengths, write_letters
from seqsep.tasks.base import Batch, Task


@dataclass(frozen=True)
class ModularCount(Task):
    """`length` symbols; the answer is the number of symbols 1 so far, modulo `modulus`.

    >>> task = ModularCount(length=5, modulus=3)
    >>> [task.solve((1, 1, 0, 1, 1)[:read]) for read in range(1, 6)]
    [1, 2, 2, 0, 1]
    >>> task.answer_bits()
    2
    """

    name: ClassVar[str] = "modular-count"

    length: Annotated[int, Range(1, 2**20, unit="symbols"), "N, symbols of an evaluated input"]
    modulus: Annotated[int, Range(2, 2**20), "m, counts that are distinguished"] = 2
    alphabet: Annotated[int, Range(2, 2**30, unit="symbols"), "S, symbols to choose from"] = 2
    ask: Annotated[str, OneOf(*ASKED), "queried tokens, every symbol or an end token"] = "all"
    least_length: Annotated[int, Range(1, unit="symbol"), "symbols of the shortest training input"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "least_length", min(self.least_length, self.length))

    @property
    def end(self) -> int | None:
        """The end token; None if every symbol is a query."""
        return self.alphabet if self.ask == "last" else None

    @property
    def vocabulary(self) -> int:
        return self.alphabet + (self.end is not None)

    @property
    def classes(self) -> int:
        return self.modulus

    @property
    def longest(self) -> int:
        return self.length + (self.end is not None)

    def solve(self, inputs: tuple[int, ...]) -> int:
        symbols = list(inputs)
        if self.end is not None and (not symbols or symbols.pop() != self.end):
            raise ValueError(f"{self!r}: expected the end token {self.end} at the end, found {inputs}")
        if not symbols or not all(0 <= symbol < self.alphabet for symbol in symbols):
            raise ValueError(f"{self!r}: expected symbols 0 to {self.alphabet - 1}, found {inputs}")
        return symbols.count(1) % self.modulus

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        inputs = np.empty((count, self.longest), dtype=np.int64)
        batch = Batch(inputs, nothing_asked(count, self.longest), np.empty(count, dtype=np.int64))
        return filled(batch, self.longest, partial(self._fill, start=start, seed=seed, use=use_of(evaluate)))

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        """Write the examples from start + first on into the inputs, and into targets of nothing asked."""
        count = len(batch.lengths)
        example_draws = ExampleDraws((1, self.length), seed=seed, use=use, start=start + first, count=count)
        batch.lengths[:] = drawn_lengths(example_draws, self.length, self.least_length, use is Use.EVALUATION)
        symbols = below(example_draws.part(1), self.alphabet)
        counts = np.cumsum(symbols == 1, axis=1, dtype=np.int64)
        write_letters(batch, symbols, counts % self.modulus, self.end)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        symbols = inputs if self.end is None else inputs[:-1]
        return {"symbols": list(symbols), "answer": answer}

    def answer_bits(self) -> int:
        """Return ceil(log2 min(m, K + 1)), exactly, for K = N with `ask="last"` and K = N - 1 with `ask="all"`.

        Two counts that differ modulo m still do after the next symbol. As many states as counts are enough.
        """
        return ceil_log2(min(self.modulus, self.length + (self.end is not None)))

    def alphabets(self, length: int) -> tuple[range, ...]:
        symbols = (range(self.alphabet),) * length
        return symbols if self.end is None else (*symbols, range(self.end, self.end + 1))
