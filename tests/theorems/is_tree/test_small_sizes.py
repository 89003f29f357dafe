"""IsTree's walks and prompts at small sizes: what is refused, how many tokens a tree takes, how values are written."""

import numpy as np
import pytest

from seqsep.theorems.is_tree import peeling, state, walk


def test_a_certificate_needs_a_graph_that_is_no_tree():
    with pytest.raises(ValueError, match="at least 4 vertices"):
        walk.certificate_witness(3)


@pytest.mark.parametrize("program", walk.PROGRAMS, ids=lambda program: program.name)
def test_a_tree_takes_as_many_tokens_as_is_said(program):
    for vertices in (3, 5, 8):
        thought, is_tree = program.think(vertices, [[vertex, vertex + 1] for vertex in range(1, vertices)])
        assert is_tree
        assert len(thought) == program.tokens_for_a_tree(vertices)


def test_values_are_vertices_counted_from_0():
    values = np.array([[0, 1, 1, 2, 2, 3]])
    assert np.array_equal(state.recall(4).written(values), state.prompts(4, np.array([[[1, 2], [2, 3], [3, 4]]])))


def test_classes_are_counted_up_to_four_vertices():
    assert [state.check(length)[1].length for length in (3, 5)] == [3, 4]


def test_every_list_of_pairs_is_shown_if_they_are_few():
    """Three vertices have 3^4 = 81 lists of two pairs; of fewer graphs hard ones are drawn."""
    assert len(peeling.THEOREM.certificate_witness(length=3, graphs=81).witness.generated) == 81
    assert len(peeling.THEOREM.certificate_witness(length=3, graphs=80).witness.generated) < 81
