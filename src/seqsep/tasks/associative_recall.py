"""Associative recall: pairs k_1 v_1 .. k_N v_N, then one of the keys; the answer is its value.

Queries: the last token only.
Tokens: keys are 0 .. K - 1, and value v is the token K + v. K is `keys`, or `length` if `keys` is 0. With the queried key, N
pairs are 2 N + 1 tokens.
Lengths: a training example has n pairs, n uniform in least_length .. length. An evaluation example has exactly `length`
pairs.
Examples: the keys of an example differ, and every list of n different keys is equally likely. Values are uniform and
independent. Each of the n keys is queried with probability 1/n. With `order="fixed"` the keys are 0, 1, .., n - 1 in this
order: the task is then index lookup, with the position written before each symbol.
Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Proposition 9 and appendix C.1; the task is that of Ba et al. 2016.
We differ: values come from an alphabet of any size (in the paper {0, 1}), and keys from an alphabet that may be larger than
N.
Shortcuts: a model may answer with any one of the values in the input. It is then right with probability 1/N + (1 - 1/N)/S; S
is `values`. A blind guess is right with probability 1/S. No other shortcut exists, because keys say nothing about values.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np

from seqsep.core.options import OneOf, Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import ExampleDraws, FilledTask
from seqsep.tasks._orders import distinct, draws_for_distinct
from seqsep.tasks._rows import is_before
from seqsep.tasks.base import Batch, require


@dataclass(frozen=True)
class AssociativeRecall(FilledTask):
    """`length` pairs of a key and a value, then one of the keys; the answer is its value.

    >>> task = AssociativeRecall(length=2, values=8)
    >>> task.solve((1, 2 + 7, 0, 2 + 3, 1))
    7
    >>> task.answer_bits()
    6
    """

    name: ClassVar[str] = "associative-recall"

    length: Annotated[int, Range(1, 2**20, unit="pairs"), "N, pairs of an evaluated input"]
    keys: Annotated[int, Range(0, 2**30), "keys to choose from, at least N, or 0 for as many as pairs"] = 0
    values: Annotated[int, Range(1, 2**31), "values to choose from"] = 64
    order: Annotated[str, OneOf("any", "fixed"), "order of the keys, random or 0, 1, 2, .."] = "any"
    least_length: Annotated[int, Range(1, unit="pair"), "pairs of the shortest training input"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self.keys == 0 or self.length <= self.keys <= 2**30,
            self,
            f"keys is 0 or from length, {self.length}, to 2^30, found {self.keys}",
        )
        require(self.order == "any" or self.keys in (0, self.length), self, "keys in a fixed order are as many as pairs")
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

    def solve(self, inputs: tuple[int, ...]) -> int:
        *pairs, asked = inputs
        keys = pairs[::2]
        if asked not in keys:
            raise ValueError(f"{self!r}: the question asks for key {asked}, which is not among {keys}")
        return pairs[2 * keys.index(asked) + 1] - self.key_count

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        widths = (2, self.length, draws_for_distinct(self.length, self.key_count))
        example_draws = ExampleDraws(widths, seed=seed, use=use, start=start + first, count=count)
        length_and_question = example_draws.part(0)
        rows = np.arange(count)
        pairs = np.full(count, self.length, dtype=np.int64)
        if use is Use.TRAINING:
            pairs = self.least_length + below(length_and_question[:, 0], self.length - self.least_length + 1)
        keys = np.broadcast_to(np.arange(self.length), (count, self.length))
        if self.order == "any":
            keys = distinct(partial(example_draws.part, 2), self.length, self.key_count)
        values = below(example_draws.part(1), self.values)
        asked = below(length_and_question[:, 1], pairs)
        mask = -is_before(pairs, self.length).astype(np.int64)  # every bit or none
        np.bitwise_and(keys, mask, out=batch.inputs[:, :-1:2])
        np.bitwise_and(values + self.key_count, mask, out=batch.inputs[:, 1::2])
        batch.inputs[:, -1] = 0
        batch.inputs[rows, 2 * pairs] = keys[rows, asked]
        batch.targets[rows, 2 * pairs] = values[rows, asked]
        np.add(2 * pairs, 1, out=batch.lengths)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        *pairs, asked = inputs
        shown = [[key, value - self.key_count] for key, value in zip(pairs[::2], pairs[1::2], strict=True)]
        return {"pairs": shown, "query": asked, "answer": answer}

    def answer_bits(self) -> int:
        """Return ceil(N log2 S), and with keys in any order ceil(log2 max(S^N, N S^(N-1))), exactly (Proposition 9, any
        alphabet).

        In a fixed order every one of the S^N lists of values needs a state of its own; in any order so does, once the last
        key is read, every choice of it (of N keys that are fixed) and of the other values. Both are attained for K = N
        (theorem associative-recall-state).
        """
        cases = self.values**self.length
        if self.order == "any" and self.values > 1:
            cases = max(cases, self.length * self.values ** (self.length - 1))
        return ceil_log2(cases)

    def alphabets(self, length: int) -> tuple[range, ...]:
        """Return the alphabets for keys in a fixed order. Raises ValueError for others: the inputs are then not a product of
        ranges.
        """
        require(self.order == "fixed", self, "the inputs are a product of alphabets only with order='fixed'")
        values = range(self.key_count, self.vocabulary)
        pairs = [part for key in range(length) for part in (range(key, key + 1), values)]
        return (*pairs, range(length))
