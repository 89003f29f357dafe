"""Witnesses that a language is outside of a class: words with equations that hold, and equations that fail.

u, v, e, .. are words. A product is read from left to right, and u^k is u repeated. Two products are equal if they lead each
state of the least automaton to the same state. So a stranger checks a witness by running words.

    class                 a witness against it is
    commutative           letters a, b with a b != b a
    aperiodic             a group: e e = e, e g = g, g^k = e, g != e
    R-trivial             u x = v, v y = u, u != v
    L-trivial             x u = v, y v = u, u != v
    J-trivial             one of these two
    DA                    e e = e, y z = e, e y e != e
    R-infinity            a group, or e e = e, f f = f, e f = f, f e = e, e != f
    C-RASP                one of R-infinity, see `maths.automata.separation`
    definite              e e = e, a e != e; e has a letter
    reverse definite      e e = e, e a != e; e has a letter
    generalised definite  e e = e, e s e != e; e has a letter
    locally testable      e e = e, e s e = s, s s != s, or also e t e = t, s t != t s; e has a letter
    AC0                   a group as above; e and g have equally many letters
    ACC0                  e e = e, e a = a, e b = b, e c = c, a^k = b^m = c^n = e, a b c = e, a != e; k, m, n pairwise coprime

*Groups.* From e g = g and g^k = e follows g e = g^(k + 1) = e g = g. So the powers of g are a group, and e is neutral in it.

*AC0.* If e and g have n letters, e^(k - i) g^i for i = 0 .. k - 1 have k n letters and are all powers of g. So the words of one
length have a group with more than one element, and the language is not in AC0 (Barrington, Compton, Straubing, Therien 1992).

*ACC0.* a, b and c are in one group, which is not solvable: see `maths.automata.groups`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import gcd

import numpy as np
from jaxtyping import Int

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.monoids import Word


@dataclass(frozen=True)
class WitnessForm:
    """Equations between products of named words; `k`, `m` and `n` are exponents.

    Fields:
        equal: equations that hold.
        different: equations that fail.
        with_a_letter: names of words that are not empty.
        same_length: True if all words have one length.
    """

    equal: tuple[str, ...]
    different: str
    with_a_letter: tuple[str, ...] = ()
    same_length: bool = False


FORMS: dict[str, WitnessForm] = {
    "letters": WitnessForm((), "a b = b a"),
    "group": WitnessForm(("e e = e", "e g = g", "g^k = e"), "g = e"),
    "group of one length": WitnessForm(("e e = e", "e g = g", "g^k = e"), "g = e", same_length=True),
    "right": WitnessForm(("u x = v", "v y = u"), "u = v"),
    "left": WitnessForm(("x u = v", "y v = u"), "u = v"),
    "factor": WitnessForm(("e e = e", "y z = e"), "e y e = e"),
    "idempotents": WitnessForm(("e e = e", "f f = f", "e f = f", "f e = e"), "e = f"),
    "end": WitnessForm(("e e = e",), "a e = e", with_a_letter=("e",)),
    "beginning": WitnessForm(("e e = e",), "e a = e", with_a_letter=("e",)),
    "middle": WitnessForm(("e e = e",), "e s e = e", with_a_letter=("e",)),
    "local square": WitnessForm(("e e = e", "e s e = s"), "s s = s", with_a_letter=("e",)),
    "local order": WitnessForm(("e e = e", "e s e = s", "e t e = t"), "s t = t s", with_a_letter=("e",)),
    "coprime orders": WitnessForm(
        ("e e = e", "e a = a", "e b = b", "e c = c", "a^k = e", "b^m = e", "c^n = e", "a b c = e"), "a = e"
    ),
}
AGAINST: dict[str, tuple[str, ...]] = {
    "commutative": ("letters",),
    "definite": ("end",),
    "reverse_definite": ("beginning",),
    "generalised_definite": ("middle",),
    "locally_testable": ("local square", "local order"),
    "j_trivial": ("right", "left"),
    "r_trivial": ("right",),
    "l_trivial": ("left",),
    "da": ("factor",),
    "aperiodic": ("group",),
    "c_rasp": ("group", "idempotents"),
    "r_infinity": ("group", "idempotents"),
    "ac0": ("group of one length",),
    "acc0": ("coprime orders",),
}
"""The forms that show that a language is outside of a class."""


@dataclass(frozen=True)
class Witness:
    """Words by name that have a form of `FORMS`.

    >>> parity = DFA(np.array([[0, 1], [1, 0]]), 0, np.array([False, True]))
    >>> Witness("group", {"e": (), "g": (1,)}, {"k": 2}).verify(parity, "aperiodic")
    """

    form: str
    words: Mapping[str, Word]
    exponents: Mapping[str, int] = field(default_factory=dict)

    def verify(self, automaton: DFA, against: str) -> None:
        """Run the words from each state of the least automaton.

        Raises ValueError if the form says nothing against the class, or if the words do not have it.
        """
        if self.form not in AGAINST.get(against, ()):
            raise ValueError(f"the form {self.form!r} says nothing against {against}")
        form = FORMS[self.form]
        least = automaton.minimal()
        maps = {name: _map_of(least, word) for name, word in self.words.items()}
        if missing := [name for name in form.with_a_letter if not self.words.get(name)]:
            raise ValueError(f"the word {missing[0]} is empty")
        if form.same_length and len({len(word) for word in self.words.values()}) > 1:
            raise ValueError("the words have different lengths")
        if any(gcd(one, other) > 1 for one, other in combinations(self.exponents.values(), 2)):
            raise ValueError(f"the exponents {dict(self.exponents)} are not coprime")
        for equation, expected in [*((equation, True) for equation in form.equal), (form.different, False)]:
            left, right = (self._map_of_product(maps, side) for side in equation.split(" = "))
            if np.array_equal(left, right) is not expected:
                raise ValueError(f"{equation} {'fails' if expected else 'holds'} for the words {dict(self.words)}")

    def _map_of_product(self, maps: Mapping[str, Int[np.ndarray, "states"]], side: str) -> Int[np.ndarray, "states"]:
        after = None
        for factor in side.split():
            name, _, exponent = factor.partition("^")
            if name not in maps or (exponent and self.exponents.get(exponent, 0) < 1):
                raise ValueError(f"the word or the exponent of {factor} is missing")
            for _ in range(self.exponents[exponent] if exponent else 1):
                after = maps[name] if after is None else maps[name][after]
        if after is None:
            raise ValueError(f"{side!r} is not a product")
        return after

    def equations(self) -> tuple[list[str], str]:
        """Return the equations that hold and the one that fails, with exponents as numbers.

        >>> Witness("group", {"e": (), "g": (1,)}, {"k": 2}).equations()
        (['e e = e', 'e g = g', 'g^2 = e'], 'g = e')
        """
        form = FORMS[self.form]
        equal = []
        for equation in form.equal:
            for name, number in self.exponents.items():
                equation = equation.replace(f"^{name}", f"^{number}")
            equal.append(equation)
        return equal, form.different

    def record(self) -> dict[str, object]:
        """Return the witness for JSON."""
        equal, different = self.equations()
        return {"words": {name: list(word) for name, word in self.words.items()}, "equal": equal, "different": different}


def _map_of(automaton: DFA, word: Word) -> Int[np.ndarray, "states"]:
    """Return the state after each state. Raises ValueError for a letter of another alphabet."""
    states = np.arange(len(automaton.table))
    for letter in word:
        if not 0 <= letter < automaton.table.shape[1]:
            raise ValueError(f"expected letters from 0 to {automaton.table.shape[1] - 1}, found {letter}")
        states = automaton.table[states, letter]
    return states
