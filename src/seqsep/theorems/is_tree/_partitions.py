"""Partitions of 1 .. n into components: their count, a number for each, and the partition that results from a new edge.

A partition is written as its restricted growth string: the block of each vertex, with blocks numbered by their least vertices.
The partitions into b blocks are numbered 0 .. S(n, b) - 1 in the order of these strings. S(n, b) is a Stirling number of the
second kind.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

Partition = tuple[int, ...]
Edge = tuple[int, int]


@lru_cache(maxsize=256)
def _continued(vertices: int, blocks: int) -> tuple[tuple[int, ...], ...]:
    """Return ways[r][m]: the number of ways in which the last r vertices can join m blocks, or open new ones, to end with b."""
    ways = [[0] * (blocks + 2) for _ in range(vertices + 1)]
    ways[0][blocks] = 1
    for rest in range(1, vertices + 1):
        before = ways[rest - 1]
        for used in range(blocks + 1):
            ways[rest][used] = used * before[used] + before[used + 1]
    return tuple(map(tuple, ways))


def numbered(partition: Partition) -> int:
    """The number of a partition among those with as many blocks.

    >>> [numbered(partition) for partition in ((0, 0, 1), (0, 1, 0), (0, 1, 1))]
    [0, 1, 2]
    """
    ways = _continued(len(partition), max(partition) + 1)
    number = 0
    used = 0
    for rest, block in zip(range(len(partition) - 1, -1, -1), partition, strict=True):
        number += block * ways[rest][used]
        used = max(used, block + 1)
    return number


def partition_of(number: int, vertices: int, blocks: int) -> Partition:
    """The partition with that number among those of n vertices into b blocks.

    >>> partition_of(2, vertices=3, blocks=2)
    (0, 1, 1)
    """
    ways = _continued(vertices, blocks)
    partition = []
    used = 0
    for rest in range(vertices - 1, -1, -1):
        share = ways[rest][used]
        block = min(number // share, used) if share else used
        number -= block * share
        partition.append(block)
        used = max(used, block + 1)
    return tuple(partition)


def joined(partition: Partition, first: int, second: int) -> Partition:
    """The partition with two blocks made one.

    >>> joined((0, 1, 2, 1), first=2, second=0)
    (0, 1, 0, 1)
    """
    kept = min(first, second)
    gone = max(first, second)
    return tuple(kept if block == gone else block - (block > gone) for block in partition)


def components(vertices: int, edges: Iterable[Sequence[int]]) -> Partition | None:
    """The components that edges make of the vertices; None if they close a cycle (a loop, a repeated edge).

    >>> components(4, [(2, 4)]), components(4, [(2, 4), (4, 2)])
    ((0, 1, 2, 1), None)
    """
    partition: Partition = tuple(range(vertices))
    for u, v in edges:
        if partition[u - 1] == partition[v - 1]:
            return None
        partition = joined(partition, partition[u - 1], partition[v - 1])
    return partition


def spanning_stars(partition: Partition) -> list[Edge]:
    """A forest u < v with these components: the least vertex of each is joined to its others.

    >>> spanning_stars((0, 1, 0, 1))
    [(1, 3), (2, 4)]
    """
    least: dict[int, int] = {}
    edges = []
    for vertex, block in enumerate(partition, start=1):
        if block in least:
            edges.append((least[block], vertex))
        else:
            least[block] = vertex
    return edges
