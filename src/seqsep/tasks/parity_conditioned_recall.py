"""Parity-conditioned recall: pairs k_1 v_1 .. k_N v_N, then one of the keys; its value, reversed if the sum of values is odd.

Let v be the value of the queried key. If the sum of all N values is even, the answer is v. If it is odd, it is S - 1 - v.

Queries: the last token only.
Tokens: keys are 0 .. N - 1, and value v is the token N + v. With the queried key, N pairs are 2 N + 1 tokens. The keys of a
training example of n pairs are n of these N.
Lengths: a training example has n pairs, n uniform in least_length .. length. An evaluation example has exactly `length` pairs.
Examples: the keys of an example differ, and every list of n different keys is equally likely. Values are uniform and
independent. Each of the n keys is queried with probability 1/n. With `order="fixed"` the keys are 0, 1, .., n - 1 in this
order.
Least state: after N pairs, S^N lists of answers are possible if S is odd or N is even. Otherwise there are S^N / 2: the list
with each value v replaced by S - 1 - v has the other parity, and the same answers. After the last key and before its value,
N S^(N - 1) cases need a state each if keys come in any order.
Source: our own definition, for the name in arXiv:2605.16640, of which we read the abstract only.
Shortcuts: a model that recalls the value and ignores the parity is right with probability 1/2, and a little more for odd S,
whose middle value answers itself. A model that has the parity only is right with probability 1/S.
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
from seqsep.tasks._walks import drawn_lengths
from seqsep.tasks.base import Batch, require

ORDERS = ("any", "fixed")


@dataclass(frozen=True)
class ParityConditionedRecall(FilledTask):
    """`length` pairs of a key and a value, then a key; its value v, or S - 1 - v if the sum of all values is odd.

    >>> task = ParityConditionedRecall(length=2, values=8)
    >>> task.solve((1, 2 + 7, 0, 2 + 3, 1)), task.solve((1, 2 + 7, 0, 2 + 4, 1))
    (7, 0)
    >>> task.answer_bits()
    6
    """

    name: ClassVar[str] = "parity-conditioned-recall"

    length: Annotated[int, Range(1, 2**20, unit="pairs"), "N, pairs of an evaluated input"]
    values: Annotated[int, Range(2, 2**30), "S, values to choose from"] = 2
    order: Annotated[str, OneOf(*ORDERS), "order of the keys, random or 0, 1, 2, .."] = "any"
    least_length: Annotated[int, Range(1, unit="pair"), "pairs of the shortest training input"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "least_length", min(self.least_length, self.length))

    @property
    def vocabulary(self) -> int:
        return self.length + self.values

    @property
    def classes(self) -> int:
        return self.values

    @property
    def longest(self) -> int:
        return 2 * self.length + 1

    def solve(self, inputs: tuple[int, ...]) -> int:
        *pairs, asked = inputs
        keys = pairs[::2]
        values = [token - self.length for token in pairs[1::2]]
        if asked not in keys:
            raise ValueError(f"{self!r}: the question asks for key {asked}, which is not among {keys}")
        value = values[keys.index(asked)]
        return value if sum(values) % 2 == 0 else self.values - 1 - value

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        widths = (2, self.length, draws_for_distinct(self.length, self.length))
        example_draws = ExampleDraws(widths, seed=seed, use=use, start=start + first, count=count)
        rows = np.arange(count)
        pairs = drawn_lengths(example_draws, self.length, self.least_length, use is Use.EVALUATION)
        keys = np.broadcast_to(np.arange(self.length), (count, self.length))
        if self.order == "any":
            keys = distinct(partial(example_draws.part, 2), self.length, self.length)
        there = is_before(pairs, self.length)
        values = np.where(there, below(example_draws.part(1), self.values), 0)
        asked = below(example_draws.part(0)[:, 1], pairs)
        batch.inputs[:, :-1:2] = np.where(there, keys, 0)
        batch.inputs[:, 1::2] = np.where(there, self.length + values, 0)
        batch.inputs[:, -1] = 0
        batch.inputs[rows, 2 * pairs] = keys[rows, asked]
        value = values[rows, asked]
        batch.targets[rows, 2 * pairs] = np.where(values.sum(axis=1) % 2 == 0, value, self.values - 1 - value)
        np.add(2 * pairs, 1, out=batch.lengths)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        *pairs, asked = inputs
        shown = [[key, value - self.length] for key, value in zip(pairs[::2], pairs[1::2], strict=True)]
        return {"pairs": shown, "query": asked, "answer": answer}

    @property
    def answer_lists(self) -> int:
        """The lists of the answers to all N queries that N pairs can lead to."""
        merged = self.values % 2 == 0 and self.length % 2 == 1
        return self.values**self.length // (2 if merged else 1)

    def answer_bits(self) -> int:
        """Return ceil(log2) of the states after all pairs, or before the last value if these are more, exactly.

        Before the last value, S^(N - 1) lists are distinguished in a fixed order, as the last key may be queried. In any order
        the last key may be each of N. A list of values, 0 for keys that are still to come, is a state that is enough.
        """
        last_keys = self.length if self.order == "any" else 1
        return ceil_log2(max(self.answer_lists, last_keys * self.values ** (self.length - 1)))

    def alphabets(self, length: int) -> tuple[range, ...]:
        """Return the alphabets for keys in a fixed order. Raises ValueError for others: the inputs are then not a product of
        ranges.
        """
        require(self.order == "fixed", self, "the inputs are a product of alphabets only with order='fixed'")
        values = range(self.length, self.vocabulary)
        pairs = [part for key in range(length) for part in (range(key, key + 1), values)]
        return (*pairs, range(length))
