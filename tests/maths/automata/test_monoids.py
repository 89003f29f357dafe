"""Syntactic monoids against brute force: words with one element are exchangeable, and DA is what its equation says."""

import itertools

import numpy as np
import pytest

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.monoids import OutsideDA, outside_da, syntactic_monoid
from seqsep.maths.automata.regular import automaton

IN_DA = ("0*1*", "(0|1)*0", "0(0|1)*1", "1*0(0|1)*", "[01]*2[012]*", "0*1[012]*", "(00|1)?")
NOT_IN_DA = {"(01)*": True, "(00)*": False, "(0|1 0* 1)*": False, "(0|10)*1?": True, "(01|1 0 0)*": True}


def random_automaton(seed: int) -> DFA:
    random = np.random.default_rng(seed)
    states = int(random.integers(2, 5))
    return DFA(random.integers(states, size=(states, 2)), 0, random.integers(2, size=states).astype(bool))


def table(monoid) -> np.ndarray:
    elements = range(len(monoid.maps))
    return np.array([[monoid.product([first, second]) for second in elements] for first in elements])


def equation_holds(monoid) -> bool:
    """(x y z)^w y (x y z)^w = (x y z)^w for all x, y, z, multiplied out."""
    products = table(monoid)
    for x, y, z in itertools.product(range(len(products)), repeat=3):
        power = products[products[x, y], z]
        e = power
        while products[e, e] != e:
            e = products[e, power]
        if products[products[e, y], e] != e:
            return False
    return True


@pytest.mark.parametrize("pattern", [*IN_DA, *NOT_IN_DA])
def test_known_languages_are_on_the_right_side(pattern):
    monoid = syntactic_monoid(automaton(pattern))
    found = outside_da(monoid)
    assert (found is None) == (pattern in IN_DA) == equation_holds(monoid)
    assert monoid.is_aperiodic == (pattern in IN_DA or NOT_IN_DA[pattern])
    if found is not None:
        found.verify(monoid)


def test_the_search_agrees_with_the_equation_on_random_automata():
    sides = set()
    for seed in range(60):
        monoid = syntactic_monoid(random_automaton(seed))
        if len(monoid.maps) > 24:
            continue
        found = outside_da(monoid)
        assert (found is None) == equation_holds(monoid), seed
        if found is not None:
            found.verify(monoid)
        sides.add(found is None)
    assert sides == {True, False}


def test_words_of_one_element_are_exchangeable_and_no_others():
    """All words of up to 5 letters, in all contexts of up to 3 letters on each side, for an automaton that is not least."""
    pattern = automaton("(0|1 0* 1)*")
    twice = DFA(np.concatenate([pattern.table + 2, pattern.table]), 0, np.tile(pattern.accepting, 2))
    for one in (twice, automaton("0*1[01]*0"), automaton("(01)*")):
        monoid = syntactic_monoid(one)
        words = [word for size in range(6) for word in itertools.product((0, 1), repeat=size)]
        contexts = [word for word in words if len(word) <= 3]
        seen = {}
        for word in words:
            behaviour = tuple(one.accepts(before + word + after) for before in contexts for after in contexts)
            assert seen.setdefault(monoid.of_word(word), behaviour) == behaviour
        assert len(set(seen.values())) == len(seen) == len(monoid.maps)


def test_products_are_associative_and_of_words():
    monoid = syntactic_monoid(automaton("(0|10)*1?"))
    products = table(monoid)
    assert np.array_equal(products[0], np.arange(len(products)))
    assert np.array_equal(products[:, 0], np.arange(len(products)))
    for x, y, z in itertools.product(range(len(products)), repeat=3):
        assert products[products[x, y], z] == products[x, products[y, z]]
        assert monoid.of_word(monoid.words[x] + monoid.words[y]) == products[x, y]
    assert monoid.idempotents == [e for e in range(len(products)) if products[e, e] == e]


def test_words_that_show_nothing_are_refused():
    monoid = syntactic_monoid(automaton("(01)*"))
    for words in (OutsideDA((), (0, 1), ()), OutsideDA((0, 0), (0,), ())):
        with pytest.raises(ValueError, match="e y e are elements"):
            words.verify(monoid)
    with pytest.raises(ValueError, match="e y e are elements"):
        OutsideDA((), (0,), (1, 0)).verify(monoid)
    with pytest.raises(ValueError, match="more than 5 elements"):
        syntactic_monoid(automaton("(01)*"), most=5)
