"""Equality: symbols a_1 .. a_h, a separator, symbols b_1 .. b_h; are the halves equal? In three variants.

`length` is the paper's N: it counts the symbols of both halves. With the separator, an example has N + 1 tokens.

Queries: the last token in the variants `random` and `one`; every token except the last in `next`.
Tokens: symbols are 0 .. S - 1, the separator is S. S is `alphabet`. If that is 0, S is 2 for `random` and 1,024 for the
others.
Lengths: training draws 2h uniformly from the even numbers in least_length .. N; evaluation has h = N/2. If least_length is 0,
the shortest length is the least even number that is at least N/10.
Variant random: the label is 1 if the halves are equal. The first half is uniform. With probability 1/2, the second half is a
copy of it; otherwise the second half is uniform and independent. So label 1 has probability 1/2 + S^-h / 2.
Variant one: the label is 1 with probability 1/2, and then the halves are equal. With label 0, the second half is a copy of the
first half with one changed symbol. The position of this symbol is uniform, and its new value is uniform among the S - 1 others.
Variant next: an input is a uniform word, the separator, and the same word again. The answer at a token is the set of symbols
that may follow it. At each token of the first half, this set is all S symbols (`EVERY_CLASS`). The separator may follow there
too, but it is not in the set, because models do not predict it. At the separator, the set has only a_1; at b_i, it has only
a_(i+1). The loss is the mean of the S binary cross-entropies. The predicted set is the symbols with positive logits. An
example is right only if all its sets are right.
Source: Bhattamishra et al. 2024 (arXiv:2406.09347), sections 4 and 5; examples as in H.2.
We differ: training lengths begin at the even number at or above N/10, because the paper's list N/10, N/10 + 2, .. has only
odd numbers for N = 50, and never reaches it. The S symbols of `alphabet` do not include the separator. In H.2 they do: one
token of the alphabet is the separator.
Shortcuts: in `random`, a model that compares only the first j symbols is wrong with probability (S^-j - S^-h) / 2. In `one`,
a model may subtract the sum of the second half from the sum of the first half, modulo S. On the drawn inputs, this difference
is 0 only for equal halves. So log2 S bits of state are enough. `next` has no shortcut, because the model must copy: if it does
not remember a_(i+1), then all symbols are equally likely after b_i. But the loss of `next` is always small. A model that
remembers nothing of the first half can have a loss of entropy(1/S) / 2, which is 0.004 nats for S = 1,024. Therefore read the
accuracy, not the loss.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.core.options import OneOf, Range
from seqsep.core.stream import below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import ExampleDraws
from seqsep.tasks._halves import Halves, TwoHalves
from seqsep.tasks._rows import is_before
from seqsep.tasks.base import EVERY_CLASS, Batch, Loss, require

ALPHABETS = {"random": 2, "one": 1024, "next": 1024}


@dataclass(frozen=True)
class Equality(TwoHalves):
    """`length` symbols in two halves; the label is 1 if the halves are equal.

    The variant random draws unequal halves independently. The variant one changes one symbol. In the variant next, a model
    writes the second half.

    >>> task = Equality(length=6)
    >>> task.solve((1, 0, 1, 2, 1, 0, 1))
    1
    >>> task.answer_bits()
    3
    """

    name: ClassVar[str] = "equality"

    length: Annotated[int, Range(2, 2**20), "N, symbols of both halves together, an even number"]
    variant: Annotated[str, OneOf(*ALPHABETS), "the form of the task"] = "random"
    alphabet: Annotated[int, Range(0, 2**31), "S, symbols to choose from, 2 or more, or 0 for the default of the variant"] = 0
    least_length: Annotated[
        int, Range(0), "symbols of the shortest training input, an even number, 0 for the even number at or above N / 10"
    ] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self.alphabet == 0 or 2 <= self.alphabet <= 2**31,
            self,
            f"alphabet is 2 to 2^31 symbols, or 0 for the variant's own, found {self.alphabet}",
        )
        self._require_lengths()
        object.__setattr__(self, "alphabet", 0 if self.alphabet == ALPHABETS[self.variant] else self.alphabet)

    @property
    def symbols(self) -> int:
        return self.alphabet or ALPHABETS[self.variant]

    @property
    def classes(self) -> int:
        return self.symbols if self.variant == "next" else 2

    @property
    def loss(self) -> Loss:
        return "binary-cross-entropy" if self.variant == "next" else "cross-entropy"

    def solve(self, inputs: tuple[Any, ...]) -> int:
        """Return the answer. In `next`, raises ValueError after tokens that no symbol can follow in a word of the language."""
        if self.variant != "next":
            left, right = self.both(inputs)
            return int(left == right)
        left, repeated = self.split(inputs)
        if repeated is None:
            return EVERY_CLASS
        if repeated != left[: len(repeated)] or len(repeated) == len(left):
            raise ValueError(f"{self!r}: no symbol follows {list(inputs)}")
        return left[len(repeated)]

    def _widths(self) -> tuple[int, ...]:
        half = self.length // 2
        return half, {"random": half, "one": 2, "next": 0}[self.variant]

    def _draw(
        self, example_draws: ExampleDraws, halves: Int64[np.ndarray, "batch"], coin: Bool[np.ndarray, "batch"]
    ) -> tuple[Halves, Halves, Int64[np.ndarray, "batch"]]:
        left = below(example_draws.part(1), self.symbols)
        if self.variant == "next":
            return left, left, np.ones(len(left), dtype=np.int64)
        if self.variant == "random":
            right = np.where(coin[:, None], left, below(example_draws.part(2), self.symbols))
            is_equal = ((left == right) | ~is_before(halves, left.shape[1])).all(axis=1)
            return left, right, is_equal.astype(np.int64)
        rows = np.flatnonzero(~coin)
        place_and_symbol = example_draws.part(2)[rows]
        places = below(place_and_symbol[:, 0], halves[rows])
        right = left.copy()
        right[rows, places] += 1 + below(place_and_symbol[:, 1], self.symbols - 1)
        right[rows, places] %= self.symbols
        return left, right, coin.astype(np.int64)

    def _ask(self, batch: Batch, halves: Int64[np.ndarray, "batch"], labels: Int64[np.ndarray, "batch"]) -> None:
        if self.variant != "next":
            return super()._ask(batch, halves, labels)
        np.copyto(batch.targets[:, :-1], batch.inputs[:, 1:], where=is_before(2 * halves, self.length))
        np.copyto(batch.targets, EVERY_CLASS, where=is_before(halves, self.longest))

    def readable(self, inputs: tuple[Any, ...], answer: int) -> dict[str, Any]:
        """Return the halves, and 1 if they are equal; in `next`, whose last answer is a symbol, always 1."""
        left, right = self.both(inputs)
        return {"left": left, "right": right, "label": int(left == right) if self.variant == "next" else answer}

    def answer_bits(self) -> int:
        """Return ceil(N/2 log2 S), exactly, on all inputs: each of the S^(N/2) first halves needs a state of its own.

        This is Theorem 11; theorem equality-state. In `next` so does each, on the examples alone: their answers differ.
        """
        return ceil_log2(self.symbols ** (self.length // 2))

    def alphabets(self, length: int) -> tuple[range, ...]:
        """Return the alphabets. Raises ValueError for `next`: its inputs are begun words, not a product of alphabets."""
        require(self.variant != "next", self, "the inputs are a product of alphabets only for the variants random and one")
        return super().alphabets(length)
