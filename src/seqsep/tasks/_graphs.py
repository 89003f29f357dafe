"""Lists of n - 1 edges for a block of examples at once: double stars, random trees, near misses, and other graphs.

Vertices are 1 .. n. Edges come in no particular order, either end first; `is_tree` shuffles and sorts them.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Int64, UInt32

from seqsep.core.stream import below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._incidences import peeled
from seqsep.tasks._orders import distinct
from seqsep.tasks._rows import chosen

Edges = Int64[np.ndarray, "batch edges 2"]
PAIRS_TRIED = 4
"""Pairs of vertices drawn in one attempt at a near miss; a pair that is joined already is of no use."""
ATTEMPTS_A_ROUND = 256
"""The attempts of the stream that one graph may take (`distinct`) before it is known whether it is a tree."""


def double_stars(
    labels: Int64[np.ndarray, "batch n"], hubs: Int64[np.ndarray, "batch n_minus_two"], places: Int64[np.ndarray, "batch"]
) -> tuple[Edges, Bool[np.ndarray, "batch"]]:
    """Return two stars and one edge more, and True for each of these graphs that is a tree.

    `labels` orders the vertices: the first two are the hubs, hubs[i] in {0, 1} says to which of them the vertex i after them
    is joined, and the vertices at `places` and right after, both no hubs, are joined: a tree if and only if their hubs differ.

    >>> edges, is_tree = double_stars(np.array([[5, 6, 1, 2, 3, 4]]), np.array([[0, 1, 0, 1]]), np.array([3]))
    >>> edges[0].tolist(), is_tree.tolist()
    ([[5, 1], [6, 2], [5, 3], [6, 4], [2, 3]], [True])
    """
    count, vertices = labels.shape
    edges = np.empty((count, vertices - 1, 2), dtype=np.int64)
    edges[:, :-1, 0] = chosen(labels, hubs)
    edges[:, :-1, 1] = labels[:, 2:]
    ends = places[:, None] + np.arange(2)
    edges[:, -1] = chosen(labels, ends)
    sides = chosen(hubs, ends - 2)
    return edges, sides[:, 0] != sides[:, 1]


def trees(codes: Int64[np.ndarray, "batch n_minus_two"]) -> Edges:
    """Return the trees of these codes of n - 2 vertices. Each tree has exactly one code, and edge i is (vertex, its parent).

    A Prüfer code whose leaves are taken in the order in which they become leaves, at first by their numbers: code[i] is the
    only neighbour left of the i-th leaf, and the last two vertices are joined. A vertex becomes a leaf when it is in the
    code for the last time, so the leaves are sorted by that, without a loop over them. It is a bijection: the tree's degrees
    are the numbers of times that vertices are in the code, plus one, so the same leaves are taken from the tree. A vertex's
    parent is taken later than itself.

    >>> trees(np.array([[4, 4], [1, 3]])).tolist()
    [[[1, 4], [2, 4], [3, 4]], [[2, 1], [4, 3], [1, 3]]]
    """
    count, inner = codes.shape
    vertices = inner + 2
    rows = np.arange(count)
    last = np.zeros((count, vertices), dtype=np.int64)
    for place in range(inner):
        last[rows, codes[:, place] - 1] = place + 1
    bits = ceil_log2(vertices)
    last <<= bits
    last |= np.arange(vertices)
    last.sort(axis=1)
    taken = (last & ((1 << bits) - 1)) + 1
    return np.stack([taken[:, :-1], np.concatenate([codes, taken[:, -1:]], axis=1)], axis=2)


def near_misses(found: Edges, draw: Callable[[int], UInt32[np.ndarray, "batch draws"]]) -> Int64[np.ndarray, "batch edges 2"]:
    """Return trees of `trees` with one edge moved: two vertices that are not joined get an edge, and one off the cycle goes.

    The two vertices are uniform among those for which there is an edge off the cycle, and that edge is uniform; n >= 4.
    draw(attempt) has 2 PAIRS_TRIED + 1 columns.
    """
    edges = found.copy()
    pending = np.arange(len(edges))
    attempt = 0
    while len(pending):
        uniform = draw(attempt)[pending]
        pairs, are_apart = _vertices_apart(edges[pending], uniform[:, :-1])
        stays = ~_on_cycle(edges[pending], pairs)
        is_good = are_apart & stays.any(axis=1)
        kept = np.flatnonzero(is_good)
        off = stays[kept].cumsum(axis=1)
        gone = (off > below(uniform[kept, -1], off[:, -1])[:, None]).argmax(axis=1)
        edges[pending[kept], gone] = pairs[kept]
        pending = pending[~is_good]
        attempt += 1
    return edges


def _vertices_apart(
    edges: Edges, uniform: UInt32[np.ndarray, "batch draws"]
) -> tuple[Int64[np.ndarray, "batch 2"], Bool[np.ndarray, "batch"]]:
    """Return the first drawn pair of different vertices without an edge between them, and True if there is one."""
    vertices = edges.shape[1] + 1
    first = below(uniform[:, ::2], vertices) + 1
    second = first + 1 + below(uniform[:, 1::2], vertices - 1)
    second -= vertices * (second > vertices)
    parents = np.zeros((len(edges), vertices + 1), dtype=np.int64)
    np.put_along_axis(parents, edges[:, :, 0], edges[:, :, 1], axis=1)
    are_joined = (chosen(parents, first) == second) | (chosen(parents, second) == first)
    tried = are_joined.argmin(axis=1)[:, None]
    return np.concatenate([chosen(first, tried), chosen(second, tried)], axis=1), ~are_joined.all(axis=1)


def _on_cycle(edges: Edges, pairs: Int64[np.ndarray, "batch 2"]) -> Bool[np.ndarray, "batch edges"]:
    """Return the edges of a tree of `trees` that are between the two vertices: those above exactly one of them.

    Going through the edges in order, each of the two climbs when its own edge comes, as parents come later.
    """
    climbing = pairs.T.copy()
    is_on = np.empty(edges.shape[1::-1], dtype=np.bool_)
    for number, (below_edge, above) in enumerate(edges.transpose(1, 2, 0)):
        climbs = climbing == below_edge
        np.not_equal(climbs[0], climbs[1], out=is_on[number])
        climbing = np.where(climbs, above, climbing)
    return is_on.T


def other_graphs(
    draw: Callable[[int], UInt32[np.ndarray, "batch draws"]], count: int, vertices: int
) -> Int64[np.ndarray, "count edges 2"]:
    """Return simple graphs with n - 1 edges that are not trees, each equally likely; n >= 4.

    A set of n - 1 of all pairs is drawn again if it is a tree. draw(attempt) has draws_for_distinct(n - 1, n (n - 1) / 2)
    columns. Pair k joins the vertices i and i + d around a circle, i = k modulo n and d = 1 + k // n.
    """
    edges = np.empty((count, vertices - 1, 2), dtype=np.int64)
    pending = np.arange(count)
    first_attempt = 0
    while len(pending):
        pairs = distinct(
            lambda attempt: draw(first_attempt + attempt)[pending],  # noqa: B023 (called at once)
            vertices - 1,
            vertices * (vertices - 1) // 2,
        )
        distance, first = np.divmod(pairs, vertices)
        edges[pending, :, 0] = first + 1
        edges[pending, :, 1] = (first + distance + 1) % vertices + 1
        pending = pending[peeled(edges[pending]).is_tree]
        first_attempt += ATTEMPTS_A_ROUND
    return edges
