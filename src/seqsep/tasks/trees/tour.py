"""The thought of Algorithm 1, a depth-first tour: as in the paper, and as the network of `tour` writes it.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Algorithm 1. The tour starts at vertex 1 and goes along edges in the order of
the prompt. The parent of v is the vertex from which v was first reached. On a first visit of v, the next vertex is v's first
neighbour except its parent. On a return from y, it is v's neighbour after y, again except the parent. If there is none,
the tour goes back to the parent, or ends at vertex 1. The edges are a tree if and only if there are n - 1 of them and the tour
has 2n - 1 tokens (Lemma C.29).

A cycle is met if the next vertex has been visited and is not the parent. In the paper, NO is written in its place. Here the
vertex is written, and NO follows.
"""

from collections.abc import Iterable, Sequence

from seqsep.tasks.trees.tokens import Tokens

ROOT = 1


def tour(tokens: Tokens, vertices: int, edges: Iterable[Sequence[int]]) -> list[int]:
    """Return the chain of thought about a simple graph on the vertices 1 .. n', and the answer after it. A vertex that closes a
    cycle is written.

    >>> tokens = Tokens(6)
    >>> tour(tokens, 6, [(2, 6), (1, 5), (3, 5), (4, 6), (2, 3)])[:-1]  # figure 3
    [1, 5, 3, 2, 6, 4, 6, 2, 3, 5, 1]
    >>> tour(tokens, 4, [(1, 2), (2, 3), (1, 3)])
    [1, 2, 3, 1, 8]
    """
    neighbours: dict[int, list[int]] = {vertex: [] for vertex in range(1, vertices + 1)}
    for u, v in edges:
        neighbours[u].append(v)
        neighbours[v].append(u)
    parent = {ROOT: 0}
    written = [ROOT]
    came = 0
    while True:
        here = written[-1]
        following = _following(neighbours[here], came, parent[here])
        if following == 0:
            break
        if following != parent[here] and following in parent:
            return [*written, following, tokens.answers[0]]
        parent.setdefault(following, here)
        written.append(following)
        came = here
    return [*written, tokens.answers[len(written) == 2 * vertices - 1]]


def _following(neighbours: list[int], came: int, parent: int) -> int:
    """Return the neighbour after `came`, except the parent. On a first visit, which comes from the parent, this is the first
    one. Without one, return the parent.
    """
    first = 0 if came == parent else neighbours.index(came) + 1
    return next((vertex for vertex in neighbours[first:] if vertex != parent), parent)


def printed(tokens: Tokens, vertices: int, edges: Sequence[Sequence[int]]) -> list[int]:
    """Return Algorithm 1 of the paper, with its stack: NO at once if the next edge of the top leads to an emitted vertex other
    than its parent.

    >>> printed(Tokens(6), 4, [(1, 2), (2, 3), (1, 3)])
    [1, 2, 3, 8]
    """
    stack = [ROOT]
    finished: set[int] = set()
    explored: set[int] = set()
    written = []
    while stack:
        top = stack[-1]
        written.append(top)
        parent = stack[-2] if len(stack) > 1 else 0
        for number, edge in enumerate(edges):
            other = sum(edge) - top
            if top not in edge or number in explored or other == parent:
                continue
            explored.add(number)
            if other in finished or other in stack:
                return [*written, tokens.answers[0]]
            stack.append(other)
            break
        else:
            finished.add(stack.pop())
    return [*written, tokens.answers[len(written) == 2 * vertices - 1]]
