"""Products, Green's relations, idempotents and maximal groups of a syntactic monoid.

    u R v  if u M = v M        u L v  if M u = M v        u J v  if M u M = M v M        u H v  if u R v and u L v

R classes are the strongly connected components of the right Cayley graph (edges u -> u a for letters a), L classes those of
the left one (u -> a u), J classes those of both together. The H class of an idempotent is a group, and a maximal one.

`maths.automata.monoids` multiplies maps of states one by one. Here each product is looked up in the Cayley graphs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.monoids import Word

MOST_MULTIPLIED = 5_000
"""Elements of the greatest monoid: its table then has 25 million entries, 100 MB."""


@dataclass(frozen=True)
class Multiplication:
    """A syntactic monoid with its products. Elements are numbered by their first words, shorter words first; 0 is neutral.

    Fields:
        right: the products u a, in row u and column a.
        left: the products a u, in row u and column a.
        before: the element of each first word without its last letter; -1 for the empty word.
        last: the last letter of each first word; -1 for the empty word.

    >>> from seqsep.maths.automata.regular import automaton
    >>> parity = multiplication(automaton("(0|1 0* 1)*"))
    >>> parity.table.tolist()
    [[0, 1], [1, 0]]
    """

    right: Int[np.ndarray, "elements letters"]
    left: Int[np.ndarray, "elements letters"]
    before: Int[np.ndarray, "elements"]
    last: Int[np.ndarray, "elements"]

    @property
    def size(self) -> int:
        """The number of elements."""
        return len(self.right)

    def word(self, element: int) -> Word:
        """Return the first word of an element."""
        letters = []
        while element:
            letters.append(int(self.last[element]))
            element = int(self.before[element])
        return tuple(reversed(letters))

    @cached_property
    def table(self) -> Int[np.ndarray, "elements elements"]:
        """The products u v, in row u and column v: with v = w a, column v is column w times the letter a."""
        table = np.empty((self.size, self.size), dtype=np.int32, order="F")
        table[:, 0] = np.arange(self.size)
        columns = np.asfortranarray(self.right)
        for index in range(1, self.size):
            np.take(columns[:, self.last[index]], table[:, self.before[index]], out=table[:, index])
        return table

    @cached_property
    def idempotents(self) -> Int[np.ndarray, "idempotents"]:
        """The elements e with e e = e."""
        return np.flatnonzero(self.table.diagonal() == np.arange(self.size))

    @cached_property
    def of_words(self) -> Bool[np.ndarray, "elements"]:
        """True for the elements of words with a letter: all, or all except the neutral one."""
        found = np.ones(self.size, dtype=bool)
        found[0] = bool((self.right == 0).any())
        return found

    @cached_property
    def r_classes(self) -> Int[np.ndarray, "elements"]:
        """The number of each element's R class."""
        return components(self.right.tolist())

    @cached_property
    def l_classes(self) -> Int[np.ndarray, "elements"]:
        """The number of each element's L class."""
        return components(self.left.tolist())

    @cached_property
    def j_classes(self) -> Int[np.ndarray, "elements"]:
        """The number of each element's J class: u J v if some w has u R w and w L v."""
        rows = self.r_classes
        columns = self.l_classes + rows.max() + 1
        found = np.arange(columns.max() + 1)
        while not np.array_equal(found[rows], found[columns]):
            least = np.minimum(found[rows], found[columns])
            np.minimum.at(found, rows, least)
            np.minimum.at(found, columns, least)
        return found[rows]

    @cached_property
    def groups(self) -> list[tuple[int, Int[np.ndarray, "members"]]]:
        """A maximal group with more than one element of each J class that has one: its neutral element, and its members.

        The maximal groups of one J class are isomorphic.
        """
        _, first = np.unique(self.j_classes[self.idempotents], return_index=True)
        found = []
        for e in sorted(self.idempotents[first].tolist()):
            same_row = self.r_classes == self.r_classes[e]
            members = np.flatnonzero(same_row & (self.l_classes == self.l_classes[e]))
            if len(members) > 1:
                found.append((e, members))
        return found

    def multiplier(self, first: int, second: int, *, on_left: bool = False) -> Word:
        """Return a shortest word x with first x = second, or x first = second. Raises ValueError if there is none."""
        edges = (self.left if on_left else self.right).tolist()
        origin: dict[int, tuple[int, int]] = {first: (-1, -1)}
        queue = [first]
        for element in queue:
            if second in origin:
                break
            for letter, after in enumerate(edges[element]):
                if after not in origin:
                    origin[after] = (element, letter)
                    queue.append(after)
        if second not in origin:
            raise ValueError(f"no multiplier leads from element {first} to {second}")
        letters = []
        while second != first:
            second, letter = origin[second]
            letters.append(letter)
        return tuple(letters if on_left else reversed(letters))


def multiplication(automaton: DFA, most: int = MOST_MULTIPLIED, *, is_least: bool = False) -> Multiplication:
    """Return the syntactic monoid of the automaton's language with its products; `is_least` if it is the least automaton.

    Raises ValueError if the monoid has more than `most` elements. If the least automaton has more than `most` states, so has
    its monoid, as words that lead to different states are different elements.
    """
    least = automaton if is_least else automaton.minimal()
    states = len(least.table)
    if states > most:
        raise ValueError(f"expected a syntactic monoid of at most {most:,} elements, found {states:,} states")
    return _Enumeration(least, most).all()


class _Enumeration:
    """The elements of a syntactic monoid, by shorter words first.

    Source: Froidure and Pin 1997, "Algorithms for computing finite semigroups". Let a w be the first word of an element, and b
    a letter. If w b is not a first word, the first word r c of its element is before it. So a w b = (a r) c is known.
    """

    def __init__(self, least: DFA, most: int) -> None:
        self.most = most
        self.moves = np.ascontiguousarray(least.table.T).astype(np.intp)
        self.letters = len(self.moves)
        firsts: dict[bytes, int] = {}
        self.same = [firsts.setdefault(move.tobytes(), letter) for letter, move in enumerate(self.moves)]
        self.kind = np.int16 if len(least.table) < 1 << 15 else np.int32
        self.maps = [np.arange(len(least.table))]
        self.number = {self._key(self.maps[0]): 0}
        self.before = [-1]
        self.last = [-1]
        self.first = [-1]
        self.after = [-1]  # the element of the first word without its first letter
        self.right: list[list[int]] = []
        self.left: list[list[int]] = []

    def _key(self, one: Int[np.ndarray, "states"]) -> bytes:
        return one.astype(self.kind).tobytes()

    def all(self) -> Multiplication:
        """Return the elements with their products by letters."""
        begin = 0
        while begin < len(self.maps):
            end = len(self.maps)
            for element in range(begin, end):
                row: list[int] = []
                self.right.append(row)
                for letter in range(self.letters):
                    row.append(self._product(element, letter))
            for element in range(begin, end):
                self.left.append(self._left_row(element))
            begin = end
        shape = (len(self.maps), self.letters)
        right, left = (np.array(rows, dtype=np.int32).reshape(shape) for rows in (self.right, self.left))
        return Multiplication(right, left, np.array(self.before, dtype=np.int32), np.array(self.last, dtype=np.int32))

    def _left_row(self, element: int) -> list[int]:
        """Return the products of each letter and an element, whose shorter ones are known."""
        if not element:
            return list(self.right[0])
        return [self.right[product][self.last[element]] for product in self.left[self.before[element]]]

    def _product(self, element: int, letter: int) -> int:
        """Return an element times a letter; it is known, or the map decides."""
        if self.same[letter] != letter:
            return self.right[element][self.same[letter]]
        if element:
            shorter = self.right[self.after[element]][letter]
            if self.before[shorter] != self.after[element] or self.last[shorter] != letter:
                if not shorter:
                    return self.right[0][self.first[element]]
                return self.right[self.left[self.before[shorter]][self.first[element]]][self.last[shorter]]
        one = self.moves[letter][self.maps[element]]
        key = self._key(one)
        if key not in self.number:
            if len(self.maps) == self.most:
                raise ValueError(f"expected a syntactic monoid of at most {self.most:,} elements, found more")
            self.number[key] = len(self.maps)
            self.maps.append(one)
            self.before.append(element)
            self.last.append(letter)
            self.first.append(self.first[element] if element else letter)
            self.after.append(self.right[self.after[element]][letter] if element else 0)
        return self.number[key]


def components(edges: Sequence[Sequence[int]]) -> Int[np.ndarray, "nodes"]:
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
