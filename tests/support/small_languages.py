"""Small automata, and the classes of their languages a second time: by brute force from the definitions."""

import itertools
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from seqsep.maths.automata.automata import DFA


@cache
def small_automata(states: int) -> tuple[DFA, ...]:
    """Return the least automata over two letters with this many states that accept some words, and not all."""
    found = []
    for entries in itertools.product(range(states), repeat=2 * states):
        table = np.array(entries).reshape(states, 2)
        if DFA(table, 0, np.ones(states, dtype=bool)).reachable() != list(range(states)):
            continue
        for accepting in itertools.product([False, True], repeat=states):
            automaton = DFA(table, 0, np.array(accepting))
            if 0 < sum(accepting) < states and len(automaton.minimal().table) == states:
                found.append(automaton)
    return tuple(found)


def of_permutations(letters: Sequence[Sequence[int]]) -> DFA:
    """Return the word problem of the group that permutations generate: the words whose product is the neutral element."""
    neutral = tuple(range(len(letters[0])))
    number = {neutral: 0}
    rows = []
    for one in (queue := [neutral]):
        row = [tuple(letter[place] for place in one) for letter in letters]
        for after in row:
            if after not in number:
                number[after] = len(queue)
                queue.append(after)
        rows.append([number[after] for after in row])
    return DFA(np.array(rows), 0, np.arange(len(rows)) == 0)


class BruteForce:
    """The syntactic monoid of a least automaton by maps of states, and its classes by loops over all elements."""

    def __init__(self, automaton: DFA) -> None:
        self.automaton = automaton
        self.moves = [tuple(column) for column in automaton.table.T.tolist()]
        neutral = tuple(range(len(automaton.table)))
        self.maps = [neutral]
        for one in self.maps:
            self.maps += [
                after for after in dict.fromkeys(self.then(one, move) for move in self.moves) if after not in self.maps
            ]
        self.letters = [self.maps.index(move) for move in self.moves]
        place = {one: index for index, one in enumerate(self.maps)}
        self.size = len(self.maps)
        self.table = np.array([[place[self.then(u, v)] for v in self.maps] for u in self.maps])
        self.everything = np.arange(self.size)
        self.with_letters = np.unique(self.table[:, self.letters])
        self.omega = self.everything
        while (self.table[self.omega, self.omega] != self.omega).any():
            wrong = self.table[self.omega, self.omega] != self.omega
            self.omega = np.where(wrong, self.table[self.omega, self.everything], self.omega)
        self.idempotents = [e for e in range(self.size) if self.table[e, e] == e]

    @staticmethod
    def then(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(second[state] for state in first)

    def sets_of_lengths(self) -> Iterator[frozenset[int]]:
        """Yield the elements of the words of each length from 1, until they repeat."""
        seen = set()
        now = frozenset([0])
        while True:
            now = frozenset(int(self.table[u, letter]) for u in now for letter in self.letters)
            if now in seen:
                return
            seen.add(now)
            yield now

    def long_words(self) -> list[tuple[int, ...]]:
        """Return the maps of the words of one length that is as great as the monoid."""
        now = {self.maps[0]}
        for _ in range(self.size):
            now = {self.then(one, move) for one in now for move in self.moves}
        return sorted(now)

    def ideals_differ(self, *, left: bool, right: bool) -> bool:
        """True if different elements have different ideals."""
        ideals = []
        for u in range(self.size):
            rows = self.table[:, u] if left else np.array([u])
            ideals.append(frozenset(np.unique(self.table[rows] if right else rows).tolist()))
        return len(set(ideals)) == self.size

    def commutative(self) -> bool:
        return bool((self.table == self.table.T).all())

    def aperiodic(self) -> bool:
        return bool((self.table[self.omega, self.everything] == self.omega).all())

    def j_trivial(self) -> bool:
        return self.ideals_differ(left=True, right=True)

    def r_trivial(self) -> bool:
        return self.ideals_differ(left=False, right=True)

    def l_trivial(self) -> bool:
        return self.ideals_differ(left=True, right=False)

    def da(self) -> bool:
        """(x y z)^w y (x y z)^w = (x y z)^w for all x, y, z."""
        x, y, z = np.meshgrid(self.everything, self.everything, self.everything, indexing="ij")
        e = self.omega[self.table[self.table[x, y], z]]
        return bool((self.table[self.table[e, y], e] == e).all())

    def r_infinity(self) -> bool:
        pairs = [(e, f) for e in self.idempotents for f in self.idempotents if self.table[e, f] == f and self.table[f, e] == e]
        return self.aperiodic() and all(e == f for e, f in pairs)

    def definite(self) -> bool:
        """After a long word, all states are one."""
        return all(len(set(one)) == 1 for one in self.long_words())

    def reverse_definite(self) -> bool:
        """After a long word, no letter changes the state."""
        return all(move[one[0]] == one[0] for one in self.long_words() for move in self.moves)

    def generalised_definite(self) -> bool:
        """Whatever is between two long words does not change the answer."""
        ends = self.long_words()
        accepting = self.automaton.accepting
        return all(len({bool(accepting[end[middle[begin[0]]]]) for middle in self.maps}) == 1 for begin in ends for end in ends)

    def locally_testable(self) -> bool:
        """e s e s e = e s e and e s e t e = e t e s e, for all e, s, t."""
        table = self.table
        for e in set(self.idempotents) & set(self.with_letters.tolist()):
            around = table[table[e, self.with_letters], e]
            products = table[np.ix_(around, around)]
            if (np.diagonal(products) != around).any() or (products != products.T).any():
                return False
        return True

    def threshold_testable(self) -> bool:
        """Aperiodic, and e x f y e z f = e z f y e x f for all idempotents e, f of non-empty words, and all x, y, z."""
        table = self.table
        chosen = sorted(set(self.idempotents) & set(self.with_letters.tolist()))
        for e, f in itertools.product(chosen, repeat=2):
            ahead = np.unique(table[table[e, self.with_letters], f])
            back = np.unique(table[table[f, self.with_letters], e])
            products = table[table[ahead[:, None], back][:, :, None], ahead]
            if (products != products.transpose(2, 1, 0)).any():
                return False
        return self.aperiodic()

    def ac0(self) -> bool:
        """No set of the words of one length has all powers of a g != g^w with g^w g = g."""
        for elements in self.sets_of_lengths():
            for g in elements:
                e = int(self.omega[g])
                powers = [g]
                while (after := int(self.table[powers[-1], g])) not in powers:
                    powers.append(after)
                if g != e and self.table[e, g] == g and elements >= set(powers):
                    return False
        return True

    def c_rasp(self) -> bool:
        """Floating-point null spaces in place of rational elimination, for potentials and weights of labels together."""
        reached = np.array([[one[state] for one in self.maps] for state in self.maps[0]])
        states = range(len(reached))
        together = [{q for q in states if q in reached[p] and p in reached[q]} for p in states]
        return all(self.separated(sorted(component)) for component in together)

    def separated(self, component: Sequence[int]) -> bool:
        edges = [(u, a, move[u]) for u in component for a, move in enumerate(self.moves) if move[u] in component]
        classes = dict.fromkeys(component, 0)
        while True:
            labels = sorted({(a, classes[u]) for u, a, _ in edges})
            rows = np.zeros((len(edges) + 1, len(component) + len(labels)))
            rows[-1, 0] = 1
            for row, (u, a, v) in zip(rows, edges, strict=False):
                row[component.index(v)] += 1
                row[component.index(u)] -= 1
                row[len(component) + labels.index((a, classes[u]))] -= 1
            _, sizes, vectors = np.linalg.svd(rows, full_matrices=True)
            rank = int((sizes > 1e-9).sum())
            values = vectors[rank:, : len(component)].T
            order: list[tuple[int, np.ndarray]] = []
            new = {}
            for state, value in zip(component, values, strict=True):
                same = [
                    n for n, (old, seen) in enumerate(order) if old == classes[state] and np.allclose(seen, value, atol=1e-7)
                ]
                new[state] = same[0] if same else len(order)
                order += [] if same else [(classes[state], value)]
            if len(order) == len(set(classes.values())):
                return len(order) == len(component)
            classes = new
