"""Selective copying: items at random places among blanks, then as many copy tokens; the answers are the items in order.

Queries: each copy token. The answer to copy token j is the j-th item. The input does not show the answers.
Tokens: items are 0 .. S - 1, the blank is the token S, and the copy token is S + 1. S is `alphabet`.
Lengths: a training example has n tokens before the copy tokens, n uniform in least_length .. length. An evaluation example has
exactly `length`. With k items there are n + k tokens.
Examples: every set of k of the n places is equally likely to hold the items. Items are uniform and independent.
Least state: after the last item each of the S^k lists needs a state of its own, and a shift register of k items has no more.
Source: Gu and Dao 2023 (arXiv:2312.00752), section 4.1.1, with 16 items, 4,096 tokens and 16 tokens in the vocabulary; the task
without blanks between the items is that of Arjovsky et al. 2016 (arXiv:1511.06464).
We differ: training draws the length.
Shortcuts: none: items are independent, and blanks do not depend on them. For a fixed length, a model that knows each position
must still tell items from blanks, since their places are random.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from seqsep.core.options import Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import ExampleDraws, FilledTask, nothing_asked
from seqsep.tasks._orders import order
from seqsep.tasks._rows import is_before, write_from
from seqsep.tasks._walks import drawn_lengths
from seqsep.tasks.base import Batch, require


@dataclass(frozen=True)
class SelectiveCopying(FilledTask):
    """`length` tokens, of which k are items and the others blanks, then k copy tokens; the answers are the items in order.

    >>> task = SelectiveCopying(length=5, items=2, alphabet=8)
    >>> task.solve((8, 7, 8, 8, 3, 9)), task.solve((8, 7, 8, 8, 3, 9, 9))
    (7, 3)
    >>> task.answer_bits()
    6
    """

    name: ClassVar[str] = "selective-copying"

    length: Annotated[int, Range(1, 2**20, unit="tokens"), "N, tokens of an evaluated input before the copy tokens"]
    items: Annotated[int, Range(1), "k, items of an example, at most N"] = 4
    alphabet: Annotated[int, Range(2, 2**30, unit="items"), "S, items to choose from"] = 16
    least_length: Annotated[
        int, Range(1, unit="token"), "tokens of the shortest training input before the copy tokens, k if it is less"
    ] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        require(1 <= self.items <= self.length, self, f"items is 1 to length, {self.length}, found {self.items}")
        object.__setattr__(self, "least_length", min(max(self.least_length, self.items), self.length))

    @property
    def blank(self) -> int:
        """The token that is not an item."""
        return self.alphabet

    @property
    def vocabulary(self) -> int:
        return self.alphabet + 2

    @property
    def classes(self) -> int:
        return self.alphabet

    @property
    def longest(self) -> int:
        return self.length + self.items

    def solve(self, inputs: tuple[int, ...]) -> int:
        items = [token for token in inputs if token < self.blank]
        copied = inputs.count(self.blank + 1)
        if len(items) != self.items or not 1 <= copied <= self.items or inputs[-copied:] != (self.blank + 1,) * copied:
            expected = f"expected {self.items} items, then 1 to {self.items} copy tokens {self.blank + 1}"
            raise ValueError(f"{self!r}: {expected}, found {inputs}")
        return items[copied - 1]

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        widths = (1, self.items, self.length)
        example_draws = ExampleDraws(widths, seed=seed, use=use, start=start + first, count=count)
        tokens = drawn_lengths(example_draws, self.length, self.least_length, use is Use.EVALUATION)
        items = below(example_draws.part(1), self.alphabet)
        places = np.sort(order(example_draws.part(2), tokens)[:, : self.items], axis=1)
        inputs = np.zeros((count, self.longest), dtype=np.int64)
        inputs[:, : self.length] = np.where(is_before(tokens, self.length), self.blank, 0)
        np.put_along_axis(inputs, places, items, axis=1)
        write_from(tokens, np.full_like(items, self.blank + 1), inputs)
        targets = nothing_asked(count, self.longest)
        write_from(tokens, items, targets)
        batch.inputs[:] = inputs
        batch.targets[:] = targets
        np.add(tokens, self.items, out=batch.lengths)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        shown: list[int | None] = [None if token == self.blank else token for token in inputs if token <= self.blank]
        return {"tokens": shown, "answers": [token for token in inputs if token < self.blank]}

    def answer_bits(self) -> int:
        """Return ceil(k log2 S), exactly: each list of items has its own answers, and fits in a shift register."""
        return ceil_log2(self.alphabet**self.items)

    def alphabets(self, length: int) -> tuple[range, ...]:
        """Raise ValueError: the inputs are not a product of alphabets, since the number of items is fixed."""
        raise ValueError(f"{self!r}: the inputs are not a product of alphabets, since {self.items} tokens are items")
