"""Four networks that think before they say whether a graph is a tree: what is asked of each of them alike.

What is particular to one stands in test_peeling, test_tour, test_one_layer and test_hybrid.
"""

import dataclasses
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from seqsep.maths.networks.executor import run
from seqsep.maths.networks.generation import generate
from seqsep.maths.networks.network import Network
from seqsep.theorems import TheoremFails
from seqsep.theorems.is_tree import _graphs as drawn
from seqsep.theorems.is_tree import hybrid, one_layer, peeling, tour
from seqsep.theorems.is_tree._graphs import Graphs
from seqsep.theorems.is_tree._trials import ThoughtTrial, every_simple_graph
from support.networks import defects_that_change
from support.rebuilt import check_of, rebuilt

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

FIGURE_3 = {"vertices": 6, "edges": [list(edge) for edge in drawn.FIGURE_3]}


class Thinker(NamedTuple):
    """A theorem, how many small lists its check puts for 2, 3 and 4 vertices, and the arrays that 30 defects reach at least.

    `graphs` are those that defects are tried on.
    """

    theorem: ModuleType
    inputs: tuple[int, int, int]
    graphs: Graphs
    arrays: int


SIMPLE = drawn.every_order(3, 2)
PAIRS = drawn.every_list_of_pairs(3, 2)
THINKERS = {
    "peeling": Thinker(peeling, (4, 4 + 81, 4 + 81 + 4096), PAIRS, 10),
    "tour": Thinker(tour, (2, 2 + 6 * 4, 2 + 6 * 4 + 120 * 8), SIMPLE, 10),
    "one-layer": Thinker(one_layer, (2, 6 * 4, 120 * 8), drawn.every_order(4, 3), 8),
    "hybrid": Thinker(hybrid, (4, 4 + 81, 4 + 81 + 4096), PAIRS, 10),
}
each = pytest.mark.parametrize("thinker", THINKERS.values(), ids=THINKERS)


@pytest.mark.slow
@each
@pytest.mark.parametrize("length", [2, 3, 4])
def test_every_small_list_is_thought_about_rightly(thinker, length):
    for outcome in thinker.theorem.THEOREM.check(length):
        assert outcome.exhaustive
        assert outcome.inputs == thinker.inputs[length - 2]
        assert outcome.measured == outcome.bound


@pytest.mark.parametrize("name", ["peeling", "tour", "hybrid"])
def test_every_simple_graph_at_weights_built_for_more_vertices(name):
    asking = THINKERS[name].theorem.CONSTRUCTION.trial(9, "floor")
    for vertices, graphs in every_simple_graph(np.random.default_rng(0)):
        asking.put(vertices, graphs[:: 10 if vertices == 6 or (name == "tour" and vertices == 5) else 1])
    assert asking.trial.inputs == 1 + 6 + 120 + (504 if name == "tour" else 5040) + 301
    assert not sum(asking.trial.tally.rounded.values())


LOSERS = {
    "peeling": {"layer 0 scores", "layer 0 minus maximum", "layer 0 inner", "layer 1 scores", "read-out"},
    "one-layer": {"layer 0 scores", "layer 0 minus maximum", "read-out"},
    "hybrid": {"layer 0 inner", "layer 1 scores", "layer 1 minus maximum", "read-out"},
}


@pytest.mark.parametrize("name", LOSERS)
@pytest.mark.parametrize("rounding", ["floor", "nearest"])
@pytest.mark.parametrize("length", [5, 7, 16])
def test_hard_graphs_and_the_margin_that_a_star_attains(name, length, rounding):
    (outcome,) = THINKERS[name].theorem.THEOREM.check(length, rounding, graphs=12)
    assert outcome.measured == outcome.bound
    assert outcome.margin.least == outcome.margin.proved > 1 / (2 * length)
    assert set(outcome.saturated) <= LOSERS[name]


@pytest.mark.parametrize("name", ["peeling", "hybrid"])
@pytest.mark.parametrize("rounding", ["floor", "nearest"])
def test_hard_graphs_of_40_vertices(name, rounding):
    (outcome,) = THINKERS[name].theorem.THEOREM.check(40, rounding, graphs=12)
    assert outcome.margin.least == outcome.margin.proved > 1 / 80


@each
def test_one_vertex_is_a_tree(thinker):
    vertices = 1 if thinker.theorem is one_layer else 4  # one_layer is built for one number of vertices
    asking = thinker.theorem.CONSTRUCTION.trial(vertices, "floor")
    tokens = asking.tokens
    written = generate(asking.network, [tokens.begin], tokens.answers, most=3)
    assert len(written) == 2
    assert written[-1] == tokens.answers[1]


@each
def test_token_by_token_it_writes_the_same(thinker):
    asking = thinker.theorem.CONSTRUCTION.trial(6, "floor")
    graphs = drawn.hard_graphs(6, 6, np.random.default_rng(1))
    for prompt, graph in zip(asking.prompts(graphs), graphs.tolist(), strict=True):
        written = generate(asking.network, prompt, asking.tokens.answers, most=asking.tokens.most_written(6))
        assert written == asking.think(6, graph)


@each
def test_30_defects_that_change_the_function_are_all_caught(thinker):
    """A defect changes the function if some token of some thought is written otherwise."""
    theorem = thinker.theorem
    length = thinker.graphs.shape[1] + 1
    written = greedy(theorem.CONSTRUCTION.trial(length, "floor"), length, thinker.graphs)
    arrays = set()
    for name, network in defects_that_change(theorem.build(length), written, count=30):
        arrays.add(name)
        with pytest.raises(TheoremFails, match="place"):
            check_of(theorem.CONSTRUCTION, network)(length, "floor")
    assert len(arrays) >= thinker.arrays


def greedy(asking: ThoughtTrial, vertices: int, graphs: Graphs) -> Callable[[Network], Sequence[object]]:
    """The answers of a network after the prompt and after each token of the right thought."""
    prompts = asking.prompts(graphs)
    sequences = [prompt + asking.think(vertices, graph) for prompt, graph in zip(prompts, graphs.tolist(), strict=True)]
    alike = [np.array([one[:-1] for one in sequences if len(one) == time]) for time in {len(one) for one in sequences}]
    return lambda network: [run(network, inputs).answers[:, len(prompts[0]) - 1 :].tolist() for inputs in alike]


@each
def test_the_applier_answers_by_the_weights(thinker):
    """With YES and NO exchanged in the read-out the answer is exchanged too."""
    honest = thinker.theorem.build(6)
    assert thinker.theorem.THEOREM.predictor(6)(FIGURE_3)["answer"] == 1
    answers = list(thinker.theorem.CONSTRUCTION.trial(6, "floor").tokens.answers)
    rows = np.arange(len(honest.readout.integers))
    rows[answers] = answers[::-1]
    network = dataclasses.replace(honest, readout=honest.readout[rows], readout_bias=honest.readout_bias[rows])
    assert rebuilt(thinker.theorem.CONSTRUCTION, network).predictor(6)(FIGURE_3)["answer"] == 0


@each
def test_too_few_vertices_are_named(thinker):
    with pytest.raises(ValueError, match="at least 1 vertex"):
        thinker.theorem.build(0)
    with pytest.raises(ValueError, match="at least 2 vertices"):
        thinker.theorem.THEOREM.check(1)
