"""A lower bound of the rank of a two-party matrix that is too large to write down, counted by an automaton.

Alice's inputs x are the rows, Bob's inputs y the columns. Give every token of each party a whole number from 0 as its weight,
let w(x) and w(y) be the products over the tokens, and let

    M[x, y] = sqrt(w(x) w(y)) if f(x, y) is the chosen answer, else 0

    T = sum of M[x, y]^2              Q = sum over x, x', y, y' of M[x, y] M[x', y] M[x', y'] M[x, y']

T is the sum of the squared singular values of M, Q that of their fourth powers, and rank(M) of them are not 0. So, by
Cauchy-Schwarz, T^2 <= rank(M) Q. Rows and columns are only scaled or dropped, hence over the rationals

    rank of the matrix "f = answer"  >=  ceil(T^2 / Q)

Both sums are whole numbers. An automaton counts them token by token: T over its states, Q over four copies of it, which read
(x, y), (x', y), (x', y') and (x, y'). It may read the positions in any order, since the matrix depends on who holds them only.

The leaves of a protocol with the answer partition the ones of that matrix, those with other answers its zeros; the matrix of
zeros has a rank less by at most 1. So a protocol for a total function has at least 2 ceil(T^2 / Q) - 1 leaves.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.layered import Layered

MOST_COUNTED = 256  # positions
MOST_QUADRUPLES = 800  # of states, at one time
MOST_STEPS = 20_000  # from one time to the next
HEAVY = 1 << 12
WEIGHTS = (0, HEAVY)
REPEATED = ((2, (0,)), (4, (0, 1)), (4, (0, 3)))  # period, and Alice's places in it

Four = tuple[int, int, int, int]
Weights = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class RankByCounting:
    """Of the matrix "f = label" the rank is at least ceil(`squares`^2 / `rectangles`), if Alice holds the positions `alice`.

    The automaton reads the position places[t] at time t. `weights` are of Alice's and of Bob's tokens, `squares` is T and
    `rectangles` Q of the file's head; `partitions` is the number of tested ones.

    >>> from seqsep.maths.automata.layered import of_function
    >>> same = of_function(lambda word: int(word[0] == word[1] and word[2] == word[3]), [2] * 4)
    >>> counted = count(same, (0, 1, 2, 3), alice=(0, 2), label=1)
    >>> counted.squares, counted.rectangles, counted.rank, counted.leaves, counted.bits
    (4, 4, 4, 7, 3)
    """

    automaton: Layered
    places: tuple[int, ...]
    alice: tuple[int, ...]
    label: int
    weights: Weights
    squares: int
    rectangles: int
    partitions: int = 1

    @property
    def rank(self) -> int:
        """A lower bound of the rank over the rationals."""
        return -(-(self.squares**2) // self.rectangles)

    @property
    def leaves(self) -> int:
        """A lower bound of the leaves of every protocol tree."""
        return 2 * self.rank - 1

    @property
    def bits(self) -> int:
        """ceil(log2 of the leaves)."""
        return ceil_log2(self.leaves)

    @property
    def measure(self) -> str:
        """The measure that gave the bound."""
        return "rank over the rationals, counted"

    @property
    def searched(self) -> str:
        """The partitions that were tested."""
        return "halves and repeated patterns"

    def record(self) -> dict[str, Any]:
        """The data for a repeated count, as a JSON object; `places` is the order in which positions were read."""
        return {
            "label": self.label,
            "rank": self.rank,
            "squares": self.squares,
            "rectangles": self.rectangles,
            "weights": [list(weights) for weights in self.weights],
            "places": list(self.places),
        }

    def verify(self) -> None:
        """Count both sums again, from the last position to the first and without merging. Raises ValueError if they differ."""
        if sorted(self.places) != list(range(self.automaton.length)) or not set(self.alice) <= set(self.places):
            raise ValueError(f"RankByCounting: places and alice are positions from 0 to {self.automaton.length - 1}")
        if min(*self.weights[0], *self.weights[1]) < 0 or not self.squares:
            raise ValueError("RankByCounting: weights are whole numbers from 0, and some input has the answer")
        squares = self._squares_from_each_state()
        start = self.automaton.start
        layers = [{(start, start, start, start): 1}]
        ways = []
        for t in range(self.automaton.length):
            ways.append({four: self._after(t, four) for four in layers[-1]})
            reached = {after for each in ways[-1].values() for after, _ in each}
            layers.append({after: 1 for after in reached if all(squares[t + 1][state] for state in after)})
        rectangles = layers[-1]
        for each in reversed(ways):
            rectangles = {
                four: sum(weight * rectangles.get(after, 0) for after, weight in listed) for four, listed in each.items()
            }
        counted = (squares[0][start], sum(rectangles.values()))
        if counted != (self.squares, self.rectangles):
            raise ValueError(f"RankByCounting: sums {(self.squares, self.rectangles)} claimed, {counted} counted")

    def _weight(self, t: int) -> tuple[int, ...]:
        """The weights of the tokens that are read at time t."""
        return self.weights[0 if self.places[t] in self.alice else 1]

    def _squares_from_each_state(self) -> list[list[int]]:
        """For each time and state, the weight of all suffixes that lead to the answer."""
        sums = [[int(answer == self.label) for answer in self.automaton.answers.tolist()]]
        for t in reversed(range(self.automaton.length)):
            weight = self._weight(t)
            rows = self.automaton.tables[t].tolist()
            sums.append([sum(weight[token] * sums[-1][after] for token, after in enumerate(row)) for row in rows])
        return sums[::-1]

    def _after(self, t: int, four: Four) -> list[tuple[Four, int]]:
        """The quadruples after two tokens at time t, with the weight of the tokens."""
        weight = self._weight(t)
        rows = [self.automaton.tables[t][state].tolist() for state in four]
        found = []
        for first, second in product(range(len(rows[0])), repeat=2):
            tokens = (first, second, second, first) if self.places[t] in self.alice else (first, first, second, second)
            one, two, three, other = (row[token] for row, token in zip(rows, tokens, strict=True))
            if weight[first] * weight[second]:
                found.append(((one, two, three, other), weight[first] * weight[second]))
        return found


def count(
    automaton: Layered,
    places: Sequence[int],
    alice: Iterable[int],
    label: int,
    weights: Weights | None = None,
) -> RankByCounting | None:
    """Count T and Q; None if no input has the answer, or more than 800 quadruples of states are met at one time.

    Quadruples from which some copy cannot reach the answer are dropped, and those that differ by exchanging x and x', or y and
    y', are counted together. By default all weights are 1.

    >>> from seqsep.maths.automata.layered import of_function
    >>> both = of_function(lambda word: int(word == [1, 1]), [2, 2])
    >>> count(both, (0, 1), alice=[0], label=0).rank
    2
    """
    mine = set(alice)
    most = max(table.shape[1] for table in automaton.tables)
    weights = ((1,) * most, (1,) * most) if weights is None else weights
    alive = _alive(automaton, label)
    start = automaton.start
    if start not in alive[0]:
        return None
    squares = {start: 1}
    fours: dict[Four, int] = {(start, start, start, start): 1}
    for t, place in enumerate(places):
        step = _Step(automaton.tables[t].tolist(), weights[0 if place in mine else 1], alive[t + 1], place in mine)
        if len(fours) * len(step.tokens) ** 2 > MOST_STEPS:
            return None
        squares = step.after_one(squares)
        fours = step.after_four(fours)
        if not fours or len(fours) > MOST_QUADRUPLES:
            return None
    return RankByCounting(
        automaton=automaton,
        places=tuple(places),
        alice=tuple(sorted(mine)),
        label=label,
        weights=weights,
        squares=sum(squares.values()),
        rectangles=sum(fours.values()),
    )


def best_counted(
    automaton: Layered, places: Sequence[int] | None = None, partitions: Sequence[tuple[int, ...]] | None = None
) -> RankByCounting | None:
    """The best bound over answers, partitions and weights that are tried; None if all have too many quadruples.

    Partitions, if none are given: the first half, and patterns of two and four positions, repeated. Then, for the best of them,
    weights of 0 and 2^12: of a token of both parties, and of one party's. The result is verified. Raises ValueError beyond 256
    positions.

    >>> from seqsep.maths.automata import least_state, regular
    >>> same = least_state.of_automaton(regular.automaton("(00|11)*"), 64).automaton
    >>> best_counted(same).bits
    33
    """
    length = automaton.length
    if length > MOST_COUNTED:
        raise ValueError(f"best_counted({length} positions): expected at most {MOST_COUNTED}")
    order = tuple(range(length)) if places is None else tuple(places)
    partitions = _partitions(length) if partitions is None else partitions
    labels = sorted(set(automaton.answers.tolist()))
    tried = [count(automaton, order, alice, label) for alice in partitions for label in labels]
    best = max((one for one in tried if one is not None), key=lambda one: one.rank, default=None)
    if best is None:
        return None
    best = _weighed(best, _both)
    best = replace(_weighed(best, _one_party), partitions=len(partitions))
    best.verify()
    return best


def _partitions(length: int) -> list[tuple[int, ...]]:
    """Alice's positions: the first half, and those of patterns of two and four that are repeated, each once."""
    half = tuple(range(length // 2))
    repeated = [tuple(place for place in range(length) if place % period in held) for period, held in REPEATED]
    return [alice for alice in dict.fromkeys([half, *repeated]) if 0 < len(alice) < length]


def _weighed(best: RankByCounting, change: Callable[[Weights, int, int], list[Weights]]) -> RankByCounting:
    """The best bound after changing the weight of one token at a time, kept if it is better."""
    for token in range(len(best.weights[0])):
        for weight in WEIGHTS:
            for weights in change(best.weights, token, weight):
                other = count(best.automaton, best.places, best.alice, label=best.label, weights=weights)
                if other is not None and other.rank > best.rank:
                    best = other
    return best


def _both(weights: Weights, token: int, weight: int) -> list[Weights]:
    """Both parties' weight of a token changed."""
    return [(_changed(weights[0], token, weight), _changed(weights[1], token, weight))]


def _one_party(weights: Weights, token: int, weight: int) -> list[Weights]:
    """One party's weight of a token changed, Alice's or Bob's."""
    return [(_changed(weights[0], token, weight), weights[1]), (weights[0], _changed(weights[1], token, weight))]


def _changed(weights: tuple[int, ...], token: int, weight: int) -> tuple[int, ...]:
    return (*weights[:token], weight, *weights[token + 1 :])


def _alive(automaton: Layered, label: int) -> list[set[int]]:
    """For each time, the states from which some suffix leads to the answer."""
    alive = [{state for state, answer in enumerate(automaton.answers.tolist()) if answer == label}]
    for table in reversed(automaton.tables):
        after = alive[-1]
        alive.append({state for state, row in enumerate(table.tolist()) if not after.isdisjoint(row)})
    return alive[::-1]


@dataclass(frozen=True)
class _Step:
    """One position: the automaton's table, the weights of its owner's tokens, and the states that are alive after it."""

    table: list[list[int]]
    weight: tuple[int, ...]
    alive: set[int]
    is_alices: bool

    @property
    def tokens(self) -> list[int]:
        """The tokens whose weight is not 0."""
        return [token for token in range(len(self.table[0])) if self.weight[token]]

    def after_one(self, squares: dict[int, int]) -> dict[int, int]:
        """The weights of the states after the token."""
        after: dict[int, int] = defaultdict(int)
        for state, ways in squares.items():
            for token in self.tokens:
                if self.table[state][token] in self.alive:
                    after[self.table[state][token]] += ways * self.weight[token]
        return after

    def after_four(self, fours: dict[Four, int]) -> dict[Four, int]:
        """The weights of the quadruples after the tokens of x and x', or of y and y'."""
        after: dict[Four, int] = defaultdict(int)
        pairs = list(product(self.tokens, repeat=2))
        for four, ways in fours.items():
            one, two, three, other = (self.table[state] for state in four)
            for first, second in pairs:
                of_two, of_other = (second, first) if self.is_alices else (first, second)
                reached = (one[first], two[of_two], three[second], other[of_other])
                if self.alive.issuperset(reached):
                    after[_least_image(reached)] += ways * self.weight[first] * self.weight[second]
        return after


def _least_image(four: Four) -> Four:
    """One of the quadruples that differ by exchanging x and x', y and y', or both."""
    one, two, three, other = four
    return min(four, (two, one, other, three), (other, three, two, one), (three, other, one, two))
