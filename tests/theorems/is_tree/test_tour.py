"""Theorem 4.7 with the printed thought: three layers write Algorithm 1's tour; a spoiled weight is found out."""

from fractions import Fraction

import numpy as np
import pytest

from seqsep.tasks.trees.tokens import Tokens
from seqsep.tasks.trees.tour import printed, tour
from seqsep.theorems.is_tree import _graphs as drawn
from seqsep.theorems.is_tree import tour as theorem
from seqsep.theorems.is_tree._trials import every_simple_graph, stars

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

FIGURE_3 = {"vertices": 6, "edges": [list(edge) for edge in drawn.FIGURE_3]}


def test_the_tour_is_algorithm_1_but_for_the_end_of_a_cycle():
    tokens = Tokens(9)
    random = np.random.default_rng(0)
    series = [*every_simple_graph(random), (9, drawn.hard_graphs(9, 300, random))]
    trees = cycles = 0
    for vertices, graphs in series:
        for graph, truth in zip(graphs.tolist(), drawn.trees_among(vertices, graphs).tolist(), strict=True):
            ours = tour(tokens, vertices, graph)
            theirs = printed(tokens, vertices, graph)
            assert ours[-1] == theirs[-1] == tokens.answers[truth]
            if ours == theirs:
                trees += truth
                assert not truth or len(ours) == 2 * vertices
            else:
                cycles += 1
                assert [*ours[:-2], ours[-1]] == theirs
                assert ours[-2] in theirs
    assert trees > 3000
    assert cycles > 1000


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
@pytest.mark.parametrize("length", [5, 8, 16, 40])
def test_hard_graphs_and_margins(length, rounding):
    (outcome,) = theorem.THEOREM.check(length, rounding, graphs=12)
    assert outcome.measured == outcome.bound
    assert outcome.margin.least >= outcome.margin.proved == 1
    assert not any(place.endswith(("query", "value", "mixed", "outer", "residual")) for place in outcome.saturated)


def test_a_star_of_64_vertices_in_both_arithmetics():
    asking = theorem.CONSTRUCTION.trial(64, "floor")
    asking.put(64, stars(64))
    assert asking.longest_thought == 127


def test_size_numbers():
    assert [theorem.build(n).precision for n in (6, 7, 16, 64, 256)] == [30, 22, 27, 35, 43]
    assert theorem.printed_sizes(64) == {"layers": 9, "precision": 105}
    assert theorem.bound(64)["program_bits"] == 35 * 9_461


def test_the_applier_writes_its_thought():
    """Figure 3, a cycle, and a cycle apart from vertex 1's tree."""
    answer = theorem.THEOREM.predictor(64)
    assert answer(FIGURE_3) == {"answer": 1, "thought": [1, 5, 3, 2, 6, 4, 6, 2, 3, 5, 1]}
    assert answer({"vertices": 4, "edges": [[1, 2], [2, 3], [1, 3]]}) == {"answer": 0, "thought": [1, 2, 3, 1]}
    assert answer({"vertices": 5, "edges": [[1, 2], [3, 4], [4, 5], [3, 5]]}) == {"answer": 0, "thought": [1, 2, 1]}
    assert answer({"vertices": 4, "edges": [[2, 3], [3, 4], [2, 4]]}) == {"answer": 0, "thought": [1]}


def test_bad_inputs_are_named():
    answer = theorem.THEOREM.predictor(6)
    with pytest.raises(ValueError, match=r"edge 2 is \[2, 1\]"):
        answer({"vertices": 3, "edges": [[1, 2], [2, 1]]})
    with pytest.raises(ValueError, match="edge 1 is"):
        answer({"vertices": 2, "edges": [[1, 1]]})


@pytest.mark.parametrize("vertices", [4, 64])
def test_the_printed_read_out_selects_vertex_1(vertices):
    """Output n [-v, 1, -1] against embeddings [i, 0, 0]: the logits -n v i. Rows (2 i, -i^2) peak at v."""
    number = np.arange(1, vertices + 1)
    embeddings = np.stack([number, 0 * number, 0 * number], axis=1)
    for v in number.tolist():
        logits = embeddings @ (vertices * np.array([-v, 1, -1]))
        assert logits.argmax() == 0
        assert (2 * number * v - number**2).argmax() == v - 1


def test_the_printed_next_counter_misses_its_bound():
    """At x = 1/k the next counter is 1/(k + 1) = x - x^2 + x^3 - ..; the printed interval [2/5, 7/20] is empty."""
    assert Fraction(2, 5) > Fraction(7, 20)
    for k in range(4, 400):
        x = Fraction(1, k)
        after = Fraction(1, k + 1)
        without_cube = abs(x - x**2 - after) / after**3
        with_cube = abs(x - x**2 + x**3 - after) / after**3
        assert without_cube == (1 + x) ** 2 > 1
        assert with_cube == x * (1 + x) ** 2 <= Fraction(25, 64)
