"""Permutation trace: variables get different values and are swapped; a print asks for a variable and then shows its value.

The example is a trace of a session: `a, b, c = 2, 0, 1`, then statements such as `a, c = c, a` and `print(b)` with its output.

Queries: every print. The answer is the value of the printed variable, which the next token shows. The last statement is a
print, and there the example ends.
Tokens: with m variables, values are 0 .. m - 1. The m (m - 1) / 2 swaps follow, in the order (0, 1), (0, 2), ..,
(m - 2, m - 1), and then the prints of variable 0 .. m - 1.
Lengths: a training example has n statements after the first, n uniform in least_length .. length. An evaluation example has
exactly `length`. The m values of the first statement come before them. A swap is one token, a print and its output are two.
Examples: every order of the m values is equally likely. Each statement is a print with a probability of `printed` percent, and
a swap of two uniform variables otherwise. Printed variables are uniform.
Least state: the first statement leaves m! orders, each of which needs a state of its own, at every length.
Source: our own definition. It follows the idea of training on code: a session of an interpreter composes permutations, and its
prints reveal the state in between.
Shortcuts: a value that was shown is right as long as its variable is not swapped. After it is swapped, the value is certainly
not that of the same variable. So a model may follow a few variables from their last print, and guess the others.
"""

from dataclasses import dataclass
from itertools import combinations
from math import factorial
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.core.options import Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import ExampleDraws, FilledTask
from seqsep.tasks._orders import order
from seqsep.tasks._rows import is_before
from seqsep.tasks._walks import drawn_lengths
from seqsep.tasks.base import NOTHING_ASKED, Batch


@dataclass(frozen=True)
class PermutationTrace(FilledTask):
    """Values of m variables, then `length` swaps and prints; the answer to a print is the value of its variable.

    >>> task = PermutationTrace(length=2, variables=3)
    >>> task.solve((2, 0, 1, 3 + 1, 6 + 0))  # a, b, c = 2, 0, 1; a, c = c, a; print(a)
    1
    >>> task.answer_bits()
    3
    """

    name: ClassVar[str] = "permutation-trace"
    arrays_at_once: ClassVar[int] = 2

    length: Annotated[int, Range(1, 2**20, unit="statements"), "N, statements of an evaluated input after the first"]
    variables: Annotated[int, Range(2, 64), "m, variables and their values"] = 5
    printed: Annotated[int, Range(0, 100, unit="percent"), "percent of the statements that are prints"] = 20
    least_length: Annotated[int, Range(1, unit="statement"), "statements of the shortest training input"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "least_length", min(self.least_length, self.length))

    @property
    def swaps(self) -> list[tuple[int, int]]:
        """The pairs of variables, in the order of the tokens of their swaps."""
        return list(combinations(range(self.variables), 2))

    @property
    def first_print(self) -> int:
        """The token that prints variable 0."""
        return self.variables + self.variables * (self.variables - 1) // 2

    @property
    def vocabulary(self) -> int:
        return self.first_print + self.variables

    @property
    def classes(self) -> int:
        return self.variables

    @property
    def longest(self) -> int:
        return self.variables + 2 * self.length - 1

    def solve(self, inputs: tuple[int, ...]) -> int:
        values = list(inputs[: self.variables])
        swaps = self.swaps
        if sorted(values) != list(range(self.variables)) or inputs[-1] < self.first_print:
            raise ValueError(
                f"{self!r}: expected {self.variables} different values first and a print at the end, found {inputs}"
            )
        for token in inputs[self.variables :]:
            if self.variables <= token < self.first_print:
                one, other = swaps[token - self.variables]
                values[one], values[other] = values[other], values[one]
        return values[inputs[-1] - self.first_print]

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        widths = (1, self.variables, self.length, self.length)
        example_draws = ExampleDraws(widths, seed=seed, use=use, start=start + first, count=count)
        statements = drawn_lengths(example_draws, self.length, self.least_length, use is Use.EVALUATION)
        values = order(example_draws.part(1))
        rows = np.arange(count)
        is_print = below(example_draws.part(2), 100) < self.printed
        is_print[rows, statements - 1] = True
        which = below(example_draws.part(3), np.where(is_print, self.variables, len(self.swaps)))
        shown = self._shown(values, is_print, which)
        batch.inputs[:, : self.variables] = values
        there = is_before(statements, self.length)
        places = self.variables + np.arange(self.length) + np.cumsum(is_print, axis=1) - is_print
        places = np.where(there, places, self.longest)  # which is cut
        inputs, targets = np.zeros((2, count, self.longest + 1), dtype=np.int64)
        targets[:] = NOTHING_ASKED
        np.put_along_axis(inputs, places, which + np.where(is_print, self.first_print, self.variables), axis=1)
        np.put_along_axis(targets, places, np.where(is_print, shown, NOTHING_ASKED), axis=1)
        outputs = np.where(is_print & is_before(statements - 1, self.length), places + 1, self.longest)
        np.put_along_axis(inputs, outputs, shown, axis=1)
        batch.inputs[:, self.variables :] = inputs[:, self.variables : -1]
        batch.targets[:] = targets[:, :-1]
        batch.lengths[:] = places[rows, statements - 1] + 1

    def _shown(
        self, values: Int64[np.ndarray, "batch variables"], is_print: Bool[np.ndarray, "batch time"], which: np.ndarray
    ) -> Int64[np.ndarray, "batch time"]:
        """Return the value of each statement's first variable before it: that of a print is its output."""
        count, variables = values.shape
        each = np.arange(variables)
        pairs = np.array([*self.swaps, *zip(each, each, strict=True)])
        index = np.where(is_print, len(self.swaps) + which, which).T
        one = pairs[index, 0] + np.arange(count) * variables
        other = pairs[index, 1] + np.arange(count) * variables
        held = values.reshape(-1).copy()
        shown = np.empty_like(one)
        for left, right, output in zip(one, other, shown, strict=True):
            output[:] = held[left]
            held[left] = held[right]
            held[right] = output
        return np.ascontiguousarray(shown.T)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        statements: list[str] = []
        swaps = self.swaps
        for token in inputs[self.variables :]:
            if token < self.variables:
                statements[-1] += f" -> {token}"
            elif token < self.first_print:
                statements.append("swap {} {}".format(*swaps[token - self.variables]))
            else:
                statements.append(f"print {token - self.first_print}")
        return {"values": list(inputs[: self.variables]), "statements": statements, "answer": answer}

    def answer_bits(self) -> int:
        """Return ceil(log2 m!), exactly: two orders differ at a variable, which may be printed after any swaps."""
        return ceil_log2(factorial(self.variables))

    def alphabets(self, length: int) -> tuple[range, ...]:
        """Raise ValueError: the inputs are not a product of alphabets, since values differ and outputs are the right ones."""
        raise ValueError(f"{self!r}: the inputs are not a product of alphabets, since outputs follow from what is before them")
