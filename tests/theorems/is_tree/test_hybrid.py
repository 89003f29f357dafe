"""Theorem 5.7: eight remembered numbers and one attention layer peel leaves; a spoiled weight is found out."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest

from seqsep.exact.executor import run
from seqsep.exact.generation import generate
from seqsep.tasks.trees.peeling import Pointed, peel
from seqsep.theorems import TheoremFails
from seqsep.theorems.is_tree import _graphs as drawn
from seqsep.theorems.is_tree import hybrid, peeling, state
from seqsep.theorems.is_tree._doubling_search import missed, next_by_doubling, tied
from seqsep.theorems.is_tree._trials import every_simple_graph
from support.networks import spoiled

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

FIGURE_3 = {"vertices": 6, "edges": [list(edge) for edge in drawn.FIGURE_3]}


@pytest.mark.parametrize(("length", "inputs"), [(2, 4), (3, 4 + 81), (4, 4 + 81 + 4096)])
def test_every_list_of_pairs_is_thought_about_rightly(length, inputs):
    for outcome in hybrid.check(length):
        assert outcome.exhaustive
        assert outcome.inputs == inputs
        assert outcome.measured == outcome.bound


def test_every_simple_graph_at_weights_built_for_more_vertices():
    asking = hybrid._asking(9, "floor")
    for vertices, graphs in every_simple_graph(np.random.default_rng(0)):
        asking.put(vertices, graphs[:: 10 if vertices == 6 else 1])
    assert asking.trial.inputs == 1 + 6 + 120 + 5040 + 301
    assert not sum(asking.trial.tally.rounded.values())


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
@pytest.mark.parametrize("length", [5, 16, 40])
def test_hard_graphs_margins_and_ranges(length, rounding):
    (outcome,) = hybrid.check(length, rounding, graphs=12)
    assert outcome.measured == outcome.bound
    assert outcome.margin.least == outcome.margin.proved > 1 / (2 * length)
    assert set(outcome.saturated) <= {"layer 0 inner", "layer 1 scores", "layer 1 minus maximum", "read-out"}


def test_what_is_remembered_has_the_ranges_that_are_proved():
    asking = hybrid._asking(4, "floor")
    asking.put(4, drawn.every_list_of_pairs(4, 3))
    met = [(one.least, one.greatest) for one in asking.state_ranges]
    assert met == [(0, 4), (0, 4), (0, 16), (0, 16), (0, 4), (0, 1), (0, 3), (-4, 1)]
    assert all(one.unit == Fraction(1) for one in asking.state_ranges)
    assert sum(one.bits for one in asking.state_ranges) == hybrid.bits_by_range(4) == 25


def test_sizes_beside_the_least_state_without_attention():
    """At 64 vertices eight numbers of p bits are more than the least state, by their ranges less; at 128 less either way."""
    assert [hybrid.build(n).state_bits for n in (64, 128)] == [280, 312]
    assert [state.least_bits(n) for n in (64, 128)] == [219, 528]
    assert [hybrid.bits_by_range(n) for n in (64, 128)] == [61, 70]
    assert hybrid.build(64).positions is None
    assert [type(mixer).__name__ for mixer, _ in hybrid.build(64).layers] == ["LinearLayer", "AttentionLayer"]


def test_a_linear_thought_is_enough():
    """Every tree of 5 vertices is decided after 2n - 1 tokens: no factor log n, as Theorems 5.6 and 5.7 have it."""
    asking = hybrid._asking(5, "floor")
    graphs = drawn.every_graph(5, 4)
    asking.put(5, graphs)
    assert asking.longest_thought == 9
    for length in (16, 64):
        (outcome,) = hybrid.check(length, "floor", graphs=6)
        assert outcome.measured["thought_tokens"] == 2 * length - 1


def test_the_printed_search_misses_edges():
    assert missed(5, reach=int(math.log2(5))) == [(1, 4)]
    assert not any(missed(n, reach=int(math.log2(n))) for n in (2, 3, 4))
    assert len(missed(64, reach=6)) == 210
    assert not any(missed(n, reach=int(math.log2(3 * n))) for n in range(2, 65))
    assert tied(4) == [(1, 3)]
    with pytest.raises(ValueError, match="equally near to 2"):
        next_by_doubling([1, 3], here=1, reach=2)
    assert tied(64) == [(a, b) for a in range(1, 64) for b in range(a + 1, 64) if b - a in (2, 4, 8, 16, 32)]


def test_it_writes_what_the_transformer_writes():
    tokens = Pointed(9)
    for vertices in (5, 9):
        graphs = drawn.hard_graphs(vertices, 4, np.random.default_rng(2))
        asking = hybrid._asking(9, "floor")
        for prompt, graph in zip(asking.prompts(graphs), graphs.tolist(), strict=True):
            written = generate(hybrid.build(9), prompt, tokens.answers, most=18)
            assert written == generate(peeling.build(9), prompt, tokens.answers, most=18) == peel(tokens, vertices, graph)


def test_30_defects_that_change_the_function_are_all_caught(monkeypatch):
    honest = hybrid.build(3)
    asking = hybrid._asking(3, "floor")
    graphs = drawn.every_list_of_pairs(3, 2)
    sequences = [prompt + asking.think(3, graph) for prompt, graph in zip(asking.prompts(graphs), graphs.tolist(), strict=True)]
    alike = [np.array([one[:-1] for one in sequences if len(one) == time]) for time in {len(one) for one in sequences}]

    def written(network):
        return [run(network, inputs).answers[:, 6:].tolist() for inputs in alike]

    right = written(honest)
    changed = seed = 0
    arrays = set()
    while changed < 30:
        seed += 1
        try:
            name, network = spoiled(honest, seed)
        except ValueError:
            continue
        if written(network) == right:
            continue
        changed += 1
        arrays.add(name)
        monkeypatch.setattr(hybrid, "build", lambda *given, network=network: network)
        with pytest.raises(TheoremFails, match="place"):
            hybrid.check(3, "floor")
    assert len(arrays) >= 10


def test_the_applier_answers_by_the_weights(monkeypatch):
    thought = ["1'", 5, 3, 2, 6, 4, "2'", "3'", "4'", "5'", "6'"]
    assert hybrid.applier(64)(FIGURE_3) == {"answer": 1, "thought": thought}
    assert hybrid.applier(6)({"vertices": 3, "edges": [[2, 2], [1, 3]]}) == {"answer": 0, "thought": ["1'", 3, "2'", "3'"]}
    honest = hybrid.build(6)
    rows = np.arange(16)
    rows[[8, 9]] = [9, 8]
    network = dataclasses.replace(honest, readout=honest.readout[rows], readout_bias=honest.readout_bias[rows])
    monkeypatch.setattr(hybrid, "build", lambda *given: network)
    assert hybrid.applier(6)(FIGURE_3)["answer"] == 0


def test_bad_inputs_are_named():
    with pytest.raises(ValueError, match="vertices: expected 2 to 6, found 7"):
        hybrid.applier(6)({"vertices": 7, "edges": []})
    with pytest.raises(ValueError, match="at least 1 vertex"):
        hybrid.build(0)
    with pytest.raises(ValueError, match="at least 2 vertices"):
        hybrid.check(1)
