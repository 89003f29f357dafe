"""The least state of any recurrent model that computes a function on all inputs of length N.

Claim. For f defined on every input, the least state is max over K = 0 .. N of ceil(log2 c_K) bits, where c_K counts the classes
of prefixes of length K: u and v are in one class where f(u w) = f(v w) for every suffix w of N - K tokens.
At least: let a model have B bits of state, and any transition and read-out that depend on the time. If it left one state after
u and v, it would answer u w and v w alike for every w; so prefixes of different classes leave different states, 2^B >= c_K.
At most: `layered.Layered` with one state a class computes f, and its states fit in that many bits.
c_K is the width, between the levels K and K + 1, of f's reduced ordered decision diagram in reading order, where an edge that
skips levels counts in each level that it passes. A model whose transition may not depend on the time also pays for a clock.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 2 (recurrent models) and Theorem 2 (the state is a message).
We differ: theirs is a lower bound by one split; all the splits together are attained.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from seqsep.exact.automata import DFA, Recurrence
from seqsep.exact.enumeration import Tabulated
from seqsep.exact.integers import ceil_log2
from seqsep.exact.layered import Layered, of_values, unrolled

SAMPLED_INPUTS = 4096


@dataclass(frozen=True)
class DistinguishedPair:
    """Two prefixes of length `split` and a suffix that tells them apart: no state can stand for both. Places, not tokens."""

    split: int
    prefixes: tuple[tuple[int, ...], tuple[int, ...]]
    suffix: tuple[int, ...]
    labels: tuple[int, int]

    @property
    def inputs(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The two inputs, which end alike and are answered differently."""
        return self.prefixes[0] + self.suffix, self.prefixes[1] + self.suffix

    def verify(self, automaton: Layered) -> None:
        """Raises ValueError where the inputs do not witness what they should."""
        lengths = [len(prefix) for prefix in self.prefixes]
        if lengths != [self.split, self.split] or len(self.inputs[0]) != automaton.length:
            raise ValueError(
                f"DistinguishedPair(split={self.split}): prefixes of {lengths} tokens, inputs of {len(self.inputs[0])}"
            )
        found = automaton.run(np.array(self.inputs, dtype=np.int64)).tolist()
        if found != list(self.labels) or found[0] == found[1]:
            raise ValueError(f"DistinguishedPair({self.inputs}): labels {self.labels}, found {found}")


@dataclass(frozen=True)
class LeastState:
    """A minimal layered automaton that was run on `inputs_run` inputs, every one there is or a sample, and agreed."""

    automaton: Layered
    inputs_run: int
    every_input: bool

    @property
    def classes_by_split(self) -> list[int]:
        """c_0 .. c_N."""
        return self.automaton.widths

    @property
    def classes(self) -> int:
        """The greatest c_K."""
        return max(self.classes_by_split)

    @property
    def split(self) -> int:
        """The first K at which it is reached."""
        return self.classes_by_split.index(self.classes)

    @property
    def state_bits(self) -> int:
        """ceil(log2 c), in bits."""
        return ceil_log2(self.classes)

    def recurrence(self) -> Recurrence:
        """A recurrent model of exactly `state_bits` bits that computes the function; it reads places and answers labels."""
        return self.automaton.recurrence()

    def witness(self) -> DistinguishedPair | None:
        """The first two classes of the widest split, with a suffix between them; None where one state is enough."""
        if self.classes == 1:
            return None
        first, second = self.automaton.prefix(self.split, 0), self.automaton.prefix(self.split, 1)
        suffix = self.automaton.suffix(self.split, 0, 1)
        assert first is not None
        assert second is not None
        assert suffix is not None
        ends = self.automaton.run(np.array([first + suffix, second + suffix], dtype=np.int64)).tolist()
        found = DistinguishedPair(self.split, (first, second), suffix, (ends[0], ends[1]))
        found.verify(self.automaton)
        return found

    def distinguishing_table(
        self,
    ) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]], Int64[np.ndarray, "prefixes suffixes"]]:
        """A prefix for each class of the widest split, suffixes, and the labels of their products: all rows are different.

        This shows the lower bound, c_K states, to whoever believes nothing but the function's answers.
        """
        automaton, split = self.automaton, self.split
        prefixes = [automaton.prefix(split, state) or () for state in range(self.classes)]
        suffixes: list[tuple[int, ...]] = []
        rows = np.zeros((self.classes, 0), dtype=np.int64)
        while True:
            groups, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            if len(groups) == self.classes:
                return prefixes, suffixes, rows
            inverse = inverse.reshape(-1)
            twin = int(np.flatnonzero(first[inverse] != np.arange(self.classes))[0])
            suffix = automaton.suffix(split, int(first[inverse[twin]]), twin)
            assert suffix is not None
            suffixes.append(suffix)
            inputs = np.array([prefix + suffix for prefix in prefixes], dtype=np.int64)
            rows = np.concatenate([rows, automaton.run(inputs)[:, None]], axis=1)


def every_label(automaton: Layered) -> Int64[np.ndarray, "inputs"]:
    """What an automaton answers to every input, in reading order: all prefixes of a length take their step at once."""
    states = np.array([automaton.start])
    for table in automaton.tables:
        states = table[states].reshape(-1)
    return automaton.answers[states]


def of_table(table: Tabulated) -> LeastState:
    """The least state of a function given by its answers; the automaton is run on every input.

    Raises ValueError where the function is not defined on every input: `partial_states` bounds it then.
    """
    if not table.total:
        raise ValueError("of_table: the function must be defined on every input of the product of its alphabets")
    automaton = of_values(table.values())
    found = every_label(automaton)
    assert np.array_equal(found, table.labels), "the minimal automaton errs"
    return LeastState(automaton, len(found), True)


def of_automaton(automaton: DFA, length: int, seed: int = 0) -> LeastState:
    """The least state of a regular language on words of one length; its automaton differs by time step.

    It is run on every input where they are few, else on random ones, half of them near a word of the language.
    """
    least = unrolled(automaton, length).minimal()
    inputs, every = trial_inputs(least, seed)
    states = np.full(len(inputs), automaton.start)
    for column in inputs.T:
        states = automaton.table[states, column]
    assert np.array_equal(automaton.accepting[states], least.run(inputs) == 1), "the minimal automaton errs"
    return LeastState(least, len(inputs), every)


def trial_inputs(automaton: Layered, seed: int = 0) -> tuple[Int64[np.ndarray, "batch time"], bool]:
    """Every input and True up to SAMPLED_INPUTS of them, else half uniform, half with each answer equally often, and False."""
    alphabets = [table.shape[1] for table in automaton.tables]
    total = 1
    for size in alphabets:
        total *= size
    if total <= SAMPLED_INPUTS:
        return np.stack(np.unravel_index(np.arange(total), alphabets), axis=1).astype(np.int64), True
    draws = np.random.default_rng(seed)
    uniform = np.stack([draws.integers(0, size, SAMPLED_INPUTS // 2) for size in alphabets], axis=1)
    return np.concatenate([uniform, answered(automaton, SAMPLED_INPUTS // 2, draws)]), False


def answered(automaton: Layered, count: int, draws: np.random.Generator) -> Int64[np.ndarray, "batch time"]:
    """Random inputs, each answer in turn; those of one answer are drawn uniformly (up to the rounding of floats)."""
    share = np.arange(count) % len(automaton.answers)
    ways = [np.eye(len(automaton.answers))]
    for table in reversed(automaton.tables):
        onwards = ways[-1][table].sum(axis=1)
        ways.append(onwards / onwards.max())
    ways.reverse()
    states, columns = np.full(count, automaton.start), []
    for t, table in enumerate(automaton.tables):
        weights = ways[t + 1][table[states], share[:, None]].cumsum(axis=1)
        token = (draws.random(count)[:, None] * weights[:, -1:] >= weights).sum(axis=1).clip(max=table.shape[1] - 1)
        columns.append(token)
        states = table[states, token]
    return np.stack(columns, axis=1).astype(np.int64) if columns else np.zeros((count, 0), dtype=np.int64)
