"""Groups by name: orders, products, solvability, and the products of exactly K letters."""

import itertools

import numpy as np
import pytest

from seqsep.maths.automata.groups import FiniteGroup
from seqsep.maths.automata.permutations import (
    GROUPS,
    LEAST_DEGREE,
    PermutationGroup,
    after,
    generators_of,
    named_group,
    order_of,
    points_of,
    points_reached,
    products_reached,
    swapped,
)

S_5 = named_group("symmetric", 5)
TRANSPOSITIONS = [swapped(5, *pair) for pair in itertools.combinations(range(5), 2)]
ADJACENT = [swapped(5, first, first + 1) for first in range(4)]


@pytest.mark.parametrize(
    ("name", "degree", "derived_length", "involutions"),
    [
        ("cyclic", 6, 1, 1),
        ("dihedral", 4, 2, 5),
        ("dihedral", 7, 2, 7),
        ("symmetric", 3, 2, 3),
        ("symmetric", 4, 3, 9),
        ("symmetric", 5, None, 25),
        ("alternating", 4, 2, 3),
        ("alternating", 5, None, 15),
        ("dicyclic", 2, 2, 1),
        ("dicyclic", 3, 2, 1),
    ],
)
def test_named_groups_are_those_of_their_names(name, degree, derived_length, involutions):
    """Order, derived length and the number of elements of order 2 are those of textbooks; Q_8 has one involution."""
    group = named_group(name, degree)
    found = FiniteGroup(group.products)
    assert len(group.elements) == order_of(name, degree)
    assert group.points == points_of(name, degree)
    assert found.derived_length() == derived_length
    assert int((found.orders == 2).sum()) == involutions


@pytest.mark.parametrize("name", GROUPS)
def test_products_are_compositions(name):
    group = named_group(name, LEAST_DEGREE[name] + 1)
    assert group.elements == tuple(sorted(group.elements))
    assert group.elements[0] == tuple(range(group.points))
    for outer, inner in itertools.product(range(len(group.elements)), repeat=2):
        composed = after(group.elements[outer], group.elements[inner])
        assert group.elements[group.products[outer, inner]] == composed
        assert composed == tuple(group.elements[outer][image] for image in group.elements[inner])


@pytest.mark.parametrize("name", GROUPS)
def test_generators_give_the_order(name):
    for degree in range(LEAST_DEGREE[name], LEAST_DEGREE[name] + 3):
        group = PermutationGroup.generated(generators_of(name, degree))
        assert len(group.elements) == order_of(name, degree)
        assert len(generators_of(name, degree)) > 1


def test_a_large_group_is_refused():
    with pytest.raises(ValueError, match="expected at most 720 elements"):
        PermutationGroup.generated(generators_of("symmetric", 7))
    with pytest.raises(ValueError, match="not in tuple"):
        named_group("alternating", 4).index((1, 0, 2, 3))


@pytest.mark.parametrize(
    ("letters", "counts"),
    [
        (TRANSPOSITIONS, [10, 36, 60, 60, 60]),
        (ADJACENT, [4, 10, 19, 30, 41, 50, 56, 59, 60, 60]),
        (generators_of("symmetric", 5), [2, 4, 7, 12, 20, 32, 48, 68, 87, 106, 114, 119, 120, 120]),
        (S_5.elements, [120, 120]),
    ],
)
def test_products_of_exactly_k_letters_of_s5(letters, counts):
    assert [products_reached(S_5, letters, count) for count in range(1, len(counts) + 1)] == counts
    assert products_reached(S_5, letters, 1 << 40) == counts[-1]


@pytest.mark.parametrize("letters", [TRANSPOSITIONS, ADJACENT, generators_of("symmetric", 5)])
def test_counts_are_those_of_all_words(letters):
    """Every word of up to 3 letters, multiplied out."""
    for count in range(4):
        products = set()
        for word in itertools.product(letters, repeat=count):
            product = tuple(range(5))
            for letter in word:
                product = after(letter, product)
            products.add(product)
        assert products_reached(S_5, letters, count) == len(products)
        assert points_reached(letters, 0, count) == len({product[0] for product in products})


def test_points_of_a_group_that_repeats():
    """Turns and reflections of 6 points: step by step, and beyond the step from which the sets repeat."""
    letters = generators_of("dihedral", 6)
    reached = {0}
    for count in range(40):
        assert points_reached(letters, 0, count) == len(reached)
        reached = {letter[point] for letter in letters for point in reached}
    assert points_reached([(1, 0, 2)], 0, (1 << 40) + 1) == 1
    assert np.all(np.diff([points_reached(letters, 0, count) for count in range(40)]) >= 0)
