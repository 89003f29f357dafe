"""Turing machines with one tape, and a direct simulator: what the networks of this folder are compared with.

A machine file is JSON:

    {"start": "A", "halt": ["H"], "blank": "_", "rules": {"A": {"0": ["B", "1", "R"], ...}, ...}}

This rule says: in state A, reading 0, write 1, move right and go to state B. Moves are L, R and S (stay). A state is any word,
and a symbol is one character. A machine's symbols are its blank and those that some rule reads or writes. The tape is infinite
on both sides. The input is on the cells 1, 2, .. and the head starts on cell 1. A machine halts in a state of `halt`, and in
any state that has no rule for the symbol under the head. `_machine_file` reads such a file and says what is wrong with it, and
where.

Shipped machines (`machines/NAME.json`; NAME can replace the path of a file):

    binary-increment  adds 1 to a number in binary; written for this package
    palindromes       halts in "yes" or "no": whether a word of a and b is a palindrome; written for this package
    busy-beaver-3     6 ones after 14 steps from the empty tape; 6 are the most for 3 states (Lin, Rado 1965)
    busy-beaver-4     13 ones after 107 steps from the empty tape, both the most for 4 states (Brady 1983)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from seqsep.theorems.base import field_of

MOVES = {"L": -1, "R": 1, "S": 0}


class Rule(NamedTuple):
    """The next action of a machine: the state it goes to, the symbol it writes, and the move, -1, 0 or 1."""

    state: str
    write: str
    move: int


@dataclass(frozen=True)
class Machine:
    """A deterministic Turing machine: `rules` by state and symbol; `halt` are the halting states."""

    start: str
    halt: tuple[str, ...]
    blank: str
    rules: Mapping[tuple[str, str], Rule]

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The start first, then the others by name."""
        known = {state for state, _ in self.rules} | {rule.state for rule in self.rules.values()} | set(self.halt)
        return (self.start, *sorted(known - {self.start}))

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The blank first, then the others in the order of their characters."""
        known = {symbol for _, symbol in self.rules} | {rule.write for rule in self.rules.values()}
        return (self.blank, *sorted(known - {self.blank}))

    def word(self, given: Mapping[str, Any], length: int) -> str:
        """The input of a user's line. Raises ValueError unless it is a string of at most `length` of the machine's symbols."""
        word = field_of(given, "input")
        if not isinstance(word, str):
            raise ValueError(f"input: expected a string, found {str(word)[:80]}")
        if len(word) > length:
            raise ValueError(f"input: expected at most {length} symbols, found {len(word)}")
        for place, symbol in enumerate(word, start=1):
            if symbol not in self.symbols:
                raise ValueError(f"input: expected symbols among {''.join(self.symbols)}, found {symbol!r} at place {place}")
        return word


class Configuration(NamedTuple):
    """A state and the symbol under the head: a step of a machine depends only on these."""

    state: str
    symbol: str


@dataclass(frozen=True)
class Tape:
    """The tape after some steps. `head` and the keys of `cells` count cells from 1, the first of the input."""

    state: str
    halted: bool
    steps: int
    head: int
    cells: Mapping[int, str]

    def record(self, blank: str) -> dict[str, Any]:
        """The answer to a user: the tape is printed from its first to its last cell that is not blank."""
        written = [cell for cell, symbol in self.cells.items() if symbol != blank]
        shown = range(min(written), max(written) + 1) if written else ()
        return {
            "state": self.state,
            "halted": self.halted,
            "steps": self.steps,
            "tape": "".join(self.cells.get(cell, blank) for cell in shown),
            "head": self.head,
        }


def simulate(machine: Machine, word: str, steps: int) -> tuple[list[Configuration], Tape]:
    """The configurations before the first step, after it, and so on, until the machine halts or for `steps` steps.

    >>> flip = Machine("A", (), "_", {("A", "0"): Rule("A", "1", 1), ("A", "1"): Rule("A", "0", 1)})
    >>> configurations, tape = simulate(flip, "01", steps=9)
    >>> [symbol for _, symbol in configurations], tape.record("_")
    (['0', '1', '_'], {'state': 'A', 'halted': True, 'steps': 2, 'tape': '10', 'head': 3})
    """
    cells = dict(enumerate(word, start=1))
    head = 1
    current = Configuration(machine.start, cells.get(1, machine.blank))
    trace = [current]
    while current in machine.rules and len(trace) <= steps:
        rule = machine.rules[current]
        cells[head] = rule.write
        head += rule.move
        current = Configuration(rule.state, cells.get(head, machine.blank))
        trace.append(current)
    halted = current not in machine.rules
    return trace, Tape(current.state, halted, len(trace) - 1, head=head, cells=cells)


def replay(machine: Machine, word: str, trace: Sequence[Configuration]) -> Tape:
    """Return the tape after a run whose configurations are given: each one's rule says what was written and how the head
    moved.

    A network writes the configurations; this only reads them off. Raises KeyError if one other than the last has no rule.
    """
    cells = dict(enumerate(word, start=1))
    head = 1
    for configuration in trace[:-1]:
        rule = machine.rules[configuration]
        cells[head] = rule.write
        head += rule.move
    last = trace[-1]
    return Tape(last.state, last not in machine.rules, len(trace) - 1, head=head, cells=cells)
