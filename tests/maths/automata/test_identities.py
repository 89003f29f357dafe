"""Classes of languages on all small automata, against brute force from the definitions; and languages with known classes."""

from collections import Counter
from functools import cache
from math import gcd

import numpy as np
import pytest

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.identities import CLASSES, Identities
from seqsep.maths.automata.multiplication import components, multiplication
from seqsep.maths.automata.regular import automaton
from seqsep.maths.automata.separation import separate
from seqsep.maths.automata.witnesses import AGAINST, FORMS, Witness
from support.small_languages import BruteForce, of_permutations, small_automata

COUNTS = {
    2: {"j_trivial": 6, "r_trivial": 6, "l_trivial": 10, "da": 10, "aperiodic": 10, "r_infinity": 6, "ac0": 20, "acc0": 24},
    3: {
        "j_trivial": 56,
        "r_trivial": 60,
        "l_trivial": 104,
        "da": 108,
        "aperiodic": 162,
        "locally_testable": 136,
        "definite": 48,
        "reverse_definite": 16,
        "generalised_definite": 52,
        "commutative": 66,
        "r_infinity": 72,
        "ac0": 560,
        "acc0": 1028,
    },
}
"""Least automata over two letters whose language is in a class, of 24 with two states and 1,028 with three."""


@cache
def decided(states):
    """The automata with what each class has against their languages."""
    found = []
    for one in small_automata(states):
        identities = Identities(multiplication(one))
        found.append((one, {name: decide(identities) for name, decide in CLASSES.items()}))
    return found


@pytest.mark.slow
@pytest.mark.unchecked
@pytest.mark.parametrize(("states", "count"), [(2, 24), (3, 1028)])
def test_the_counts_are_those_expected(states, count):
    inside = Counter(name for _, classes in decided(states) for name, outside in classes.items() if outside is None)
    assert len(decided(states)) == count
    assert {name: inside[name] for name in COUNTS[states]} == COUNTS[states]
    assert max(multiplication(one).size for one in small_automata(3)) == 24


@cache
def brute(states):
    """The automata's monoids by brute force, in the same order."""
    return [BruteForce(one) for one in small_automata(states)]


@pytest.mark.unchecked
@pytest.mark.parametrize("name", [name for name in CLASSES if name != "acc0"])
def test_each_class_is_that_of_its_definition(name):
    for states in (2, 3):
        for (one, classes), by_force in zip(decided(states), brute(states), strict=True):
            assert getattr(by_force, name)() is (classes[name] is None), (name, one)


@pytest.mark.slow
@pytest.mark.unchecked
def test_drawn_automata_of_four_states_agree_with_brute_force():
    """400 least automata over two letters, those with monoids of up to 60 elements."""
    random = np.random.default_rng(0)
    compared = 0
    while compared < 400:
        one = DFA(random.integers(0, 4, (4, 2)), 0, random.integers(0, 2, 4) == 1).minimal()
        monoid = multiplication(one)
        if len(one.table) < 4 or monoid.size > 60:
            continue
        by_force = BruteForce(one)
        identities = Identities(monoid)
        for name in CLASSES.keys() - {"acc0"}:
            assert getattr(by_force, name)() is (CLASSES[name](identities) is None), (name, one)
        assert by_force.c_rasp() is (separate(one).inseparable is None), one
        compared += 1


@pytest.mark.unchecked
def test_counts_of_locally_threshold_testable_and_of_acc0_only():
    """A class between two that are decided: locally testable, and aperiodic. No class of ours is in its place."""
    found = Counter()
    for (_, classes), by_force in zip(decided(3), brute(3), strict=True):
        is_threshold = by_force.threshold_testable()
        found["threshold"] += is_threshold
        found["only acc0"] += classes["acc0"] is None and classes["ac0"] is not None
        assert is_threshold or classes["locally_testable"] is not None
        assert not is_threshold or classes["aperiodic"] is None
    assert found == {"threshold": 144, "only acc0": 468}


def reversed_language(one):
    """The least automaton of the words read from right to left, by subsets of states."""
    start = frozenset(np.flatnonzero(one.accepting).tolist())
    numbers = {start: 0}
    table = []
    for states in (queue := [start]):
        row = [frozenset(np.flatnonzero(np.isin(one.table[:, letter], list(states))).tolist()) for letter in (0, 1)]
        for after in row:
            if after not in numbers:
                numbers[after] = len(numbers)
                queue.append(after)
        table.append([numbers[after] for after in row])
    return DFA(np.array(table), 0, np.array([one.start in states for states in numbers])).minimal()


def is_ordered(one):
    return len(set(components(one.table.tolist()).tolist())) == len(one.table)


@pytest.mark.unchecked
@pytest.mark.parametrize("states", [2, 3, 4])
def test_trivial_languages_by_their_automata(states):
    """R-trivial: no state is entered again. L-trivial: so for the reversed words. J-trivial: both."""
    if states == 4:
        draws = np.random.default_rng(0)
        drawn = [DFA(draws.integers(4, size=(4, 2)), 0, draws.integers(2, size=4).astype(bool)).minimal() for _ in range(300)]
    else:
        drawn = small_automata(states)
    seen = Counter()
    for one in drawn:
        identities = Identities(multiplication(one))
        verdicts = [getattr(identities, name)() is None for name in ("r_trivial", "l_trivial", "j_trivial")]
        right, left = is_ordered(one), is_ordered(reversed_language(one))
        assert verdicts == [right, left, right and left], one
        seen.update({tuple(verdicts)})
    assert len(seen) >= 3


@pytest.mark.slow
@pytest.mark.unchecked
def test_every_no_has_a_witness_that_runs():
    for states in (2, 3):
        for one, classes in decided(states):
            for name, outside in classes.items():
                if outside is not None:
                    outside.witness.verify(one, name)


@pytest.mark.unchecked
@pytest.mark.parametrize("name", [name for name in CLASSES if name != "acc0"])
def test_no_witness_fits_a_language_inside(name):
    """Those of other automata, so that words have the forms but the equations are wrong."""
    pairs = [(one, classes[name]) for states in (2, 3) for one, classes in decided(states)]
    witnesses = [outside.witness for _, outside in pairs if outside is not None]
    for one in [one for one, outside in pairs if outside is None][::3]:
        for witness in witnesses[:: len(witnesses) // 5]:
            with pytest.raises(ValueError, match=r"fails|holds"):
                witness.verify(one, name)


PARITY = DFA(np.array([[0, 1], [1, 0]]), 0, np.array([True, False]))
EVEN_LENGTH = DFA(np.array([[1, 1], [0, 0]]), 0, np.array([True, False]))
GROUP = {"e": (0,), "g": (1,)}
SPOILED = {
    "another class": (Witness("letters", {"a": (0,), "b": (1,)}), "aperiodic", "says nothing against"),
    "no class": (Witness("group", GROUP, {"k": 2}), "regular", "says nothing against"),
    "another word": (Witness("group", {"e": (0,), "g": (0,)}, {"k": 2}), "aperiodic", "g = e holds"),
    "another exponent": (Witness("group", GROUP, {"k": 3}), "aperiodic", r"g\^k = e fails"),
    "no exponent": (Witness("group", GROUP), "aperiodic", "is missing"),
    "exponent 0": (Witness("group", GROUP, {"k": 0}), "aperiodic", "is missing"),
    "no word": (Witness("group", {"e": (0,)}, {"k": 2}), "aperiodic", "is missing"),
    "another letter": (Witness("group", {"e": (0,), "g": (2,)}, {"k": 2}), "aperiodic", "found 2"),
    "a letter from the end": (Witness("group", {"e": (0,), "g": (-1,)}, {"k": 2}), "aperiodic", "found -1"),
    "an empty word": (Witness("end", {"e": (), "a": (1,)}), "definite", "the word e is empty"),
    "other lengths": (Witness("group of one length", {"e": (), "g": (1,)}, {"k": 2}), "ac0", "different lengths"),
    "orders that are not coprime": (
        Witness("coprime orders", {"e": (), "a": (1,), "b": (1,), "c": ()}, {"k": 2, "m": 2, "n": 1}),
        "acc0",
        "not coprime",
    ),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_witness_is_refused(name):
    witness, against, message = SPOILED[name]
    with pytest.raises(ValueError, match=message):
        witness.verify(PARITY, against)


def test_a_witness_is_about_the_least_automaton():
    """Four states for the words of even length: the state counts modulo 4, which the language does not."""
    four = DFA(np.array([[1, 1], [2, 2], [3, 3], [0, 0]]), 0, np.array([True, False, True, False]))
    with pytest.raises(ValueError, match=r"fails|holds"):
        Witness("group", {"e": (0, 0, 0, 0), "g": (0, 0)}, {"k": 2}).verify(four, "aperiodic")


def test_a_group_of_other_lengths_is_not_against_ac0():
    """Even length is in AC0, although its monoid is a group."""
    Witness("group", {"e": (), "g": (1,)}, {"k": 2}).verify(EVEN_LENGTH, "aperiodic")
    with pytest.raises(ValueError, match="different lengths"):
        Witness("group of one length", {"e": (), "g": (1,)}, {"k": 2}).verify(EVEN_LENGTH, "ac0")


def test_each_class_has_forms_against_it():
    assert set(AGAINST) == {*CLASSES, "c_rasp"}
    assert {form for forms in AGAINST.values() for form in forms} == set(FORMS)


LOCAL = {"locally_testable", "aperiodic", "ac0", "acc0", "r_infinity", "c_rasp"}
TRIVIAL = {"j_trivial", "r_trivial", "l_trivial", "da", "aperiodic", "c_rasp", "r_infinity", "ac0", "acc0"}
LAST = {"l_trivial", "da", "aperiodic", "definite", "generalised_definite", "locally_testable", "ac0", "acc0"}
FIRST = TRIVIAL - {"j_trivial", "l_trivial"} | {"reverse_definite", "generalised_definite", "locally_testable"}
DYCK = {"aperiodic", "r_infinity", "c_rasp", "ac0", "acc0"}
NAMED = {
    "parity": ("(0|1 0* 1)*", None, 1, 2, {"acc0", "commutative"}),
    "even length": ("((0|1)(0|1))*", None, 1, 2, {"ac0", "acc0", "commutative"}),
    "a group, yet in AC0": ("(10*1)*", None, 2, 7, {"ac0", "acc0"}),
    "flip-flop": (".*12*", 3, 1, 3, {"l_trivial", "da", "aperiodic", "ac0", "acc0"}),
    "last letter": (".*1", None, 1, 3, LAST),
    "first letter": ("1.*", None, 2, 3, FIRST),
    "contains 01": (".*01.*", None, 2, 5, TRIVIAL | {"locally_testable"}),
    "contains 01, three letters": (".*01.*", 3, 2, 6, {"locally_testable", "aperiodic", "ac0", "acc0"}),
    "(01)*": ("(01)*", None, 2, 6, LOCAL),
    "Dyck-(1,2)": ("(0(01)*1)*", None, 2, 15, DYCK),
    "Dyck-(1,3)": ("(0(0(01)*1)*1)*", None, 3, 31, DYCK),
    "Dyck-(2,2)": ("(0(01|23)*1|2(01|23)*3)*", None, 3, 60, DYCK),
    "no 11": ("(0|10)*1?", None, 2, 6, {"locally_testable", "aperiodic", "ac0", "acc0"}),
    "Tomita 4": ("(1|01|001)*0{0,2}", None, 2, 12, {"locally_testable", "aperiodic", "ac0", "acc0"}),
    "(ab|bba)*": ("(01|110)*", None, 3, 26, {"locally_testable", "aperiodic", "r_infinity", "ac0", "acc0"}),
    "all words": (".*", None, 0, 1, {*CLASSES, "c_rasp"}),
    "no word": ("[^01]", 2, 0, 1, {*CLASSES, "c_rasp"}),
    "all words of one letter": ("0*", 1, 0, 1, {*CLASSES, "c_rasp"}),
    "one letter, even": ("(00)*", 1, 1, 2, {"ac0", "acc0", "commutative"}),
    "one letter, one word": ("0", 1, 2, 3, {*CLASSES, "c_rasp"}),
    "the empty word": ("0{0}", 2, 1, 2, {*CLASSES, "c_rasp"}),
}
"""Expression, alphabet, bits of the least state, elements of the monoid, and classes."""


@pytest.mark.parametrize("name", NAMED)
def test_named_languages_have_their_classes(name):
    pattern, letters, bits, elements, expected = NAMED[name]
    one = automaton(pattern, letters)
    monoid = multiplication(one)
    identities = Identities(monoid)
    inside = {name for name, decide in CLASSES.items() if decide(identities) is None}
    inside |= {"c_rasp"} if separate(one).inseparable is None else set()
    assert (one.recurrence().state_bits, monoid.size, inside) == (bits, elements, expected)


GROUPS = {
    "S3": ([(1, 2, 0), (1, 0, 2)], 3, 6, 2),
    "A4": ([(1, 2, 0, 3), (0, 2, 3, 1)], 4, 12, 2),
    "S4": ([(1, 2, 3, 0), (1, 0, 2, 3)], 5, 24, 3),
    "A5": ([(1, 2, 3, 4, 0), (1, 2, 0, 3, 4)], 6, 60, None),
    "S5": ([(1, 2, 3, 4, 0), (1, 0, 2, 3, 4)], 7, 120, None),
}
"""Generators, bits of the least state, elements, derived length."""


@pytest.mark.parametrize("name", GROUPS)
def test_word_problems_have_their_derived_lengths(name):
    generators, bits, size, length = GROUPS[name]
    one = of_permutations(generators)
    identities = Identities(multiplication(one))
    assert (one.recurrence().state_bits, identities.derived_lengths()) == (bits, [(size, length)])
    outside = identities.acc0()
    assert (outside is None) is (length is not None)
    assert identities.ac0() is not None
    if outside is not None:
        outside.witness.verify(one, "acc0")
        orders = list(outside.witness.exponents.values())
        assert all(gcd(a, b) == 1 for place, a in enumerate(orders) for b in orders[:place])
        spoiled = Witness(
            "coprime orders", outside.witness.words | {"c": outside.witness.words["b"]}, outside.witness.exponents
        )
        with pytest.raises(ValueError, match="fails"):
            spoiled.verify(one, "acc0")


def test_swaps_of_a_group_of_one_length_are_found():
    """All letters are odd: words of one length are all even or all odd, and 3-cycles are even."""
    one = of_permutations([(1, 0, 2), (0, 2, 1)])
    witness = Identities(multiplication(one)).ac0().witness
    witness.verify(one, "ac0")
    assert (len(witness.words["e"]) % 2, witness.exponents) == (0, {"k": 3})


def test_many_cycles_take_no_product_of_lengths():
    """The sets of elements of the words of one length repeat after 9,699,690 letters."""
    primes = (2, 3, 5, 7, 11, 13, 17, 19)
    one = automaton("|".join(f"({letter}{{{prime}}})*" for letter, prime in enumerate(primes)))
    identities = Identities(multiplication(one))
    assert identities.ac0() is None
    assert [size for size, _ in identities.derived_lengths()] == list(primes)
