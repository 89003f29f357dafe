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
from typing import Annotated, Any, ClassVar

import numpy as np

from seqsep.core.options import OneOf, Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import ExampleDraws
from seqsep.tasks._walks import ASKED, LetterTask, drawn_lengths, write_letters
from seqsep.tasks.base import Batch


@dataclass(frozen=True)
class ModularCount(LetterTask):
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
    def letter_count(self) -> int:
        return self.alphabet

    @property
    def classes(self) -> int:
        return self.modulus

    def solve(self, inputs: tuple[int, ...]) -> int:
        return self.letters_of(inputs).count(1) % self.modulus

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
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
