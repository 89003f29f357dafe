"""Recurrent models with a counted state, and finite automata as tables.

`Recurrence` is the recurrent model of Bhattamishra et al. 2024 (arXiv:2406.09347), section 2: a state of B bits, and any
transition and read-out, which may depend on the time. A `DFA` is one that does not, given by a table. See
`maths.automata.layered` for automata whose table depends on the time, and `maths.automata.partial_automata` for those that must
agree on given words only.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata._refinement import coarsest


@dataclass(frozen=True)
class Recurrence:
    """A recurrent model: h_t = move(t, h_(t-1), token_t) and y_t = read(t, h_t), for t = 0, 1, ..

    The state before the first token is `start`, and every state is a whole number below 2^state_bits.

    >>> parity = Recurrence(1, 0, move=lambda t, state, token: state ^ token, read=lambda t, state: state)
    >>> parity.answer([1, 0, 1, 1])
    1
    """

    state_bits: int
    start: int
    move: Callable[[int, int, int], int]
    read: Callable[[int, int], int]

    def state(self, tokens: Iterable[int], state: int | None = None, t: int = 0) -> int:
        """The state after the tokens, which begin at time t in the given state (by default `start`).

        Raises ValueError if a transition leads to a state of more than `state_bits` bits.
        """
        state = self.start if state is None else state
        for offset, token in enumerate(tokens):
            state = self.move(t + offset, state, token)
            if not 0 <= state < 1 << self.state_bits:
                raise ValueError(f"Recurrence(state_bits={self.state_bits}): state {state} at time {t + offset} does not fit")
        return state

    def answer(self, tokens: Sequence[int], state: int | None = None, t: int = 0) -> int:
        """The read-out after the last token; `state` and `t` as in `state`."""
        return self.read(t + len(tokens) - 1, self.state(tokens, state, t))

    def cut_down(self, bits: int) -> "Recurrence":
        """The model with every state after a token reduced modulo 2^bits: what is left if the higher bits are dropped.

        >>> counter = Recurrence(3, 0, move=lambda t, state, token: state + 1, read=lambda t, state: state)
        >>> counter.answer([0] * 5), counter.cut_down(2).answer([0] * 5)
        (5, 1)
        """
        return replace(self, state_bits=bits, move=lambda t, state, token: self.move(t, state, token) % (1 << bits))


@dataclass(frozen=True)
class DFA:
    """A total deterministic finite automaton: table[state, token] is the next state.

    Raises ValueError if the start or an entry of the table is not a state.

    >>> ends_in_one = DFA(np.array([[0, 1], [0, 1]]), start=0, accepting=np.array([False, True]))
    >>> ends_in_one.accepts([0, 0, 1])
    True
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
        """Return True if the word leads from the start to an accepting state."""
        state = self.start
        for token in word:
            state = int(self.table[state, token])
        return bool(self.accepting[state])

    def live(self) -> Bool[np.ndarray, "states"]:
        """Return the states from which some word leads to an accepting state."""
        live = self.accepting.copy()
        while True:
            more = live | live[self.table].any(axis=1)
            if (more == live).all():
                return live
            live = more

    def reachable(self) -> list[int]:
        """The states that words reach, in the order of their first words: shorter words first, then by tokens."""
        table = self.table.tolist()
        queue = [self.start]
        seen = bytearray(len(table))
        seen[self.start] = 1
        for state in queue:
            for target in table[state]:
                if not seen[target]:
                    seen[target] = 1
                    queue.append(target)
        return queue

    def minimal(self) -> "DFA":
        """The least equivalent DFA, with states numbered by their first words: equal languages give equal tables.

        Two states are merged if and only if no word distinguishes them (`distinguish`); see `maths.automata._refinement`.

        >>> twice = DFA(np.array([[2, 1], [2, 1], [0, 1]]), start=0, accepting=np.array([False, True, False]))
        >>> twice.minimal().table.tolist()
        [[0, 1], [0, 1]]
        """
        order = np.array(self.reachable())
        number = np.zeros(len(self.table), dtype=np.int64)
        number[order] = np.arange(len(order))
        table = number[self.table[order]]
        accepting = self.accepting[order]
        classes = coarsest(table, accepting.astype(np.int64))
        _, first = np.unique(classes, return_index=True)
        kept = np.sort(first)
        renamed = np.zeros(len(kept), dtype=np.int64)
        renamed[classes[kept]] = np.arange(len(kept))
        return DFA(renamed[classes[table[kept]]], 0, accepting[kept])

    def distinguish(self, first: int, second: int) -> tuple[int, ...] | None:
        """A shortest word that is accepted from exactly one of two states; None if there is none.

        The search is breadth first over pairs of states, all pairs at one distance at once. It visits up to states^2 pairs, a
        byte each. Raises ValueError for a number that is not a state.
        """
        states, tokens = self.table.shape
        if not (0 <= first < states and 0 <= second < states):
            raise ValueError(f"distinguish({first}, {second}): states are 0 to {states - 1}")
        seen = np.zeros(states * states, dtype=bool)
        pairs = np.array([first * states + second])
        seen[pairs] = True
        parents: list[np.ndarray] = []
        while len(pairs):
            left = pairs // states
            right = pairs % states
            differs = np.flatnonzero(self.accepting[left] != self.accepting[right])
            if len(differs):
                return _word_to(int(differs[0]), parents, tokens)
            reached = (self.table[left] * states + self.table[right]).reshape(-1)
            new = np.flatnonzero(~seen[reached])
            pairs, first_place = np.unique(reached[new], return_index=True)
            seen[pairs] = True
            parents.append(new[first_place])
        return None

    def difference(self, other: "DFA") -> tuple[int, ...] | None:
        """A shortest word that exactly one of two automata accepts; None if the languages are equal.

        Raises ValueError if they read different numbers of tokens.
        """
        if self.table.shape[1] != other.table.shape[1]:
            raise ValueError(f"difference: automata over {self.table.shape[1]} and {other.table.shape[1]} tokens")
        states = len(self.table)
        both = np.concatenate([self.table, other.table + states])
        side_by_side = DFA(both, self.start, np.concatenate([self.accepting, other.accepting]))
        return side_by_side.distinguish(self.start, states + other.start)

    def count_words(self, length: int) -> int:
        """Count the accepted words of one length exactly; in Python integers if 64 bits may be too few.

        >>> DFA(np.array([[0, 1], [0, 1]]), start=0, accepting=np.array([False, True])).count_words(10)
        512
        """
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
        """The automaton as a recurrent model of ceil(log2 states) bits; the read-out is 1 in accepting states."""
        return Recurrence(
            state_bits=ceil_log2(len(self.table)),
            start=self.start,
            move=lambda t, state, token: int(self.table[state, token]),
            read=lambda t, state: int(self.accepting[state]),
        )


def _word_to(pair: int, parents: list[np.ndarray], tokens: int) -> tuple[int, ...]:
    """The word that leads to a pair of `distinguish`.

    parents[l][i] is (pair before) * tokens + token for the i-th pair that is reached after l + 1 tokens.
    """
    word = []
    for origin in reversed(parents):
        word.append(int(origin[pair] % tokens))
        pair = int(origin[pair] // tokens)
    return tuple(reversed(word))
