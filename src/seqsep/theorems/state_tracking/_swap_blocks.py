"""Words over all of S_m by at most one swap a token: the swap of each token, and what a read-out still applies.

Let B = m - 1, and cut the word into blocks of B letters. The product of a block is a permutation of m points, so it is a
product of at most B swaps (`swaps_of`). The slow state applies them in the next block, one a token. After a token it has the
swaps of all complete blocks except the last one, and some of the last one's. The read-out first applies the rest of these,
and then the letters of the block that is not complete. So what it applies after the slow state depends on the last 2 B - 1
letters, and on the place in the block, which a counter modulo B keeps.
"""

from collections.abc import Sequence
from typing import NamedTuple

from seqsep.maths.automata.permutations import Permutation, after, swapped

Pair = tuple[int, int]


class Blocks(NamedTuple):
    """The swap and the rest of each token.

    Fields:
        swaps: the swap of the slow state, or None for no swap.
        rests: the permutation that the read-out applies after the slow state.
    """

    swaps: list[Pair | None]
    rests: list[Permutation]


def swaps_of(permutation: Permutation) -> list[Pair]:
    """Return at most m - 1 swaps whose product is a permutation, the first one acting first.

    >>> swaps_of((1, 2, 0)), swaps_of((0, 1))
    ([(0, 1), (0, 2)], [])
    """
    found = []
    rest = permutation
    for point in range(len(permutation)):
        while rest[point] != point:
            pair = (point, rest[point])
            found.append(pair)
            rest = after(rest, swapped(len(permutation), *pair))
    return [(min(pair), max(pair)) for pair in found]


def composed(points: int, swaps: Sequence[Pair]) -> Permutation:
    """Return the product of swaps, the first one acting first.

    >>> composed(3, [(0, 1), (0, 2)])
    (1, 2, 0)
    """
    found = tuple(range(points))
    for pair in swaps:
        found = after(swapped(points, *pair), found)
    return found


def blocks(points: int, letters: Sequence[Permutation]) -> Blocks:
    """Return the swap and the rest of each token.

    >>> blocks(3, [(1, 2, 0), (0, 1, 2), (0, 1, 2)]).swaps
    [None, None, (0, 1)]
    """
    size = points - 1
    neutral = tuple(range(points))
    waiting: list[Pair] = []
    product = neutral
    found = Blocks([], [])
    for place, letter in enumerate(letters):
        if place and place % size == 0:
            waiting = swaps_of(product)
            product = neutral
        product = after(letter, product)
        found.swaps.append(waiting.pop(0) if waiting else None)
        found.rests.append(after(product, composed(points, waiting)))
    return found
