"""Membership in C-RASP: the states of each component of the least automaton are separated by counting letters.

C-RASP is a programming language of counts over prefixes, and the class of the languages that it recognises. For each strongly
connected component of the least automaton, states are distinguished in rounds. At first all states C have one class. In a
round, the label of an inner edge (u, a, v) is the letter a with the class of u. Two states are *not* separated in the round if
no weights h(label) give a potential that differs:

    phi(v) - phi(u) = h(label of the edge) for each inner edge   =>   phi(p) = phi(q)

A state's new class is its old one and its values under all such phi. The language is in C-RASP if in each component each class
has one state in the last round, in which no class splits.

*Linear algebra.* A potential exists for h if and only if h sums to 0 on every closed walk. So p and q are not separated if and
only if the counts of labels on a walk from p to q are a rational combination of the counts on closed walks.

*Why a stable partition is a proof.* Let P be classes such that no two states of a class are separated under the labels
of P. A coarser partition has coarser labels, and sums of counts keep the combination. So no round ever splits a class of P.
`Inseparable` has such classes with the combinations.

Source: the procedure is an idea of Yang et al. 2026, "Algebraic Decomposition Theory for Transformer Length Generalization";
ours is polynomial, by exact elimination.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.monoids import Word
from seqsep.maths.automata.multiplication import components

MOST_STATES = 100
"""States of the greatest component that is decided."""

Key = TypeVar("Key")
Label = tuple[int, int]
Vector = dict[Label, Fraction]


@dataclass(frozen=True)
class Combination:
    """The counts of labels on `path`, from state `start`, are this combination of the counts on closed walks from the root."""

    path: Word
    start: int
    walks: tuple[tuple[Word, Fraction], ...]


@dataclass(frozen=True)
class Inseparable:
    """Classes of a component's states, of which one has several states, and a combination for each state after a class's first.

    `root` is the state at which all closed walks begin.
    """

    root: int
    classes: dict[int, int]
    combinations: tuple[Combination, ...]

    def verify(self, automaton: DFA) -> None:
        """Count the labels. Raises ValueError if a walk leaves the component, or if a sum is wrong."""
        firsts: dict[int, int] = {}
        joined = set()
        for combination in self.combinations:
            end, counts = self._walk(automaton, combination.start, combination.path)
            total: dict[Label, Fraction] = {}
            for word, weight in combination.walks:
                home, closed = self._walk(automaton, self.root, word)
                if home != self.root:
                    raise ValueError(f"the walk {word} ends in state {home} and not in {self.root}")
                for label, count in closed.items():
                    total[label] = total.get(label, Fraction(0)) + weight * count
            if any(total.get(label, 0) != counts[label] for label in {*total, *counts}):
                raise ValueError(f"the counts on the path {combination.path} from state {combination.start} are another sum")
            if self.classes[combination.start] != self.classes[end]:
                raise ValueError(f"states {combination.start} and {end} have different classes")
            joined.add((combination.start, end))
        for state, number in self.classes.items():
            first = firsts.setdefault(number, state)
            if state != first and (first, state) not in joined:
                raise ValueError(f"no combination joins the states {first} and {state} of one class")
        if len(firsts) == len(self.classes):
            raise ValueError("each class has one state")

    def _walk(self, automaton: DFA, state: int, word: Word) -> tuple[int, Counter[Label]]:
        counts: Counter[Label] = Counter()
        for letter in word:
            counts[letter, self.classes[state]] += 1
            state = int(automaton.table[state, letter])
            if state not in self.classes:
                raise ValueError(f"the word {word} leads out of the component, to state {state}")
        return state, counts

    def record(self) -> dict[str, object]:
        """Return the proof for JSON: weights are fractions as text."""
        return {
            "root": self.root,
            "classes": {str(state): number for state, number in self.classes.items()},
            "combinations": [
                {
                    "from": one.start,
                    "path": list(one.path),
                    "walks": [{"word": list(word), "weight": str(weight)} for word, weight in one.walks],
                }
                for one in self.combinations
            ],
        }


@dataclass(frozen=True)
class Separation:
    """The rounds that the components need, and the first component that is not separated."""

    rounds: int
    inseparable: Inseparable | None


def separate(automaton: DFA) -> Separation:
    """Decide C-RASP for the language of a least automaton.

    Raises ValueError if a component has more than 100 states.

    >>> from seqsep.maths.automata.regular import automaton
    >>> separate(automaton("(01)*").minimal()).rounds
    1
    >>> separate(automaton("(0|1 0* 1)*").minimal()).inseparable is None  # parity
    False
    """
    table = automaton.table.tolist()
    numbers = components(table).tolist()
    rounds = 0
    for number in range(max(numbers) + 1):
        states = [state for state, own in enumerate(numbers) if own == number]
        if len(states) > MOST_STATES:
            raise ValueError(
                f"a component of the least automaton has {len(states):,} states; at most {MOST_STATES} are decided"
            )
        component = Component(table, states)
        needed = component.split()
        if component.several():
            return Separation(needed, component.inseparable())
        rounds = max(rounds, needed)
    return Separation(rounds, None)


class Component:
    """A strongly connected component, with classes that split in rounds."""

    def __init__(self, table: Sequence[Sequence[int]], states: Sequence[int]) -> None:
        self.table = table
        self.states = list(states)
        self.root = self.states[0]
        self.classes = dict.fromkeys(self.states, 0)
        inside = set(self.states)
        self.edges = [
            (state, letter, target) for state in self.states for letter, target in enumerate(table[state]) if target in inside
        ]
        self.there = self._words({self.root: ()}, forwards=True)
        self.back = self._words({self.root: ()}, forwards=False)

    def _words(self, found: dict[int, Word], *, forwards: bool) -> dict[int, Word]:
        """Return a shortest word from the root to each state, or from each state to the root."""
        queue = list(found)
        for node in queue:
            for source, letter, target in self.edges:
                if forwards and source == node and target not in found:
                    found[target] = (*found[node], letter)
                    queue.append(target)
                if not forwards and target == node and source not in found:
                    found[source] = (letter, *found[node])
                    queue.append(source)
        return found

    def several(self) -> bool:
        """Return True if a class has more than one state."""
        return len(set(self.classes.values())) < len(self.states)

    def split(self) -> int:
        """Split the classes until they stay; return the number of rounds that split one."""
        rounds = 0
        while self.several():
            basis = Basis(self._counts(self.root, word) for word in self._closed_walks())
            keys = {}
            for state in self.states:
                rest = basis.reduced(self._counts(self.root, self.there[state]))
                keys[state] = (self.classes[state], tuple(sorted(rest.items())))
            order = {key: number for number, key in enumerate(dict.fromkeys(keys.values()))}
            if len(order) == len(set(self.classes.values())):
                return rounds
            self.classes = {state: order[key] for state, key in keys.items()}
            rounds += 1
        return rounds

    def _closed_walks(self) -> Iterator[Word]:
        """Yield closed walks from the root whose counts span those of all closed walks.

        They go to a state, along an edge or not, and back. Each closed walk's counts are the sum over its edges (u, a, v) of
        there(u) a back(v) less there(v) back(v).
        """
        for state in self.states:
            if self.there[state] or self.back[state]:
                yield self.there[state] + self.back[state]
        for source, letter, target in self.edges:
            yield (*self.there[source], letter, *self.back[target])

    def _counts(self, state: int, word: Word) -> Vector:
        counts: Vector = {}
        for letter in word:
            label = (letter, self.classes[state])
            counts[label] = counts.get(label, Fraction(0)) + 1
            state = self.table[state][letter]
        return counts

    def inseparable(self) -> Inseparable:
        """Return the classes with the combination of closed walks for each state after the first of its class."""
        walks = list(dict.fromkeys(self._closed_walks()))
        basis = Basis((self._counts(self.root, word) for word in walks), remember=True)
        firsts: dict[int, int] = {}
        combinations = []
        for state in self.states:
            first = firsts.setdefault(self.classes[state], state)
            if state != first:
                path = self.back[first] + self.there[state]
                weights = basis.weights(self._counts(first, path))
                chosen = tuple((walks[number], weight) for number, weight in sorted(weights.items()))
                combinations.append(Combination(path, first, chosen))
        return Inseparable(self.root, dict(self.classes), tuple(combinations))


class Basis:
    """The span of vectors, by exact elimination; with `remember`, each row knows the combination of vectors that it is."""

    def __init__(self, vectors: Iterator[Vector], *, remember: bool = False) -> None:
        self._rows: dict[Label, tuple[Vector, dict[int, Fraction]]] = {}
        for number, vector in enumerate(vectors):
            rest, used = self._eliminated(vector)
            if rest:
                pivot = min(rest)
                scale = 1 / rest[pivot]
                weights = _added({number: Fraction(1)}, used, Fraction(-1)) if remember else {}
                row = {label: value * scale for label, value in rest.items()}
                self._insert(pivot, row, {place: weight * scale for place, weight in weights.items()})

    def _insert(self, pivot: Label, row: Vector, weights: dict[int, Fraction]) -> None:
        """Add a row whose entry at the pivot is 1, and clear the pivot from the other rows."""
        for other, (values, used) in self._rows.items():
            if value := values.get(pivot):
                self._rows[other] = (_added(values, row, -value), _added(used, weights, -value))
        self._rows[pivot] = (row, weights)

    def _eliminated(self, vector: Vector) -> tuple[Vector, dict[int, Fraction]]:
        """Return the vector less the rows at whose pivots it is not 0, and the combination of vectors that was taken."""
        rest = dict(vector)
        used: dict[int, Fraction] = {}
        for pivot in [label for label in vector if label in self._rows]:
            value = vector[pivot]
            row, weights = self._rows[pivot]
            rest = _added(rest, row, -value)
            used = _added(used, weights, value)
        return rest, used

    def reduced(self, vector: Vector) -> Vector:
        """Return what is left of a vector; two vectors with the same rest differ by a vector of the span."""
        return self._eliminated(vector)[0]

    def weights(self, vector: Vector) -> dict[int, Fraction]:
        """Return the combination that a vector of the span is. Raises ValueError for another vector."""
        rest, used = self._eliminated(vector)
        if rest:
            raise ValueError(f"the vector {vector} is outside of the span")
        return used


def _added(first: Mapping[Key, Fraction], second: Mapping[Key, Fraction], times: Fraction) -> dict[Key, Fraction]:
    """Return first + times * second, without zeros."""
    found = dict(first)
    for key, value in second.items():
        total = found.get(key, Fraction(0)) + times * value
        if total:
            found[key] = total
        else:
            found.pop(key, None)
    return found
