"""Lists of edges: the definition of a tree, and the edges that a user writes.

A graph on the vertices 1 .. n is the list of its edges (u, v), in the order in which they are written.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def is_tree(vertices: int, edges: Iterable[Sequence[int]]) -> bool:
    """Return True if the edges connect the vertices 1 .. n without a cycle, by union-find; loops and repeated edges are
    cycles.

    >>> is_tree(3, [(1, 2), (3, 2)]), is_tree(3, [(1, 2), (2, 1)])
    (True, False)
    """
    parent = list(range(vertices + 1))
    components = vertices
    for u, v in edges:
        first = _root(parent, u)
        second = _root(parent, v)
        if first == second:
            return False
        parent[first] = second
        components -= 1
    return components == 1


def _root(parent: list[int], vertex: int) -> int:
    """Return the vertex that represents a component. The way to it is halved."""
    while parent[vertex] != vertex:
        parent[vertex] = parent[parent[vertex]]
        vertex = parent[vertex]
    return vertex


def read_edges(given: Mapping[str, Any], vertices: int, simple: bool = True) -> list[list[int]]:
    """Return the n - 1 edges of a user's {"edges": [[u, v], ..]} between vertices 1 .. n.

    Raises ValueError with the field's name and the edge for anything else; with `simple` also for a loop or a repeated edge.

    >>> read_edges({"edges": [[1, 2], [3, 1]]}, vertices=3)
    [[1, 2], [3, 1]]
    >>> read_edges({"edges": [[1, 2], [3, 4]]}, vertices=3)
    Traceback (most recent call last):
    ValueError: edges: edge 2 is [3, 4]; expected vertices from 1 to 3
    """
    if "edges" not in given:
        raise ValueError(f"edges: missing; found {', '.join(given) or 'no fields'}")
    edges = given["edges"]
    if not isinstance(edges, list):
        raise ValueError(f"edges: expected a list of pairs [u, v], found {str(edges)[:80]}")
    for number, edge in enumerate(edges, start=1):
        _require_edge(edge, number, vertices)
    if len(edges) != vertices - 1:
        raise ValueError(f"edges: expected {vertices - 1} of them for {vertices} vertices, found {len(edges)}")
    if simple:
        _require_simple(edges)
    return edges


def _require_edge(edge: Any, number: int, vertices: int) -> None:
    shown = str(edge)[:80]
    if not isinstance(edge, list) or len(edge) != 2 or not all(type(end) is int for end in edge):
        raise ValueError(f"edges: edge {number} is {shown}; expected a pair of whole numbers")
    if not all(1 <= end <= vertices for end in edge):
        raise ValueError(f"edges: edge {number} is {shown}; expected vertices from 1 to {vertices}")


def _require_simple(edges: list[list[int]]) -> None:
    first_written: dict[frozenset[int], int] = {}
    for number, edge in enumerate(edges, start=1):
        ends = frozenset(edge)
        if len(ends) == 1:
            raise ValueError(f"edges: edge {number} is {edge}; expected two different vertices")
        if ends in first_written:
            raise ValueError(f"edges: edge {number} is {edge}, as edge {first_written[ends]}; expected each edge once")
        first_written[ends] = number
