"""Machines and words on which both constructions of this folder are tested, and the results over all of them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from seqsep.theorems.base import Claim, Number, Outcome
from seqsep.theorems.trial import Trial
from seqsep.theorems.turing_machine._machine import Machine, Rule

MOST_STATES = 5
MOST_SYMBOLS = 4
HALT = "H"


def drawn_machine(random: np.random.Generator) -> Machine:
    """Draw a machine of 1 to 5 states and 2 to 4 symbols: a rule is missing with probability 1/16, and else uniform.

    The states to go to are the machine's own and H, which halts.
    """
    states = [f"q{number}" for number in range(1, random.integers(1, MOST_STATES, endpoint=True) + 1)]
    symbols = "_abc"[: random.integers(2, MOST_SYMBOLS, endpoint=True)]
    rules = {}
    for state in states:
        for symbol in symbols:
            if random.integers(16):
                target = str(random.choice([*states, HALT]))
                rules[state, symbol] = Rule(target, str(random.choice(list(symbols))), int(random.integers(-1, 2)))
    return Machine(states[0], (HALT,), "_", rules)


def drawn_machines(count: int, seed: int) -> Iterator[tuple[str, Machine]]:
    """Yield a number of drawn machines, each with a name of its own."""
    random = np.random.default_rng([seed, 1])
    for number in range(count):
        yield f"drawn machine {number} of seed {seed}", drawn_machine(random)


def drawn_words(machine: Machine, count: int, length: int, random: np.random.Generator) -> list[str]:
    """Return the empty word, and a number of words of 0 to `length` symbols of the machine, the blank among them."""
    drawn = [random.choice(machine.symbols, random.integers(length, endpoint=True)) for _ in range(count)]
    return ["", *("".join(word) for word in drawn)]


def every_word(machine: Machine, length: int) -> list[str]:
    """Every word of 0 to `length` symbols of the machine.

    >>> every_word(Machine("A", (), "_", {}), 2)
    ['', '_', '__']
    """
    return ["".join(word) for size in range(length + 1) for word in product(machine.symbols, repeat=size)]


@dataclass
class Tried:
    """The results of the machines tested: the number of words, the greatest of every size, and what saturated."""

    claim: Claim
    inputs: int = 0
    measured: dict[str, Number] = field(default_factory=dict)
    bound: dict[str, Number] = field(default_factory=dict)
    saturated: Counter[str] = field(default_factory=Counter)

    def note(self, trial: Trial, bound: dict[str, Number], **measured: Number) -> None:
        """Add one machine's network. Raises TheoremFails if a size exceeds its bound."""
        for quantity, size in self.claim.within(trial.sizes() | measured, bound).items():
            self.measured[quantity] = max(size, self.measured.get(quantity, 0))
            self.bound[quantity] = max(bound[quantity], self.bound.get(quantity, 0))
        self.inputs += trial.inputs
        self.saturated.update(trial.saturated)

    def outcome(self, length: int, variant: str, as_printed: dict[str, Number | str]) -> Outcome:
        """The outcome of all of them, with the greatest sizes of any."""
        return self.claim.upper(
            length=length,
            inputs=self.inputs,
            measured=self.measured,
            bound=self.bound,
            as_printed=as_printed,
            variant=variant,
            saturated=dict(self.saturated),
        )
