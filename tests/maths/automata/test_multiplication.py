"""Products and Green's relations of syntactic monoids, against maps of states and ideals."""

import numpy as np
import pytest

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.monoids import syntactic_monoid
from seqsep.maths.automata.multiplication import components, multiplication
from seqsep.maths.automata.regular import automaton


def random_automaton(seed: int) -> DFA:
    """Two to four states, one to three letters; sometimes two letters are equal."""
    random = np.random.default_rng(seed)
    states, letters = int(random.integers(2, 5)), int(random.integers(1, 4))
    table = random.integers(states, size=(states, letters))
    table[:, -1] = table[:, 0] if seed % 3 == 0 else table[:, -1]
    return DFA(table, 0, random.integers(2, size=states).astype(bool))


@pytest.mark.parametrize("seed", range(40))
def test_products_are_those_of_maps(seed):
    one = random_automaton(seed)
    monoid, maps = multiplication(one), syntactic_monoid(one)
    elements = range(monoid.size)
    assert [monoid.word(element) for element in elements] == list(maps.words)
    assert monoid.right.tolist() == [[maps.product([u, letter]) for letter in maps.letters] for u in elements]
    assert monoid.left.tolist() == [[maps.product([letter, u]) for letter in maps.letters] for u in elements]
    draws = np.random.default_rng(seed).integers(monoid.size, size=(200, 2)).tolist()
    assert all(monoid.table[u, v] == maps.product([u, v]) for u, v in draws)
    assert monoid.idempotents.tolist() == maps.idempotents


@pytest.mark.parametrize("seed", range(40))
def test_greens_relations_are_equal_ideals(seed):
    monoid = multiplication(random_automaton(seed))
    table = monoid.table
    rights = [frozenset(table[u].tolist()) for u in range(monoid.size)]
    lefts = [frozenset(table[:, u].tolist()) for u in range(monoid.size)]
    both = [frozenset(np.unique(table[table[:, u]]).tolist()) for u in range(monoid.size)]
    for classes, ideals in ((monoid.r_classes, rights), (monoid.l_classes, lefts), (monoid.j_classes, both)):
        assert ((classes[:, np.newaxis] == classes) == [[one == other for other in ideals] for one in ideals]).all()
    for e, members in monoid.groups:
        assert e in members.tolist()
        assert np.isin(table[np.ix_(members, members)], members).all()
        assert (table[e, members] == members).all()


def test_a_multiplier_leads_from_one_to_the_other():
    monoid = multiplication(automaton("(01)*"))
    number = {monoid.word(element): element for element in range(monoid.size)}
    assert monoid.multiplier(number[(0,)], number[(0, 1)]) == (1,)
    assert monoid.multiplier(number[(0,)], number[(1, 0)], on_left=True) == (1,)
    with pytest.raises(ValueError, match="no multiplier"):
        monoid.multiplier(number[(0,)], 0)


def test_too_many_elements_are_refused():
    one = automaton("(0|1)*1(0|1){10}")
    with pytest.raises(ValueError, match="at most 4,094 elements, found more"):
        multiplication(one, 4_094)
    with pytest.raises(ValueError, match="at most 2,000 elements, found 2,048 states"):
        multiplication(one, 2_000)


def test_components_of_a_long_path_need_no_recursion():
    """Some 20,000 nodes in a row, the last one leads back to the middle."""
    edges = [[node + 1] for node in range(19_999)] + [[10_000]]
    found = components(edges)
    assert len(set(found.tolist())) == 10_001
    assert len(set(found[10_000:].tolist())) == 1
