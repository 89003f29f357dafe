"""The smallest automaton of a regular language, for words of every length: its states and the least state in bits."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.growth import AutomatonGrowth
from seqsep.maths.automata.regular import SYMBOLS
from seqsep.theorems.analysis.function import Fields, NamedFunction, resolve

MOST_LISTED = 36
"""Letters that a line lists."""


@dataclass(frozen=True)
class AutomatonAnalysis:
    """The smallest automaton of a language, with and without its sink.

    The sink is the state from which no word is accepted; it is not counted as one if it is the start.

    Fields:
        name: the language.
        kind: the kind of its name, such as a regular expression.
        automaton: the smallest automaton, with a next state for each state and symbol.
        letters: the letter of each symbol.

    >>> one = AutomatonAnalysis.of("01232|1232")
    >>> one.states, one.states_without_sink, one.state_bits
    (7, 6, 3)
    """

    name: str
    kind: str
    automaton: DFA
    letters: tuple[str, ...]

    @classmethod
    def of(
        cls, target: str, alphabet: Sequence[int] | None = None, fields: Fields | None = None, *, is_regular: bool = False
    ) -> "AutomatonAnalysis | None":
        """Return the analysis of this target; None if it is not given by an automaton. Raises as `resolve` does."""
        named = resolve(target, alphabet, fields, is_regular)
        return None if named.automaton is None else cls.of_named(named)

    @classmethod
    def of_named(cls, named: NamedFunction) -> "AutomatonAnalysis | None":
        """Return the analysis of a function that is found; None if it is not given by an automaton."""
        if named.automaton is None:
            return None
        least = named.automaton().minimal()
        count = least.table.shape[1]
        symbols = SYMBOLS[:count] if count <= len(SYMBOLS) else [f"<{place}>" for place in range(count)]
        return cls(named.name, named.kind, least, named.letters or tuple(symbols))

    @property
    def states(self) -> int:
        """The states of the smallest automaton, the sink included."""
        return len(self.automaton.table)

    @cached_property
    def sink(self) -> int | None:
        """The state from which no word is accepted, unless it is the start; None if there is none."""
        same = np.all(self.automaton.table == np.arange(self.states)[:, None], axis=1) & ~self.automaton.accepting
        places = np.flatnonzero(same)
        return None if not len(places) or int(places[0]) == self.automaton.start else int(places[0])

    @property
    def states_without_sink(self) -> int:
        """The states of the smallest automaton with missing transitions."""
        return self.states - (self.sink is not None)

    @property
    def growth(self) -> AutomatonGrowth:
        """The growth of the least state with the length, which is constant."""
        return AutomatonGrowth(self.states)

    @property
    def state_bits(self) -> int:
        """The bits of the least state of a recurrent model that answers from its state at every length."""
        return self.growth.state_bits

    def automaton_record(self) -> dict[str, Any]:
        """Return the automaton for JSON, in the form that `seqsep classify FILE.json` reads."""
        accepting = np.flatnonzero(self.automaton.accepting).tolist()
        return {"table": self.automaton.table.tolist(), "start": self.automaton.start, "accepting": accepting}

    def record(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return {
            "function": self.name,
            "kind": self.kind,
            "letters": list(self.letters),
            "states": self.states,
            "states_without_sink": self.states_without_sink,
            "sink": self.sink,
            "state_bits": self.state_bits,
            "growth": self.growth.record(),
            "automaton": self.automaton_record(),
        }

    def lines(self) -> list[str]:
        """Return the analysis for a person."""
        shown = " ".join(self.letters[:MOST_LISTED]) + (" .." if len(self.letters) > MOST_LISTED else "")
        states = "1 state" if self.states == 1 else f"{self.states:,} states"
        without = "" if self.sink is None else f", and {self.states_without_sink:,} without the sink"
        return [
            self.name,
            f"smallest automaton: {states}{without}; letters {shown}",
            f"state bits: {self.state_bits} at every length",
            f"growth: {self.growth.line()}",
        ]
