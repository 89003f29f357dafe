"""One layer with tokens for pairs of vertices: edges are copied and leaves are peeled; a spoiled weight is found out."""

import dataclasses

import numpy as np
import pytest

from seqsep.exact.executor import run
from seqsep.exact.generation import generate
from seqsep.theorems import TheoremFails
from seqsep.theorems.is_tree import _graphs as drawn
from seqsep.theorems.is_tree import one_layer
from seqsep.theorems.is_tree._pair_thought import Paired, copy_and_peel
from seqsep.theorems.is_tree._trials import every_simple_graph, stars
from support.networks import spoiled

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


@pytest.mark.parametrize(("length", "inputs"), [(2, 2), (3, 6 * 4), (4, 120 * 8)])
def test_every_simple_list_is_thought_about_rightly(length, inputs):
    for outcome in one_layer.check(length):
        assert outcome.exhaustive
        assert outcome.inputs == inputs
        assert outcome.measured == outcome.bound


def test_simple_graphs_of_5_and_6_vertices():
    for vertices, step in ((5, 5), (6, 10)):
        asking = one_layer._asking(vertices, "floor")
        for size, graphs in every_simple_graph(np.random.default_rng(0)):
            if size == vertices:
                asking.put(vertices, graphs[::step])
        assert asking.trial.inputs > 300
        assert not sum(asking.trial.tally.rounded.values())


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
@pytest.mark.parametrize("length", [5, 9, 16])
def test_hard_graphs_and_the_margin_that_a_star_attains(length, rounding):
    (outcome,) = one_layer.check(length, rounding, graphs=12)
    assert outcome.measured == outcome.bound
    assert outcome.margin.least == outcome.margin.proved > 1 / (2 * length)
    assert set(outcome.saturated) <= {"layer 0 scores", "layer 0 minus maximum", "read-out"}


def test_a_star_in_floats():
    one_layer._asking(40, "floor").put(40, stars(40))


def test_one_vertex_is_a_tree():
    tokens = Paired(1)
    assert generate(one_layer.build(1), [0], tokens.answers, most=3) == [tokens.pointer(1), tokens.answers[1]]


def test_token_by_token_it_writes_the_same():
    tokens = Paired(6)
    network = one_layer.build(6)
    graphs = drawn.hard_graphs(6, 6, np.random.default_rng(1))
    for prompt, graph in zip(one_layer._asking(6, "floor").prompts(graphs), graphs.tolist(), strict=True):
        assert generate(network, prompt, tokens.answers, most=17) == copy_and_peel(tokens, 6, graph)


def test_30_defects_that_change_the_function_are_all_caught(monkeypatch):
    honest = one_layer.build(4)
    asking = one_layer._asking(4, "floor")
    graphs = drawn.every_order(4, 3)
    sequences = [prompt + asking.think(4, graph) for prompt, graph in zip(asking.prompts(graphs), graphs.tolist(), strict=True)]
    alike = [np.array([one[:-1] for one in sequences if len(one) == time]) for time in {len(one) for one in sequences}]

    def written(network):
        return [run(network, inputs).answers[:, 9:].tolist() for inputs in alike]

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
        monkeypatch.setattr(one_layer, "build", lambda *given, network=network: network)
        with pytest.raises(TheoremFails, match="place"):
            one_layer.check(4, "floor")
    assert len(arrays) >= 8


def test_size_numbers():
    assert [one_layer.build(n).precision for n in (3, 4, 16, 32)] == [17, 19, 28, 32]
    assert one_layer.bound(64)["program_bits"] == 36 * 3_669


def test_the_applier_answers_by_the_weights(monkeypatch):
    thought = ["2 ~ 6", "1 ~ 5", "3 ~ 5", "4 ~ 6", "2 ~ 3", "1'", "1 -> 5", "5 -> 3", "3 -> 2", "2 -> 6", "6 -> 4"]
    pointers = ["2'", "3'", "4'", "5'", "6'"]
    assert one_layer.applier(6)(FIGURE_3) == {"answer": 1, "thought": thought + pointers}
    honest = one_layer.build(6)
    rows = np.arange(len(honest.readout.integers))
    rows[[8, 9]] = [9, 8]
    network = dataclasses.replace(honest, readout=honest.readout[rows], readout_bias=honest.readout_bias[rows])
    monkeypatch.setattr(one_layer, "build", lambda *given: network)
    assert one_layer.applier(6)(FIGURE_3)["answer"] == 0


def test_bad_inputs_are_named():
    with pytest.raises(ValueError, match="vertices: expected 7, for which the network is built, found 6"):
        one_layer.applier(7)(FIGURE_3)
    with pytest.raises(ValueError, match="edge 2 is"):
        one_layer.applier(3)({"vertices": 3, "edges": [[1, 2], [2, 1]]})
    with pytest.raises(ValueError, match="at least 1 vertex"):
        one_layer.build(0)
    with pytest.raises(ValueError, match="at least 2 vertices"):
        one_layer.check(1)
