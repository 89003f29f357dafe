"""Tokens of the model that writes a circuit's gates out, and what each of them says of the next one.

    0 .. 2^I - 1                 the tokens of the input
    2^I                          "=", which fills the prompt up to N + 1 tokens
    then, two a gate             gate c of a step is 0, or 1
    then                         "stop", after the last gate of the last step
    then, two a bit              bit i of the answer is 0, or 1

What is written has a number: c for gate c, C for "stop", C + 1 + i for bit i of the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from seqsep.theorems.circuits._circuit import Circuit, CircuitRun


class Reading(NamedTuple):
    """The way to read the value of a source: `kind` says from what, and `back` how many tokens before the token to be written.

    Kinds: "bit", a gate or a bit of the state that starts as 0; "start", one that starts as 1; "x1" and so on, a bit of the
    token, for which `back` points to the token emitted by the step before.
    """

    kind: str
    back: int


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a circuit's model for inputs of up to `length` tokens.

    >>> from seqsep.theorems.circuits._circuit import PARITY, parsed
    >>> vocabulary = Vocabulary(parsed(PARITY), length=3)
    >>> vocabulary.prompt([1, 0]), vocabulary.name(vocabulary.bit(0, 1)), vocabulary.name(vocabulary.bit(5, 0))
    ([1, 0, 2, 2], 'g0=1', 'a0=0')
    """

    circuit: Circuit
    length: int

    @property
    def gates(self) -> int:
        """The number C of gates of a step, which is also the number of "stop"."""
        return len(self.circuit.gates)

    @property
    def answers(self) -> range:
        """The numbers of the bits of the answer."""
        return range(self.gates + 1, self.gates + 1 + len(self.circuit.output))

    @property
    def filler(self) -> int:
        """The token "="."""
        return int(1 << self.circuit.inputs)

    @property
    def stop(self) -> int:
        """The token "stop"."""
        return self.filler + 1 + 2 * self.gates

    @property
    def size(self) -> int:
        """The number of tokens."""
        return self.stop + 1 + 2 * len(self.answers)

    def bit(self, number: int, value: int) -> int:
        """The token that says that the bit of this number is `value`."""
        return self.filler + 1 + 2 * number + value - (number > self.gates)

    def prompt(self, tokens: Sequence[int]) -> list[int]:
        """The input, filled up with "=" to N + 1 tokens."""
        return [*tokens, *[self.filler] * (self.length + 1 - len(tokens))]

    def thought(self, run: CircuitRun) -> list[int]:
        """Return the chain of thought: C tokens per step and, if there is an answer, "stop" and its bits."""
        written = [self.bit(gate, value) for values in run.steps for gate, value in enumerate(values)]
        if run.answer is None:
            return written
        answer = [self.bit(number, run.answer >> place & 1) for place, number in enumerate(self.answers)]
        return [*written, self.stop, *answer]

    def answered(self, thought: Sequence[int]) -> int | None:
        """The token that a thought answers, if it ends with "stop" and the bits of an answer."""
        bits = thought[-len(self.answers) :]
        if len(thought) <= len(bits) or thought[-len(bits) - 1] != self.stop:
            return None
        return sum((bit - self.stop - 1) % 2 << place for place, bit in enumerate(bits))

    def name(self, token: int) -> str:
        """A token of the thought as a user reads it: "g2=1", "stop" or "a0=1"."""
        if token == self.stop:
            return "stop"
        kind = "g" if token < self.stop else "a"
        number, value = divmod(token - (self.filler if kind == "g" else self.stop) - 1, 2)
        return f"{kind}{number}={value}"

    def readings(self, number: int) -> tuple[Reading, Reading]:
        """Return the ways to read the two sources of what is written under this number.

        Both sources of a bit of the answer are the gate that emits it, so that their NAND is its complement. "stop" has none,
        and what it reads does not matter. The two are in the order of their kinds.
        """
        if number in self.answers:
            place = number - self.gates - 1
            emitted = Reading("bit", number - self.circuit.output[place])
            return emitted, emitted
        first, second = sorted(self._reading(source.kind, source.number, number) for source in self.circuit.gates[number])
        return first, second

    def _reading(self, kind: str, place: int, number: int) -> Reading:
        before = number + self.gates  # from gate 0 of the step before
        if kind == "g":
            return Reading("bit", number - place)
        if kind == "s":
            return Reading("start" if self.circuit.start[place] else "bit", before - self.circuit.state[place])
        return Reading(f"x{place}", before - self.circuit.output[place] if self.circuit.thinks else 1)

    @cached_property
    def kinds(self) -> list[tuple[str, str]]:
        """The pairs of kinds that occur, in order."""
        numbers = [*range(self.gates), *self.answers]
        pairs = {tuple(reading.kind for reading in self.readings(number)) for number in numbers}
        return sorted((first, second) for first, second in pairs)

    def readable(self, tokens: Sequence[int]) -> dict[str, Any]:
        """An input as a user would write it."""
        return {"circuit": self.circuit.record(), "input": list(tokens)}
