"""Lists of edges: the definition of a tree, every small list, random and hard ones, as tokens and as a user's input.

A graph on the vertices 1 .. n is an array of its edges, a row (u, v) each, in the order in which they are written; many graphs
of one size are one array. Functions that draw take a generator of NumPy and shuffle nothing: `shuffled` draws the order of
the edges and which end is written first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.tasks.trees.graphs import is_tree, read_edges
from seqsep.theorems.base import field_of, number_in

Graph = Int64[np.ndarray, "edges 2"]
Graphs = Int64[np.ndarray, "graphs edges 2"]
Sampler = Callable[[int, int, np.random.Generator], Graphs]

FIGURE_3 = ((2, 6), (1, 5), (3, 5), (4, 6), (2, 3))
LEAST_WITHOUT_TREE = 4


def trees_among(vertices: int, graphs: Graphs) -> Int64[np.ndarray, "graphs"]:
    """Return 1 for each tree and 0 for each other graph, by `is_tree`."""
    return np.array([is_tree(vertices, graph) for graph in graphs.tolist()], dtype=np.int64)


def _as_array(lists: Iterable[Iterable[Sequence[int]]], edges: int) -> Graphs:
    listed = list(lists)
    return np.array(listed, dtype=np.int64).reshape(len(listed), edges, 2)


def simple_edges(vertices: int) -> list[tuple[int, int]]:
    """The pairs u < v of vertices.

    >>> simple_edges(3)
    [(1, 2), (1, 3), (2, 3)]
    """
    return list(combinations(range(1, vertices + 1), 2))


def every_graph(vertices: int, edges: int) -> Graphs:
    """Return every simple graph with this number of edges, once, its edges u < v in rising order.

    >>> every_graph(6, 5).shape
    (3003, 5, 2)
    """
    return _as_array(combinations(simple_edges(vertices), edges), edges)


def every_order(vertices: int, edges: int) -> Graphs:
    """Return every simple graph with this number of edges u < v, in every order of the edges.

    >>> every_order(5, 4).shape
    (5040, 4, 2)
    """
    return _as_array(permutations(simple_edges(vertices), edges), edges)


def every_list_of_pairs(vertices: int, edges: int) -> Graphs:
    """Return every list of this number of pairs of vertices, with loops, repeated edges and both directions.

    >>> every_list_of_pairs(4, 3).shape
    (4096, 3, 2)
    """
    pairs = list(product(range(1, vertices + 1), repeat=2))
    return _as_array(product(pairs, repeat=edges), edges)


def random_trees(vertices: int, count: int, random: np.random.Generator) -> Graphs:
    """Uniform random labelled trees, from Prüfer codes; n >= 2."""
    codes = random.integers(1, vertices + 1, (count, vertices - 2)) if vertices > 2 else np.zeros((count, 0), dtype=np.int64)
    return _as_array((tree_of_code(code) for code in codes.tolist()), vertices - 1)


def tree_of_code(code: Sequence[int]) -> list[tuple[int, int]]:
    """The tree with this Prüfer code: n - 2 vertices out of 1 .. n.

    >>> tree_of_code([4, 4])
    [(1, 4), (2, 4), (3, 4)]
    """
    vertices = len(code) + 2
    degree = [0] + [1] * vertices
    for vertex in code:
        degree[vertex] += 1
    edges = []
    for vertex in code:
        leaf = degree.index(1)
        edges.append((leaf, vertex))
        degree[leaf] = 0
        degree[vertex] -= 1
    first = degree.index(1)
    edges.append((first, degree.index(1, first + 1)))
    return edges


def near_trees(vertices: int, count: int, random: np.random.Generator) -> Graphs:
    """Return random trees with one edge replaced by one that closes a cycle: n - 1 simple edges that are not a tree.

    Raises ValueError for n < 4, for which every simple graph with n - 1 edges is a tree.
    """
    _require_no_tree_exists("near_trees", vertices)
    return _as_array((_moved_edge(tree, random) for tree in random_trees(vertices, count, random).tolist()), vertices - 1)


def _moved_edge(tree: list[list[int]], random: np.random.Generator) -> list[list[int]]:
    """The tree with one edge moved so that it closes a cycle; moves are drawn until one does."""
    vertices = len(tree) + 1
    while True:
        kept = list(tree)
        kept.pop(int(random.integers(len(kept))))
        u, v = random.choice(vertices, 2, replace=False).tolist()
        added = [u + 1, v + 1]
        present = added in kept or added[::-1] in kept
        closes_cycle = not present and not is_tree(vertices, [*kept, added])
        if closes_cycle:
            kept.insert(int(random.integers(len(kept) + 1)), added)
            return kept


def _require_no_tree_exists(name: str, vertices: int) -> None:
    if vertices < LEAST_WITHOUT_TREE:
        raise ValueError(f"{name}(vertices={vertices}): at least 4; below, every simple graph with n - 1 edges is a tree")


def random_graphs(vertices: int, count: int, random: np.random.Generator) -> Graphs:
    """Uniform random simple graphs with n - 1 edges; most are far from a tree."""
    pairs = np.array(simple_edges(vertices), dtype=np.int64)
    drawn = random.random((count, len(pairs))).argsort(axis=1)[:, : vertices - 1]
    return pairs[drawn]


def double_stars(vertices: int, count: int, random: np.random.Generator) -> Graphs:
    """Two stars and one more edge, as the paper's experiments have it: a tree with probability 1/2.

    A random order of the vertices; the first two are hubs, a fair coin joins each other one to a hub, and the last edge joins
    two neighbours in that order, after the hubs. Raises ValueError for n < 4.
    """
    _require_no_tree_exists("double_stars", vertices)
    graphs = np.zeros((count, vertices - 1, 2), dtype=np.int64)
    order = random.random((count, vertices)).argsort(axis=1) + 1
    hubs = random.integers(0, 2, (count, vertices - 2))
    graphs[:, :-1, 0] = np.take_along_axis(order, hubs, axis=1)
    graphs[:, :-1, 1] = order[:, 2:]
    place = random.integers(2, vertices - 1, (count, 1))
    graphs[:, -1] = np.take_along_axis(order, place + np.array([0, 1]), axis=1)
    return graphs


def paths(vertices: int, count: int, random: np.random.Generator) -> Graphs:
    """Paths through all vertices, edge after edge."""
    order = random.random((count, vertices)).argsort(axis=1) + 1
    return np.stack([order[:, :-1], order[:, 1:]], axis=2)


def cycles_and_trees(vertices: int, count: int, random: np.random.Generator) -> Graphs:
    """A cycle of a random number of vertices, and apart from it a random tree on the others. Raises ValueError for n < 4."""
    _require_no_tree_exists("cycles_and_trees", vertices)
    return _as_array((_cycle_and_tree(vertices, random) for _ in range(count)), vertices - 1)


def _cycle_and_tree(vertices: int, random: np.random.Generator) -> list[tuple[int, int]]:
    on_cycle = int(random.integers(3, vertices))
    order = (random.permutation(vertices) + 1).tolist()
    cycle = order[:on_cycle]
    rest = order[on_cycle:]
    edges = [(cycle[place - 1], cycle[place]) for place in range(on_cycle)]
    if len(rest) >= 2:
        tree = random_trees(len(rest), 1, random)[0].tolist()
        edges.extend((rest[u - 1], rest[v - 1]) for u, v in tree)
    return edges


TREES: tuple[Sampler, ...] = (random_trees, paths)
HARD: tuple[Sampler, ...] = (*TREES, double_stars, near_trees, cycles_and_trees, random_graphs)


def hard_graphs(vertices: int, count: int, random: np.random.Generator) -> Graphs:
    """Graphs of every kind here in turn, shuffled; trees only for n < 4.

    Kinds: random trees, paths, double stars, near misses, a cycle apart from a tree, random graphs.
    """
    kinds = HARD if vertices >= LEAST_WITHOUT_TREE else TREES
    shares = [len(range(kind, count, len(kinds))) for kind in range(len(kinds))]
    drawn = [sample(vertices, share, random) for sample, share in zip(kinds, shares, strict=True)]
    return shuffled(np.concatenate(drawn), random)


def shuffled(graphs: Graphs, random: np.random.Generator) -> Graphs:
    """The same graphs with their edges in random order, and either end of each written first."""
    order = random.random(graphs.shape[:2]).argsort(axis=1)
    reordered = np.take_along_axis(graphs, order[:, :, None], axis=1)
    turned = random.integers(0, 2, (*graphs.shape[:2], 1)) == 1
    return np.where(turned, reordered[:, :, ::-1], reordered)


def as_prompts(graphs: Graphs, begin: int, between: int) -> Int64[np.ndarray, "graphs tokens"]:
    """The prompts [BOS] u ~ v u ~ v ..: `begin` is the token [BOS], `between` the token ~, and vertex v the token v.

    >>> as_prompts(np.array([[[2, 6], [1, 5]]]), begin=0, between=9).tolist()
    [[0, 2, 9, 6, 1, 9, 5]]
    """
    edges = np.insert(graphs, 1, between, axis=2)
    return np.insert(edges.reshape(len(graphs), -1), 0, begin, axis=1)


def readable(vertices: int, graph: Graph) -> dict[str, Any]:
    """A graph as a user writes it.

    >>> readable(3, np.array([[1, 2], [3, 2]]))
    {'vertices': 3, 'edges': [[1, 2], [3, 2]]}
    """
    return {"vertices": vertices, "edges": graph.tolist()}


def read_graph(given: Mapping[str, Any], length: int, simple: bool = True) -> tuple[int, Graph]:
    """The number of vertices and the edges of a user's {"vertices": n, "edges": [[u, v], ..]}.

    Without `vertices`, as `seqsep sample is-tree --json` writes a graph, n is one more than there are edges. Raises ValueError
    with the field's name unless 2 <= n <= `length` and there are n - 1 edges between vertices 1 .. n; with `simple` also for a
    loop or a repeated edge.

    >>> read_graph({"vertices": 3, "edges": [[1, 2], [3, 1]]}, length=8)[1].tolist()
    [[1, 2], [3, 1]]
    >>> read_graph({"vertices": 3, "edges": [[1, 2], [3, 4]]}, length=8)
    Traceback (most recent call last):
    ValueError: edges: edge 2 is [3, 4]; expected vertices from 1 to 3
    """
    vertices = number_in(given, "vertices", 2, length) if "vertices" in given else _one_more_than_edges(given, length)
    return vertices, np.array(read_edges(given, vertices, simple), dtype=np.int64).reshape(-1, 2)


def _one_more_than_edges(given: Mapping[str, Any], length: int) -> int:
    edges = field_of(given, "edges")
    count = len(edges) if isinstance(edges, list) else 1  # what else it is, read_edges says
    if not 2 <= count + 1 <= length:
        raise ValueError(f"edges: expected 1 to {length - 1} of them, found {count}")
    return count + 1
