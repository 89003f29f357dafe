"""A tape as two numbers, in digits of base A: the symbols from the head on to the right, and the symbols left of the head.

A is the least power of two that has a digit for each symbol. So dividing by A is exact on every grid of 2^b steps. Symbol
number c is the digit c. The blank is 0, so endless blanks add nothing. The last digit of R is the symbol under the head, and
that of L is the symbol left of it. With the head on cell h, R = sum over i >= 0 of c_(h+i) A^i and L = sum over i >= 0 of
c_(h-1-i) A^i.
"""

from dataclasses import dataclass
from typing import NamedTuple

from seqsep.maths.arithmetic.integers import digits_of
from seqsep.theorems.turing_machine._machine import Configuration, Machine


class Stacks(NamedTuple):
    """The tape before a step: `right` and `left` as numbers, and the configuration."""

    right: int
    left: int
    configuration: Configuration


@dataclass(frozen=True)
class StackRun:
    """A run as long as every number is below A^w; `within` says that it was not cut short for lack of space."""

    stacks: list[Stacks]
    within: bool


def base_of(machine: Machine) -> int:
    """A, the least power of two from 2 on that is at least the number of symbols."""
    return int(1 << digits_of(len(machine.symbols)))


def stack_run(machine: Machine, word: str, steps: int, cells: int) -> StackRun:
    """Return the tape before the first step, after it, and so on, read off the cells again each time: the definition.

    It ends as `simulate` does, or when a symbol other than the blank is w = `cells` cells or more from the head on either
    side. Raises ValueError if the word by itself is too long.

    >>> from seqsep.theorems.turing_machine._machine import Rule
    >>> flip = Machine("A", (), "_", {("A", "0"): Rule("A", "1", 1), ("A", "1"): Rule("A", "0", 1)})
    >>> [(stacks.right, stacks.left) for stacks in stack_run(flip, "01", steps=9, cells=2).stacks]  # _01_ as 0, 1, 2, 0
    [(9, 0), (2, 2), (0, 9)]
    """
    if len(word) > cells:
        raise ValueError(f"stack_run(cells={cells}): expected a word of at most {cells} symbols, found {len(word)}")
    digit = {symbol: place for place, symbol in enumerate(machine.symbols)}
    tape = {cell: digit[symbol] for cell, symbol in enumerate(word)}
    head = 0
    state = machine.start
    stacks: list[Stacks] = []
    while True:
        right = sum(value * base_of(machine) ** (cell - head) for cell, value in tape.items() if cell >= head)
        left = sum(value * base_of(machine) ** (head - 1 - cell) for cell, value in tape.items() if cell < head)
        if max(right, left) >= base_of(machine) ** cells:
            return StackRun(stacks, within=False)
        configuration = Configuration(state, machine.symbols[tape.get(head, 0)])
        stacks.append(Stacks(right, left, configuration))
        rule = machine.rules.get(configuration)
        if rule is None or len(stacks) > steps:
            return StackRun(stacks, within=True)
        tape[head] = digit[rule.write]
        head += rule.move
        state = rule.state
