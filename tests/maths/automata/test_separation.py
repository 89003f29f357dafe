"""C-RASP on all small automata, against floating-point null spaces; rounds of known languages; forged proofs."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.identities import Identities
from seqsep.maths.automata.multiplication import multiplication
from seqsep.maths.automata.regular import automaton
from seqsep.maths.automata.separation import Component, Inseparable, Join, Pair, separate
from support.small_languages import BruteForce, of_permutations, small_automata


@pytest.mark.unchecked
@pytest.mark.parametrize(("states", "count"), [(2, 6), (3, 72)])
def test_counts_and_brute_force_agree(states, count):
    """R-trivial languages are in C-RASP, which is in R-infinity; each "no" has a proof."""
    inside = 0
    for one in small_automata(states):
        separation = separate(one)
        identities = Identities(multiplication(one))
        is_inside = separation.inseparable is None
        assert is_inside is BruteForce(one).c_rasp(), one
        assert is_inside or identities.r_trivial() is not None
        assert not is_inside or identities.r_infinity() is None
        if not is_inside:
            separation.inseparable.verify(one)
        inside += is_inside
    assert inside == count


@pytest.mark.parametrize(
    ("pattern", "rounds"),
    [
        ("0*1*", 0),
        ("(01)*", 1),
        ("(0(01)*1)*", 1),
        ("(0(0(01)*1)*1)*", 1),
        ("(0(0(0(01)*1)*1)*1)*", 1),
        ("(0011)*", 2),
        ("(0(01|23)*1|2(01|23)*3)*", 2),
        ("(0{30}1{20})*", 2),
    ],
)
def test_rounds_of_known_languages(pattern, rounds):
    separation = separate(automaton(pattern))
    assert (separation.inseparable, separation.rounds) == (None, rounds)


@pytest.mark.parametrize("pattern", ["(0|1 0* 1)*", ".*1", "(01|110)*", "(0|10)*1?", "(00)*", "(0{20}1|10)*"])
def test_languages_outside_have_a_proof(pattern):
    """That of the least automaton holds for each automaton of the language."""
    one = automaton(pattern)
    proof = separate(one).inseparable
    proof.verify(one)
    twice = DFA(np.repeat(one.table, 2, axis=0) * 2 + [[0], [1]] * len(one.table), 0, np.repeat(one.accepting, 2))
    proof.verify(twice)


def test_a_language_beyond_r_infinity_alone_is_outside():
    one = automaton("(01|110)*")
    assert Identities(multiplication(one)).r_infinity() is None
    assert separate(one).inseparable is not None


def test_too_large_a_component_is_refused():
    size = 201
    cycle = DFA((np.arange(size)[:, np.newaxis] + [1, 0]) % size, 0, np.arange(size) == 0)
    with pytest.raises(ValueError, match="at most 200 states in the least automaton, found 201"):
        separate(cycle)


PARITY = DFA(np.array([[0, 1], [1, 0]]), 0, np.array([True, False]))
PROOF = Inseparable({0: 0, 1: 0}, (Join(0, 1, ((Fraction(1, 2), Pair(1, 0, 1)),)),))
JOIN = PROOF.joins[0]
AHEAD = DFA(np.array([[1], [1]]), 0, np.array([False, True]))
"""One letter and more: in C-RASP, with two components."""


def with_terms(*terms) -> Inseparable:
    return replace(PROOF, joins=(replace(JOIN, terms=terms),))


FORGED = {
    "another weight": (with_terms((Fraction(1), Pair(1, 0, 1))), PARITY, "the sum of the pairs is not 1 - 0"),
    "another letter": (with_terms((Fraction(1, 2), Pair(0, 0, 1))), PARITY, "the sum of the pairs"),
    "a letter from the end": (with_terms((Fraction(1, 2), Pair(-1, 0, 1))), PARITY, "a letter that is not one"),
    "a letter of no alphabet": (with_terms((Fraction(1, 2), Pair(2, 0, 1))), PARITY, "a letter that is not one"),
    "a state without a class": (with_terms((Fraction(1, 2), Pair(1, 0, 2))), PARITY, "a state without a class"),
    "no terms": (with_terms(), PARITY, "the sum of the pairs"),
    "no joins": (replace(PROOF, joins=()), PARITY, "no join of the states 0 and 1"),
    "a join of one state": (replace(PROOF, joins=(Join(0, 0, ()), JOIN)), PARITY, "the sum of the pairs"),
    "no two states of a class": (Inseparable({0: 0}, ()), PARITY, "each class has one state"),
    "no states": (Inseparable({}, ()), PARITY, "expected states of one component, found states of 0"),
    "states that are not there": (Inseparable({0: 0, 5: 0}, ()), PARITY, "expected states from 0 to 1"),
    "a state from the end": (Inseparable({0: 0, -1: 0}, ()), PARITY, "expected states from 0 to 1"),
    "different classes": (
        Inseparable({0: 0, 1: 1}, PROOF.joins),
        PARITY,
        "the states 0 and 1 have different classes",
    ),
    "two components": (
        Inseparable({0: 0, 1: 0}, (Join(0, 1, ((Fraction(1), Pair(0, 0, 1)),)),)),
        AHEAD,
        "expected states of one component, found states of 2",
    ),
    "equivalent states": (PROOF, DFA(PARITY.table, 0, np.array([True, True])), "expected states from 0 to 0"),
}


def test_the_proof_that_is_forged_holds():
    PROOF.verify(PARITY)


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_proof_is_refused(name):
    proof, language, message = FORGED[name]
    with pytest.raises(ValueError, match=message):
        proof.verify(language)


@pytest.mark.unchecked
@pytest.mark.parametrize("weight", [0.5, float("nan"), "1/2"])
def test_weights_that_are_not_exact_are_refused(weight):
    """Sums of floating-point numbers lose small parts, so a wrong sum may look right."""
    with pytest.raises(ValueError, match="expected exact weights"):
        with_terms((weight, Pair(1, 0, 1))).verify(PARITY)


def test_an_edge_out_of_the_component_is_refused():
    """After 1 in the wrong place nothing follows."""
    one = automaton("(01)*", 2)
    pair = Pair(0, 0, 1)
    proof = Inseparable({0: 0, 1: 0}, (Join(0, 1, ((Fraction(1), pair),)),))
    assert one.table[pair.second, pair.letter] == 2
    with pytest.raises(ValueError, match="an edge that leads out of the component"):
        proof.verify(one)


@pytest.mark.parametrize("pattern", ["(01)*", "(0011)*", "(0(01)*1)*"])
def test_no_combination_proves_a_language_of_c_rasp_outside(pattern):
    """All partitions of the component's states, with the joins that exist: some join is missing each time."""
    one = automaton(pattern)
    table = one.table.tolist()
    component = Component(table, [state for state in range(len(table)) if table[state] != [state] * 2])
    found = 0
    for classes in itertools.product(range(2), repeat=len(component.states)):
        component.classes = dict(zip(component.states, classes, strict=True))
        if component.several():
            with pytest.raises(ValueError, match="outside of the span"):
                component.inseparable()
            found += 1
    assert found >= 2


def test_word_problems_of_groups_are_outside():
    one = of_permutations([(1, 2, 3, 0), (1, 0, 2, 3)])
    separate(one).inseparable.verify(one)
