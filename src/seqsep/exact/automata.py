"""Finite automata and recurrent machines on integers.

A `Recurrence` is section 2's recurrent model of Bhattamishra et al. 2024 (arXiv:2406.09347) to the letter: a state of a
counted number of bits, and any transition and read-out that may depend on the time. A `DFA` is one given by a table.
Automata whose table differs by time step: `exact.layered`. Automata that must agree on given words only:
`exact.partial_automata`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.exact._refinement import coarsest
from seqsep.exact.integers import ceil_log2


@dataclass(frozen=True)
class Recurrence:
    """h_t = move(t, h_{t-1}, token), y_t = read(t, h_t), with h_0 = start and 0 <= h < 2^state_bits; t counts from 0."""

    state_bits: int
    start: int
    move: Callable[[int, int, int], int]
    read: Callable[[int, int], int]

    def state(self, tokens: Iterable[int], state: int | None = None, t: int = 0) -> int:
        """The state after the tokens. Raises ValueError where a transition leaves the counted bits."""
        state = self.start if state is None else state
        for offset, token in enumerate(tokens):
            state = self.move(t + offset, state, token)
            if not 0 <= state < 1 << self.state_bits:
                raise ValueError(f"Recurrence(state_bits={self.state_bits}): state {state} at time {t + offset} does not fit")
        return state

    def answer(self, tokens: Sequence[int], state: int | None = None, t: int = 0) -> int:
        """The read-out after the last token."""
        return self.read(t + len(tokens) - 1, self.state(tokens, state, t))


@dataclass(frozen=True)
class DFA:
    """A total deterministic automaton: table[state, token] is the next state.

    Raises ValueError where the start or an entry of the table is not a state.
    """

    table: Int64[np.ndarray, "states tokens"]
    start: int
    accepting: Bool[np.ndarray, "states"]

    def __post_init__(self) -> None:
        states = len(self.table)
        shapes = f"table {self.table.shape}, start {self.start}, accepting {self.accepting.shape}"
        if self.table.ndim != 2 or self.accepting.shape != (states,):
            raise ValueError(f"DFA({shapes}): a table of states x tokens and one flag a state are required")
        if not 0 <= self.start < states or (self.table.size and not 0 <= self.table.min() <= self.table.max() < states):
            raise ValueError(f"DFA({shapes}): the start and every entry are states, 0 to {states - 1}")

    def accepts(self, word: Iterable[int]) -> bool:
        state = self.start
        for token in word:
            state = int(self.table[state, token])
        return bool(self.accepting[state])

    def live(self) -> Bool[np.ndarray, "states"]:
        """States from which some word is accepted."""
        live = self.accepting.copy()
        while True:
            more = live | live[self.table].any(axis=1)
            if (more == live).all():
                return live
            live = more

    def reachable(self) -> list[int]:
        """The states that words reach, in the order of their first words: shorter first, then by tokens."""
        table, found = self.table.tolist(), [self.start]
        seen = bytearray(len(table))
        seen[self.start] = 1
        for state in found:
            for target in table[state]:
                if not seen[target]:
                    seen[target] = 1
                    found.append(target)
        return found

    def minimal(self) -> "DFA":
        """The least equivalent DFA. States are numbered by their first words, so that equal languages give equal tables.

        Two states are merged exactly when no word tells them apart (`distinguish`); Moore's and Hopcroft's algorithms.
        """
        order = np.array(self.reachable())
        number = np.zeros(len(self.table), dtype=np.int64)
        number[order] = np.arange(len(order))
        table, accepting = number[self.table[order]], self.accepting[order]
        classes = coarsest(table, accepting.astype(np.int64))
        _, first = np.unique(classes, return_index=True)
        kept = np.sort(first)
        renamed = np.zeros(len(kept), dtype=np.int64)
        renamed[classes[kept]] = np.arange(len(kept))
        return DFA(renamed[classes[table[kept]]], 0, accepting[kept])

    def distinguish(self, first: int, second: int) -> tuple[int, ...] | None:
        """A shortest word that is accepted from exactly one of two states; None if there is none.

        Breadth first over pairs of states, all pairs of one length at once; up to states^2 pairs are visited (a byte each).
        Raises ValueError for a number that is not a state.
        """
        states, tokens = self.table.shape
        if not (0 <= first < states and 0 <= second < states):
            raise ValueError(f"distinguish({first}, {second}): states are 0 to {states - 1}")
        seen = np.zeros(states * states, dtype=bool)
        pairs = np.array([first * states + second])
        seen[pairs] = True
        parents: list[np.ndarray] = []
        while len(pairs):
            left, right = pairs // states, pairs % states
            differs = np.flatnonzero(self.accepting[left] != self.accepting[right])
            if len(differs):
                word, place = [], int(differs[0])
                for origin in reversed(parents):
                    word.append(int(origin[place] % tokens))
                    place = int(origin[place] // tokens)
                return tuple(reversed(word))
            reached = (self.table[left] * states + self.table[right]).reshape(-1)
            new = np.flatnonzero(~seen[reached])
            pairs, found = np.unique(reached[new], return_index=True)
            seen[pairs] = True
            parents.append(new[found])
        return None

    def difference(self, other: "DFA") -> tuple[int, ...] | None:
        """A shortest word that exactly one of two automata accepts; None if the languages are equal.

        Raises ValueError where they read different numbers of tokens.
        """
        if self.table.shape[1] != other.table.shape[1]:
            raise ValueError(f"difference: automata over {self.table.shape[1]} and {other.table.shape[1]} tokens")
        states = len(self.table)
        both = np.concatenate([self.table, other.table + states])
        side_by_side = DFA(both, self.start, np.concatenate([self.accepting, other.accepting]))
        return side_by_side.distinguish(self.start, states + other.start)

    def count_words(self, length: int) -> int:
        """Accepted words of one length, exactly; in whole numbers of any size where 64 bits may not do."""
        states, tokens = self.table.shape
        small = max(tokens, 1) ** length < 1 << 63
        ways = np.zeros(states, dtype=np.int64 if small else object)
        ways[self.start] = 1
        for _ in range(length):
            after = np.zeros_like(ways)
            np.add.at(after, self.table.reshape(-1), np.repeat(ways, tokens))
            ways = after
        return int(ways[self.accepting].sum())

    def recurrence(self) -> Recurrence:
        """The same automaton as a recurrent model of ceil(log2 states) bits; the read-out is 1 in accepting states."""
        return Recurrence(
            state_bits=ceil_log2(len(self.table)),
            start=self.start,
            move=lambda t, state, token: int(self.table[state, token]),
            read=lambda t, state: int(self.accepting[state]),
        )
