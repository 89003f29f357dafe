"""The syntactic monoid of a regular language, element by element, and its membership in the variety DA.

An element is the map that words make of the states of the least DFA; words with one map may replace each other in every
context. A product is read from left to right: first u, then v.

A finite monoid M is in DA if (x y z)^w y (x y z)^w = (x y z)^w for all its elements, where a^w is the idempotent among the
powers of a. The same is said by: e y e = e for every idempotent e and every y with e in M y M.
*Why.* If e = x y z is idempotent then (x y z)^w = e. And if M has the second property, e = (x y z)^w = x y (z (x y z)^(w-1)) is
in M y M.

Source: Tesson and Therien 2002, "Diamonds are forever: the variety DA"; Raymond, Tesson and Therien 1998, reference [49] of
Bhattamishra et al. 2024.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from seqsep.maths.automata.automata import DFA

MOST_ELEMENTS = 20_000

Word = tuple[int, ...]
Map = tuple[int, ...]


@dataclass(frozen=True)
class Monoid:
    """The maps of the words of an automaton, numbered by their first words: shorter words first, then by tokens; 0 is 1.

    `maps[i]` has the state after each state, `words[i]` the first word with that map; `letters[a]` is the number of token a.

    >>> from seqsep.maths.automata.regular import automaton
    >>> parity = syntactic_monoid(automaton("(0|1 0* 1)*"))
    >>> parity.words, parity.product([1, 1, 1]), parity.idempotent(1)
    (((), (1,)), 1, 0)
    """

    maps: tuple[Map, ...]
    words: tuple[Word, ...]
    letters: tuple[int, ...]

    @cached_property
    def number(self) -> dict[Map, int]:
        """The number of each map."""
        return {one: index for index, one in enumerate(self.maps)}

    def product(self, factors: Iterable[int]) -> int:
        """The number of the product, from left to right; of none it is 0, the neutral element."""
        after = list(self.maps[0])
        for factor in factors:
            after = [self.maps[factor][state] for state in after]
        return self.number[tuple(after)]

    def of_word(self, word: Iterable[int]) -> int:
        """The number of a word's element."""
        return self.product(self.letters[token] for token in word)

    def idempotent(self, element: int) -> int:
        """The idempotent among the powers of an element."""
        power = element
        while self.product([power, power]) != power:
            power = self.product([power, element])
        return power

    @property
    def idempotents(self) -> list[int]:
        """The elements with e e = e."""
        return [element for element in range(len(self.maps)) if self.product([element, element]) == element]

    @property
    def is_aperiodic(self) -> bool:
        """True if for each element a some power equals the next one, a^(w+1) = a^w: no part of the monoid is a group."""
        return all(
            self.product([self.idempotent(element), element]) == self.idempotent(element) for element in range(len(self.maps))
        )


@dataclass(frozen=True)
class OutsideDA:
    """Words x, y, z with which (x y z)^w y (x y z)^w = (x y z)^w fails; x y z is an idempotent e.

    >>> OutsideDA(left=(0,), middle=(1,), right=()).idempotent
    (0, 1)
    """

    left: Word
    middle: Word
    right: Word

    @property
    def idempotent(self) -> Word:
        """The word of e."""
        return self.left + self.middle + self.right

    def verify(self, monoid: Monoid) -> None:
        """Multiply in the monoid: e e = e, and e y e is another element than e. Raises ValueError if it is not so."""
        e = monoid.of_word(self.idempotent)
        y = monoid.of_word(self.middle)
        square = monoid.product([e, e])
        between = monoid.product([e, y, e])
        if square != e or between == e:
            raise ValueError(f"{self}: e, e e and e y e are elements {e}, {square} and {between}")


def syntactic_monoid(automaton: DFA, most: int = MOST_ELEMENTS) -> Monoid:
    """The syntactic monoid of the automaton's language. Raises ValueError for more than `most` elements.

    >>> from seqsep.maths.automata.regular import automaton
    >>> len(syntactic_monoid(automaton("(01)*")).maps)  # 1, 0, 1, 01, 10, and what occurs in no word
    6
    """
    least = automaton.minimal()
    states, tokens = least.table.shape
    moves = [tuple(least.table[:, token].tolist()) for token in range(tokens)]
    maps: list[Map] = [tuple(range(states))]
    words: list[Word] = [()]
    number = {maps[0]: 0}
    for index, one in enumerate(maps):
        for token, move in enumerate(moves):
            after = tuple(move[state] for state in one)
            if after not in number:
                if len(maps) == most:
                    raise ValueError(f"syntactic_monoid: more than {most:,} elements")
                number[after] = len(maps)
                maps.append(after)
                words.append((*words[index], token))
    return Monoid(tuple(maps), tuple(words), tuple(number[move] for move in moves))


def outside_da(monoid: Monoid) -> OutsideDA | None:
    """Words that show that a monoid is not in DA, for the first idempotent that has some; None if it is in DA.

    For each idempotent e, every y with e in M y M is met by a search over products with letters on both sides, backwards.

    >>> from seqsep.maths.automata.regular import automaton
    >>> outside_da(syntactic_monoid(automaton("(01)*")))
    OutsideDA(left=(), middle=(0,), right=(1,))
    >>> outside_da(syntactic_monoid(automaton("0*1*"))) is None
    True
    """
    before = _products_with_letters(monoid)
    for e in monoid.idempotents:
        for y, left, right in _above(before, e):
            if monoid.product([e, y, e]) != e:
                return OutsideDA(left, monoid.words[y], right)
    return None


Step = tuple[int, Word, Word]


def _products_with_letters(monoid: Monoid) -> list[list[Step]]:
    """For each element a, every y and token with a = token y or a = y token, as (y, left word, right word)."""
    before: list[list[Step]] = [[] for _ in monoid.maps]
    for y in range(len(monoid.maps)):
        for token, letter in enumerate(monoid.letters):
            before[monoid.product([letter, y])].append((y, (token,), ()))
            before[monoid.product([y, letter])].append((y, (), (token,)))
    return before


def _above(before: list[list[Step]], e: int) -> Iterator[Step]:
    """Every y with e = x y z once, with words of x and z, by as few letters as possible first."""
    seen = {e}
    queue: list[Step] = [(e, (), ())]
    for a, left, right in queue:
        yield a, left, right
        for y, more_left, more_right in before[a]:
            if y not in seen:
                seen.add(y)
                queue.append((y, left + more_left, more_right + right))
