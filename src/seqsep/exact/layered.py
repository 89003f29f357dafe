"""Automata whose transition differs by time step: the least recurrent models of functions of one length.

A function f of N tokens, the t-th from its own alphabet, divides the prefixes of every length K into classes: two are in one
class when no suffix tells them apart. One state a class, in every layer, is an automaton that computes f, and no layer of
another one is smaller: two prefixes that some suffix tells apart can't leave the same state. So the state of any recurrent
model for f on all inputs of length N has at least ceil(log2 of the widest layer) bits, and `Layered.recurrence` has that many.
Classes are found from the last layer back: a prefix's class is the row of its successors' classes. It is the reduced ordered
decision diagram of f in reading order, with the levels that a diagram would skip kept in.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from seqsep.exact.automata import DFA, Recurrence
from seqsep.exact.integers import ceil_log2


@dataclass(frozen=True)
class Layered:
    """tables[t][state, token] is the state in layer t + 1; `answers` has one number for each state of the last layer.

    The first layer has one row for each of its states, of which `start` is one; tokens differ in number by layer if need be.
    Raises ValueError where an entry is not a state of the next layer.
    """

    tables: tuple[Int64[np.ndarray, "_states _tokens"], ...]
    start: int
    answers: Int64[np.ndarray, "_last"]

    def __post_init__(self) -> None:
        widths = [*(len(table) for table in self.tables), len(self.answers)]
        if not 0 <= self.start < widths[0]:
            raise ValueError(f"Layered(start={self.start}): the first layer has {widths[0]} states")
        for t, table in enumerate(self.tables):
            if table.size and not 0 <= table.min() <= table.max() < widths[t + 1]:
                raise ValueError(f"Layered: entries at time {t} are {table.min()} to {table.max()}, of {widths[t + 1]} states")

    @property
    def length(self) -> int:
        """N, in tokens."""
        return len(self.tables)

    @property
    def widths(self) -> list[int]:
        """States in layers 0 .. N; in a minimal automaton, the number of classes of prefixes of each length."""
        return [*(len(table) for table in self.tables), len(self.answers)]

    @property
    def state_bits(self) -> int:
        """ceil(log2 of the widest layer)."""
        return ceil_log2(max(self.widths))

    def states(self, inputs: Int64[np.ndarray, "batch time"]) -> Int64[np.ndarray, "batch"]:
        """The states in layer `time` after each input, for time <= N."""
        states = np.full(len(inputs), self.start, dtype=np.int64)
        for t in range(inputs.shape[1]):
            states = self.tables[t][states, inputs[:, t]]
        return states

    def run(self, inputs: Int64[np.ndarray, "batch time"]) -> Int64[np.ndarray, "batch"]:
        """The answer to each input. Raises ValueError for inputs of another length than N."""
        if inputs.shape[1] != self.length:
            raise ValueError(f"run(inputs of {inputs.shape[1]} tokens): {self.length} tokens are required")
        return self.answers[self.states(inputs)]

    def minimal(self) -> "Layered":
        """The least automaton with the same answers: reachable states only, merged from the last layer back."""
        reachable = [np.array([self.start])]
        for table in self.tables:
            reachable.append(np.unique(table[reachable[-1]]))
        values, classes = np.unique(self.answers[reachable[-1]], return_inverse=True)
        made: list[np.ndarray] = []
        for t in range(self.length - 1, -1, -1):
            after = np.zeros(self.widths[t + 1], dtype=np.int64)
            after[reachable[t + 1]] = classes
            table, classes = _distinct_rows(after[self.tables[t][reachable[t]]])
            made.append(table)
        return Layered(tuple(reversed(made)), 0, values)

    def suffix(self, t: int, first: int, second: int) -> tuple[int, ...] | None:
        """The least suffix, N - t tokens, with different answers from two states of layer t; None if there is none.

        Raises ValueError for a layer or state that is not there.
        """
        if not (0 <= t <= self.length and 0 <= first < self.widths[t] and 0 <= second < self.widths[t]):
            raise ValueError(f"suffix({t}, {first}, {second}): layers 0 to {self.length}, of {self.widths} states")
        same: list[np.ndarray] = [_distinct(self.answers)]
        for table in reversed(self.tables[t:]):
            same.append(_distinct_rows(same[-1][table])[1])
        same.reverse()
        if same[0][first] == same[0][second]:
            return None
        word = []
        for offset, table in enumerate(self.tables[t:]):
            after = same[offset + 1]
            token = int(np.flatnonzero(after[table[first]] != after[table[second]])[0])
            first, second = int(table[first, token]), int(table[second, token])
            word.append(token)
        return tuple(word)

    def prefix(self, t: int, state: int) -> tuple[int, ...] | None:
        """The least prefix, t tokens, that leads to a state of layer t; None if there is none."""
        into = np.arange(self.widths[t]) == state
        onwards = [into]
        for table in reversed(self.tables[:t]):
            onwards.append(onwards[-1][table].any(axis=1))
        onwards.reverse()
        if not onwards[0][self.start]:
            return None
        now, word = self.start, []
        for offset, table in enumerate(self.tables[:t]):
            token = int(np.flatnonzero(onwards[offset + 1][table[now]])[0])
            now = int(table[now, token])
            word.append(token)
        return tuple(word)

    def padded(self) -> Int64[np.ndarray, "time states tokens"]:
        """All tables in one array, filled up with state 0: what `mixers.automaton` reads. The last answer isn't in it."""
        tokens = max((table.shape[1] for table in self.tables), default=0)
        table = np.zeros((self.length, max(self.widths), tokens), dtype=np.int64)
        for t, layer in enumerate(self.tables):
            table[t, : layer.shape[0], : layer.shape[1]] = layer
        return table

    def recurrence(self) -> Recurrence:
        """The same automaton as a recurrent model of `state_bits` bits; it reads the answer after the N-th token, else 0."""
        return Recurrence(
            state_bits=self.state_bits,
            start=self.start,
            move=lambda t, state, token: int(self.tables[t][state, token]),
            read=lambda t, state: int(self.answers[state]) if t == self.length - 1 else 0,
        )


def of_values(values: Int64[np.ndarray, "..."]) -> Layered:
    """The least automaton of the function whose answer to (x_1, .., x_N) is values[x_1, .., x_N]."""
    shape = values.shape
    answers, classes = np.unique(values, return_inverse=True)
    made: list[np.ndarray] = []
    for alphabet in reversed(shape):
        table, classes = _distinct_rows(classes.reshape(-1, alphabet))
        made.append(table)
    return Layered(tuple(reversed(made)), 0, answers.astype(np.int64))


def of_function(function: Callable[[list[int]], int], alphabets: Sequence[int]) -> Layered:
    """The least automaton of a function of a list of tokens, called once for every input; token t is below alphabets[t]."""
    inputs = itertools.product(*(range(alphabet) for alphabet in alphabets))
    values = np.array([function(list(one)) for one in inputs], dtype=np.int64)
    return of_values(values.reshape(tuple(alphabets)))


def unrolled(automaton: DFA, length: int) -> Layered:
    """A DFA on words of one length, not yet minimal: `length` copies of its table, and 1 in accepting states."""
    return Layered((automaton.table,) * length, automaton.start, automaton.accepting.astype(np.int64))


def _distinct(values: Int64[np.ndarray, "states"]) -> Int64[np.ndarray, "states"]:
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _distinct_rows(
    rows: Int64[np.ndarray, "states tokens"],
) -> tuple[Int64[np.ndarray, "classes tokens"], Int64[np.ndarray, "states"]]:
    """The distinct rows, by their first occurrence, and which of them each row is; rows of numbers from 0."""
    keys, count = np.zeros(len(rows), dtype=np.int64), 1
    for token in range(rows.shape[1]):
        base = int(rows[:, token].max()) + 1
        if count * base >= 1 << 62:
            keys = _distinct(keys)
            count = int(keys.max()) + 1
        keys, count = keys * base + rows[:, token], count * base
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first))
    return rows[np.sort(first)], number[inverse.reshape(-1)]
