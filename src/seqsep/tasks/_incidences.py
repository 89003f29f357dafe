"""Graphs of a block of examples as arrays that a thought steps through: every vertex's edges in order, and leaf peeling.

A vertex v of example i is the number i (n + 1) + v, and place p of its edges i (2m + 1) + p: one index for the whole block, so
a step of all examples is one `take`. Vertex 0 and the last place of each example are where a thought rests that has ended.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

OfVertices = Int64[np.ndarray, "every_vertex"]
OfPlaces = Int64[np.ndarray, "every_place"]
Each = Int64[np.ndarray, "batch"]


@dataclass(frozen=True)
class Incidences:
    """The edges of each vertex, in the order of the prompt: vertex v has the places begin[v] to end[v] - 1.

    `other`: the vertex at the other end of a place's edge; `twin`: that edge's place among the edges of the other end.
    The resting place, vertex 0's only one, leads from it to itself.
    """

    begin: OfVertices
    end: OfVertices
    other: OfPlaces
    twin: OfPlaces
    zero: Each
    rest: Each

    @classmethod
    def of(cls, edges: Int64[np.ndarray, "batch edges 2"]) -> "Incidences":
        """Return the incidences of simple graphs on the vertices 1 .. n with n - 1 edges."""
        count, most, _ = edges.shape
        ends = edges.reshape(count, 2 * most)
        bits = (2 * most).bit_length()
        ranked = (ends << bits) | np.arange(2 * most)
        ranked.sort(axis=1)
        number = ranked & ((1 << bits) - 1)  # 2 e or 2 e + 1: an end of edge e
        rest = np.arange(count) * (2 * most + 1) + 2 * most
        zero = np.arange(count) * (most + 2)
        place_of = np.empty_like(number)
        np.put_along_axis(place_of, number, (rest - 2 * most)[:, None] + np.arange(2 * most), axis=1)
        twin = np.empty((count, 2 * most + 1), dtype=np.int64)
        twin[:, :-1] = np.take_along_axis(place_of, number ^ 1, axis=1)
        twin[:, -1] = rest
        other = np.empty_like(twin)
        other[:, :-1] = np.take_along_axis(ends, number ^ 1, axis=1) + zero[:, None]
        other[:, -1] = zero
        degree = np.bincount((ends + zero[:, None]).ravel(), minlength=count * (most + 2)).reshape(count, most + 2)
        end = degree.cumsum(axis=1) + (rest - 2 * most)[:, None]
        begin = end - degree
        begin[:, 0] = rest
        end[:, 0] = rest + 1
        return cls(begin.ravel(), end.ravel(), other=other.ravel(), twin=twin.ravel(), zero=zero, rest=rest)


class TourStep(NamedTuple):
    """A step of Algorithm 1 for every example: at `here`, its edges from place `at` on are looked at.

    `chosen` is the first of them that does not lead to the parent, or the end of `here`'s edges: then the tour goes back.
    `up` is the place of the edge to the parent (the resting place for the root); `meets_cycle`: the chosen edge leads to a
    vertex that has been visited, and `known` is then the place of that one's edge to its parent.
    """

    here: Each
    at: Each
    chosen: Each
    up: Each
    goes_back: Bool[np.ndarray, "batch"]
    meets_cycle: Bool[np.ndarray, "batch"]
    known: Each


def tour_steps(graph: Incidences) -> Iterator[TourStep]:
    """Yield the steps of Algorithm 1 (`trees.tour.printed`), from vertex 1, for ever. A tour that has ended rests at vertex
    0.
    """
    up = np.full(len(graph.begin), -1)
    here = graph.zero + 1
    up[graph.zero] = graph.rest
    up[here] = graph.rest
    at = graph.begin.take(here)
    while True:
        parent = up.take(here)
        chosen = at + (at == parent)
        goes_back = chosen == graph.end.take(here)
        taken = np.where(goes_back, parent, chosen)
        following = graph.other.take(taken)
        back = graph.twin.take(taken)
        known = up.take(following)
        meets_cycle = ~goes_back & (known >= 0)
        yield TourStep(here=here, at=at, chosen=chosen, up=parent, goes_back=goes_back, meets_cycle=meets_cycle, known=known)
        up[following] = np.where(goes_back, known, back)
        at = np.where(goes_back, back + 1, graph.begin.take(following))
        here = following
        ended = np.flatnonzero(meets_cycle)
        here[ended] = graph.zero[ended]
        at[ended] = graph.rest[ended]


class Peeled(NamedTuple):
    """The result of peeling: in each row pointers as negative vertices, climbs as vertices, then 0; and the flags of trees."""

    written: Int64[np.ndarray, "batch steps"]
    is_tree: Bool[np.ndarray, "batch"]


def peeled(edges: Int64[np.ndarray, "batch edges 2"]) -> Peeled:
    """Peel the leaves of graphs with n - 1 edges (`trees.peeling`), by degrees and sums of neighbours.

    The only neighbour of a leaf is the sum of its neighbours.

    >>> peeled(np.array([[[2, 1], [2, 3]]])).written.tolist()
    [[-1, 2, 3, -2, -3]]
    """
    count, most, _ = edges.shape
    vertices = most + 1
    zero = np.arange(count) * (vertices + 1)
    ends = (edges + zero[:, None, None]).reshape(-1, 2)
    size = count * (vertices + 1)
    degree = np.bincount(ends.ravel(), minlength=size)
    total = np.bincount(ends.ravel(), weights=edges[:, :, ::-1].ravel(), minlength=size).astype(np.int64)
    pointer = np.ones(count, dtype=np.int64)
    here = zero + 1
    climbs = np.zeros(count, dtype=np.int64)
    written = np.zeros((2 * vertices - 1, count), dtype=np.int64)
    written[0] = -1
    for row in written[1:]:
        is_leaf = degree.take(here) == 1
        above = np.where(is_leaf, total.take(here), 0)
        climbs += is_leaf
        degree[here] -= is_leaf
        degree[above + zero] -= is_leaf
        total[above + zero] -= np.where(is_leaf, here - zero, 0)
        goes_on = ~is_leaf & (pointer < vertices)
        pointer += goes_on
        np.subtract(above, pointer * goes_on, out=row)
        here = zero + np.abs(row)
    return Peeled(written.T, climbs == most)
