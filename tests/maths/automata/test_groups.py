"""Derived series of permutation groups against all commutators, and witnesses of groups that are not solvable."""

import itertools

import numpy as np
import pytest

from seqsep.maths.automata.groups import FiniteGroup


def permutations(generators) -> FiniteGroup:
    """The group that permutations generate."""
    found = [tuple(range(len(generators[0])))]
    for one in found:
        found += [after for after in {tuple(g[place] for place in one) for g in generators} if after not in found]
    number = {one: place for place, one in enumerate(found)}
    return FiniteGroup(np.array([[number[tuple(v[place] for place in u)] for v in found] for u in found]))


GROUPS = {
    "one element": ([(0,)], 0),
    "Z6": ([(1, 2, 0, 4, 3)], 1),
    "Z2 x Z2": ([(1, 0, 2, 3), (0, 1, 3, 2)], 1),
    "D5": ([(1, 2, 3, 4, 0), (0, 4, 3, 2, 1)], 2),
    "Q8": ([(1, 2, 3, 0, 5, 6, 7, 4), (4, 7, 6, 5, 2, 1, 0, 3)], 2),
    "A4": ([(1, 2, 0, 3), (0, 2, 3, 1)], 2),
    "S4": ([(1, 2, 3, 0), (1, 0, 2, 3)], 3),
    "A5": ([(1, 2, 3, 4, 0), (1, 2, 0, 3, 4)], None),
    "S5": ([(1, 2, 3, 4, 0), (1, 0, 2, 3, 4)], None),
    "A5 x Z3": ([(1, 2, 3, 4, 0, 5, 6, 7), (1, 2, 0, 3, 4, 6, 7, 5)], None),
}


def closure(group: FiniteGroup, elements) -> set[int]:
    inside = {group.neutral}
    while True:
        more = inside | {int(group.table[u, v]) for u in inside for v in elements}
        if more == inside:
            return inside
        inside = more


@pytest.mark.parametrize("name", GROUPS)
def test_the_derived_series_is_that_of_all_commutators(name):
    group = permutations(GROUPS[name][0])
    members, steps = set(range(group.size)), 0
    while True:
        commutators = {
            int(group.table[group.table[group.inverse[a], group.inverse[b]], group.table[a, b]])
            for a, b in itertools.product(members, repeat=2)
        }
        smaller = closure(group, commutators)
        if smaller == members:
            break
        members, steps = smaller, steps + 1
    assert group.core[0] == steps
    assert set(np.flatnonzero(group.core[1]).tolist()) == members
    assert group.derived_length() == GROUPS[name][1] == (steps if len(members) == 1 else None)


@pytest.mark.parametrize("name", GROUPS)
def test_only_groups_that_are_not_solvable_have_a_triple(name):
    """In solvable groups there is none among all pairs."""
    group = permutations(GROUPS[name][0])
    found = group.coprime_triple()
    assert (found is None) is (GROUPS[name][1] is not None)
    if found is None:
        everything = np.arange(group.size)
        a, b = np.meshgrid(everything, everything)
        orders = [group.orders[one] for one in (a, b, np.array(group.inverse)[group.table[a, b]])]
        coprime = np.logical_and.reduce([np.gcd(*two) == 1 for two in itertools.combinations(orders, 2)])
        assert not (coprime & (a != group.neutral)).any()
    else:
        a, b, c = found
        assert group.table[group.table[a, b], c] == group.neutral != a
