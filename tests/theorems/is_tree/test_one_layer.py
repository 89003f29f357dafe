"""One layer with tokens for pairs of vertices: edges are copied and leaves are peeled; a spoiled weight is found out."""

import numpy as np
import pytest

from seqsep.theorems.is_tree import _graphs as drawn
from seqsep.theorems.is_tree import one_layer
from seqsep.theorems.is_tree._pair_thought import Paired, copy_and_peel
from seqsep.theorems.is_tree._trials import every_simple_graph, stars

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

FIGURE_3 = {"vertices": 6, "edges": [list(edge) for edge in drawn.FIGURE_3]}


def test_tokens_of_pairs_are_told_apart():
    tokens = Paired(5)
    every = [tokens.edge(u, v) for u, v in tokens.pairs] + [tokens.climb(u, v) for u, v in tokens.pairs]
    assert every == list(range(14, tokens.count))
    assert tokens.count == 2 * 5 * 4 + 2 * 5 + 4 == len(one_layer.build(5).readout.integers)
    assert len({tokens.shown(token) for token in range(tokens.count)}) == tokens.count


def test_the_plain_thought_decides():
    for vertices, graphs in every_simple_graph(np.random.default_rng(0)):
        tokens = Paired(vertices)
        for graph, truth in zip(graphs.tolist(), drawn.trees_among(vertices, graphs).tolist(), strict=True):
            written = copy_and_peel(tokens, vertices, graph)
            assert written[-1] == tokens.answers[truth]
            assert len(written) - 1 == 3 * vertices - 2 if truth else len(written) - 1 < 3 * vertices - 2


def test_simple_graphs_of_5_and_6_vertices():
    for vertices, step in ((5, 5), (6, 10)):
        asking = one_layer.CONSTRUCTION.trial(vertices, "floor")
        for size, graphs in every_simple_graph(np.random.default_rng(0)):
            if size == vertices:
                asking.put(vertices, graphs[::step])
        assert asking.trial.inputs > 300
        assert not sum(asking.trial.tally.rounded.values())


def test_a_star_in_floats():
    one_layer.CONSTRUCTION.trial(40, "floor").put(40, stars(40))


def test_size_numbers():
    assert [one_layer.build(n).precision for n in (3, 4, 16, 32)] == [17, 19, 28, 32]
    assert one_layer.bound(64)["program_bits"] == 36 * 3_669


def test_the_applier_writes_its_thought():
    thought = ["2 ~ 6", "1 ~ 5", "3 ~ 5", "4 ~ 6", "2 ~ 3", "1'", "1 -> 5", "5 -> 3", "3 -> 2", "2 -> 6", "6 -> 4"]
    pointers = ["2'", "3'", "4'", "5'", "6'"]
    assert one_layer.THEOREM.predictor(6)(FIGURE_3) == {"answer": 1, "thought": thought + pointers}


def test_bad_inputs_are_named():
    with pytest.raises(ValueError, match="vertices: expected 7, for which the network is built, found 6"):
        one_layer.THEOREM.predictor(7)(FIGURE_3)
    with pytest.raises(ValueError, match="edge 2 is"):
        one_layer.THEOREM.predictor(3)({"vertices": 3, "edges": [[1, 2], [2, 1]]})
