"""The fewest points that a group permutes faithfully: known numbers, all subgroups of small groups, and the actions."""

from itertools import combinations

import numpy as np
import pytest

from seqsep.maths.automata.groups import FiniteGroup
from seqsep.maths.automata.permutations import PermutationGroup, after, named_group
from seqsep.maths.automata.point_actions import fewest_points

NAMED = {
    ("cyclic", 2): 2,
    ("cyclic", 4): 4,
    ("cyclic", 6): 5,
    ("cyclic", 9): 9,
    ("cyclic", 12): 7,
    ("cyclic", 20): 9,
    ("dicyclic", 2): 8,
    ("dicyclic", 3): 7,
    ("dihedral", 4): 4,
    ("dihedral", 6): 5,
    ("dihedral", 12): 7,
    ("symmetric", 3): 3,
    ("symmetric", 5): 5,
    ("symmetric", 6): 6,
    ("alternating", 4): 4,
    ("alternating", 5): 5,
}
MORE_THAN_NINE = (("cyclic", 11), ("cyclic", 16), ("dicyclic", 4), ("cyclic", 42))
SMALL = [one for one in (*NAMED, *MORE_THAN_NINE) if len(named_group(*one).elements) <= 24]
SWAPS = {
    "seven pairs": [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11), (12, 13)],
    "four pairs": [(0, 1), (2, 3), (4, 5), (6, 7)],
}


def products(group: PermutationGroup) -> FiniteGroup:
    """The group by its products from left to right, as words are read."""
    return FiniteGroup(group.products.T)


def of_swaps(pairs):
    """The group that disjoint swaps generate."""
    points = max(map(max, pairs)) + 1
    swaps = []
    for one, other in pairs:
        images = list(range(points))
        images[one], images[other] = other, one
        swaps.append(tuple(images))
    return products(PermutationGroup.generated(swaps))


def brute_force(group: FiniteGroup) -> int:
    """The fewest points by all subgroups, all conjugates, and all unions."""
    table = group.table.tolist()
    everything = range(group.size)

    def closed(members):
        while (more := {table[a][b] for a in members for b in members}) != members:
            members = more
        return frozenset(members)

    subgroups = {closed({group.neutral})}
    latest = set(subgroups)
    while latest:
        latest = {closed(one | {x}) for one in latest for x in everything} - subgroups
        subgroups |= latest
    costs = {}
    for one in subgroups:
        conjugates = [frozenset(table[table[group.inverse[g]][h]][g] for h in one) for g in everything]
        core = frozenset.intersection(*conjugates)
        costs[core] = min(costs.get(core, group.size), group.size // len(one))
    found = {frozenset(everything): 0}
    for _ in range(5):  # no group of at most 24 elements needs more than five orbits
        for (kernel, points), (core, more) in [(a, b) for a in found.items() for b in costs.items()]:
            found[kernel & core] = min(found.get(kernel & core, points + more), points + more)
    return found[frozenset({group.neutral})]


@pytest.mark.parametrize("name", NAMED, ids=str)
def test_groups_need_the_known_numbers_of_points(name):
    action = fewest_points(products(named_group(*name)), 9)
    assert action is not None
    assert action.points == NAMED[name]


@pytest.mark.parametrize("name", MORE_THAN_NINE, ids=str)
def test_some_groups_need_more_than_nine_points(name):
    assert fewest_points(products(named_group(*name)), 9) is None


@pytest.mark.parametrize("name", SMALL, ids=str)
def test_all_subgroups_give_the_same_number(name):
    group = products(named_group(*name))
    expected = brute_force(group)
    action = fewest_points(group, 9)
    assert (expected if expected <= 9 else None) == (None if action is None else action.points)
    assert fewest_points(group, min(expected, 10) - 1) is None


@pytest.mark.parametrize("name", NAMED, ids=str)
def test_the_images_are_a_faithful_action(name):
    """Elements have different images, and the image of a product is the product of the images."""
    group = products(named_group(*name))
    action = fewest_points(group, 9)
    images = [action.images(element) for element in range(group.size)]
    assert len(set(images)) == group.size
    assert all(sorted(one) == list(range(action.points)) for one in images)
    some = range(0, group.size, 1 + group.size // 40)
    assert all(images[group.table[a, b]] == after(images[b], images[a]) for a in some for b in some)


@pytest.mark.parametrize(("name", "most"), [("four pairs", 8), ("four pairs", 7), ("seven pairs", 9)])
def test_commutative_groups_add_their_factors(name, most):
    action = fewest_points(of_swaps(SWAPS[name]), most)
    assert (action and action.points) == (8 if (name, most) == ("four pairs", 8) else None)


def extraspecial(pairs):
    """The group of order 2^(2 n + 1) in which x_i and y_i commute up to the central element, and other factors commute."""
    numbers = range(2 ** (2 * pairs + 1))
    low = 2**pairs - 1
    turned = [[(one & low & other >> pairs).bit_count() % 2 << 2 * pairs for other in numbers] for one in numbers]
    return FiniteGroup(np.bitwise_xor.outer(numbers, numbers) ^ np.array(turned))


@pytest.mark.parametrize(("pairs", "points"), [(1, 4), (2, 8), (3, None)])
def test_one_kernel_in_all_actions_ends_the_search(pairs, points):
    """The least faithful action has 2^(n + 1) points: no subgroup of a smaller index misses the centre."""
    action = fewest_points(extraspecial(pairs), 9)
    assert (action and action.points) == points


def test_letters_are_products_of_the_fewest_swaps():
    """A breadth-first search over all products of transpositions of five points."""
    group = products(named_group("symmetric", 5))
    action = fewest_points(group, 9)
    neutral = tuple(range(5))
    swaps = [tuple(b if x == a else a if x == b else x for x in neutral) for a, b in combinations(neutral, 2)]
    needed = {neutral: 0}
    latest = {neutral}
    while latest:
        latest = {after(swap, one) for swap in swaps for one in latest} - set(needed)
        needed |= dict.fromkeys(latest, max(needed.values()) + 1)
    assert len(needed) == 120
    assert all(action.swaps([element]) == needed[action.images(element)] for element in range(120))
    assert action.swaps(range(120)) == 4


def test_a_product_of_two_groups_has_both_orbits():
    """S_3 x S_4: an orbit of three points and one of four."""
    letters = [(1, 2, 0, 4, 5, 6, 3), (1, 0, 2, 4, 3, 5, 6), (0, 1, 2, 4, 3, 5, 6)]
    group = PermutationGroup.generated(letters)
    assert len(group.elements) == 144
    action = fewest_points(products(group), 9)
    assert sorted(len(part.chosen) for part in action.parts) == [3, 4]
