"""The continuation that distinguishes two beginnings of an input: the proof of the lower bound, case by case.

For two classes of one length, the continuation makes a tree of exactly one of the beginnings.
"""

from collections.abc import Collection
from itertools import combinations

from seqsep.core.names import InternalError, ensure, required
from seqsep.theorems.is_tree._beginnings import Beginning, Case, Continuation
from seqsep.theorems.is_tree._partitions import Edge, Partition, components, joined


def telling_apart(first: Beginning, second: Beginning) -> Continuation:
    """Return the continuation with which exactly one of two beginnings of one length is a tree.

    Raises ValueError for beginnings of one class, or of different lengths.

    >>> telling_apart(Beginning(3, ((1, 2),), half_read=1), Beginning(3, ((1, 2),), half_read=3))
    Continuation(second_end=3, edges=())
    """
    _require_two_classes("telling_apart", first, second)
    if first.partition is None or second.partition is None:
        live = second if first.partition is None else first
        return _tree(live, _second_end(live))
    if first.partition == second.partition:
        # The second beginning gets a loop, or an edge inside a block.
        return _tree(first, second.half_read)
    if first.half_read is not None and max(first.partition) == 1:
        # Two blocks are left: the accepted second ends are the complement of the first end's block, so they tell the class.
        accepted = zip(_accepted(first), _accepted(second), strict=True)
        return Continuation(next(v for v, (one, other) in enumerate(accepted, start=1) if one != other), ())
    x, y = _only_together_in(second.partition, first.partition)
    return _tree(first, _second_end(first, besides=(x, y)), through=[(x, y)])


def telling_apart_simply(first: Beginning, second: Beginning) -> Continuation:
    """Do what `telling_apart` does, but both inputs are simple graphs with edges u < v, as in the paper.

    For simple beginnings between two edges and three components at least. Raises ValueError for others.

    >>> telling_apart_simply(Beginning(4, ((1, 2),)), Beginning(4, ((1, 3),)))
    Continuation(second_end=None, edges=((1, 4), (3, 4)))
    """
    _require_two_classes("telling_apart_simply", first, second)
    if first.half_read is not None or first.vertices - len(first.edges) < 3:
        raise ValueError(f"telling_apart_simply({first}, {second}): expected whole edges and at least 3 components")
    used = {*first.edges, *second.edges}
    if first.partition is None or second.partition is None:
        return _tree(second if first.partition is None else first, None, avoided=used)
    return _tree(first, None, through=_cycle_for(first.partition, second.partition, used), avoided=used)


def _require_two_classes(name: str, first: Beginning, second: Beginning) -> None:
    if first.place != second.place or first.case == second.case:
        raise ValueError(f"{name}({first}, {second}): expected two classes of one length")


def _accepted(beginning: Beginning) -> list[bool]:
    """Return, for each vertex, whether it is in another block than the first end."""
    partition, block = _live(beginning)
    return [other != block for other in partition]


def _live(beginning: Beginning) -> Case:
    return required(beginning.case, "the case of a live beginning")


def _second_end(beginning: Beginning, besides: Edge | None = None) -> int | None:
    """Return a second end in another block such that the pair `besides` still joins two blocks; None between two edges."""
    if beginning.half_read is None:
        return None
    partition, block = _live(beginning)
    for vertex, other in enumerate(partition, start=1):
        if other == block:
            continue
        after = joined(partition, block, other)
        if besides is None or after[besides[0] - 1] != after[besides[1] - 1]:
            return vertex
    raise InternalError("three blocks at least have such a second end")


def _only_together_in(together: Partition, apart: Partition) -> Edge:
    """Return the first pair of vertices in one block of a partition and in two blocks of the other.

    It exists: two partitions with equally many blocks differ, so neither is a refinement of the other.
    """
    pairs = combinations(range(1, len(together) + 1), 2)
    return next((x, y) for x, y in pairs if together[x - 1] == together[y - 1] and apart[x - 1] != apart[y - 1])


def _cycle_for(live: Partition, other: Partition, used: Collection[Edge]) -> list[Edge]:
    """Return one or two new edges that close a cycle with `other` and none with `live`, for at least three blocks.

    Two vertices x and y are together in `other` and apart in `live`, and z is in a third block of `live`. Let z be apart from
    x and y in `other`. Then the edges xz and yz close a cycle there. Neither is in a beginning, as each joins two blocks of
    both. Otherwise x, y and z are together in `other` and apart in `live`. The edges of `other` have no cycle, so one of the
    three edges is new.
    """
    x, y = _only_together_in(other, live)
    z = next(z for z, block in enumerate(live, start=1) if block not in (live[x - 1], live[y - 1]))
    triangle = [(min(pair), max(pair)) for pair in ((x, z), (y, z), (x, y))]
    if other[z - 1] != other[x - 1]:
        return triangle[:2]
    return [next(pair for pair in triangle if pair not in used)]


def _tree(
    beginning: Beginning, second_end: int | None, through: Collection[Edge] = (), avoided: Collection[Edge] = ()
) -> Continuation:
    """Complete a beginning to a tree `through` some edges, the others u < v and none of those to be `avoided`.

    The first edges that join two components are enough. For between the two sides of any cut there are at least n - 1 pairs.
    These are more than the K edges of another beginning, so not all are to be avoided.
    """
    edges = list(through)
    joined_so_far = beginning.followed_by(Continuation(second_end, tuple(edges)))
    partition = required(components(beginning.vertices, joined_so_far), "the components of a forest")
    for u, v in combinations(range(1, beginning.vertices + 1), 2):
        if partition[u - 1] != partition[v - 1] and (u, v) not in avoided:
            edges.append((u, v))
            partition = joined(partition, partition[u - 1], partition[v - 1])
    ensure(max(partition) == 0, "the continuation does not join all components", beginning)
    return Continuation(second_end, tuple(edges))
