"""The least number of reflections a token: the values of each group, and constructions that are spoiled."""

from dataclasses import replace

import numpy as np
import pytest

from seqsep.core.names import InternalError
from seqsep.maths.automata.permutations import PermutationGroup
from seqsep.theorems import TheoremFails, apply
from seqsep.theorems.state_tracking import _representations, reflections_per_token
from seqsep.theorems.state_tracking._representations import irreducible
from seqsep.theorems.state_tracking._words import group_of, table_of
from seqsep.theorems.state_tracking.reflections_per_token import GROUPS, build, check, least, reflections

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

DIMENSIONS = {
    ("cyclic", 5): [1, 2, 2],
    ("symmetric", 4): [1, 1, 2, 3, 3],
    ("alternating", 4): [1, 2, 3],
    ("alternating", 5): [1, 3, 3, 4, 5],
    ("symmetric", 5): [1, 1, 4, 4, 5, 5, 6],
    ("dicyclic", 2): [1, 1, 1, 1, 4],
}


@pytest.mark.parametrize(("group", "degree", "number"), GROUPS)
def test_the_least_number_of_each_group(group, degree, number):
    assert least(group_of(group, degree)).number == number


@pytest.mark.parametrize("degree", [4, 5, 6])
def test_cyclic_groups_need_two(degree):
    assert least(group_of("cyclic", degree)).number == 2


def test_two_heads_need_one_reflection_each_for_klein_four():
    """Both parts of the least sum have one dimension, so a head for each part applies at most one reflection."""
    klein = PermutationGroup.generated([(1, 0, 2, 3), (0, 1, 3, 2)])
    found = least(klein)
    assert found.number == 2
    assert [one.size for one in found.parts] == [1, 1]
    assert [max(one.ranks) for one in found.parts] == [1, 1]


@pytest.mark.parametrize("named", DIMENSIONS)
def test_representations_are_homomorphisms(named):
    group = table_of(group_of(*named))
    parts = irreducible(group)
    assert [one.size for one in parts] == DIMENSIONS[named]
    for one in parts:
        products = one.matrices[3 % group.size] @ one.matrices
        assert np.allclose(products, one.matrices[group.table[3 % group.size]])


def test_a_missing_representation_is_found_out(monkeypatch):
    parts = irreducible(table_of(group_of("symmetric", 3)))
    with pytest.raises(InternalError, match="2 representations"):
        _representations._require_complete(parts[0].group, parts[:2])
    regular = replace(parts[2], matrices=np.eye(6)[:, parts[0].group.table].transpose(1, 0, 2))
    with pytest.raises(InternalError, match="1 representations"):
        _representations._require_complete(parts[0].group, [regular])


def test_a_matrix_is_the_product_of_its_reflections():
    for one in irreducible(table_of(group_of("symmetric", 4))):
        for element, matrix in enumerate(one.matrices):
            keys = reflections(matrix)
            found = np.eye(one.size)
            for key in keys:
                found = found @ (np.eye(one.size) - 2 * np.outer(key, key))
            assert np.allclose(found, matrix)
            assert len(keys) == one.ranks[element]


def test_a_reflection_less_is_found_out(monkeypatch):
    honest = build

    def shorter(group, found, seed=0):
        layer = honest(group, found, seed)
        return layer._replace(keys=[keys[:1] for keys in layer.keys])

    monkeypatch.setattr(reflections_per_token, "build", shorter)
    with pytest.raises(TheoremFails, match="found"):
        check(20, "alternating", 4)


def test_answers_to_a_user():
    letters = '{"letters": [[1, 2, 0, 3], [1, 0, 3, 2]]}'
    assert list(apply("reflections-per-token", [letters], length=2)) == [[0, 3, 1, 2]]
    with pytest.raises(ValueError, match="elements of the group"):
        list(apply("reflections-per-token", ['{"letters": [[1, 0, 2, 3]]}'], length=2))
    with pytest.raises(ValueError, match="at most 120 elements"):
        check(10, "symmetric", 6)
