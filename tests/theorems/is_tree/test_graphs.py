"""Lists of edges: the definition against a search through the graph, counts of all of them, and what each kind is."""

import re
from math import perm

import numpy as np
import pytest

from seqsep.theorems.is_tree import _graphs as graphs


def reaches_all_without_cycle(vertices: int, edges: list[list[int]]) -> bool:
    """The definition by search: n - 1 edges, and every vertex is reached from the first."""
    reached = {1}
    frontier = [1]
    while frontier:
        x = frontier.pop()
        for u, v in edges:
            for here, there in ((u, v), (v, u)):
                if here == x and there not in reached:
                    reached.add(there)
                    frontier.append(there)
    return len(edges) == vertices - 1 and len(reached) == vertices


@pytest.mark.parametrize("vertices", [2, 3, 4])
def test_is_tree_on_every_list_of_pairs(vertices):
    for edges in range(min(vertices + 1, 4)):
        for graph in graphs.every_list_of_pairs(vertices, edges).tolist():
            assert graphs.is_tree(vertices, graph) == reaches_all_without_cycle(vertices, graph), graph


@pytest.mark.parametrize("vertices", [2, 3, 4, 5])
def test_counts_of_graphs_and_trees(vertices):
    """Cayley: n^(n-2) labelled trees, each met once among all graphs, and from every code once."""
    once = graphs.every_graph(vertices, vertices - 1)
    assert graphs.trees_among(vertices, once).sum() == vertices ** (vertices - 2)
    ordered = graphs.every_order(vertices, vertices - 1)
    assert len({str(graph) for graph in ordered.tolist()}) == len(ordered) == perm(vertices * (vertices - 1) // 2, vertices - 1)
    codes = np.ndindex(*(vertices,) * (vertices - 2))
    trees = {frozenset(map(frozenset, graphs.tree_of_code([c + 1 for c in code]))) for code in codes}
    assert len(trees) == vertices ** (vertices - 2)
    assert all(graphs.is_tree(vertices, [sorted(edge) for edge in tree]) for tree in trees)


@pytest.mark.parametrize("vertices", [4, 5, 16, 64])
def test_samplers_draw_what_they_say(vertices):
    random = np.random.default_rng(0)
    for sample in graphs.HARD:
        drawn = sample(vertices, 40, random)
        assert drawn.shape == (40, vertices - 1, 2)
        assert 1 <= drawn.min() <= drawn.max() <= vertices
        assert all(len({frozenset(edge) for edge in graph if edge[0] != edge[1]}) == vertices - 1 for graph in drawn.tolist())
        trees = graphs.trees_among(vertices, drawn)
        if sample in graphs.TREES:
            assert trees.all()
        if sample in (graphs.near_trees, graphs.cycles_and_trees):
            assert not trees.any()


def test_double_stars_are_trees_half_of_the_time():
    drawn = graphs.double_stars(12, 4_000, np.random.default_rng(1))
    assert abs(graphs.trees_among(12, drawn).mean() - 0.5) < 0.03
    degrees = np.sort(np.array([np.bincount(graph.reshape(-1), minlength=13)[1:] for graph in drawn[:200]]), axis=1)
    assert (degrees[:, -2:].sum(axis=1) >= 10).all()


def test_random_trees_are_uniform():
    """Each of the 16 trees on 4 vertices about equally often."""
    drawn = graphs.random_trees(4, 3_200, np.random.default_rng(2))
    counts: dict[frozenset, int] = {}
    for tree in drawn.tolist():
        key = frozenset(map(frozenset, tree))
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 16
    assert all(140 <= count <= 260 for count in counts.values())


def test_shuffled_keeps_the_graph():
    drawn = graphs.random_trees(9, 50, np.random.default_rng(3))
    mixed = graphs.shuffled(drawn, np.random.default_rng(4))
    assert not np.array_equal(drawn, mixed)
    for before, after in zip(drawn.tolist(), mixed.tolist(), strict=True):
        assert sorted(map(sorted, before)) == sorted(map(sorted, after))


@pytest.mark.parametrize("vertices", [2, 3, 4, 30])
def test_hard_graphs_of_every_size(vertices):
    drawn = graphs.hard_graphs(vertices, 61, np.random.default_rng(5))
    assert drawn.shape == (61, vertices - 1, 2)
    trees = graphs.trees_among(vertices, drawn)
    assert trees.all() == (vertices < 4)
    assert trees.any()


def test_figure_3_is_a_tree():
    assert graphs.is_tree(6, graphs.FIGURE_3)


@pytest.mark.parametrize("sample", [graphs.near_trees, graphs.double_stars, graphs.cycles_and_trees])
def test_too_few_vertices_for_another_graph(sample):
    with pytest.raises(ValueError, match=r"\(vertices=3\): at least 4"):
        sample(3, 1, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"edges": []}, "edges: expected 1 to 7 of them, found 0"),
        ({"edges": [[1, 2]] * 8}, "edges: expected 1 to 7 of them, found 8"),
        ({"edges": "12"}, "edges: expected a list of pairs [u, v], found 12"),
        ({"edges": [[1, 2], [2, 4]]}, "edges: edge 2 is [2, 4]; expected vertices from 1 to 3"),
        ({}, "edges: missing; found no fields"),
        ({"vertices": "6", "edges": []}, "vertices: expected a whole number, found 6"),
        ({"vertices": 1, "edges": []}, "vertices: expected 2 to 8, found 1"),
        ({"vertices": 9, "edges": []}, "vertices: expected 2 to 8, found 9"),
        ({"vertices": 3}, "edges: missing; found vertices"),
        ({"vertices": 3, "edges": "12"}, "edges: expected a list of pairs [u, v], found 12"),
        ({"vertices": 3, "edges": [[1, 2], [3]]}, "edges: edge 2 is [3]; expected a pair of whole numbers"),
        ({"vertices": 3, "edges": [[1, True], [3, 2]]}, "edges: edge 1 is [1, True]; expected a pair of whole numbers"),
        ({"vertices": 3, "edges": [[1, 2], [0, 2]]}, "edges: edge 2 is [0, 2]; expected vertices from 1 to 3"),
        ({"vertices": 3, "edges": [[1, 2]]}, "edges: expected 2 of them for 3 vertices, found 1"),
        ({"vertices": 3, "edges": [[1, 2], [2, 2]]}, "edges: edge 2 is [2, 2]; expected two different vertices"),
        ({"vertices": 3, "edges": [[1, 2], [2, 1]]}, "edges: edge 2 is [2, 1], as edge 1; expected each edge once"),
    ],
)
def test_a_wrong_input_is_one_line(given, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        graphs.read_graph(given, length=8)


def test_loops_and_repeats_may_be_allowed():
    vertices, edges = graphs.read_graph({"vertices": 3, "edges": [[1, 1], [1, 1]]}, length=3, simple=False)
    assert (vertices, edges.tolist()) == (3, [[1, 1], [1, 1]])


def test_readable_is_read_back():
    random = np.random.default_rng(6)
    for vertices in (2, 5, 17):
        graph = graphs.hard_graphs(vertices, 1, random)[0]
        given = graphs.readable(vertices, graph)
        for form in (given, {"edges": given["edges"]}):
            read = graphs.read_graph(form, length=17)
            assert read[0] == vertices
            assert np.array_equal(read[1], graph)
