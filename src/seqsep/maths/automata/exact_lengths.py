"""The least state for a regular language on words of exactly N letters, which may be smaller than its least automaton.

Let R_K be the states of the least automaton that words of exactly K letters reach.

Asked after every letter: the last letter and the state before it decide the answer. Before letter K + 1 there are r = N - K
letters to come. If after some word of 1 to r letters one of two states accepts and the other does not, the answers after this
word differ, so a model needs different states for them. Otherwise all later answers are equal, and one state is enough. So a
model needs exactly one state for each class of R_K, and the largest number over K = 0 .. N - 1 decides.

Asked at an end token: the same with words of exactly r letters, for K = 0 .. N.

Both sequences, R_0, R_1, .. and the partitions for r = 0, 1, .., repeat a function on a finite set, so each ends in a cycle.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Int64

from seqsep.maths.automata.automata import DFA


def states_needed(automaton: DFA, length: int, *, at_end: bool = False) -> int:
    """Return the number of states of the least recurrent model for words of exactly `length` letters.

    It answers after every letter, from its state before the letter and the letter; with `at_end`, only after all letters.

    >>> from seqsep.maths.automata.regular import automaton
    >>> [states_needed(automaton("(01)*"), length) for length in (1, 2, 3, 4)]  # of the 3 states an exact length reaches 2
    [1, 2, 2, 2]
    >>> [states_needed(automaton("(01)*"), length, at_end=True) for length in (1, 2, 3, 4)]
    [1, 2, 1, 2]
    """
    least = automaton.minimal()
    table = least.table
    accepting = least.accepting.astype(np.int64)
    start = np.zeros(len(table), dtype=bool)
    start[least.start] = True
    reached = _Walk(start, lambda states: _marked(table[states].reshape(-1), len(table)))

    def longer(classes: Int64[np.ndarray, "states"]) -> Int64[np.ndarray, "states"]:
        """Return the classes by words of one more letter; if every letter is a query, also by the empty word."""
        after = classes[table]
        return _numbered(after if at_end else np.column_stack([accepting, after]))

    partitions = _Walk(_numbered(accepting[:, None]), longer)
    most = 0
    known = set()
    for read in range(length + at_end):
        further = length - read - (not at_end)
        places = (reached.place(read), partitions.place(further))
        if places not in known:
            known.add(places)
            classes = partitions.values[places[1]]
            classes = classes if at_end else _numbered(classes[table])
            most = max(most, len(np.unique(classes[reached.values[places[0]]])))
    return most


class _Walk:
    """The values first, step(first), step(step(first)), .., of which `values` has each once."""

    def __init__(self, first: np.ndarray, step: Callable[[np.ndarray], np.ndarray]) -> None:
        self.step = step
        self.values = [first]
        self.places = {first.tobytes(): 0}
        self.cycle: int | None = None

    def place(self, number: int) -> int:
        """Return the place of value `number`, counted from 0, among `values`."""
        while self.cycle is None and number >= len(self.values):
            value = self.step(self.values[-1])
            self.cycle = self.places.get(value.tobytes())
            if self.cycle is None:
                self.places[value.tobytes()] = len(self.values)
                self.values.append(value)
        if self.cycle is None or number < len(self.values):
            return number
        return self.cycle + (number - self.cycle) % (len(self.values) - self.cycle)


def _marked(states: np.ndarray, count: int) -> np.ndarray:
    """Return a flag for each state, true for these."""
    flags = np.zeros(count, dtype=bool)
    flags[states] = True
    return flags


def _numbered(rows: Int64[np.ndarray, "states _columns"]) -> Int64[np.ndarray, "states"]:
    """Return a number for each row, equal for equal rows, in the order of their first occurrences."""
    _, first, classes = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[classes.reshape(-1)]
