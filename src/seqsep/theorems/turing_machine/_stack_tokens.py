"""Tokens of the model that thinks in numbers: configurations, symbols of the input, "=", and then the numbers 0, 1, 2, ..

A thought has five tokens a step: R, L, floor(R / A), floor(L / A), and the configuration (`_stacks`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.theorems.turing_machine._machine import Configuration, Machine
from seqsep.theorems.turing_machine._stacks import Stacks, base_of

A_STEP = 5


@dataclass(frozen=True)
class StackTokens:
    """The tokens of a machine's model.

    >>> from seqsep.theorems.turing_machine._machine_file import machine_of
    >>> tokens = StackTokens(machine_of("busy-beaver-3"))  # 4 states and 2 symbols
    >>> tokens.configurations, tokens.before_numbers, tokens.prompt("1", length=2, blanks=1)
    (8, 11, [8, 9, 8, 10])
    """

    machine: Machine

    @property
    def configurations(self) -> int:
        """Q S: configuration (q, c) is the token S q + c."""
        return len(self.machine.states) * len(self.machine.symbols)

    @property
    def before_numbers(self) -> int:
        """The number of tokens that are not numbers: configurations, symbols and "="."""
        return self.configurations + len(self.machine.symbols) + 1

    def prompt(self, word: str, length: int, blanks: int = 0) -> list[int]:
        """Return a number of blanks, the word, blanks up to m = `length` symbols of it, and "="."""
        word_and_blanks = [*[0] * blanks, *map(self.machine.symbols.index, word), *[0] * (length - len(word))]
        return [*(self.configurations + symbol for symbol in word_and_blanks), self.before_numbers - 1]

    def step(self, stacks: Stacks) -> list[int]:
        """The five tokens of a step."""
        base = base_of(self.machine)
        numbers = [stacks.right, stacks.left, stacks.right // base, stacks.left // base]
        state = self.machine.states.index(stacks.configuration.state)
        symbol = self.machine.symbols.index(stacks.configuration.symbol)
        return [*(self.before_numbers + number for number in numbers), len(self.machine.symbols) * state + symbol]

    def stacks(self, step: Sequence[int]) -> Stacks:
        """Return the tape that five tokens of a step describe. Raises IndexError if the last is not a configuration."""
        state, symbol = divmod(step[-1], len(self.machine.symbols))
        configuration = Configuration(self.machine.states[state], self.machine.symbols[symbol])
        return Stacks(step[0] - self.before_numbers, step[1] - self.before_numbers, configuration)
