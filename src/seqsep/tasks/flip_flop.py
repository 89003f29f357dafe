"""Flip-flop: registers are written and read; the answer to a read is the last value written to its register.

Queries: every read. Before a register's first write, the answer is 0. The last token of every example is a read.
Tokens: with R registers and V values, the write of value v to register r is the token r V + v, and the read of register r is
R V + r. The tokens R V + R + v, one for each value v, change nothing.
Lengths: a training example has n tokens, n uniform in least_length .. length. An evaluation example has exactly `length`
tokens.
Examples: every token but the last changes nothing with a probability of `ignored` percent. Otherwise it is a write or a read,
each with probability 1/2. Registers and values are uniform and independent. The last token is the read of a uniform register.
Least state: K tokens lead to all contents with at most K values other than 0. Their number is the sum of C(R, j) (V - 1)^j over
j <= min(K, R). A read and the state before it decide the answer, so the largest state holds the contents after N - 1 tokens. A
model that answers from its state only needs more: its state also holds which register was read.
Source: Liu et al. 2023 (arXiv:2306.00946). Their language FFL(p) has one register of one bit; `ignored` is 100 p.
We differ: an instruction and its value are one token, there may be more registers and values, a read does not show the value,
and the first token need not be a write.
Shortcuts: the latest write to any register is right with probability 1/V and more. If `ignored` is small, the last write is a
few tokens back, so a short window finds it.
"""

from dataclasses import dataclass
from math import comb
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import ExampleDraws, FilledTask
from seqsep.tasks._rows import is_before
from seqsep.tasks._walks import drawn_lengths
from seqsep.tasks.base import NOTHING_ASKED, Batch


@dataclass(frozen=True)
class FlipFlop(FilledTask):
    """`length` writes, reads and tokens without effect; the answer to a read is the last value written to its register.

    >>> task = FlipFlop(length=4, registers=2)
    >>> task.solve((1, 2, 7, 4)), task.solve((1, 2, 7, 5))  # register 0 gets 1, register 1 gets 0, 7 has no effect
    (1, 0)
    >>> task.answer_bits()
    2
    """

    name: ClassVar[str] = "flip-flop"
    arrays_at_once: ClassVar[int] = 3

    length: Annotated[int, Range(2, 2**20, unit="tokens"), "N, tokens of an evaluated input"]
    registers: Annotated[int, Range(1, 2**10), "R, registers that are written and read"] = 1
    values: Annotated[int, Range(2, 2**20), "V, values of a register"] = 2
    ignored: Annotated[int, Range(0, 99, unit="percent"), "percent of the tokens that change nothing"] = 80
    least_length: Annotated[int, Range(2, unit="tokens"), "tokens of the shortest training input"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "least_length", min(self.least_length, self.length))

    @property
    def first_read(self) -> int:
        """The token that reads register 0."""
        return self.registers * self.values

    @property
    def first_ignored(self) -> int:
        """The first token without effect."""
        return self.first_read + self.registers

    @property
    def vocabulary(self) -> int:
        return self.first_ignored + self.values

    @property
    def classes(self) -> int:
        return self.values

    @property
    def longest(self) -> int:
        return self.length

    def solve(self, inputs: tuple[int, ...]) -> int:
        contents = [0] * self.registers
        for token in inputs:
            if token < self.first_read:
                register, value = divmod(token, self.values)
                contents[register] = value
        if not inputs or not self.first_read <= inputs[-1] < self.first_ignored:
            raise ValueError(f"{self!r}: expected a read at the end, found {inputs}")
        return contents[inputs[-1] - self.first_read]

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        widths = (1, self.length, self.length, self.length)
        example_draws = ExampleDraws(widths, seed=seed, use=use, start=start + first, count=count)
        batch.lengths[:] = drawn_lengths(example_draws, self.length, self.least_length, use is Use.EVALUATION)
        rows = np.arange(count)
        kind = below(example_draws.part(1), 200)
        is_read = kind >= 100 + self.ignored
        is_write = (kind >= 2 * self.ignored) & ~is_read
        is_read[rows, batch.lengths - 1] = True
        is_write[rows, batch.lengths - 1] = False
        registers = below(example_draws.part(2), self.registers)
        values = below(example_draws.part(3), self.values)
        effective = np.where(is_read, self.first_read + registers, registers * self.values + values)
        there = is_before(batch.lengths, self.length)
        tokens = np.where(is_read | is_write, effective, self.first_ignored + values)
        batch.inputs[:] = np.where(there, tokens, 0)
        answers = self._contents(registers, np.where(is_write, values, NOTHING_ASKED))
        batch.targets[:] = np.where(is_read & there, answers, NOTHING_ASKED)

    def _contents(
        self, registers: Int64[np.ndarray, "batch time"], written: Int64[np.ndarray, "batch time"]
    ) -> Int64[np.ndarray, "batch time"]:
        """Return what each token's register holds after it. `written` is -100 for a token that writes nothing."""
        count = len(registers)
        places = np.ascontiguousarray(registers.T) + np.arange(count) * self.registers
        new = np.ascontiguousarray(written.T)
        held = np.zeros(count * self.registers, dtype=np.int64)
        answers = np.empty_like(places)
        for place, value, answer in zip(places, new, answers, strict=True):
            answer[:] = np.where(value == NOTHING_ASKED, held[place], value)
            held[place] = answer
        return np.ascontiguousarray(answers.T)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        return {"instructions": [self._instruction(token) for token in inputs], "answer": answer}

    def _instruction(self, token: int) -> str:
        if token < self.first_read:
            return "write {} {}".format(*divmod(token, self.values))
        is_read = token < self.first_ignored
        return f"read {token - self.first_read}" if is_read else f"ignore {token - self.first_ignored}"

    def states_after(self, count: int) -> int:
        """Return the contents that exactly `count` tokens lead to.

        >>> [FlipFlop(length=9, registers=2, values=3).states_after(count) for count in range(4)]
        [1, 5, 9, 9]
        """
        most = min(count, self.registers)
        return sum(comb(self.registers, other) * (self.values - 1) ** other for other in range(most + 1))

    def answer_bits(self) -> int:
        """Return ceil(log2) of the contents after N - 1 tokens, exactly: a register in which two differ may be read."""
        return ceil_log2(self.states_after(self.length - 1))

    def alphabets(self, length: int) -> tuple[range, ...]:
        return (*(range(self.vocabulary),) * (length - 1), range(self.first_read, self.first_ignored))
