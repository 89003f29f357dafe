"""The least DFA that agrees with given words; elsewhere it may answer as it likes.

Two prefixes are *distinguished* when some suffix completes both to given words with different answers; then no agreeing DFA
leaves them in one state. So k prefixes, every two of them distinguished, show that k states are needed (`distinguished`, found
greedily). Unlike in a total language, prefixes that are not distinguished need not be one class: a prefix may go with either
of two that do not go together. The least number of states is found by search (`least`): sizes are refuted one by one.

The search gives every given prefix a state. It branches over the transition with the fewest states left, where a state is left
if no prefix in it is distinguished from one that would join it; transitions that are made force those of longer prefixes. A
new state is tried once, since states without prefixes are alike. So a size that the search refutes has no agreeing DFA.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Int64

from seqsep.exact.automata import DFA

Word = tuple[int, ...]
MOST_PREFIXES = 1 << 12
MOST_NODES = 1 << 20


@dataclass(frozen=True)
class Examples:
    """Words over tokens 0 .. tokens - 1, each with the answer asked of it. Raises ValueError for no words, other tokens, or
    more than 4,096 prefixes."""

    words: Mapping[Word, bool]
    tokens: int

    def __post_init__(self) -> None:
        if not self.words or any(not 0 <= token < self.tokens for word in self.words for token in word):
            raise ValueError(f"Examples({len(self.words)} words, tokens={self.tokens}): words of tokens 0 to {self.tokens - 1}")
        if len(self.prefixes) > MOST_PREFIXES:
            raise ValueError(f"Examples({len(self.words)} words): {len(self.prefixes)} prefixes, at most {MOST_PREFIXES}")

    @cached_property
    def prefixes(self) -> list[Word]:
        """Every prefix of a given word once, shorter ones first, each length in order."""
        return sorted({word[:size] for word in self.words for size in range(len(word) + 1)}, key=lambda word: (len(word), word))

    @cached_property
    def children(self) -> Int64[np.ndarray, "prefixes tokens"]:
        """The number of each prefix with one token more; -1 where that is no prefix of a given word."""
        number = {prefix: index for index, prefix in enumerate(self.prefixes)}
        rows = [[number.get((*prefix, token), -1) for token in range(self.tokens)] for prefix in self.prefixes]
        return np.array(rows, dtype=np.int64).reshape(-1, self.tokens)

    @cached_property
    def suffix_lengths(self) -> Int64[np.ndarray, "prefixes prefixes"]:
        """The length of a shortest suffix that distinguishes two prefixes; -1 where none does."""
        answers = np.array([{None: -1, False: 0, True: 1}[self.words.get(prefix)] for prefix in self.prefixes])
        given = answers >= 0
        lengths = np.full((len(answers), len(answers)), -1)
        lengths[(answers[:, None] != answers) & given[:, None] & given] = 0
        for size in range(1, len(self.prefixes[-1]) + 1):
            told = np.pad(lengths == size - 1, ((0, 1), (0, 1)))  # number -1, no prefix, is the last row and column
            found = np.zeros_like(lengths, dtype=bool)
            for after in self.children.T:
                found |= told[after][:, after]
            lengths[found & (lengths < 0)] = size
        return lengths

    def suffix(self, first: int, second: int) -> Word | None:
        """A shortest suffix that distinguishes two prefixes, by their numbers; None if none does."""
        size, word = int(self.suffix_lengths[first, second]), []
        if size < 0:
            return None
        for left in range(size - 1, -1, -1):
            for token in range(self.tokens):
                one, other = int(self.children[first, token]), int(self.children[second, token])
                if one >= 0 and other >= 0 and self.suffix_lengths[one, other] == left:
                    word.append(token)
                    first, second = one, other
                    break
        return tuple(word)

    def disagreement(self, automaton: DFA) -> Word | None:
        """A given word on which a DFA does not answer as asked; None if it agrees."""
        return next((word for word, answer in self.words.items() if automaton.accepts(word) != answer), None)


def on_length(function: Callable[[list[int]], int | bool | None], length: int, tokens: int = 2) -> Examples:
    """All words of one length for which the function does not say None."""
    answers = ((word, function(list(word))) for word in itertools.product(range(tokens), repeat=length))
    return Examples({word: bool(answer) for word, answer in answers if answer is not None}, tokens)


@dataclass(frozen=True)
class DistinguishedSet:
    """Prefixes and, for every two of them (by their places i < j), a suffix that distinguishes them: a lower bound."""

    prefixes: tuple[Word, ...]
    suffixes: Mapping[tuple[int, int], Word]

    def verify(self, examples: Examples) -> None:
        """Raises ValueError with two prefixes that are not shown to be distinguished."""
        for first, second in itertools.combinations(range(len(self.prefixes)), 2):
            one, other, suffix = self.prefixes[first], self.prefixes[second], self.suffixes.get((first, second))
            answers = None if suffix is None else (examples.words.get(one + suffix), examples.words.get(other + suffix))
            if answers is None or None in answers or answers[0] == answers[1]:
                raise ValueError(f"DistinguishedSet: prefixes {one} and {other} with suffix {suffix} get answers {answers}")


def distinguished(examples: Examples) -> DistinguishedSet:
    """A large set of pairwise distinguished prefixes: greedy, over all prefixes and over those of each length."""
    told = examples.suffix_lengths >= 0
    sizes = np.array([len(prefix) for prefix in examples.prefixes])
    best: list[int] = []
    for pool in (np.ones(len(sizes), dtype=bool), *(sizes == size for size in range(sizes.max() + 1))):
        chosen, left = [], pool.copy()
        while left.any():
            degrees = np.where(left, (told & left).sum(axis=1), -1)
            chosen.append(int(degrees.argmax()))
            left &= told[chosen[-1]]
        best = max(best, sorted(chosen), key=len)
    pairs = itertools.combinations(range(len(best)), 2)
    suffixes = {(i, j): suffix for i, j in pairs if (suffix := examples.suffix(best[i], best[j])) is not None}
    return DistinguishedSet(tuple(examples.prefixes[index] for index in best), suffixes)


@dataclass(frozen=True)
class Least:
    """The least agreeing DFA; `refuted` maps every smaller size that was searched whole to the branches that it took."""

    automaton: DFA
    bound: DistinguishedSet
    refuted: Mapping[int, int]

    @property
    def states(self) -> int:
        return len(self.automaton.table)


def least(examples: Examples, exhaustive: bool = False, most_nodes: int = MOST_NODES) -> Least:
    """The exact least number of states of a DFA that agrees with the examples, and one with that many.

    Sizes below the greedy lower bound are skipped, or with `exhaustive` searched as well, without using that bound.
    Raises ValueError where a size takes more than `most_nodes` branches.
    """
    bound = distinguished(examples)
    refuted: dict[int, int] = {}
    size = 1 if exhaustive else len(bound.prefixes)
    while True:
        search = AutomatonSearch(examples, size, bound.prefixes if len(bound.prefixes) <= size else (), most_nodes)
        found = search.run()
        if found is not None:
            return Least(found, bound, refuted)
        refuted[size] = search.nodes
        size += 1


class AutomatonSearch:
    """All DFAs of so many states that agree with the examples, up to the names of states; `apart` get a state each."""

    def __init__(self, examples: Examples, states: int, apart: tuple[Word, ...] = (), most_nodes: int = MOST_NODES) -> None:
        self.examples, self.states, self.most_nodes, self.nodes = examples, states, most_nodes, 0
        told = examples.suffix_lengths >= 0
        self.enemies = [int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little") for row in told]
        self.children = examples.children.tolist()
        self.apart = [examples.prefixes.index(prefix) for prefix in apart]

    def run(self) -> DFA | None:
        """One agreeing DFA, or None: there is none. Raises ValueError beyond `most_nodes` branches."""
        self.nodes = 0
        node = _Node([[-1] * self.examples.tokens for _ in range(self.states)], [0] * self.states, {})
        for state, prefix in enumerate(self.apart):
            if not self._join(node, prefix, state):
                return None
        found = self._branch_root(node)
        return None if found is None else self._automaton(found)

    def _branch_root(self, node: "_Node") -> "_Node | None":
        if 0 in node.state_of:
            return self._branch(node)
        for state in self._choices(node, [0]):
            child = node.copy()
            if self._join(child, 0, state) and (found := self._branch(child)) is not None:
                return found
        return None

    def _branch(self, node: "_Node") -> "_Node | None":
        self.nodes += 1
        if self.nodes > self.most_nodes:
            raise ValueError(f"least: {self.states} states take more than {self.most_nodes} branches")
        open_transitions: dict[tuple[int, int], list[int]] = {}
        for prefix, state in node.state_of.items():
            for token, after in enumerate(self.children[prefix]):
                if after >= 0 and node.table[state][token] < 0:
                    open_transitions.setdefault((state, token), []).append(after)
        if not open_transitions:
            return node
        best: tuple[int, int] = (-1, -1)
        choices: list[int] | None = None
        for transition, joining in open_transitions.items():
            left = self._choices(node, joining)
            if choices is None or len(left) < len(choices):
                best, choices = transition, left
            if not choices:
                return None
        for target in choices or ():
            child = node.copy()
            if self._make(child, *best, target) and (found := self._branch(child)) is not None:
                return found
        return None

    def _choices(self, node: "_Node", joining: list[int]) -> list[int]:
        """States that prefixes may join together; one without prefixes stands for all of these.

        No two of the prefixes are distinguished: those one token shorter would be too, and these share a state.
        """
        enemies = 0
        for prefix in joining:
            enemies |= self.enemies[prefix]
        fits = [state for state in range(self.states) if node.members[state] and not node.members[state] & enemies]
        return fits + [state for state in range(self.states) if not node.members[state]][:1]

    def _make(self, node: "_Node", state: int, token: int, target: int) -> bool:
        node.table[state][token] = target
        joining = [self.children[prefix][token] for prefix, where in node.state_of.items() if where == state]
        return all(self._join(node, prefix, target) for prefix in joining if prefix >= 0)

    def _join(self, node: "_Node", prefix: int, state: int) -> bool:
        waiting = [(prefix, state)]
        while waiting:
            prefix, state = waiting.pop()
            if prefix in node.state_of:
                if node.state_of[prefix] != state:
                    return False
                continue
            if self.enemies[prefix] & node.members[state]:
                return False
            node.state_of[prefix] = state
            node.members[state] |= 1 << prefix
            for token, after in enumerate(self.children[prefix]):
                if after >= 0 and node.table[state][token] >= 0:
                    waiting.append((after, node.table[state][token]))
        return True

    def _automaton(self, node: "_Node") -> DFA:
        accepting = np.zeros(self.states, dtype=bool)
        for prefix, state in node.state_of.items():
            accepting[state] |= self.examples.words.get(self.examples.prefixes[prefix], False)
        automaton = DFA(np.maximum(np.array(node.table, dtype=np.int64), 0), node.state_of[0], accepting)
        wrong = self.examples.disagreement(automaton)
        assert wrong is None, wrong
        return automaton


@dataclass
class _Node:
    table: list[list[int]]
    members: list[int]
    state_of: dict[int, int]

    def copy(self) -> "_Node":
        return _Node([row.copy() for row in self.table], self.members.copy(), self.state_of.copy())
