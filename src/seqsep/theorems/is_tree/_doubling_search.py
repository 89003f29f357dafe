"""The search in the paper's hybrid for a vertex's next edge: nearest matches to p + 2^i, and where it fails.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.7. From an edge at position p, one token for each i = 0 .. log2 n
attends to the edge of the same vertex that is nearest to p + 2^i. The first one found after p is the next edge.

Let d be the distance to the next edge. The nearest to p + 2^i is p itself as long as 2^i < d/2. It is the next edge at the
first i with 2^i > d/2, since then 2^i <= d. So i must reach log2 d. Counted in tokens, d is up to 3 (n - 2). Counted in edges,
2^i = d/2 happens: then both are equally near, and a softmax averages them.
"""

from collections.abc import Collection
from itertools import combinations


def next_by_doubling(matches: Collection[int], here: int, reach: int) -> int | None:
    """The first match after `here` that is nearest to here + 2^i for some i = 0 .. `reach`; None if there is none.

    Raises ValueError if two matches are equally near.

    >>> next_by_doubling([3, 9], here=3, reach=2), next_by_doubling([3, 12], here=3, reach=2)
    (9, None)
    """
    for power in range(reach + 1):
        target = here + 2**power
        distance = min(abs(match - target) for match in matches)
        nearest = [match for match in matches if abs(match - target) == distance]
        if len(nearest) > 1:
            raise ValueError(f"next_by_doubling(here={here}): {nearest} are equally near to {target}")
        if nearest[0] > here:
            return nearest[0]
    return None


def missed(vertices: int, reach: int) -> list[tuple[int, int]]:
    """Pairs of edges, numbered from 1, of a vertex with no edge between: those where the search in tokens misses the second.

    Edge k of n - 1 ends at token 3k.

    >>> missed(5, reach=2), missed(5, reach=3)
    ([(1, 4)], [])
    """
    pairs = combinations(range(1, vertices), 2)
    return [(one, other) for one, other in pairs if next_by_doubling([3 * one, 3 * other], 3 * one, reach) != 3 * other]


def tied(vertices: int) -> list[tuple[int, int]]:
    """Pairs of edges as in `missed`: those where the search meets a tie if positions are counted in edges.

    >>> tied(4)
    [(1, 3)]
    """
    found = []
    for one, other in combinations(range(1, vertices), 2):
        try:
            next_by_doubling([one, other], one, reach=vertices.bit_length())
        except ValueError:
            found.append((one, other))
    return found
