"""Classes of regular languages by their syntactic monoid, each with a witness if a language is outside.

M is the syntactic monoid of a language, and S are the elements of its words with at least one letter. u, v, w are words, and an
equation between words means: both lead each state of the least automaton to the same state.

    class               every language in it satisfies
    commutative         a b = b a for letters a, b
    aperiodic           every maximal group of M has one element (star-free languages)
    R-trivial           u x = v and v y = u only for u = v
    L-trivial           x u = v and y v = u only for u = v
    J-trivial           R-trivial and L-trivial (piecewise testable languages)
    DA                  e y e = e for idempotents e in M y M
    R-infinity          aperiodic, and e f = f, f e = e only for equal idempotents e, f
    definite            u e = e for idempotents e of S: the end of a word decides
    reverse definite    e u = e for idempotents e of S: the beginning decides
    locally testable    e S e is commutative and idempotent for idempotents e of S
    AC0                 the words of length s, s the stability index, have no group with more than one element
    ACC0                every group in M is solvable
    NC1-complete        some group in M is not solvable

A witness is words with equations that hold and equations that fail; `Witness.verify` runs the words through the automaton.

Source: Pin, "Mathematical Foundations of Automata Theory"; AC0, ACC0 and NC1: Barrington, Compton, Straubing and Therien 1992.
R-infinity: Yang et al. 2026, "Algebraic Decomposition Theory for Transformer Length Generalization".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Int64

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.monoids import Word
from seqsep.maths.automata.multiplication import Multiplication, derived_length

Side = tuple[str, ...]


@dataclass(frozen=True)
class Witness:
    """Words by name, pairs of products of them that are equal, and pairs that differ.

    >>> swap = Witness({"e": (), "g": (1,)}, equal=((("g", "g"), ("e",)),), different=((("g",), ("e",)),))
    >>> swap.verify(DFA(np.array([[0, 1], [1, 0]]), 0, np.array([False, True])))
    """

    words: Mapping[str, Word]
    equal: tuple[tuple[Side, Side], ...] = ()
    different: tuple[tuple[Side, Side], ...] = ()

    def verify(self, automaton: DFA) -> None:
        """Run the words from each state of the automaton. Raises ValueError if an equation is not as it is said."""
        for expected, pairs in ((True, self.equal), (False, self.different)):
            for pair in pairs:
                if (self._states(automaton, pair[0]) == self._states(automaton, pair[1])) is not expected:
                    words = " and ".join(" ".join(side) for side in pair)
                    raise ValueError(f"{words}: expected {'equal' if expected else 'different'} maps of the states; {self}")

    def _states(self, automaton: DFA, side: Side) -> list[int]:
        states = np.arange(len(automaton.table))
        for name in side:
            for letter in self.words[name]:
                states = automaton.table[states, letter]
        return [int(state) for state in states]

    def record(self) -> dict[str, object]:
        """Return the witness for JSON: products as texts."""

        def texts(pairs: Iterable[tuple[Side, Side]]) -> list[list[str]]:
            return [[" ".join(side) for side in pair] for pair in pairs]

        words = {name: list(word) for name, word in self.words.items()}
        return {"words": words, "equal": texts(self.equal), "different": texts(self.different)}


@dataclass(frozen=True)
class Outside:
    """A language is outside of a class; the witness shows it, or None if there is no short one."""

    witness: Witness | None
    why: str = ""


@dataclass
class Identities:
    """The classes of a language: each method returns None if it is inside, or why it is outside."""

    monoid: Multiplication
    _words: dict[int, Word] = field(default_factory=dict)

    def word(self, element: int) -> Word:
        """Return the first word of an element."""
        return self.monoid.monoid.words[element]

    def commutative(self) -> Outside | None:
        """a b = b a for letters."""
        letters = list(self.monoid.monoid.letters)
        for first, one in enumerate(letters):
            for second, other in enumerate(letters[:first]):
                if self.monoid.right[one, second] != self.monoid.right[other, first]:
                    words = {"a": (first,), "b": (second,)}
                    return Outside(Witness(words, different=((("a", "b"), ("b", "a")),)))
        return None

    def aperiodic(self) -> Outside | None:
        """No maximal group has more than one element."""
        for e in self.monoid.one_of_each_class:
            group = self.monoid.group(e)
            if len(group) > 1:
                g = int(group[group != e][0])
                return Outside(self._of_group(e, g, self.word(e), self.word(g)))
        return None

    def _of_group(self, e: int, g: int, e_word: Word, g_word: Word) -> Witness:
        """Return e, g with g^k = e, so that powers of g never become constant."""
        order = 1
        power = g
        while power != e:
            power = int(self.monoid.table[power, g])
            order += 1
        equal = ((("e", "e"), ("e",)), (("e", "g"), ("g",)), (("g",) * order, ("e",)))
        return Witness({"e": e_word, "g": g_word}, equal, different=((("g",), ("e",)),))

    def r_trivial(self) -> Outside | None:
        """R classes have one element."""
        return self._of_classes(self.monoid.r_classes, on_left=False)

    def l_trivial(self) -> Outside | None:
        """L classes have one element."""
        return self._of_classes(self.monoid.l_classes, on_left=True)

    def j_trivial(self) -> Outside | None:
        """R and L classes have one element each."""
        return self.r_trivial() or self.l_trivial()

    def _of_classes(self, classes: Int64[np.ndarray, "elements"], *, on_left: bool) -> Outside | None:
        for u, v in _pairs(classes):
            there = self.monoid.multiplier(u, v, on_left=on_left)
            back = self.monoid.multiplier(v, u, on_left=on_left)
            if there is not None and back is not None:
                words = {"u": self.word(u), "v": self.word(v), "x": there, "y": back}
                equal: tuple[tuple[Side, Side], ...] = ((("u", "x"), ("v",)), (("v", "y"), ("u",)))
                if on_left:
                    equal = ((("x", "u"), ("v",)), (("y", "v"), ("u",)))
                return Outside(Witness(words, equal, different=((("u",), ("v",)),)))
        return None

    def da(self) -> Outside | None:
        """Each element of the R class of an idempotent is an idempotent.

        *Why this is e y e = e for idempotents e in M y M.* Let y be in the R class of e and no idempotent: e y = y and y z = e,
        so e is in M y M, and y e = e y e = e would give y y = y e y = e y = y. Conversely, let each element of the R class of
        an idempotent be an idempotent, and let e = x y z be an idempotent. The J class of e then has only idempotents, and
        products of its elements stay in it (Clifford and Miller). z e is in it, as e x y z e = e, and so is y z e. So e y z e
        is in it, which is a product of e y, so e y is in it, and so is e y e. Since e y e = e (e y e) = (e y e) e, it is in
        the H class of e, which has one element.
        """
        idempotent = self.monoid.table.diagonal() == np.arange(self.monoid.size)
        regular = np.isin(self.monoid.r_classes, self.monoid.r_classes[self.monoid.idempotents])
        for y in np.flatnonzero(regular & ~idempotent):
            same = self.monoid.r_classes[self.monoid.idempotents] == self.monoid.r_classes[y]
            e = int(self.monoid.idempotents[same][0])
            z = self.monoid.multiplier(int(y), e)
            if z is not None:
                words = {"e": self.word(e), "y": self.word(int(y)), "z": z}
                equal = ((("e", "e"), ("e",)), (("y", "z"), ("e",)))
                return Outside(Witness(words, equal, different=((("e", "y", "e"), ("e",)),)))
        return None

    def r_infinity(self) -> Outside | None:
        """The language is aperiodic, and an R class has at most one idempotent."""
        if outside := self.aperiodic():
            return outside
        classes = self.monoid.r_classes[self.monoid.idempotents]
        for first, second in _pairs(classes):
            e, f = (int(self.monoid.idempotents[place]) for place in (first, second))
            words = {"e": self.word(e), "f": self.word(f)}
            equal = ((("e", "e"), ("e",)), (("f", "f"), ("f",)), (("e", "f"), ("f",)), (("f", "e"), ("e",)))
            return Outside(Witness(words, equal, different=((("e",), ("f",)),)))
        return None

    def _local_idempotents(self) -> Int64[np.ndarray, "idempotents"]:
        """Return the idempotents of words with a letter."""
        return self.monoid.idempotents[self.monoid.of_words[self.monoid.idempotents]]

    def _with_a_letter(self, element: int) -> Word:
        """Return a word with at least one letter of an element of S: a shortest one for the neutral element."""
        if element or element in self._words:
            return self._words.get(element, self.word(element))
        for u in range(self.monoid.size):
            for letter in np.flatnonzero(self.monoid.right[u] == 0):
                self._words[0] = (*self.word(u), int(letter))
                return self._words[0]
        return ()

    def definite(self) -> Outside | None:
        """u e = e for idempotents of S."""
        return self._at_an_end(on_left=True)

    def reverse_definite(self) -> Outside | None:
        """e u = e for idempotents of S."""
        return self._at_an_end(on_left=False)

    def _at_an_end(self, *, on_left: bool) -> Outside | None:
        edges = self.monoid.left if on_left else self.monoid.right
        for e in self._local_idempotents().tolist():
            for letter in np.flatnonzero(edges[e] != e):
                words = {"e": self._with_a_letter(e), "a": (int(letter),)}
                product = ("a", "e") if on_left else ("e", "a")
                return Outside(Witness(words, equal=((("e", "e"), ("e",)),), different=((product, ("e",)),)))
        return None

    def locally_testable(self) -> Outside | None:
        """e S e is commutative and idempotent, for an idempotent of S of each J class."""
        table = self.monoid.table
        words_of = np.flatnonzero(self.monoid.of_words)
        for e, local in self._local_monoids(words_of):
            named = {"e": self._with_a_letter(e)}
            squares = table[local, local]
            if (squares != local).any():
                s = int(local[squares != local][0])
                words = named | {"s": self._with_a_letter(s)}
                equal: tuple[tuple[Side, Side], ...] = ((("e", "e"), ("e",)), (("e", "s", "e"), ("s",)))
                return Outside(Witness(words, equal, different=((("s", "s"), ("s",)),)))
            products = table[np.ix_(local, local)]
            if (products != products.T).any():
                s, t = (int(local[place]) for place in np.argwhere(products != products.T)[0])
                words = named | {"s": self._with_a_letter(s), "t": self._with_a_letter(t)}
                equal = ((("e", "e"), ("e",)), (("e", "s", "e"), ("s",)), (("e", "t", "e"), ("t",)))
                return Outside(Witness(words, equal, different=((("s", "t"), ("t", "s")),)))
        return None

    def _local_monoids(self, words_of: Int64[np.ndarray, "elements"]) -> Iterator[tuple[int, Int64[np.ndarray, "members"]]]:
        """Yield an idempotent e of S for each J class of such, and e S e; those of one class are isomorphic."""
        idempotents = self._local_idempotents()
        _, first = np.unique(self.monoid.j_classes[idempotents], return_index=True)
        for e in sorted(idempotents[first].tolist()):
            yield e, np.unique(self.monoid.table[self.monoid.table[e, words_of], e])

    def stability_index(self) -> tuple[int, list[Int64[np.ndarray, "elements"]]]:
        """Return the least s >= 1 for which words of length s and 2 s give the same elements, and the elements of each length.

        It is found one length after the other. The sets of the lengths 1, 2, .. repeat, from some length on with some period,
        so that some s exists.

        >>> from seqsep.maths.automata.multiplication import multiplication
        >>> from seqsep.maths.automata.regular import automaton
        >>> Identities(multiplication(automaton("((0|1)(0|1))*"))).stability_index()[0]
        2
        """
        sets = [np.array([0])]
        s = 0
        while True:
            s += 1
            while len(sets) <= 2 * s:
                sets.append(np.unique(self.monoid.right[sets[-1]]))
            if np.array_equal(sets[s], sets[2 * s]):
                return s, sets[: s + 1]

    def ac0(self) -> Outside | None:
        """The elements of the words of length s have no group with more than one element, s the stability index."""
        s, sets = self.stability_index()
        stable = sets[s]
        powers = self.monoid.powers()[stable]
        moved = np.flatnonzero(self.monoid.table[powers, stable] != powers)
        if not len(moved):
            return None
        a = int(stable[moved[0]])
        word = self._word_of_length(a, sets)
        exponent = 1
        power = a
        while self.monoid.table[power, power] != power:
            power = int(self.monoid.table[power, a])
            exponent += 1
        omega = ("a",) * exponent
        witness = Witness({"a": word}, equal=((omega + omega, omega),), different=(((*omega, "a"), omega),))
        return Outside(witness, f"words of length {s}, whose elements are those of all multiples of {s}")

    def _word_of_length(self, element: int, sets: list[Int64[np.ndarray, "elements"]]) -> Word:
        """Return a word of length len(sets) - 1 of an element, found backwards through the sets of each length."""
        letters: list[int] = []
        for before in reversed(sets[:-1]):
            places = np.argwhere(self.monoid.right[before] == element)[0]
            letters.append(int(places[1]))
            element = int(before[places[0]])
        return tuple(reversed(letters))

    def acc0(self) -> Outside | None:
        """Every maximal group is solvable."""
        for e in self.monoid.one_of_each_class:
            group = self.monoid.group(e)
            if len(group) >= 60 and derived_length(self.monoid.table, group) is None:
                return Outside(None, f"the group around the word {self.word(e)} has {len(group)} elements and is not solvable")
        return None

    def derived_lengths(self) -> list[tuple[int, int | None]]:
        """Return the size and the derived length of each maximal group with more than one element, one a J class."""
        groups = [self.monoid.group(e) for e in self.monoid.one_of_each_class]
        return sorted((len(group), derived_length(self.monoid.table, group)) for group in groups if len(group) > 1)


CLASSES: dict[str, Callable[[Identities], Outside | None]] = {
    "j_trivial": Identities.j_trivial,
    "r_trivial": Identities.r_trivial,
    "l_trivial": Identities.l_trivial,
    "definite": Identities.definite,
    "reverse_definite": Identities.reverse_definite,
    "locally_testable": Identities.locally_testable,
    "commutative": Identities.commutative,
    "da": Identities.da,
    "aperiodic": Identities.aperiodic,
    "r_infinity": Identities.r_infinity,
    "ac0": Identities.ac0,
    "acc0": Identities.acc0,
}
"""By name: a function that returns None if a language is inside."""


def _pairs(classes: Int64[np.ndarray, "elements"]) -> Iterator[tuple[int, int]]:
    """Yield the first two members of each class that has more than one."""
    order = np.argsort(classes, kind="stable")
    same = np.flatnonzero(classes[order][1:] == classes[order][:-1])
    for place in same[:1]:
        yield int(order[place]), int(order[place + 1])
