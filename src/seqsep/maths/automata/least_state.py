"""The least state of any recurrent model that computes a function on all inputs of length N.

    least state = max over K = 0 .. N of ceil(log2 c_K)  bits

for f defined on every input. c_K counts the classes of prefixes of length K: u and v are in one class if f(u w) = f(v w) for
every suffix w of N - K tokens.

At least: let a model have B bits of state, and any transition and read-out that depend on the time. If u and v led to one
state, it would answer u w and v w alike for every w. So prefixes of different classes lead to different states: 2^B >= c_K.
At most: `layered.Layered` with one state a class computes f, and its states fit in that many bits.

c_K is the width of f's reduced ordered decision diagram, in reading order, between the levels K and K + 1; an edge that skips
levels counts in each level that it passes. A model whose transition may not depend on the time also needs a clock.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 2 (recurrent models) and Theorem 2 (the state is a message).
We differ: theirs is a lower bound by one split; all the splits together are attained.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from seqsep.core.names import ensure, required
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import DFA, Recurrence
from seqsep.maths.automata.enumeration import Tabulated
from seqsep.maths.automata.layered import Layered, of_values, unrolled

SAMPLED_INPUTS = 4096


@dataclass(frozen=True)
class DistinguishedPair:
    """Two prefixes of length `split` and a suffix that distinguishes them, so no state can represent both.

    Prefixes and suffix hold places of tokens in the alphabets of their positions; `labels` are the two answers.

    >>> from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
    >>> of_table(tabulate(lambda word: max(word), alphabet_ranges([2, 2]))).witness()
    DistinguishedPair(split=1, prefixes=((0,), (1,)), suffix=(0,), labels=(0, 1))
    """

    split: int
    prefixes: tuple[tuple[int, ...], tuple[int, ...]]
    suffix: tuple[int, ...]
    labels: tuple[int, int]

    @property
    def inputs(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The two inputs, which end alike and are answered differently."""
        return self.prefixes[0] + self.suffix, self.prefixes[1] + self.suffix

    def verify(self, automaton: Layered) -> None:
        """Run the automaton on both inputs. Raises ValueError unless it gives the two labels, and these differ."""
        lengths = [len(prefix) for prefix in self.prefixes]
        if lengths != [self.split, self.split] or len(self.inputs[0]) != automaton.length:
            raise ValueError(
                f"DistinguishedPair(split={self.split}): prefixes of {lengths} tokens, inputs of {len(self.inputs[0])}"
            )
        answers = automaton.run(np.array(self.inputs, dtype=np.int64)).tolist()
        if answers != list(self.labels) or answers[0] == answers[1]:
            raise ValueError(f"DistinguishedPair({self.inputs}): labels {self.labels}, found {answers}")


@dataclass(frozen=True)
class LeastState:
    """The minimal layered automaton of a function, and the sizes read off it.

    The automaton was run on `inputs_run` inputs and agreed with the function; `every_input` says whether these were all.

    >>> from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
    >>> least = of_table(tabulate(lambda word: word[word[2]], alphabet_ranges([3, 3, 2])))  # index lookup of two symbols
    >>> least.classes_by_split, least.state_bits
    ([1, 3, 9, 3], 4)
    """

    automaton: Layered
    inputs_run: int
    every_input: bool

    @property
    def classes_by_split(self) -> list[int]:
        """c_0 .. c_N."""
        return self.automaton.widths

    @property
    def classes(self) -> int:
        """c, the greatest c_K."""
        return max(self.classes_by_split)

    @property
    def split(self) -> int:
        """The first K with c_K = c."""
        return self.classes_by_split.index(self.classes)

    @property
    def state_bits(self) -> int:
        """ceil(log2 c), in bits."""
        return ceil_log2(self.classes)

    def recurrence(self) -> Recurrence:
        """A recurrent model of exactly `state_bits` bits that computes the function; it reads places and answers labels."""
        return self.automaton.recurrence()

    def witness(self) -> DistinguishedPair | None:
        """Two classes of the widest split, with a suffix that tells them apart; None if one state is enough."""
        if self.classes == 1:
            return None
        first = required(self.automaton.prefix(self.split, 0), "a prefix of class 0")
        second = required(self.automaton.prefix(self.split, 1), "a prefix of class 1")
        suffix = required(self.automaton.suffix(self.split, 0, 1), "a suffix that distinguishes classes 0 and 1")
        ends = self.automaton.run(np.array([first + suffix, second + suffix], dtype=np.int64)).tolist()
        pair = DistinguishedPair(self.split, (first, second), suffix, (ends[0], ends[1]))
        pair.verify(self.automaton)
        return pair

    def distinguishing_table(
        self,
    ) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]], Int64[np.ndarray, "prefixes suffixes"]]:
        """A prefix for each class of the widest split, suffixes, and the label of each prefix with each suffix.

        All rows are different, so the answers of the function alone prove the lower bound of c states.
        """
        automaton = self.automaton
        split = self.split
        prefixes = [automaton.prefix(split, state) or () for state in range(self.classes)]
        suffixes: list[tuple[int, ...]] = []
        rows = np.zeros((self.classes, 0), dtype=np.int64)
        while True:
            groups, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            if len(groups) == self.classes:
                return prefixes, suffixes, rows
            inverse = inverse.reshape(-1)
            twin = int(np.flatnonzero(first[inverse] != np.arange(self.classes))[0])
            suffix = required(
                automaton.suffix(split, int(first[inverse[twin]]), twin), "a suffix that distinguishes two classes"
            )
            suffixes.append(suffix)
            inputs = np.array([prefix + suffix for prefix in prefixes], dtype=np.int64)
            rows = np.concatenate([rows, automaton.run(inputs)[:, None]], axis=1)


def every_label(automaton: Layered) -> Int64[np.ndarray, "inputs"]:
    """The answer of an automaton to every input, in reading order.

    >>> from seqsep.maths.automata.layered import of_function
    >>> every_label(of_function(max, [2, 2])).tolist()
    [0, 1, 1, 1]
    """
    states = np.array([automaton.start])
    for table in automaton.tables:
        states = table[states].reshape(-1)
    return automaton.answers[states]


def of_table(table: Tabulated) -> LeastState:
    """The least state of a function given by its answers; the automaton is run on every input.

    Raises ValueError if some input has no answer: `partial_states` bounds the least state then.

    >>> from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
    >>> equality = tabulate(lambda word: word[:2] == word[2:], alphabet_ranges([2] * 4))
    >>> of_table(equality).state_bits
    2
    """
    if not table.total:
        raise ValueError("of_table: the function must be defined on every input of the product of its alphabets")
    automaton = of_values(table.values())
    answers = every_label(automaton)
    ensure(np.array_equal(answers, table.labels), "the minimal automaton answers wrongly")
    return LeastState(automaton, len(answers), True)


def of_automaton(automaton: DFA, length: int, seed: int = 0) -> LeastState:
    """The least state of a regular language on words of one length; its automaton depends on the time step.

    It is run on the inputs of `trial_inputs` and must agree with the DFA.

    >>> from seqsep.maths.automata.regular import automaton
    >>> of_automaton(automaton("(0|11)*"), 64).classes
    3
    """
    least = unrolled(automaton, length).minimal()
    inputs, every = trial_inputs(least, seed)
    states = np.full(len(inputs), automaton.start)
    for column in inputs.T:
        states = automaton.table[states, column]
    ensure(np.array_equal(automaton.accepting[states], least.run(inputs) == 1), "the minimal automaton answers wrongly")
    return LeastState(least, len(inputs), every)


def trial_inputs(automaton: Layered, seed: int = 0) -> tuple[Int64[np.ndarray, "batch time"], bool]:
    """Return all inputs if there are at most 4,096, else a sample of 4,096, and True if these are all.

    Half of the sample is uniform; in the other half each answer occurs equally often.

    >>> from seqsep.maths.automata.layered import of_function
    >>> inputs, every = trial_inputs(of_function(max, [2, 2]))
    >>> inputs.tolist(), every
    ([[0, 0], [0, 1], [1, 0], [1, 1]], True)
    """
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
    """Random inputs with each answer in turn, uniform among the inputs with that answer (up to float rounding).

    >>> from seqsep.maths.automata.layered import of_function
    >>> least = of_function(max, [2] * 8)
    >>> least.run(answered(least, 6, np.random.default_rng(0))).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    wanted = np.arange(count) % len(automaton.answers)
    ways = [np.eye(len(automaton.answers))]  # by layer: suffixes from a state to an answer, up to a factor
    for table in reversed(automaton.tables):
        before = ways[-1][table].sum(axis=1)
        ways.append(before / before.max())
    ways.reverse()
    states = np.full(count, automaton.start)
    columns = []
    for t, table in enumerate(automaton.tables):
        weights = ways[t + 1][table[states], wanted[:, None]].cumsum(axis=1)
        drawn = draws.random(count)[:, None] * weights[:, -1:]
        token = (drawn >= weights).sum(axis=1).clip(max=table.shape[1] - 1)
        columns.append(token)
        states = table[states, token]
    return np.stack(columns, axis=1).astype(np.int64) if columns else np.zeros((count, 0), dtype=np.int64)
