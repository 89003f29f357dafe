"""Theorem 4.7: leaves are peeled by two layers, on both grids and in floats; a spoiled weight is found out."""

import dataclasses
from functools import partial

import pytest

from seqsep.maths.arithmetic.grid import Grid
from seqsep.tasks.trees.peeling import Pointed, peel
from seqsep.theorems import TheoremFails
from seqsep.theorems.is_tree import _graphs as drawn
from seqsep.theorems.is_tree import peeling
from seqsep.theorems.is_tree._peeling_layers import SHARED
from seqsep.theorems.is_tree._trials import ThoughtTrial, every_list, stars
from support.rebuilt import check_of

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

FIGURE_3 = {"vertices": 6, "edges": [list(edge) for edge in drawn.FIGURE_3]}


def asking(network, length: int) -> ThoughtTrial:
    tokens = Pointed(length)
    return ThoughtTrial("is-tree-peeling", network, tokens, partial(peel, tokens))


def test_the_plain_thought_decides_every_list_of_pairs():
    tokens = Pointed(5)
    for vertices, graphs in every_list(4):
        for graph, truth in zip(graphs.tolist(), drawn.trees_among(vertices, graphs).tolist(), strict=True):
            written = peel(tokens, vertices, graph)
            assert written[-1] == tokens.answers[truth]
            assert len(written) - 1 == 2 * vertices - 1 if truth else len(written) - 1 < 2 * vertices - 1


def test_loops_and_repeated_edges_are_no_tree():
    answer = peeling.THEOREM.predictor(7)
    assert answer({"vertices": 3, "edges": [[2, 2], [1, 3]]}) == {"answer": 0, "thought": ["1'", 3, "2'", "3'"]}
    assert answer({"vertices": 3, "edges": [[2, 1], [1, 2]]}) == {"answer": 0, "thought": ["1'", "2'", "3'"]}
    assert answer({"vertices": 2, "edges": [[2, 1]]}) == {"answer": 1, "thought": ["1'", 2, "2'"]}


def test_a_wrong_thought_is_found_out():
    """The thought of another graph: the weights do not follow it. A thought with the wrong answer is refused before."""
    put = peeling.CONSTRUCTION.trial(4, "floor")
    graphs = drawn.every_graph(4, 3)
    put.think = lambda vertices, edges: peel(put.tokens, vertices, [*list(edges)[:2], [1, 2]])
    with pytest.raises(TheoremFails):
        put.put(4, graphs)
    put.think = lambda vertices, edges: [*peel(put.tokens, vertices, edges)[:-1], put.tokens.answers[0]]
    with pytest.raises(TheoremFails, match="is a tree = True"):
        put.put(4, graphs)


def test_an_oversized_network_is_found_out():
    honest = peeling.build(5)
    larger = dataclasses.replace(honest, grid=Grid(honest.grid.steps * 2))
    with pytest.raises(TheoremFails, match="precision"):
        check_of(peeling.CONSTRUCTION, larger)(5, "floor", graphs=2)


def test_size_numbers():
    """35 bits at n = 64, Kc = 2 from n = 7 on, and the shared spaces are those that are listed."""
    assert [peeling.build(n).precision for n in (6, 7, 16, 64, 256)] == [30, 22, 27, 35, 43]
    assert peeling.build(64).grid.steps == 317**2
    assert sum(SHARED.values()) == 13
    assert peeling.bound(64)["program_bits"] == 35 * 3_864


def test_floats_need_the_double_scale_in_layer_1(monkeypatch):
    """With eta in layer 1 what the losers leave in `before` makes scores that should tie differ: the star of 64 fails."""
    honest = peeling._look_back
    monkeypatch.setattr(peeling, "_look_back", lambda spaces, length, scale: honest(spaces, length, scale // 2))
    put = peeling.CONSTRUCTION.trial(64, "floor")
    with pytest.raises(TheoremFails, match="in float64"):
        put.put(64, stars(64))
    put.in_floats = put.trial.in_floats = 0
    put.put(64, stars(64))
    assert put.trial.least == pytest.approx(peeling.proved(64, put.network.grid))


def test_figure_3():
    assert peeling.THEOREM.predictor(64)(FIGURE_3) == {
        "answer": 1,
        "thought": ["1'", 5, 3, 2, 6, 4, "2'", "3'", "4'", "5'", "6'"],
    }


def test_bad_inputs_are_named():
    answer = peeling.THEOREM.predictor(6)
    for given, message in [
        ({"vertices": 7, "edges": []}, "vertices: expected 2 to 6, found 7"),
        ({"vertices": 3, "edges": [[1, 2]]}, "edges: expected 2 of them for 3 vertices, found 1"),
        ({"vertices": 2, "edges": [[1, 3]]}, "edge 1 is"),
    ]:
        with pytest.raises(ValueError, match=message):
            answer(given)
    with pytest.raises(ValueError, match="rounding"):
        peeling.THEOREM.check(5, rounding="up")
