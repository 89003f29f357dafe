"""Counting: numbers, then one of them and a threshold: does this number occur more often than the threshold?

Queries: the last token only. The answer is 1 if the queried number occurs more than t times, else 0; each has probability
1/2.
Tokens: numbers are 0 .. S - 1. S is `alphabet`, or `length` if `alphabet` is 0. The queried number and the threshold t are
written with the same tokens.
Lengths: a training example has n numbers, n uniform in least_length .. length. An evaluation example has exactly `length`
numbers.
Examples: t is uniform in 0 .. T - 1. T is `thresholds`, or n if n is smaller. The queried number is uniform. With probability
1/2 it occurs t times, otherwise t + 1 times, at random positions. The numbers at all other positions are uniform among the
other numbers.
Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), definition 4.5.
We differ: the paper does not say how inputs are drawn, and trains no model on this task. We draw how often the queried number
occurs, because among uniform numbers the answer would mostly be no.
Shortcuts: the query alone says nothing. With S = N, each other number occurs about once on average. So a number that occurs
much more often than the others is probably the queried one. The larger `thresholds` is, the better this shortcut works.
"""

from dataclasses import dataclass
from math import comb
from typing import Annotated, Any, ClassVar

import numpy as np

from seqsep.core.options import Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import HALF_OF_DRAWS, ExampleDraws, FilledTask
from seqsep.tasks._orders import order
from seqsep.tasks._rows import is_before
from seqsep.tasks.base import Batch, require


@dataclass(frozen=True)
class Counting(FilledTask):
    """`length` numbers, then one of them and a threshold t; the answer is 1 if it occurs more than t times.

    >>> task = Counting(length=5)
    >>> task.solve((2, 0, 2, 4, 2, 2, 2)), task.solve((2, 0, 2, 4, 2, 2, 3))
    (1, 0)
    >>> task.answer_bits()
    7
    """

    name: ClassVar[str] = "counting"

    length: Annotated[int, Range(1, 2**20, unit="numbers"), "N, numbers of an evaluated input"]
    alphabet: Annotated[int, Range(0, 2**30), "numbers to choose from, 2 or more, or 0 for as many as the length"] = 0
    thresholds: Annotated[int, Range(1), "number of thresholds; t is 0, 1, .. or thresholds - 1"] = 4
    least_length: Annotated[int, Range(1, unit="number"), "numbers of the shortest training input"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            (self.alphabet or self.length) >= 2 and self.alphabet <= 2**30,
            self,
            f"alphabet is 2 to 2^30 numbers, or 0 if length is that much, found {self.alphabet}",
        )
        object.__setattr__(self, "least_length", min(self.least_length, self.length))
        object.__setattr__(self, "alphabet", 0 if self.alphabet == self.length else self.alphabet)

    @property
    def numbers(self) -> int:
        """S: the different numbers there are."""
        return self.alphabet or self.length

    @property
    def most_threshold(self) -> int:
        """The largest threshold that is asked for."""
        return min(self.thresholds, self.length) - 1

    @property
    def vocabulary(self) -> int:
        return max(self.numbers, self.most_threshold + 1)

    @property
    def classes(self) -> int:
        return 2

    @property
    def longest(self) -> int:
        return self.length + 2

    def solve(self, inputs: tuple[int, ...]) -> int:
        *numbers, asked, threshold = inputs
        if not numbers:
            raise ValueError(f"{self!r}: expected a number before the question, found {inputs}")
        return int(numbers.count(asked) > threshold)

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        example_draws = ExampleDraws((4, self.length, self.length), seed=seed, use=use, start=start + first, count=count)
        question = example_draws.part(0)
        lengths = np.full(count, self.length, dtype=np.int64)
        if use is Use.TRAINING:
            lengths = self.least_length + below(question[:, 0], self.length - self.least_length + 1)
        thresholds = below(question[:, 1], np.minimum(self.thresholds, lengths))
        labels = (question[:, 2] < HALF_OF_DRAWS).astype(np.int64)
        asked = below(question[:, 3], self.numbers)
        others = asked[:, None] + 1 + below(example_draws.part(1), self.numbers - 1)
        others -= self.numbers * (others >= self.numbers)
        places = order(example_draws.part(2), lengths)
        is_asked = np.zeros((count, self.length), dtype=np.bool_)
        np.put_along_axis(is_asked, places, is_before(thresholds + labels, self.length), axis=1)
        numbers = np.where(is_asked, asked[:, None], others)
        rows = np.arange(count)
        batch.inputs[:, : self.length] = np.where(is_before(lengths, self.length), numbers, 0)
        batch.inputs[:, self.length :] = 0
        batch.inputs[rows, lengths] = asked
        batch.inputs[rows, lengths + 1] = thresholds
        batch.targets[rows, lengths + 1] = labels
        np.add(lengths, 2, out=batch.lengths)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        *numbers, asked, threshold = inputs
        return {"tokens": numbers, "query": asked, "threshold": threshold, "answer": answer}

    def answer_bits(self) -> int:
        """Return ceil(log2) of the lists of S counts, each up to T, that n numbers can have. Counts from T on are alike.

        A number and its lesser count as the threshold distinguish two different lists. For T = n these are the multisets,
        C(n + S - 1, n) (theorem counting-state).
        """
        most = self.most_threshold + 1
        cases = _lists(self.numbers, self.length, most) - _lists(self.numbers, self.length - 1, most)
        for at_most in range(1, self.length // most + 1):  # at_most counts are T: the others leave any number of occurrences
            rest = self.length - at_most * most
            cases += comb(self.numbers, at_most) * _lists(max(self.numbers - at_most, 0), rest, most)
        return ceil_log2(cases)

    def alphabets(self, length: int) -> tuple[range, ...]:
        return (*(range(self.numbers),) * (length + 1), range(min(self.thresholds, length)))


def _lists(parts: int, total: int, most: int) -> int:
    """Return the number of lists of `parts` counts below `most` with a sum of at most `total`, by inclusion and exclusion of
    counts from `most` on.

    >>> _lists(2, total=2, most=2)  # 0 0, 0 1, 1 0, 1 1
    4
    """
    signed = (
        (-1) ** above * comb(parts, above) * comb(total - above * most + parts, parts) for above in range(total // most + 1)
    )
    return sum(signed)
