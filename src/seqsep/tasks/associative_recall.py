"""Associative recall: pairs k_1 v_1 .. k_N v_N, then one of the keys; the answer is its value.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Proposition 9 and appendix C.1; the task is that of Ba et al. 2016.
We differ: values come from an alphabet of any size (printed: {0, 1}), keys from one that may be larger than N.

Asked: the last token only. Lengths: training draws n uniformly from least_length .. length and then n pairs; evaluation has
exactly `length` pairs. Keys are different numbers, every list of them equally likely; with `order="fixed"` they are
0, 1, .., n - 1 (then it is index lookup with the positions said aloud). Values are uniform and independent, and each of the
n keys is asked with probability 1/n.
Tokens: keys 0 .. K - 1, value v is K + v; K is `keys`, or `length` where that is 0. N pairs are 2 N + 1 tokens.
Shortcuts: to answer with some value that was seen is right with probability 1/N + (1 - 1/N)/S, against 1/S for a blind
guess; no more, since keys say nothing of values.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from seqsep.exact.integers import ceil_log2
from seqsep.stream import Use, below
from seqsep.tasks._orders import Cut, before, distinct, draws_for_distinct, parts
from seqsep.tasks.base import NOTHING_ASKED, Batch, Task, require


@dataclass(frozen=True)
class AssociativeRecall(Task):
    """`length` pairs of a key and one of `values` values, then a key; `keys` to choose from (0: as many as pairs)."""

    name: ClassVar[str] = "associative-recall"

    keys: int = 0
    values: int = 64
    order: str = "any"
    least_length: int = 10

    def __post_init__(self) -> None:
        require(1 <= self.length <= 2**20, self, f"length is 1 to 2^20 pairs, found {self.length}")
        require(self.keys == 0 or self.length <= self.keys <= 2**30, self,
                f"keys is 0 or from length, {self.length}, to 2^30, found {self.keys}")  # fmt: skip
        require(1 <= self.values <= 2**31, self, f"values is 1 to 2^31, found {self.values}")
        require(self.order in ("any", "fixed"), self, f"order is any or fixed, found {self.order!r}")
        require(self.order == "any" or self.keys in (0, self.length), self, "keys in a fixed order are as many as pairs")
        require(self.least_length >= 1, self, f"least_length is at least 1 pair, found {self.least_length}")
        object.__setattr__(self, "least_length", min(self.least_length, self.length))
        object.__setattr__(self, "keys", 0 if self.keys == self.length else self.keys)

    @property
    def key_count(self) -> int:
        """K: the different keys there are."""
        return self.keys or self.length

    @property
    def vocabulary(self) -> int:
        return self.key_count + self.values

    @property
    def classes(self) -> int:
        return self.values

    @property
    def longest(self) -> int:
        return 2 * self.length + 1

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        lengths = np.empty(count, dtype=np.int64)
        inputs = np.empty((count, self.longest), dtype=np.int64)
        targets = np.full((count, self.longest), NOTHING_ASKED, dtype=np.int64)
        use = Use.EVALUATION if evaluate else Use.TRAINING
        for first, behind in parts(count, self.longest):
            part = Batch(inputs[first:behind], targets[first:behind], lengths[first:behind])
            self._fill(part, start + first, seed, use)
        return Batch(inputs, targets, lengths)

    def _fill(self, batch: Batch, start: int, seed: int, use: Use) -> None:
        """Write the examples from `start` on into the inputs, and into targets of nothing asked."""
        count = len(batch.lengths)
        widths = (2, self.length, draws_for_distinct(self.length, self.key_count))
        cut = Cut(widths, seed, use, start, count)
        rows, places = np.arange(count), np.arange(self.length)
        pairs = np.full(count, self.length, dtype=np.int64)
        if use is Use.TRAINING:
            pairs = self.least_length + below(cut.part(0)[:, 0], self.length - self.least_length + 1)
        keys = np.broadcast_to(places, (count, self.length))
        if self.order == "any":
            keys = distinct(partial(cut.part, 2), self.length, self.key_count)
        values = below(cut.part(1), self.values)
        asked = below(cut.part(0)[:, 1], pairs)
        there = -before(pairs, self.length).astype(np.int64)  # every bit or none
        np.bitwise_and(keys, there, out=batch.inputs[:, :-1:2])
        np.bitwise_and(values + self.key_count, there, out=batch.inputs[:, 1::2])
        batch.inputs[:, -1] = 0
        batch.inputs[rows, 2 * pairs] = keys[rows, asked]
        batch.targets[rows, 2 * pairs] = values[rows, asked]
        np.add(2 * pairs, 1, out=batch.lengths)

    def solve(self, inputs: tuple[int, ...]) -> int:
        *pairs, asked = inputs
        keys = pairs[::2]
        if asked not in keys:
            raise ValueError(f"{self!r}: the question asks for key {asked}, which is not among {keys}")
        return pairs[2 * keys.index(asked) + 1] - self.key_count

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        *pairs, asked = inputs
        shown = [[key, value - self.key_count] for key, value in zip(pairs[::2], pairs[1::2], strict=True)]
        return {"pairs": shown, "query": asked, "answer": answer}

    def answer_bits(self) -> int:
        """ceil(N log2 S), and with keys in any order ceil(log2 max(S^N, N S^(N-1))), exactly (Proposition 9, any alphabet).

        In a fixed order every one of the S^N lists of values needs a state of its own; in any order so does, once the last
        key is read, every choice of it (of N keys that are fixed) and of the other values. Both are attained for K = N
        (theorem associative-recall-state).
        """
        cases = self.values**self.length
        if self.order == "any" and self.values > 1:
            cases = max(cases, self.length * self.values ** (self.length - 1))
        return ceil_log2(cases)

    def alphabets(self, length: int) -> tuple[range, ...]:
        """With keys in a fixed order; in any order the inputs, whose keys differ, are no product: ValueError."""
        require(self.order == "fixed", self, "the inputs are a product of alphabets only with order='fixed'")
        values = range(self.key_count, self.vocabulary)
        return (*(part for key in range(length) for part in (range(key, key + 1), values)), range(length))
