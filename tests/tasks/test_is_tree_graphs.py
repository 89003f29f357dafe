"""The graphs of IsTree are drawn as stated: double stars, uniform trees, near misses, and other graphs."""

import itertools
from collections import Counter

import numpy as np
import pytest

from seqsep.core.stream import Use, draws
from seqsep.tasks import IsTree
from seqsep.tasks._graphs import PAIRS_TRIED, double_stars, near_misses, other_graphs, trees
from seqsep.tasks._orders import draws_for_distinct
from seqsep.tasks.trees.graphs import is_tree
from support.task_examples import assert_counts_are_near


@pytest.mark.parametrize("length", [4, 5, 7])
def test_half_of_all_double_stars_are_trees(length):
    """Of every coin and every place, under one order of the vertices: exactly half."""
    coins = list(itertools.product((0, 1), repeat=length - 2))
    cases = np.array([(*coin, place) for coin in coins for place in range(2, length - 1)])
    labels = np.broadcast_to(np.random.default_rng(0).permutation(length) + 1, (len(cases), length))
    edges, trees_there = double_stars(labels, cases[:, :-1], cases[:, -1])
    assert trees_there.tolist() == [is_tree(length, graph) for graph in edges.tolist()]
    assert 2 * trees_there.sum() == len(cases)


@pytest.mark.parametrize("length", [4, 5, 6])
def test_every_tree_has_one_code(length):
    codes = np.array(list(itertools.product(range(1, length + 1), repeat=length - 2)))
    found = trees(codes)
    assert all(is_tree(length, graph) for graph in found.tolist())
    assert len({frozenset(map(frozenset, graph)) for graph in found.tolist()}) == length ** (length - 2)
    taken = [edge[0] for edge in found[-1].tolist()]
    assert all(parent not in taken[: number + 1] for number, (_, parent) in enumerate(found[-1].tolist()))


@pytest.mark.parametrize(("length", "count"), [(4, 4000), (5, 4000), (40, 300)])
def test_near_misses_are_trees_with_one_edge_moved(length, count):
    codes = np.random.default_rng(1).integers(1, length + 1, (count, length - 2))
    before = trees(codes)
    after = near_misses(before, lambda attempt: draws(2, Use.CODE, 0, count, 2 * PAIRS_TRIED + 1, attempt))
    for one, other in zip(before.tolist(), after.tolist(), strict=True):
        kept = {frozenset(edge) for edge in one} & {frozenset(edge) for edge in other}
        assert len(kept) == length - 2
        assert len({frozenset(edge) for edge in other}) == length - 1
        assert not is_tree(length, other)


def test_a_near_miss_is_drawn_as_stated():
    """Of the path 1 - 2 - 3 - 4: ends 1 and 3 or 2 and 4, and the one edge off the cycle; 1 and 4 leave none."""
    path = np.array([[[1, 2], [4, 3], [2, 3]]] * 8000)
    after = near_misses(path, lambda attempt: draws(5, Use.CODE, 0, 8000, 2 * PAIRS_TRIED + 1, attempt))
    found = Counter(frozenset(map(frozenset, graph)) for graph in after.tolist())
    triangles = [frozenset(map(frozenset, itertools.combinations(corners, 2))) for corners in ((1, 2, 3), (2, 3, 4))]
    assert_counts_are_near(found, dict.fromkeys(triangles, 1 / 2), 8000)
    star = np.array([[[1, 4], [2, 4], [3, 4]]] * 9000)
    after = near_misses(star, lambda attempt: draws(6, Use.CODE, 0, 9000, 2 * PAIRS_TRIED + 1, attempt))
    found = Counter(frozenset(map(frozenset, graph)) for graph in after.tolist())
    triangles = [frozenset(map(frozenset, itertools.combinations((*two, 4), 2))) for two in ((1, 2), (1, 3), (2, 3))]
    assert_counts_are_near(found, dict.fromkeys(triangles, 1 / 3), 9000)


@pytest.mark.parametrize("length", [4, 5])
def test_other_graphs_are_uniform_among_those_that_are_no_trees(length):
    pairs = list(itertools.combinations(range(1, length + 1), 2))
    cases = [frozenset(graph) for graph in itertools.combinations(pairs, length - 1) if not is_tree(length, graph)]
    each = draws_for_distinct(length - 1, len(pairs))
    graphs = other_graphs(lambda attempt: draws(3, Use.CODE, 0, 17_000, each, attempt), 17_000, length)
    found = Counter(frozenset(map(tuple, np.sort(graph, axis=1).tolist())) for graph in graphs)
    assert_counts_are_near(found, dict.fromkeys(cases, 1 / len(cases)), 17_000)


@pytest.mark.unchecked
def test_uniform_graphs_are_as_stated():
    """At n = 4 each of 16 trees has probability 1/32 and each of 4 triangles 1/8; every order of edges is equally likely."""
    batch = IsTree(4, distribution="uniform").sample(0, 40_000, 6)
    edges = np.stack([batch.inputs[:, 1::3], batch.inputs[:, 3::3]], axis=2).tolist()
    every = itertools.permutations(itertools.combinations(range(1, 5), 2), 3)
    expected = {graph: (1 / 32 if is_tree(4, graph) else 1 / 8) / 6 for graph in every}
    assert_counts_are_near(Counter(tuple(map(tuple, graph)) for graph in edges), expected, 40_000)
