"""Theorems 5.2 and 5.3: IsTree by a linear recurrence with a live retriever; a spoiled weight or query is found out."""

import re

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.generation import GenerationDiffers, asked_places, follow, generate
from seqsep.tasks.retriever import Pattern, Query
from seqsep.tasks.trees import walk as walk_thought
from seqsep.tasks.trees.algorithm_two import algorithm_two
from seqsep.tasks.trees.walk import WalkTokens
from seqsep.tasks.trees.walk import walk as written
from seqsep.theorems import TheoremFails
from seqsep.theorems.is_tree import _walk_patterns, state, walk
from seqsep.theorems.is_tree._graphs import FIGURE_3, as_prompts, double_stars, every_graph, every_order, is_tree, shuffled
from seqsep.theorems.is_tree._walk_patterns import FAILED, first_neighbour, next_neighbour, walk_by_patterns
from seqsep.theorems.is_tree._walk_trials import Walking
from support.networks import defects_that_change, follows, with_array

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.slow
@pytest.mark.parametrize("length", [2, 3, 4])
def test_every_simple_list_of_edges_is_walked(length):
    prompt, everything, *programs = walk.check(length)
    for outcome in (prompt, everything, *programs):
        assert outcome.exhaustive
        assert outcome.inputs == {2: 2, 3: 26, 4: 986}[length]
    assert prompt.measured["thought_tokens"] == 14 * length - 10
    assert not prompt.saturated


@pytest.mark.parametrize("length", [5, 9, 33, 64])
def test_hard_graphs_are_walked(length):
    """A sample of the long check; sizes are the bound's and the least lead of a next token is 1."""
    for outcome in walk.check(length, graphs=12, seed=3)[:2]:
        assert outcome.measured == outcome.bound
        assert outcome.margin.least == 1
        assert not outcome.saturated
        assert not outcome.exhaustive


def test_a_network_for_many_vertices_walks_every_small_graph():
    walking = walk._walking(40, "everything")
    for vertices in (2, 3, 4):
        walking.put(vertices, every_order(vertices, vertices - 1))
    walking.put(5, every_order(5, 4)[::7])
    walking.put(6, every_graph(6, 5)[::7])
    assert walking.trial.inputs == 1 + 6 + 120 + 720 + 429


def test_sizes_beside_the_least_state_without_a_retriever():
    for length in (1, 2, 5, 16, 64, 200):
        network = walk.build(length)
        bound = walk.bound(length)
        assert network.ledger().program == bound["program_bits"]
        assert network.state_bits == bound["state_bits"]
    bits = {
        length: (walk.bound(length)["state_bits"], walk.bound(length)["state_bits_by_range"]) for length in (16, 32, 64, 128)
    }
    assert bits == {16: (320, 40), 32: (368, 46), 64: (416, 52), 128: (480, 58)}
    assert [state.least_bits(length, simple=True) for length in (16, 32, 64, 128)] == [32, 85, 215, 523]


def test_token_by_token_with_a_live_retriever_it_writes_the_same():
    tokens = WalkTokens(7)
    network = walk.build(7)
    for graph in (FIGURE_3, ((1, 2), (2, 3), (1, 3), (4, 5), (5, 6)), ((2, 3), (3, 4), (4, 5), (5, 6), (2, 6))):
        [prompt] = as_prompts(np.array([graph]), tokens.begin, tokens.between).tolist()
        for region in ("prompt", "everything"):
            retriever = tokens.retriever(region)
            found = generate(network, prompt, tokens.answers, most=100, retriever=retriever.behind(len(prompt)))
            assert found == written(tokens, 6, graph)
            assert found[-1] == tokens.answers[is_tree(6, graph)]


def test_the_length_of_a_walk_alone_does_not_decide():
    """40 of the 3,003 graphs of 6 vertices, no trees, have a walk of all ten directed edges: counting wraps is needed."""
    tokens = WalkTokens(6)
    longest = 0
    misled = []
    for graph in every_graph(6, 5).tolist():
        thought = written(tokens, 6, graph)
        closes = [place for place, token in enumerate(thought) if token == tokens.closes]
        steps = sum(thought[place - 3] == tokens.opens for place in closes)
        longest = max(longest, steps)
        if steps == 10 and not is_tree(6, graph):
            misled.append(graph)
    assert longest == 10
    assert len(misled) == 40
    assert misled[0] == [[1, 2], [1, 3], [1, 4], [2, 3], [2, 4]]


def test_every_thought_with_a_retriever_is_linear():
    """14n - 10, 45n - 36 and 37n - 26 tokens on every tree, and never more on another graph, up to 6 vertices."""
    for vertices, graphs in (
        (2, every_order(2, 1)),
        (4, every_order(4, 3)),
        (5, every_graph(5, 4)),
        (6, every_graph(6, 5)[::5]),
    ):
        tokens = WalkTokens(vertices)
        for graph in graphs.tolist():
            counts = (
                len(written(tokens, vertices, graph)) - 1,
                len(walk_by_patterns(graph)[0]),
                len(algorithm_two(vertices, graph, "prompt")[0]),
            )
            linear = (14 * vertices - 10, 45 * vertices - 36, 37 * vertices - 26)
            assert counts == linear if is_tree(vertices, graph) else all(map(int.__le__, counts, linear))


def test_algorithm_two_goes_wrong_where_its_queries_are_searched():
    """A query v ~ v' in the searched text reads as an edge: half of the double stars are answered wrongly."""
    assert algorithm_two(2, [(1, 2)], "everything")[1] is False
    assert algorithm_two(2, [(1, 2)], "prompt")[1] is True
    random = np.random.default_rng(0)
    graphs = shuffled(double_stars(16, 100, random), random).tolist()
    right = {
        region: sum(algorithm_two(16, graph, region)[1] == is_tree(16, graph) for graph in graphs)
        for region in ("prompt", "everything")
    }
    assert right["prompt"] == 100
    assert 30 < right["everything"] < 70


def test_literal_patterns_find_what_the_named_queries_find():
    """In Python's `re`, and in the process that can be stopped; with an earlier pattern in the text."""
    for graph in every_order(4, 3)[::5].tolist():
        text = ["<s>", *(part for u, v in graph for part in (str(u), "~", str(v)))]
        earlier = ["[", *next_neighbour("1", "2"), "]", "3", "[", *first_neighbour("2"), "]", "1"]
        for v in "1234":
            for pattern, query in [
                (first_neighbour(v), Query("first-edge", (v,))),
                *((next_neighbour(v, y), Query("next-edge", (v, y))) for y in "1234" if y != v),
            ]:
                wanted = query.find(text)
                for searched in (text, text + earlier):
                    found = re.search(" ".join(pattern), " ".join(searched))
                    assert (None if found is None else found.group(1)) == wanted
    assert Pattern.of(next_neighbour("2", "1")).find(["<s>", "1", "~", "2", "2", "~", "3"]) == "3"
    assert len(first_neighbour("1")) == 6
    assert len(next_neighbour("1", "2")) == 15


def test_a_retriever_that_finds_something_else_is_found_out(monkeypatch):
    monkeypatch.setattr(walk_thought, "_query", lambda texts: Query("first-edge", (texts[0],)))
    with pytest.raises(TheoremFails, match=r"edges = .*retriever = "):
        walk.check(4)


def test_a_walk_that_does_not_count_wraps_is_found_out(monkeypatch):
    def longest_walk(tokens, vertices, edges):
        thought = written(tokens, vertices, edges)
        return [*thought[:-1], tokens.answers[len(thought) > 10 * (vertices - 1)]]

    monkeypatch.setattr("seqsep.theorems.is_tree._walk_trials.walk", longest_walk)
    with pytest.raises(TheoremFails, match="is a tree = "):
        walk._walking(6, "prompt").put(6, every_graph(6, 5))


def test_a_program_that_stops_early_is_found_out(monkeypatch):
    monkeypatch.setattr(_walk_patterns, "retrieve", lambda tokens: FAILED)
    with pytest.raises(TheoremFails, match="program = literal patterns"):
        walk.check(3)


def test_30_defects_that_change_the_function_are_all_caught():
    tokens = WalkTokens(4)
    honest = walk.build(4)
    graphs = every_order(4, 3)[::3]
    prompts = as_prompts(graphs, tokens.begin, tokens.between).tolist()
    sequences = [prompt + written(tokens, 4, graph) for prompt, graph in zip(prompts, graphs.tolist(), strict=True)]
    starts = [len(prompts[0])] * len(prompts)
    inserted = [tokens.retriever("prompt").inserted(sequence, starts[0]) for sequence in sequences]
    follow(honest, sequences, starts, inserted)
    arrays = set()
    asked = asked_places(sequences, starts, inserted)
    for name, network in defects_that_change(honest, follows(sequences, asked), count=30):
        arrays.add(name)
        with pytest.raises(GenerationDiffers):
            follow(network, sequences, starts, inserted)
    assert len(arrays) >= 8


def test_the_applier_walks_and_names_what_is_wrong():
    answer = walk.predictor(8)
    assert answer({"vertices": 6, "edges": [list(edge) for edge in FIGURE_3]})["answer"] == 1
    found = answer({"vertices": 3, "edges": [[2, 1], [2, 3]]})
    assert " ".join(map(str, found["thought"])) == (
        "[ 1 ] 2 [ 2 1 ] 3 [ 3 2 ] FAILED [ 3 ] 2 [ 2 3 ] FAILED [ 2 ] 1 [ 1 2 ] FAILED"
    )
    assert answer({"vertices": 4, "edges": [[1, 2], [2, 3], [3, 1]]})["answer"] == 0
    for given, message in [
        ({"vertices": 9, "edges": []}, "vertices: expected 2 to 8, found 9"),
        ({"vertices": 3, "edges": [[1, 2], [2, 1]]}, "expected each edge once"),
        ({"vertices": 3, "edges": [[1, 2]]}, "edges: expected 2 of them"),
    ]:
        with pytest.raises(ValueError, match=message):
            answer(given)


def test_a_broken_network_is_shown_as_it_writes():
    """The predictor shows what the weights write, not what the walk would be."""
    walking = walk._walking(4, "prompt")
    network = walk.build(4)
    silent = with_array(network, "readout", Array(np.zeros_like(network.readout.integers), by_index=True))
    broken = Walking(walk.CLAIM.name, silent, walking.tokens, "prompt")
    assert broken.answer(4, np.array([[1, 2], [2, 3], [3, 4]])) == {"answer": None, "thought": ["["] * 56}


@pytest.mark.parametrize(("edges", "is_tree"), [([], True), ([(2, 3)], False), ([(1, 2)], True), ([(2, 3), (3, 4)], False)])
def test_a_first_vertex_without_an_edge(edges, is_tree):
    """Vertex 1 alone is a tree of one vertex; with edges elsewhere it is none, after one query that fails."""
    thought, said = walk_by_patterns(edges)
    assert said == is_tree
    if not edges or edges[0][0] == 2:
        assert (thought.count(FAILED), thought[-1]) == (1, FAILED)
