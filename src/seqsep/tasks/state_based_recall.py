"""State-based recall: m values, then permutations that move a pointer; the answer is the value at the pointer.

The values s_0 .. s_(m - 1) come first. The pointer starts at cell 0. A permutation g moves it from cell p to cell g(p).

Queries: every permutation. The answer is the value in the pointer's cell after it.
Tokens: values are 0 .. S - 1, and the permutations of the m cells follow, in lexicographic order as tuples of images. S is
`values`, and m is `cells`.
Lengths: a training example has n permutations, n uniform in least_length .. length. An evaluation example has exactly `length`.
With the values there are m + n tokens.
Examples: values and permutations are uniform and independent.
Least state: before the first permutation the pointer is at cell 0, and each of the S^m lists of values needs a state of its
own. After a permutation it may be at any cell. Two pairs of a list and a pointer need two states, unless both lists are the
same value m times, or m = 2 and each list is the other one reversed. So for m >= 3 and N >= 2 there are m S^m - (m - 1) S
states: the pointer costs about log2 m bits on top of the list.
Source: our own definition, for a mixture of state tracking and recall as in Rawat et al. 2026 (arXiv:2604.21454).
Shortcuts: if some values are equal, their cells need not be distinguished. So the most frequent value of an input is right more
often than 1/S.
"""

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import factorial
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.permutations import Permutation
from seqsep.tasks._blocks import ExampleDraws, FilledTask
from seqsep.tasks._rows import chosen, is_before
from seqsep.tasks._walks import drawn_lengths, walked
from seqsep.tasks.base import NOTHING_ASKED, Batch


@dataclass(frozen=True)
class StateBasedRecall(FilledTask):
    """A list of m values, then `length` permutations of m cells; each asks for the value where cell 0 has moved to.

    >>> task = StateBasedRecall(length=2, cells=3, values=9)
    >>> task.solve((7, 5, 8, 9 + 3)), task.solve((7, 5, 8, 9 + 3, 9 + 3))  # permutation 3 is 0 -> 1 -> 2 -> 0
    (5, 8)
    >>> task.answer_bits()
    12
    """

    name: ClassVar[str] = "state-based-recall"

    length: Annotated[int, Range(1, 2**20, unit="permutations"), "N, permutations of an evaluated input"]
    cells: Annotated[int, Range(2, 6), "m, cells and values of an input"] = 4
    values: Annotated[int, Range(2, 2**20), "S, values to choose from"] = 8
    least_length: Annotated[int, Range(1, unit="permutation"), "permutations of the shortest training input"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "least_length", min(self.least_length, self.length))

    @property
    def vocabulary(self) -> int:
        return self.values + factorial(self.cells)

    @property
    def classes(self) -> int:
        return self.values

    @property
    def longest(self) -> int:
        return self.cells + self.length

    def solve(self, inputs: tuple[int, ...]) -> int:
        values = inputs[: self.cells]
        moves = inputs[self.cells :]
        if not moves or not all(value < self.values for value in values) or not all(token >= self.values for token in moves):
            raise ValueError(f"{self!r}: expected {self.cells} values and then permutations, found {inputs}")
        pointer = 0
        for token in moves:
            pointer = _ordered(self.cells)[token - self.values][pointer]
        return values[pointer]

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        widths = (1, self.cells, self.length)
        example_draws = ExampleDraws(widths, seed=seed, use=use, start=start + first, count=count)
        steps = drawn_lengths(example_draws, self.length, self.least_length, use is Use.EVALUATION)
        values = below(example_draws.part(1), self.values)
        letters = below(example_draws.part(2), factorial(self.cells))
        pointers = walked(self._moves(), letters, np.zeros(count, dtype=np.int64))
        there = is_before(steps, self.length)
        batch.inputs[:, : self.cells] = values
        batch.inputs[:, self.cells :] = np.where(there, self.values + letters, 0)
        batch.targets[:, self.cells :] = np.where(there, chosen(values, pointers), NOTHING_ASKED)
        np.add(steps, self.cells, out=batch.lengths)

    def _moves(self) -> Int64[np.ndarray, "letters cells"]:
        return np.array(_ordered(self.cells), dtype=np.int64)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        moves = [list(_ordered(self.cells)[token - self.values]) for token in inputs[self.cells :]]
        return {"values": list(inputs[: self.cells]), "permutations": moves, "answer": answer}

    def states_after(self, count: int) -> int:
        """Return the states that the values and exactly `count` permutations need, if another permutation follows.

        >>> [StateBasedRecall(9, cells, values).states_after(1) for cells, values in ((3, 2), (3, 3), (4, 2), (2, 5))]
        [20, 75, 58, 25]
        """
        lists = self.values**self.cells
        pointer_counts = count > 0 and self.cells > 2
        return self.cells * lists - (self.cells - 1) * self.values if pointer_counts else lists

    def answer_bits(self) -> int:
        """Return ceil(log2) of the states after N - 1 permutations, exactly.

        Lists s, s' at pointers p, p' are alike if s(g(p)) = s'(g(p')) for each permutation g. For p = p' this says s = s'. For
        p != p' it says s(a) = s'(b) for all a != b: for m >= 3 both lists are one value, and for m = 2 they are reversed.
        """
        return ceil_log2(self.states_after(self.length - 1))

    def alphabets(self, length: int) -> tuple[range, ...]:
        return (range(self.values),) * self.cells + (range(self.values, self.vocabulary),) * length


@cache
def _ordered(cells: int) -> tuple[Permutation, ...]:
    """Return the permutations of the cells, in lexicographic order."""
    return tuple(permutations(range(cells)))
