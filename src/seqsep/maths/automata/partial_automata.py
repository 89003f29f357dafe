"""The least DFA that agrees with given words, by search; on other words it may answer anything.

Two prefixes are *distinguished* if some suffix completes both to given words with different answers; then no agreeing DFA
takes them to one state. So k prefixes, every two of them distinguished, prove that k states are needed (`distinguished`, found
greedily). Prefixes that are not distinguished need not be one class, unlike in a total language: a prefix may share a state
with either of two that cannot share one. The least number of states is found by search (`least`): sizes are refuted one by one.

The search assigns a state to every given prefix. It branches over the transition with the fewest possible targets; a target is
possible if no prefix in it is distinguished from one that would join it. A transition that is fixed fixes the states of longer
prefixes. Only one of the states without prefixes is tried, since they are alike. So a size that the search refutes has no
agreeing DFA.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Int64

from seqsep.core.names import ensure
from seqsep.maths.automata.automata import DFA

Word = tuple[int, ...]
MOST_PREFIXES = 1 << 12
MOST_NODES = 1 << 20


@dataclass(frozen=True)
class Examples:
    """Words over the tokens 0 .. tokens - 1, each with its answer.

    Raises ValueError for no words, other tokens, or more than 4,096 prefixes.

    >>> examples = Examples({(0, 1): True, (1, 1): False}, tokens=2)
    >>> examples.prefixes
    [(), (0,), (1,), (0, 1), (1, 1)]
    >>> examples.suffix(1, 2)
    (1,)
    """

    words: Mapping[Word, bool]
    tokens: int

    def __post_init__(self) -> None:
        if not self.words or any(not 0 <= token < self.tokens for word in self.words for token in word):
            raise ValueError(f"Examples({len(self.words)} words, tokens={self.tokens}): words of tokens 0 to {self.tokens - 1}")
        if len(self.prefixes) > MOST_PREFIXES:
            raise ValueError(f"Examples({len(self.words)} words): {len(self.prefixes)} prefixes, at most {MOST_PREFIXES}")

    @cached_property
    def prefixes(self) -> list[Word]:
        """Every prefix of a given word once, shorter ones first, those of one length in order."""
        prefixes = {word[:size] for word in self.words for size in range(len(word) + 1)}
        return sorted(prefixes, key=lambda word: (len(word), word))

    @cached_property
    def children(self) -> Int64[np.ndarray, "prefixes tokens"]:
        """The number of each prefix with one token more; -1 if that is not a prefix of a given word."""
        number = {prefix: index for index, prefix in enumerate(self.prefixes)}
        rows = [[number.get((*prefix, token), -1) for token in range(self.tokens)] for prefix in self.prefixes]
        return np.array(rows, dtype=np.int64).reshape(-1, self.tokens)

    @cached_property
    def suffix_lengths(self) -> Int64[np.ndarray, "prefixes prefixes"]:
        """The length of a shortest suffix that distinguishes two prefixes; -1 if none does."""
        answers = np.array([{None: -1, False: 0, True: 1}[self.words.get(prefix)] for prefix in self.prefixes])
        given = answers >= 0
        lengths = np.full((len(answers), len(answers)), -1)
        lengths[(answers[:, None] != answers) & given[:, None] & given] = 0
        for size in range(1, len(self.prefixes[-1]) + 1):
            by_rest = np.pad(lengths == size - 1, ((0, 1), (0, 1)))  # number -1, no prefix, is the last row and column
            distinguished_now = np.zeros_like(lengths, dtype=bool)
            for after in self.children.T:
                distinguished_now |= by_rest[after][:, after]
            lengths[distinguished_now & (lengths < 0)] = size
        return lengths

    def suffix(self, first: int, second: int) -> Word | None:
        """A shortest suffix that distinguishes two prefixes, given by their numbers; None if none does."""
        size = int(self.suffix_lengths[first, second])
        if size < 0:
            return None
        word = []
        for left in range(size - 1, -1, -1):
            for token in range(self.tokens):
                one = int(self.children[first, token])
                other = int(self.children[second, token])
                if one >= 0 and other >= 0 and self.suffix_lengths[one, other] == left:
                    word.append(token)
                    first = one
                    second = other
                    break
        return tuple(word)

    def disagreement(self, automaton: DFA) -> Word | None:
        """A given word that a DFA answers wrongly; None if it agrees with all."""
        return next((word for word, answer in self.words.items() if automaton.accepts(word) != answer), None)


def on_length(function: Callable[[list[int]], int | bool | None], length: int, tokens: int = 2) -> Examples:
    """All words of one length that the function answers, that is, not with None.

    >>> on_length(lambda word: word[0] == word[1], 2).words
    {(0, 0): True, (0, 1): False, (1, 0): False, (1, 1): True}
    """
    answers = {word: function(list(word)) for word in itertools.product(range(tokens), repeat=length)}
    return Examples({word: bool(answer) for word, answer in answers.items() if answer is not None}, tokens)


@dataclass(frozen=True)
class DistinguishedSet:
    """Pairwise distinguished prefixes: every agreeing DFA has at least as many states.

    suffixes[i, j] distinguishes the prefixes at places i < j.

    >>> distinguished(Examples({(0, 1): True, (1, 1): False}, tokens=2))
    DistinguishedSet(prefixes=((0,), (1,)), suffixes={(0, 1): (1,)})
    """

    prefixes: tuple[Word, ...]
    suffixes: Mapping[tuple[int, int], Word]

    def verify(self, examples: Examples) -> None:
        """Look up every pair's answers. Raises ValueError with two prefixes that their suffix does not distinguish."""
        for first, second in itertools.combinations(range(len(self.prefixes)), 2):
            one = self.prefixes[first]
            other = self.prefixes[second]
            suffix = self.suffixes.get((first, second))
            answers = None if suffix is None else (examples.words.get(one + suffix), examples.words.get(other + suffix))
            if answers is None or None in answers or answers[0] == answers[1]:
                raise ValueError(f"DistinguishedSet: prefixes {one} and {other} with suffix {suffix} get answers {answers}")


def distinguished(examples: Examples) -> DistinguishedSet:
    """A large set of pairwise distinguished prefixes: the best greedy choice among all, or among those of one length.

    >>> equality = on_length(lambda word: word[:2] == word[2:], 4)
    >>> len(distinguished(equality).prefixes)
    4
    """
    are_apart = examples.suffix_lengths >= 0
    sizes = np.array([len(prefix) for prefix in examples.prefixes])
    best: list[int] = []
    for pool in (np.ones(len(sizes), dtype=bool), *(sizes == size for size in range(sizes.max() + 1))):
        chosen: list[int] = []
        left = pool.copy()
        while left.any():
            degrees = np.where(left, (are_apart & left).sum(axis=1), -1)
            chosen.append(int(degrees.argmax()))
            left &= are_apart[chosen[-1]]
        best = max(best, sorted(chosen), key=len)
    pairs = itertools.combinations(range(len(best)), 2)
    suffixes = {(i, j): suffix for i, j in pairs if (suffix := examples.suffix(best[i], best[j])) is not None}
    return DistinguishedSet(tuple(examples.prefixes[index] for index in best), suffixes)


@dataclass(frozen=True)
class Least:
    """The least agreeing DFA; `refuted` maps each smaller size that was searched to the number of branches that this took.

    >>> least(Examples({(0,): True, (1,): False}, tokens=2)).states
    2
    """

    automaton: DFA
    bound: DistinguishedSet
    refuted: Mapping[int, int]

    @property
    def states(self) -> int:
        """The least number of states."""
        return len(self.automaton.table)


def least(examples: Examples, exhaustive: bool = False, most_nodes: int = MOST_NODES) -> Least:
    """A DFA with the least number of states that agrees with the examples.

    Sizes below the greedy lower bound are skipped; with `exhaustive` they are searched as well, without using that bound.
    Raises ValueError if a size takes more than `most_nodes` branches.

    >>> least(on_length(lambda word: word[0] == word[1], 2)).states  # on words of length 2 this is parity
    2
    """
    bound = distinguished(examples)
    refuted: dict[int, int] = {}
    size = 1 if exhaustive else len(bound.prefixes)
    while True:
        apart = bound.prefixes if len(bound.prefixes) <= size else ()
        search = AutomatonSearch(examples, size, apart, most_nodes)
        automaton = search.run()
        if automaton is not None:
            return Least(automaton, bound, refuted)
        refuted[size] = search.nodes
        size += 1


class AutomatonSearch:
    """The search for a DFA of at most `states` states that agrees with the examples. The prefixes `apart` get a state each.

    >>> AutomatonSearch(Examples({(0,): True, (1,): False}, tokens=2), states=1).run() is None
    True
    """

    def __init__(self, examples: Examples, states: int, apart: tuple[Word, ...] = (), most_nodes: int = MOST_NODES) -> None:
        self.examples = examples
        self.states = states
        self.most_nodes = most_nodes
        self.nodes = 0
        masks = np.packbits(examples.suffix_lengths >= 0, axis=1, bitorder="little")
        self.enemies = [int.from_bytes(mask.tobytes(), "little") for mask in masks]  # distinguished prefixes, as bits
        self.children = examples.children.tolist()
        self.apart = [examples.prefixes.index(prefix) for prefix in apart]

    def run(self) -> DFA | None:
        """An agreeing DFA, or None if there is none. Raises ValueError beyond `most_nodes` branches."""
        self.nodes = 0
        node = _Node([[-1] * self.examples.tokens for _ in range(self.states)], [0] * self.states, {})
        for state, prefix in enumerate(self.apart):
            if not self._join(node, prefix, state):
                return None
        complete = self._branch_root(node)
        return None if complete is None else self._automaton(complete)

    def _branch_root(self, node: "_Node") -> "_Node | None":
        if 0 in node.state_of:
            return self._branch(node)
        for state in self._choices(node, [0]):
            child = node.copy()
            if self._join(child, 0, state) and (complete := self._branch(child)) is not None:
                return complete
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
        targets: dict[tuple[int, int], list[int]] = {}
        for transition, joining in open_transitions.items():
            targets[transition] = self._choices(node, joining)
            if not targets[transition]:
                return None
        state, token = min(targets, key=lambda transition: len(targets[transition]))
        for target in targets[state, token]:
            child = node.copy()
            if self._make(child, state, token, target) and (complete := self._branch(child)) is not None:
                return complete
        return None

    def _choices(self, node: "_Node", joining: list[int]) -> list[int]:
        """Return the states that the prefixes `joining` may be assigned to together. One empty state represents all empty ones.

        No two of these prefixes are distinguished: if they were, so would be those one token shorter, which share a state.
        """
        enemies = 0
        for prefix in joining:
            enemies |= self.enemies[prefix]
        fits = [state for state in range(self.states) if node.members[state] and not node.members[state] & enemies]
        return fits + [state for state in range(self.states) if not node.members[state]][:1]

    def _make(self, node: "_Node", state: int, token: int, target: int) -> bool:
        """Fix a transition; whether the prefixes that follow it can be assigned."""
        node.table[state][token] = target
        joining = [self.children[prefix][token] for prefix, where in node.state_of.items() if where == state]
        return all(self._join(node, prefix, target) for prefix in joining if prefix >= 0)

    def _join(self, node: "_Node", prefix: int, state: int) -> bool:
        """Assign a prefix to a state, and all that follows by the transitions; whether nothing contradicts it."""
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
        ensure(wrong is None, "the automaton answers an example wrongly", wrong)
        return automaton


@dataclass
class _Node:
    """A partial DFA: its transitions (-1: open), the prefixes in each state as bits, and the state of each prefix."""

    table: list[list[int]]
    members: list[int]
    state_of: dict[int, int]

    def copy(self) -> "_Node":
        return _Node([row.copy() for row in self.table], self.members.copy(), self.state_of.copy())
