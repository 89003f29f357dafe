"""Finite automata and recurrent machines on integers.

A `Recurrence` is section 2's recurrent model of Bhattamishra et al. 2024 (arXiv:2406.09347) to the letter: a state of a
counted number of bits, and any transition and read-out that may depend on the time. A `DFA` is one given by a table.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int64


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
    """A total deterministic automaton: table[state, token] is the next state."""

    table: Int64[np.ndarray, "states tokens"]
    start: int
    accepting: Bool[np.ndarray, "states"]

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

    def minimal(self) -> "DFA":
        """The least equivalent DFA: reachable states, merged by refining {accepting, rejecting} until nothing splits."""
        reachable = np.zeros(len(self.table), dtype=bool)
        reachable[self.start] = True
        while True:
            more = reachable.copy()
            more[self.table[reachable].ravel()] = True
            if (more == reachable).all():
                break
            reachable = more
        number = np.cumsum(reachable) - 1
        table = number[self.table[reachable]]
        accepting = self.accepting[reachable]
        classes = accepting.astype(np.int64)
        while True:
            signature = np.concatenate([classes[:, None], classes[table]], axis=1)
            _, first, refined = np.unique(signature, axis=0, return_index=True, return_inverse=True)
            if len(first) == len(np.unique(classes)):
                return DFA(refined[table[first]], int(refined[number[self.start]]), accepting[first])
            classes = refined.reshape(-1)

    def count_words(self, length: int) -> int:
        """Accepted words of one length, exactly."""
        ways = [0] * len(self.table)
        ways[self.start] = 1
        for _ in range(length):
            after = [0] * len(ways)
            for state, number in enumerate(ways):
                for target in self.table[state] if number else ():
                    after[target] += number
            ways = after
        return sum(number for number, accepted in zip(ways, self.accepting, strict=True) if accepted)

    def recurrence(self) -> Recurrence:
        """The same automaton as a recurrent model of ceil(log2 states) bits; the read-out is 1 in accepting states."""
        return Recurrence(
            state_bits=(len(self.table) - 1).bit_length(),
            start=self.start,
            move=lambda t, state, token: int(self.table[state, token]),
            read=lambda t, state: int(self.accepting[state]),
        )
