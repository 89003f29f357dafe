"""Green's relations, idempotents and maximal groups of a syntactic monoid, from its multiplication table.

    u R v  if u M = v M        u L v  if M u = M v        u J v  if M u M = M v M        u H v  if u R v and u L v

R classes are the strongly connected components of the right Cayley graph (edges u -> u a for letters a), L classes those of
the left one (u -> a u), J classes those of both together. The H class of an idempotent is a group, and a maximal one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int32, Int64

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.monoids import Monoid, Word, syntactic_monoid

MOST_MULTIPLIED = 5_000
"""Elements of the greatest monoid: its table then has 25 million entries, 100 MB."""


@dataclass(frozen=True)
class Multiplication:
    """A syntactic monoid with its products; elements are numbers, 0 is the neutral one.

    >>> from seqsep.maths.automata.regular import automaton
    >>> parity = Multiplication(syntactic_monoid(automaton("(0|1 0* 1)*")))
    >>> parity.table.tolist()
    [[0, 1], [1, 0]]
    """

    monoid: Monoid

    @property
    def size(self) -> int:
        """The number of elements."""
        return len(self.monoid.maps)

    @cached_property
    def right(self) -> Int32[np.ndarray, "elements letters"]:
        """The products u a."""
        maps = np.array(self.monoid.maps)
        moves = maps[list(self.monoid.letters)]
        return self._numbers(moves[:, maps].transpose(1, 0, 2))

    @cached_property
    def left(self) -> Int32[np.ndarray, "elements letters"]:
        """The products a u."""
        maps = np.array(self.monoid.maps)
        moves = maps[list(self.monoid.letters)]
        return self._numbers(maps[:, moves])

    def _numbers(self, maps: Int64[np.ndarray, "elements letters states"]) -> Int32[np.ndarray, "elements letters"]:
        number = self.monoid.number
        return np.array([[number[tuple(one)] for one in row] for row in maps.tolist()], dtype=np.int32).reshape(maps.shape[:2])

    @cached_property
    def table(self) -> Int32[np.ndarray, "elements elements"]:
        """The products u v, in row u and column v: with v = w a, column v is column w times the letter a."""
        table = np.empty((self.size, self.size), dtype=np.int32, order="F")
        table[:, 0] = np.arange(self.size)
        first = {word: index for index, word in enumerate(self.monoid.words)}
        for index, word in enumerate(self.monoid.words[1:], 1):
            table[:, index] = self.right[table[:, first[word[:-1]]], word[-1]]
        return table

    @cached_property
    def idempotents(self) -> Int64[np.ndarray, "idempotents"]:
        """The elements e with e e = e."""
        return np.flatnonzero(self.table.diagonal() == np.arange(self.size))

    @cached_property
    def of_words(self) -> Bool[np.ndarray, "elements"]:
        """True for the elements of words with a letter: all, or all except the neutral one."""
        found = np.ones(self.size, dtype=bool)
        found[0] = bool((self.right == 0).any())
        return found

    @cached_property
    def r_classes(self) -> Int64[np.ndarray, "elements"]:
        """The number of each element's R class."""
        return components(self.right.tolist())

    @cached_property
    def l_classes(self) -> Int64[np.ndarray, "elements"]:
        """The number of each element's L class."""
        return components(self.left.tolist())

    @cached_property
    def j_classes(self) -> Int64[np.ndarray, "elements"]:
        """The number of each element's J class."""
        return components(np.concatenate([self.right, self.left], axis=1).tolist())

    @cached_property
    def one_of_each_class(self) -> list[int]:
        """An idempotent of each J class that has one; local monoids and maximal groups of one J class are isomorphic."""
        _, first = np.unique(self.j_classes[self.idempotents], return_index=True)
        return sorted(self.idempotents[first].tolist())

    def group(self, idempotent: int) -> Int64[np.ndarray, "members"]:
        """Return the members of the maximal group around an idempotent, its H class."""
        same_row = self.r_classes == self.r_classes[idempotent]
        return np.flatnonzero(same_row & (self.l_classes == self.l_classes[idempotent]))

    def powers(self) -> Int64[np.ndarray, "elements"]:
        """Return for each element a power with an exponent of at least `size`, so that it is in the cycle of the powers."""
        power = np.arange(self.size)
        for _ in range(max(1, self.size.bit_length())):
            power = self.table[power, power]
        return power

    def multiplier(self, first: int, second: int, *, on_left: bool = False) -> Word | None:
        """Return a shortest word x with first x = second, or x first = second; None if there is none."""
        edges = (self.left if on_left else self.right).tolist()
        words: dict[int, Word] = {first: ()}
        queue = [first]
        for element in queue:
            if element == second:
                return words[element]
            for letter, after in enumerate(edges[element]):
                if after not in words:
                    words[after] = (letter, *words[element]) if on_left else (*words[element], letter)
                    queue.append(after)
        return None


def multiplication(automaton: DFA, most: int = MOST_MULTIPLIED) -> Multiplication:
    """Return the syntactic monoid of the automaton's language with its products.

    Raises ValueError if it has more than `most` elements.
    """
    return Multiplication(syntactic_monoid(automaton, most))


def components(edges: Sequence[Sequence[int]]) -> Int64[np.ndarray, "nodes"]:
    """Return the number of each node's strongly connected component, by Tarjan's algorithm without recursion.

    >>> components([[1], [0, 2], [2]]).tolist()
    [1, 1, 0]
    """
    count = len(edges)
    found = np.full(count, -1, dtype=np.int64)
    index = [-1] * count
    low = [0] * count
    stack: list[int] = []
    visited = 0
    number = 0
    for root in range(count):
        if index[root] >= 0:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = visited
        visited += 1
        stack.append(root)
        while work:
            node, further = work[-1]
            for target in further:
                if index[target] < 0:
                    index[target] = low[target] = visited
                    visited += 1
                    stack.append(target)
                    work.append((target, iter(edges[target])))
                    break
                if found[target] < 0:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = _from(stack, node)
                    del stack[len(stack) - len(members) :]
                    found[members] = number
                    number += 1
    return found


def _from(stack: Sequence[int], node: int) -> list[int]:
    """Return the end of the stack from a node on, searched from the end."""
    place = len(stack) - 1
    while stack[place] != node:
        place -= 1
    return list(stack[place:])


def derived_length(table: Int32[np.ndarray, "elements elements"], members: Iterable[int]) -> int | None:
    """Return the number of steps in which commutators lead a group to its neutral element; None if they never do.

    `table` has the products of a monoid, and `members` are a group in it.

    >>> from seqsep.maths.automata.regular import automaton
    >>> parity = multiplication(automaton("(0|1 0* 1)*"))
    >>> derived_length(parity.table, parity.group(0))
    1
    """
    group = np.array(sorted(members))
    steps = 0
    while len(group) > 1:
        smaller = commutators(table, group)
        if len(smaller) == len(group):
            return None
        group = smaller
        steps += 1
    return steps


def commutators(
    table: Int32[np.ndarray, "elements elements"], group: Int64[np.ndarray, "members"]
) -> Int64[np.ndarray, "some"]:
    """Return the subgroup that all products a^-1 b^-1 a b generate."""
    products = table[np.ix_(group, group)]
    neutral = group[np.flatnonzero(products.diagonal() == group)[0]]
    inverse = group[(products == neutral).argmax(axis=1)]
    each = np.unique(table[table[np.ix_(inverse, inverse)], products])
    while True:
        more = np.unique(np.concatenate([each, table[np.ix_(each, each)].reshape(-1)]))
        if len(more) == len(each):
            return each
        each = more
