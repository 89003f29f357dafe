"""Lemma 1's other proof: the syntactic monoid of Dyck-(n,k) is not in DA; what that gives, and what it does not."""

import dataclasses
import itertools

import numpy as np
import pytest

from seqsep.maths.automata.monoids import Monoid, outside_da, syntactic_monoid
from seqsep.maths.communication.communication import fooling_set, protocol_cost, two_party
from seqsep.tasks import BoundedDyck
from seqsep.theorems import TheoremFails
from seqsep.theorems.bounded_dyck import monoid as bounded_dyck_monoid
from seqsep.theorems.bounded_dyck import state
from seqsep.theorems.bounded_dyck._fooling_set import words
from seqsep.theorems.bounded_dyck.monoid import check, count, count_idempotents, factors

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize(("kinds", "depth"), [(1, 1), (1, 4), (2, 1), (2, 2), (2, 3), (3, 2)])
def test_the_monoid_and_the_element_outside_da(kinds, depth):
    monoid = syntactic_monoid(state.build(kinds, depth))
    assert len(monoid.maps) == count(kinds, depth)
    assert len(monoid.idempotents) == count_idempotents(kinds, depth)
    found = outside_da(monoid)
    assert (found.idempotent, found.middle) == ((0, 1), (0,))
    found.verify(monoid)
    e, y = monoid.of_word((0, 1)), monoid.of_word((0,))
    assert monoid.product([e, e]) == e != monoid.product([e, y, e])


@pytest.mark.slow
def test_the_witness_in_words():
    """By the task's own rule: () is a word and ()(() is none, for every n and k here."""
    for kinds, depth in itertools.product((1, 2, 3), (1, 2, 3)):
        shown = check(kinds, depth, members=1)[0].witness
        assert (shown["e"], shown["e y e"], shown["before"], shown["behind"]) == ("()", "()(()", "", "")
        assert BoundedDyck(2, kinds, depth).accepts(np.array([[0, 1]])).all()
        assert not state.build(kinds, depth).accepts([0, 1, 0, 0, 1])


def test_a_check_at_depths_one_to_three():
    for depth, outcomes in ((1, 3), (2, 4), (3, 4)):
        monoid, products, *others, easy = check(2, depth, members=2)
        assert len(others) == outcomes - 3
        for outcome in (products, *others):
            assert outcome.measured == outcome.bound == {"bits": (outcome.length - 2) // 4}
        assert monoid.measured == monoid.bound
        assert easy.measured["bits"] == 2


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_words_of_the_reduction_alternate_between_the_parties(depth):
    """The factors are Alice's and Bob's in turn, so a word's odd and even brackets are what each can write alone."""
    sets = list(itertools.product((0, 1), repeat=2))
    halves = {}
    for alice, bob in itertools.product(sets, repeat=2):
        word = [bracket for factor in factors(alice, bob, absent=((0,), (1,))) for bracket in factor]
        assert len(word) == 10
        assert halves.setdefault(("bob", bob), word[::2]) == word[::2]
        assert halves.setdefault(("alice", alice), word[1::2]) == word[1::2]
        meet = any(one and other for one, other in zip(alice, bob, strict=True))
        complements = all(one != other for one, other in zip(alice, bob, strict=True))
        assert BoundedDyck(10, 1, depth).accepts(np.array([word]))[0] == (complements if depth == 2 else not meet)


def test_outside_da_is_not_enough_for_words():
    """Dyck-(1,1): every partition costs at most 2 bits, at any length tried; Dyck-(2,2) costs N - 1 for Lemma 1's own."""
    assert outside_da(syntactic_monoid(state.build(1, 1))) is not None
    for length in (2, 4, 6):
        easy = BoundedDyck(length, 1, 1)
        for chosen in itertools.product((False, True), repeat=length):
            alice = [place for place in range(length) if chosen[place]]
            if 0 < len(alice) < length:
                f = two_party(lambda word, easy=easy: int(easy.accepts(np.array([word]))[0]), [2] * length, alice)
                assert protocol_cost(f).bits == 2
    hard = BoundedDyck(6, 2, 2)
    f = two_party(lambda word: int(hard.accepts(np.array([word]))[0]), [4] * 6, [0, 2, 4])
    assert fooling_set(f, value=1).value == len(words(6)) == 2**5


def test_a_wrong_monoid_or_reduction_is_found_out(monkeypatch):
    honest = syntactic_monoid

    def merged(automaton):
        """Two elements taken for one: the last map is replaced by the first."""
        monoid = honest(automaton)
        return dataclasses.replace(monoid, maps=(*monoid.maps[:3], monoid.maps[0], *monoid.maps[4:]))

    monkeypatch.setattr(bounded_dyck_monoid, "syntactic_monoid", merged)
    with pytest.raises((TheoremFails, KeyError, ValueError)):
        check(2, 2)
    monkeypatch.undo()
    monkeypatch.setattr(bounded_dyck_monoid, "outside_da", lambda monoid: None)
    with pytest.raises(TheoremFails, match="outside DA = None"):
        check(2, 2)
    monkeypatch.undo()
    monkeypatch.setattr(Monoid, "is_aperiodic", False)
    with pytest.raises(TheoremFails, match="aperiodic = False"):
        check(2, 2)
    monkeypatch.undo()
    monkeypatch.setattr(bounded_dyck_monoid, "CLOSE", 0)
    with pytest.raises(TheoremFails, match="product"):
        check(2, 2)


def test_sizes_that_are_refused():
    for options in ({"kinds": 0}, {"members": 6}, {"kinds": 8, "depth": 5}):
        with pytest.raises(ValueError, match="members is 1 to 5"):
            check(**options)
