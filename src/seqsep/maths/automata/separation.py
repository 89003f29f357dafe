"""Membership in C-RASP: the states of each component of the least automaton are separated by counting letters.

C-RASP is a programming language of counts over prefixes, and the class of the languages that it recognises. For each strongly
connected component of the least automaton, states are distinguished in rounds. At first all states C have one class. In a
round, the label of an inner edge (u, a, v) is the letter a with the class of u. Two states are *not* separated in the round if
no weights h(label) give a potential that differs:

    phi(v) - phi(u) = h(label of the edge) for each inner edge   =>   phi(p) = phi(q)

A state's new class is its old one and its values under all such phi. The language is in C-RASP if in each component each class
has one state in the last round, in which no class splits.

*Linear algebra.* phi is such a potential if and only if phi(v) - phi(u) = phi(v') - phi(u') for each two inner edges (u, a, v)
and (u', a, v') with one label. So p and q are not separated if and only if q - p is a rational combination of the vectors
(v - u) - (v' - u') of such pairs.

*Why a stable partition is a proof.* Let P be classes of some states of a component, such that no two states of a class are
separated under the labels of P. No round ever splits a class of P: if it did not until now, edges with one label of P have one
label of the round. So the combination is one of the round's pairs. `Inseparable` has such classes with the combinations.

*C-RASP is a part of R-infinity.* Let g be a member of a group with the neutral element e and g^k = e, and q a state with
q e = q != q g. Fix a word of g. The states that a prefix of it reaches from q, q g, q g^2, .. are never separated: if they have
one class, phi grows by one number h along the word from each q g^i. As g^k = e, k h = 0, so phi is equal at all q g^i, and so
after each prefix. Now let e and f be idempotents with e f = f and f e = e, and q a state with p = q e != r = q f. Then p f = r,
r f = r and r e = p. In the same way phi grows by one number along f from p and from r. This is 0, as r f = r, so
phi(p) = phi(r).

Source: the procedure is an idea of Yang et al. 2026, "Algebraic Decomposition Theory for Transformer Length Generalization";
ours is polynomial, by exact elimination.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.multiplication import components

MOST_STATES = 200
"""States of the greatest component that is decided."""

Vector = Mapping[int, Fraction]


@dataclass(frozen=True)
class Pair:
    """Two edges with the same letter from states of one class, `first` and `second`.

    Its vector is (v - u) - (v' - u') for the edges (u, letter, v) and (u', letter, v').
    """

    letter: int
    first: int
    second: int

    def vector(self, table: Sequence[Sequence[int]]) -> Vector:
        """Return the vector's entries that are not 0, by state."""
        entries: Vector = {}
        for state, sign in (
            (table[self.first][self.letter], 1),
            (self.first, -1),
            (table[self.second][self.letter], -1),
            (self.second, 1),
        ):
            entries = _added(entries, {state: Fraction(1)}, Fraction(sign))
        return entries


@dataclass(frozen=True)
class Join:
    """Two states of one class that are not separated: end - start is this combination of pairs of edges."""

    start: int
    end: int
    terms: tuple[tuple[Fraction, Pair], ...]


@dataclass(frozen=True)
class Inseparable:
    """Classes of states of one component, one with several states, and a join of each further state with its class's first.

    States are those of the least automaton, numbered by their first words.
    """

    classes: Mapping[int, int]
    joins: tuple[Join, ...]

    def verify(self, automaton: DFA) -> None:
        """Check each join. Raises ValueError for a state of another component, or if a sum is wrong."""
        least = automaton.minimal()
        table = least.table.tolist()
        inside = self._component(table)
        joined = {(join.start, join.end) for join in self.joins}
        for join in self.joins:
            total: Vector = {}
            for weight, pair in join.terms:
                if not isinstance(weight, int | Fraction):
                    raise ValueError(f"expected exact weights, found {weight!r}")
                self._check_pair(pair, table, inside)
                total = _added(total, pair.vector(table), Fraction(weight))
            if join.start == join.end or total != {join.start: -1, join.end: 1}:
                raise ValueError(f"the sum of the pairs is not {join.end} - {join.start}, but {total}")
        firsts: dict[int, int] = {}
        for state, number in self.classes.items():
            first = firsts.setdefault(number, state)
            if state != first and (first, state) not in joined:
                raise ValueError(f"no join of the states {first} and {state} of one class")
        if len(firsts) == len(self.classes):
            raise ValueError("each class has one state")

    def _component(self, table: Sequence[Sequence[int]]) -> set[int]:
        """Return the states of the component. Raises ValueError for a state of another one."""
        numbers = components(table).tolist()
        if not set(self.classes) <= set(range(len(table))):
            raise ValueError(f"expected states from 0 to {len(table) - 1}, found {sorted(self.classes)}")
        found = {numbers[state] for state in self.classes}
        if len(found) != 1:
            raise ValueError(f"expected states of one component, found states of {len(found)}")
        return {state for state, number in enumerate(numbers) if number in found}

    def _check_pair(self, pair: Pair, table: Sequence[Sequence[int]], inside: set[int]) -> None:
        if not {pair.first, pair.second} <= set(self.classes) or pair.letter not in range(len(table[0])):
            raise ValueError(f"{pair} has a state without a class, or a letter that is not one")
        if self.classes[pair.first] != self.classes[pair.second]:
            raise ValueError(f"the states {pair.first} and {pair.second} have different classes")
        if not {table[pair.first][pair.letter], table[pair.second][pair.letter]} <= inside:
            raise ValueError(f"{pair} has an edge that leads out of the component")

    def record(self) -> dict[str, object]:
        """Return the proof for JSON: weights are fractions as text, pairs are lists of a letter and two states."""
        return {
            "classes": {str(state): number for state, number in self.classes.items()},
            "joins": [
                {
                    "start": join.start,
                    "end": join.end,
                    "terms": [[str(weight), [pair.letter, pair.first, pair.second]] for weight, pair in join.terms],
                }
                for join in self.joins
            ],
        }


@dataclass(frozen=True)
class StateSeparation:
    """The rounds that the components need, and the first component that is not separated."""

    rounds: int
    inseparable: Inseparable | None


def separate(automaton: DFA, *, is_least: bool = False) -> StateSeparation:
    """Decide C-RASP for the automaton's language; `is_least` if it is the least automaton.

    Raises ValueError if a component of the least automaton has more than 200 states.

    >>> from seqsep.maths.automata.regular import automaton
    >>> separate(automaton("(01)*")).rounds
    1
    >>> separate(automaton("(0|1 0* 1)*")).inseparable is None  # parity
    False
    """
    table = (automaton if is_least else automaton.minimal()).table.tolist()
    numbers = components(table)
    largest = int(np.bincount(numbers).max())
    if largest > MOST_STATES:
        raise ValueError(f"expected components of at most {MOST_STATES} states in the least automaton, found {largest:,}")
    rounds = 0
    for number in range(int(numbers.max()) + 1):
        component = Component(table, np.flatnonzero(numbers == number).tolist())
        needed = component.split()
        if component.several():
            return StateSeparation(needed, component.inseparable())
        rounds = max(rounds, needed)
    return StateSeparation(rounds, None)


class Component:
    """A strongly connected component, with classes that split in rounds."""

    def __init__(self, table: Sequence[Sequence[int]], states: Sequence[int]) -> None:
        self.table = table
        self.states = list(states)
        self.classes = dict.fromkeys(self.states, 0)
        inside = set(self.states)
        self.edges = [
            (state, letter) for state in self.states for letter, target in enumerate(table[state]) if target in inside
        ]

    def several(self) -> bool:
        """Return True if a class has more than one state."""
        return len(set(self.classes.values())) < len(self.states)

    def pairs(self) -> Iterator[Pair]:
        """Yield each inner edge with the first one of its label."""
        firsts: dict[tuple[int, int], int] = {}
        for state, letter in self.edges:
            first = firsts.setdefault((letter, self.classes[state]), state)
            if first != state:
                yield Pair(letter, state, first)

    def split(self) -> int:
        """Split the classes until they stay; return the number of rounds that split one."""
        rounds = 0
        while self.several():
            basis = Basis(pair.vector(self.table) for pair in self.pairs())
            keys = {}
            for state in self.states:
                rest = basis.reduced({state: Fraction(1)})
                keys[state] = (self.classes[state], tuple(sorted(rest.items())))
            order = {key: number for number, key in enumerate(dict.fromkeys(keys.values()))}
            if len(order) == len(set(self.classes.values())):
                return rounds
            self.classes = {state: order[key] for state, key in keys.items()}
            rounds += 1
        return rounds

    def inseparable(self) -> Inseparable:
        """Return the classes with a join of each state after the first of its class."""
        pairs = list(self.pairs())
        basis = Basis((pair.vector(self.table) for pair in pairs), remember=True)
        firsts: dict[int, int] = {}
        joins = []
        for state in self.states:
            first = firsts.setdefault(self.classes[state], state)
            if state != first:
                weights = basis.weights({first: Fraction(-1), state: Fraction(1)})
                joins.append(Join(first, state, tuple((weight, pairs[number]) for number, weight in sorted(weights.items()))))
        return Inseparable(dict(self.classes), tuple(joins))


class Basis:
    """The span of vectors, by exact elimination; with `remember`, each row knows the combination of vectors that it is."""

    def __init__(self, vectors: Iterable[Vector], *, remember: bool = False) -> None:
        self._rows: dict[int, tuple[Vector, Vector]] = {}
        for number, vector in enumerate(vectors):
            rest, used = self._eliminated(vector)
            if rest:
                pivot = min(rest)
                scale = 1 / rest[pivot]
                weights = _added({number: Fraction(1)}, used, Fraction(-1)) if remember else {}
                self._insert(pivot, _added({}, rest, scale), _added({}, weights, scale))

    def _insert(self, pivot: int, row: Vector, weights: Vector) -> None:
        """Add a row whose entry at the pivot is 1, and clear the pivot from the other rows."""
        for other, (values, used) in self._rows.items():
            if value := values.get(pivot):
                self._rows[other] = (_added(values, row, -value), _added(used, weights, -value))
        self._rows[pivot] = (row, weights)

    def _eliminated(self, vector: Vector) -> tuple[Vector, Vector]:
        """Return the vector less the rows at whose pivots it is not 0, and the combination of vectors that was taken."""
        rest = dict(vector)
        used: Vector = {}
        for pivot in [place for place in vector if place in self._rows]:
            value = vector[pivot]
            row, weights = self._rows[pivot]
            rest = _added(rest, row, -value)
            used = _added(used, weights, value)
        return rest, used

    def reduced(self, vector: Vector) -> Vector:
        """Return what is left of a vector; two vectors with the same rest differ by a vector of the span."""
        return self._eliminated(vector)[0]

    def weights(self, vector: Vector) -> Vector:
        """Return the combination that a vector of the span is. Raises ValueError for another vector."""
        rest, used = self._eliminated(vector)
        if rest:
            raise ValueError(f"the vector {vector} is outside of the span")
        return used


def _added(first: Vector, second: Vector, times: Fraction) -> dict[int, Fraction]:
    """Return first + times * second, without zeros."""
    found = dict(first)
    for key, value in second.items():
        total = found.get(key, Fraction(0)) + times * value
        if total:
            found[key] = total
        else:
            found.pop(key, None)
    return found
