"""Theorem 5.7: eight remembered numbers and one attention layer peel leaves; a spoiled weight is found out."""

import math
from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.networks.generation import generate
from seqsep.tasks.trees.peeling import Pointed, peel
from seqsep.theorems.is_tree import _graphs as drawn
from seqsep.theorems.is_tree import hybrid, peeling, state
from seqsep.theorems.is_tree._doubling_search import missed, next_by_doubling, tied

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

FIGURE_3 = {"vertices": 6, "edges": [list(edge) for edge in drawn.FIGURE_3]}


def test_what_is_remembered_has_the_ranges_that_are_proved():
    asking = hybrid.CONSTRUCTION.trial(4, "floor")
    asking.put(4, drawn.every_list_of_pairs(4, 3))
    met = [(one.least, one.greatest) for one in asking.trial.state_ranges]
    assert met == [(0, 4), (0, 4), (0, 16), (0, 16), (0, 4), (0, 1), (0, 3), (-4, 1)]
    assert all(one.unit == Fraction(1) for one in asking.trial.state_ranges)
    assert sum(one.bits for one in asking.trial.state_ranges) == hybrid.bits_by_range(4) == 25


def test_sizes_beside_the_least_state_without_attention():
    """At 64 vertices eight numbers of p bits are more than the least state, by their ranges less; at 128 less either way."""
    assert [hybrid.build(n).state_bits for n in (64, 128)] == [280, 312]
    assert [state.least_bits(n) for n in (64, 128)] == [219, 528]
    assert [hybrid.bits_by_range(n) for n in (64, 128)] == [61, 70]
    assert hybrid.build(64).positions is None
    assert [type(mixer).__name__ for mixer, _ in hybrid.build(64).layers] == ["LinearLayer", "AttentionLayer"]


def test_a_linear_thought_is_enough():
    """Every tree of 5 vertices is decided after 2n - 1 tokens: no factor log n, as Theorems 5.6 and 5.7 have it."""
    asking = hybrid.CONSTRUCTION.trial(5, "floor")
    graphs = drawn.every_graph(5, 4)
    asking.put(5, graphs)
    assert asking.longest_thought == 9
    for length in (16, 64):
        (outcome,) = hybrid.THEOREM.check(length, "floor", graphs=6)
        assert outcome.measured["thought_tokens"] == 2 * length - 1


def test_the_printed_search_misses_edges():
    assert missed(5, reach=int(math.log2(5))) == [(1, 4)]
    assert not any(missed(n, reach=int(math.log2(n))) for n in (2, 3, 4))
    assert len(missed(64, reach=6)) == 210
    assert sum(len(missed(n, reach=int(math.log2(n)))) for n in range(4, 40)) == 2146
    assert sum(math.comb(n - 1, 2) for n in range(4, 40)) == 9138
    assert not any(missed(n, reach=int(math.log2(3 * n))) for n in range(2, 65))
    assert tied(4) == [(1, 3)]
    with pytest.raises(ValueError, match="equally near to 2"):
        next_by_doubling([1, 3], here=1, reach=2)
    assert tied(64) == [(a, b) for a in range(1, 64) for b in range(a + 1, 64) if b - a in (2, 4, 8, 16, 32)]


def test_it_writes_what_the_transformer_writes():
    tokens = Pointed(9)
    for vertices in (5, 9):
        graphs = drawn.hard_graphs(vertices, 4, np.random.default_rng(2))
        asking = hybrid.CONSTRUCTION.trial(9, "floor")
        for prompt, graph in zip(asking.prompts(graphs), graphs.tolist(), strict=True):
            written = generate(hybrid.build(9), prompt, tokens.answers, most=18)
            assert written == generate(peeling.build(9), prompt, tokens.answers, most=18) == peel(tokens, vertices, graph)


def test_the_applier_writes_its_thought():
    thought = ["1'", 5, 3, 2, 6, 4, "2'", "3'", "4'", "5'", "6'"]
    assert hybrid.THEOREM.predictor(64)(FIGURE_3) == {"answer": 1, "thought": thought}
    assert hybrid.THEOREM.predictor(6)({"vertices": 3, "edges": [[2, 2], [1, 3]]}) == {
        "answer": 0,
        "thought": ["1'", 3, "2'", "3'"],
    }


def test_bad_inputs_are_named():
    with pytest.raises(ValueError, match="vertices: expected 2 to 6, found 7"):
        hybrid.THEOREM.predictor(6)({"vertices": 7, "edges": []})
