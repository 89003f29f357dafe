"""Classes of regular languages by their syntactic monoid, each with a witness if a language is outside.

M is the syntactic monoid of a language, and S are the elements of its words with at least one letter. u, v, w are words, and an
equation between words means: both lead each state of the least automaton to the same state.

    class                 every language in it satisfies
    commutative           a b = b a for letters a, b
    aperiodic             every maximal group of M has one element (star-free languages)
    R-trivial             u x = v and v y = u only for u = v
    L-trivial             x u = v and y v = u only for u = v
    J-trivial             R-trivial and L-trivial (piecewise testable languages)
    DA                    e y e = e for idempotents e in M y M
    R-infinity            aperiodic, and e f = f, f e = e only for equal idempotents e, f
    definite              u e = e for idempotents e of S: the end of a word decides
    reverse definite      e u = e for idempotents e of S: the beginning decides
    generalised definite  e u e = e for idempotents e of S: the beginning and the end decide
    locally testable      e S e is commutative and idempotent for idempotents e of S
    AC0                   the words of one length never have a group with more than one element
    ACC0                  every group in M is solvable
    NC1-complete          some group in M is not solvable

Source: Pin, "Mathematical Foundations of Automata Theory"; AC0, ACC0 and NC1: Barrington, Compton, Straubing and Therien 1992.
R-infinity: Yang et al. 2026, "Algebraic Decomposition Theory for Transformer Length Generalization".
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int

from seqsep.maths.automata.groups import FiniteGroup
from seqsep.maths.automata.monoids import Word
from seqsep.maths.automata.multiplication import Multiplication
from seqsep.maths.automata.witnesses import Witness

MOST_LETTERS = 10_000
"""Letters of the longest words that are searched for a group of one length."""


@dataclass(frozen=True)
class OutsideClass:
    """A language is outside of a class; the witness shows it, or None if none is short."""

    witness: Witness | None
    why: str = ""


@dataclass
class Identities:
    """The classes of a language: each method returns None if it is inside, or why it is outside."""

    monoid: Multiplication

    @cached_property
    def groups(self) -> list[tuple[Int[np.ndarray, "members"], FiniteGroup]]:
        """The maximal groups with more than one element, one a J class: the elements of the monoid, and the group."""
        found = []
        for _, members in self.monoid.groups:
            table = self.monoid.table
            if len(members) < self.monoid.size:
                place = np.zeros(self.monoid.size, dtype=np.int32)
                place[members] = np.arange(len(members))
                table = place[table[np.ix_(members, members)]]
            found.append((members, FiniteGroup(table)))
        return found

    def commutative(self) -> OutsideClass | None:
        """a b = b a for letters."""
        letters = self.monoid.right[0].tolist()
        for first, one in enumerate(letters):
            for second, other in enumerate(letters[:first]):
                if self.monoid.right[one, second] != self.monoid.right[other, first]:
                    return OutsideClass(Witness("letters", {"a": (first,), "b": (second,)}))
        return None

    def aperiodic(self) -> OutsideClass | None:
        """No maximal group has more than one element."""
        for e, members in self.monoid.groups:
            g = int(members[members != e][0])
            return OutsideClass(self._of_group("group", (e, self.monoid.word(e)), (g, self.monoid.word(g))))
        return None

    def _of_group(self, form: str, neutral: tuple[int, Word], member: tuple[int, Word]) -> Witness:
        """Return e and g with g^k = e, so that the powers of g never become constant."""
        order = 1
        power = member[0]
        while power != neutral[0]:
            power = int(self.monoid.table[power, member[0]])
            order += 1
        return Witness(form, {"e": neutral[1], "g": member[1]}, {"k": order})

    def r_trivial(self) -> OutsideClass | None:
        """R classes have one element."""
        return self._of_classes(self.monoid.r_classes, on_left=False)

    def l_trivial(self) -> OutsideClass | None:
        """L classes have one element."""
        return self._of_classes(self.monoid.l_classes, on_left=True)

    def j_trivial(self) -> OutsideClass | None:
        """R and L classes have one element each."""
        return self.r_trivial() or self.l_trivial()

    def _of_classes(self, classes: Int[np.ndarray, "elements"], *, on_left: bool) -> OutsideClass | None:
        if (pair := _equal_pair(classes)) is None:
            return None
        u, v = pair
        there = self.monoid.multiplier(u, v, on_left=on_left)
        back = self.monoid.multiplier(v, u, on_left=on_left)
        words = {"u": self.monoid.word(u), "v": self.monoid.word(v), "x": there, "y": back}
        return OutsideClass(Witness("left" if on_left else "right", words))

    def da(self) -> OutsideClass | None:
        """Each element of the R class of an idempotent is an idempotent.

        *Why this is e y e = e for idempotents e in M y M.* Let y be in the R class of e and not an idempotent: e y = y and
        y z = e, so e is in M y M, and y e = e y e = e would give y y = y e y = e y = y. Conversely, let each element of the R
        class of an idempotent be an idempotent, and let e = x y z be an idempotent. The J class of e has only idempotents, as
        each of its R classes has one, and products of its elements stay in it (Clifford and Miller). As e x (y z e) = e, y z e
        is in it, and so is e y z e, a product of two. This is a product of e y too, so e y is in it, and so is e y e, again a
        product of two. Since e y e = e (e y e) = (e y e) e, it is in the H class of e, which has one element.
        """
        idempotents = self.monoid.idempotents
        classes = self.monoid.r_classes
        other = np.isin(classes, classes[idempotents])
        other[idempotents] = False
        for y in np.flatnonzero(other).tolist():
            e = int(idempotents[classes[idempotents] == classes[y]][0])
            words = {"e": self.monoid.word(e), "y": self.monoid.word(y), "z": self.monoid.multiplier(y, e)}
            return OutsideClass(Witness("factor", words))
        return None

    def r_infinity(self) -> OutsideClass | None:
        """The language is aperiodic, and an R class has at most one idempotent."""
        if outside := self.aperiodic():
            return outside
        if (pair := _equal_pair(self.monoid.r_classes[self.monoid.idempotents])) is None:
            return None
        e, f = (int(self.monoid.idempotents[place]) for place in pair)
        return OutsideClass(Witness("idempotents", {"e": self.monoid.word(e), "f": self.monoid.word(f)}))

    @cached_property
    def _with_letters(self) -> Int[np.ndarray, "idempotents"]:
        """The idempotents of words with a letter."""
        return self.monoid.idempotents[self.monoid.of_words[self.monoid.idempotents]]

    def _with_a_letter(self, element: int) -> Word:
        """Return a word with at least one letter of an element of S: a shortest one for the neutral element."""
        if element:
            return self.monoid.word(element)
        u, letter = np.argwhere(self.monoid.right == 0)[0].tolist()
        return (*self.monoid.word(u), letter)

    def definite(self) -> OutsideClass | None:
        """u e = e for idempotents of S; letters u are enough."""
        return self._at_an_end("end", self.monoid.left)

    def reverse_definite(self) -> OutsideClass | None:
        """e u = e for idempotents of S; letters u are enough."""
        return self._at_an_end("beginning", self.monoid.right)

    def _at_an_end(self, form: str, edges: Int[np.ndarray, "elements letters"]) -> OutsideClass | None:
        moved = np.argwhere(edges[self._with_letters] != self._with_letters[:, np.newaxis])
        for place, letter in moved.tolist():
            return OutsideClass(Witness(form, {"e": self._with_a_letter(int(self._with_letters[place])), "a": (letter,)}))
        return None

    def generalised_definite(self) -> OutsideClass | None:
        """e S e has one element, for the idempotents of S."""
        for e, local in self._local_monoids():
            for s in local[local != e].tolist():
                return OutsideClass(Witness("middle", {"e": self._with_a_letter(e), "s": self._with_a_letter(s)}))
        return None

    def locally_testable(self) -> OutsideClass | None:
        """e S e is commutative and idempotent, for the idempotents of S."""
        table = self.monoid.table
        is_commutative = self.commutative() is None
        for e, local in self._local_monoids():
            words = {"e": self._with_a_letter(e)}
            squares = table[local, local]
            for s in local[squares != local].tolist():
                return OutsideClass(Witness("local square", words | {"s": self._with_a_letter(s)}))
            if is_commutative:
                continue
            products = table[np.ix_(local, local)]
            for places in np.argwhere(products != products.T).tolist():
                s, t = (self._with_a_letter(int(local[place])) for place in places)
                return OutsideClass(Witness("local order", words | {"s": s, "t": t}))
        return None

    def _local_monoids(self) -> Iterator[tuple[int, Int[np.ndarray, "members"]]]:
        """Yield idempotents e of S with e S e, as many as decide an identity of such.

        Those of one J class are isomorphic. If f is an idempotent in e S e, then f S f is a part of e S e.
        """
        covered = np.zeros(self.monoid.size, dtype=bool)
        elements = np.flatnonzero(self.monoid.of_words)
        classes = self.monoid.j_classes
        for e in self._with_letters.tolist():
            if not covered[classes[e]]:
                local = np.unique(self.monoid.table[self.monoid.table[e, elements], e])
                yield e, local
                covered[classes[np.intersect1d(local, self._with_letters)]] = True

    def ac0(self) -> OutsideClass | None:
        """The words of one length never have a group with more than one element.

        Let e be idempotent, and let d be the greatest common divisor of the lengths of words u with e u = e. The words of a
        member g of the group of e have lengths that are equal modulo d: with g^(k - 1) they are words of e. All great numbers
        of that class are lengths of words of g. So e and g have words of one length if and only if they have words of lengths
        that are equal modulo d. Then these words have a group with more than one element; see `maths.automata.witnesses`.
        """
        for e, members in self.monoid.groups:
            distances, period = self._distances(e)
            same = members[(distances[members] % period == 0) & (members != e)]
            if len(same):
                return self._of_one_length(e, same)
        return None

    def _distances(self, e: int) -> tuple[Int[np.ndarray, "elements"], int]:
        """Return the lengths of shortest words from e to the elements of its R class, and the period of this component."""
        inside = self.monoid.r_classes == self.monoid.r_classes[e]
        distances = np.full(self.monoid.size, -1, dtype=np.int64)
        latest = np.array([e])
        distance = 0
        while len(latest):
            distances[latest] = distance
            distance += 1
            reached = np.unique(self.monoid.right[latest])
            latest = reached[inside[reached] & (distances[reached] < 0)]
        sources = np.flatnonzero(inside)
        lengths = distances[sources][:, np.newaxis] + 1 - distances[self.monoid.right[sources]]
        return distances, int(np.gcd.reduce(lengths[inside[self.monoid.right[sources]]]))

    def _of_one_length(self, e: int, same: Int[np.ndarray, "members"]) -> OutsideClass:
        """Return e and one of the given members of its group by words of one length, the least one."""
        layers = [_flags(self.monoid.size, np.array([0]))]
        for length in range(1, MOST_LETTERS + 1):
            layers.append(_flags(self.monoid.size, self.monoid.right[layers[-1]]))
            if layers[-1][e] and layers[-1][same].any():
                g = int(same[layers[-1][same]][0])
                words = [(element, self._word_of_length(element, layers[:length])) for element in (e, g)]
                return OutsideClass(self._of_group("group of one length", words[0], words[1]))
        return OutsideClass(None, f"words of one length, of more than {MOST_LETTERS:,} letters, have a group")

    def _word_of_length(self, element: int, layers: list[Bool[np.ndarray, "elements"]]) -> Word:
        """Return a word of as many letters as there are layers, found backwards; a layer has the words of one length."""
        letters: list[int] = []
        for layer in reversed(layers):
            before = np.flatnonzero(layer)
            place, letter = np.argwhere(self.monoid.right[before] == element)[0].tolist()
            letters.append(letter)
            element = int(before[place])
        return tuple(reversed(letters))

    def acc0(self) -> OutsideClass | None:
        """Every maximal group is solvable."""
        for members, group in self.groups:
            if triple := group.coprime_triple():
                elements = [int(members[place]) for place in (group.neutral, *triple)]
                words = {name: self.monoid.word(element) for name, element in zip("eabc", elements, strict=True)}
                orders = dict(zip("kmn", group.orders[list(triple)].tolist(), strict=True))
                return OutsideClass(
                    Witness("coprime orders", words, orders), f"a group of {group.size} elements is not solvable"
                )
        return None

    def derived_lengths(self) -> list[tuple[int, int | None]]:
        """Return the size and the derived length of each maximal group with more than one element, one a J class."""
        return sorted(((group.size, group.derived_length()) for _, group in self.groups), key=lambda one: (one[0], one[1] or 0))


CLASSES: dict[str, Callable[[Identities], OutsideClass | None]] = {
    "j_trivial": Identities.j_trivial,
    "r_trivial": Identities.r_trivial,
    "l_trivial": Identities.l_trivial,
    "definite": Identities.definite,
    "reverse_definite": Identities.reverse_definite,
    "generalised_definite": Identities.generalised_definite,
    "locally_testable": Identities.locally_testable,
    "commutative": Identities.commutative,
    "da": Identities.da,
    "aperiodic": Identities.aperiodic,
    "r_infinity": Identities.r_infinity,
    "ac0": Identities.ac0,
    "acc0": Identities.acc0,
}
"""By name: a function that returns None if a language is inside."""


def _equal_pair(classes: Int[np.ndarray, "elements"]) -> tuple[int, int] | None:
    """Return the places of two equal numbers; None if all differ."""
    order = np.argsort(classes, kind="stable")
    for place in np.flatnonzero(classes[order][1:] == classes[order][:-1]).tolist():
        return int(order[place]), int(order[place + 1])
    return None


def _flags(size: int, places: Int[np.ndarray, "..."]) -> Bool[np.ndarray, "size"]:
    found = np.zeros(size, dtype=bool)
    found[places] = True
    return found
