"""The number of partitions of n vertices, and its consequence for the state that IsTree needs on simple graphs."""

from functools import lru_cache

from seqsep.maths.arithmetic.integers import ceil_log2


@lru_cache(maxsize=16)
def stirling(vertices: int) -> tuple[int, ...]:
    """Return S(n, 0) .. S(n, n), where S(n, b) is the number of partitions of n vertices into b blocks.

    >>> stirling(5)
    (0, 1, 15, 25, 10, 1)
    """
    row = [1]
    for _ in range(vertices):
        grown = [blocks * count for blocks, count in enumerate(row)]
        row = [count + fewer for count, fewer in zip([*grown, 0], [0, *row], strict=True)]
    return tuple(row)


def simple_graph_bits(vertices: int) -> int:
    """State bits that IsTree needs at least on simple graphs with edges u < v, from 4 vertices on.

    Proved by theorem is-tree-state: ceil(log2(1 + max_b S(n, b))) over 3 <= b <= n - 3, which is n log n up to a factor. For
    n = 4 and 5, where no such b exists, and next to it: n - 3, from two stars and an edge between neighbours.

    >>> [simple_graph_bits(vertices) for vertices in (4, 6, 16, 64)]
    [1, 7, 32, 215]
    """
    between = stirling(vertices)[3 : vertices - 2]
    return max(vertices - 3, ceil_log2(1 + max(between, default=0)))
