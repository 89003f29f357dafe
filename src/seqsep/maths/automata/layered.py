"""Automata whose transition table depends on the time step: the least recurrent models of functions of one length.

Let f be a function of N tokens, the t-th from its own alphabet. Two prefixes of length K are equivalent if no suffix tells
them apart: f(u w) = f(v w) for every w. An automaton with one state a class, in every layer K, computes f. No layer of another
one is smaller, since two prefixes that some suffix distinguishes cannot lead to one state. So the state of any recurrent model
for f on all inputs of length N has at least ceil(log2 of the widest layer) bits, and `Layered.recurrence` has that many.

Classes are computed from the last layer back: the class of a prefix is the row of its successors' classes. The automaton is
the reduced ordered decision diagram of f in reading order, with no level skipped.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import DFA, Recurrence


@dataclass(frozen=True)
class Layered:
    """An automaton with a table for each time step: tables[t][state, token] is the state in layer t + 1.

    `start` is a state of layer 0, and `answers` has the answer of each state of layer N, the last one. The layers may differ
    in their numbers of states and of tokens. Raises ValueError if an entry is not a state of the next layer.

    >>> parity = of_function(lambda word: sum(word) % 2, [2, 2, 2])
    >>> parity.widths, parity.state_bits
    ([1, 2, 2, 2], 1)
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
        """The number of states in each layer 0 .. N; in a minimal automaton, of classes of prefixes of each length."""
        return [*(len(table) for table in self.tables), len(self.answers)]

    @property
    def state_bits(self) -> int:
        """ceil(log2 of the number of states in the widest layer)."""
        return ceil_log2(max(self.widths))

    def states(self, inputs: Int64[np.ndarray, "batch time"]) -> Int64[np.ndarray, "batch"]:
        """The state in layer `time` to which each input leads, for time <= N."""
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
        """The least automaton with the same answers: its states are reachable, and merged from the last layer back."""
        reachable = [np.array([self.start])]
        for table in self.tables:
            reachable.append(np.unique(table[reachable[-1]]))
        values, classes = np.unique(self.answers[reachable[-1]], return_inverse=True)
        tables: list[np.ndarray] = []
        for t in range(self.length - 1, -1, -1):
            class_of = np.zeros(self.widths[t + 1], dtype=np.int64)
            class_of[reachable[t + 1]] = classes
            table, classes = _distinct_rows(class_of[self.tables[t][reachable[t]]])
            tables.append(table)
        return Layered(tuple(reversed(tables)), 0, values)

    def suffix(self, t: int, first: int, second: int) -> tuple[int, ...] | None:
        """The first suffix of N - t tokens that is answered differently from two states of layer t.

        None if there is none. Raises ValueError for a layer or a state that does not exist.
        """
        if not (0 <= t <= self.length and 0 <= first < self.widths[t] and 0 <= second < self.widths[t]):
            raise ValueError(f"suffix({t}, {first}, {second}): layers 0 to {self.length}, of {self.widths} states")
        class_of: list[np.ndarray] = [_distinct(self.answers)]
        for table in reversed(self.tables[t:]):
            class_of.append(_distinct_rows(class_of[-1][table])[1])
        class_of.reverse()
        if class_of[0][first] == class_of[0][second]:
            return None
        word = []
        for offset, table in enumerate(self.tables[t:]):
            next_class_of = class_of[offset + 1]
            token = int(np.flatnonzero(next_class_of[table[first]] != next_class_of[table[second]])[0])
            first = int(table[first, token])
            second = int(table[second, token])
            word.append(token)
        return tuple(word)

    def prefix(self, t: int, state: int) -> tuple[int, ...] | None:
        """The first prefix of t tokens that leads to a state of layer t; None if there is none."""
        leads_there = [np.arange(self.widths[t]) == state]
        for table in reversed(self.tables[:t]):
            leads_there.append(leads_there[-1][table].any(axis=1))
        leads_there.reverse()
        if not leads_there[0][self.start]:
            return None
        current = self.start
        word = []
        for offset, table in enumerate(self.tables[:t]):
            token = int(np.flatnonzero(leads_there[offset + 1][table[current]])[0])
            current = int(table[current, token])
            word.append(token)
        return tuple(word)

    def padded(self) -> Int64[np.ndarray, "time states tokens"]:
        """All tables in one array, padded with state 0, as `models.mixers.automaton` reads it; `answers` is not in it."""
        tokens = max((table.shape[1] for table in self.tables), default=0)
        table = np.zeros((self.length, max(self.widths), tokens), dtype=np.int64)
        for t, layer in enumerate(self.tables):
            table[t, : layer.shape[0], : layer.shape[1]] = layer
        return table

    def recurrence(self) -> Recurrence:
        """The automaton as a recurrent model of `state_bits` bits; it reads the answer after the N-th token, else 0."""
        return Recurrence(
            state_bits=self.state_bits,
            start=self.start,
            move=lambda t, state, token: int(self.tables[t][state, token]),
            read=lambda t, state: int(self.answers[state]) if t == self.length - 1 else 0,
        )


def of_values(values: Int64[np.ndarray, "..."]) -> Layered:
    """The least automaton of the function whose answer to (x_1, .., x_N) is values[x_1, .., x_N].

    >>> of_values(np.array([[0, 1], [1, 1]])).tables[0].tolist()  # x or y: after x = 0 and x = 1 different states
    [[0, 1]]
    """
    answers, classes = np.unique(values, return_inverse=True)
    tables: list[np.ndarray] = []
    for alphabet in reversed(values.shape):
        table, classes = _distinct_rows(classes.reshape(-1, alphabet))
        tables.append(table)
    return Layered(tuple(reversed(tables)), 0, answers.astype(np.int64))


def of_function(function: Callable[[list[int]], int], alphabets: Sequence[int]) -> Layered:
    """The least automaton of a function of a list of tokens, called once for every input. Token t is below alphabets[t].

    >>> of_function(lambda word: int(word[0] == word[1]), [3, 3]).widths
    [1, 3, 2]
    """
    inputs = itertools.product(*(range(alphabet) for alphabet in alphabets))
    values = np.array([function(list(one)) for one in inputs], dtype=np.int64)
    return of_values(values.reshape(tuple(alphabets)))


def unrolled(automaton: DFA, length: int) -> Layered:
    """A DFA on words of one length: `length` copies of its table, and answer 1 in accepting states.

    It is not yet minimal.

    >>> ends_in_one = DFA(np.array([[0, 1], [0, 1]]), start=0, accepting=np.array([False, True]))
    >>> unrolled(ends_in_one, 3).minimal().widths
    [1, 1, 1, 2]
    """
    return Layered((automaton.table,) * length, automaton.start, automaton.accepting.astype(np.int64))


def _distinct(values: Int64[np.ndarray, "states"]) -> Int64[np.ndarray, "states"]:
    """Each value's rank among the different ones."""
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _distinct_rows(
    rows: Int64[np.ndarray, "states tokens"],
) -> tuple[Int64[np.ndarray, "classes tokens"], Int64[np.ndarray, "states"]]:
    """The distinct rows, by their first occurrence, and which of them each row is. The entries are whole numbers from 0.

    Rows are compared by keys, the entries as digits; the keys are below `count`, and become ranks before they pass 64 bits.
    """
    keys = np.zeros(len(rows), dtype=np.int64)
    count = 1
    for token in range(rows.shape[1]):
        base = int(rows[:, token].max()) + 1
        if count * base >= 1 << 62:
            keys = _distinct(keys)
            count = int(keys.max()) + 1
        keys = keys * base + rows[:, token]
        count = count * base
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first))
    return rows[np.sort(first)], number[inverse.reshape(-1)]
