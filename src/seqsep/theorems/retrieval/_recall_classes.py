"""The number of states that associative recall over [n] needs after K of n tokens, counted in polynomial time.

For x_1 .. x_K let z = x_K. Let F(a) be the token after the first a that has a token after it, and D the set of the a for which
F(a) is defined.

Classes. Two prefixes are distinguished, by the rest of the tokens and a question, in exactly two cases. The first case: their F
differ. The second: K < n, z of one prefix is not in D, and z of the other is another symbol or is in D.
* Nothing else matters: a later token y becomes F(z) if z is not in D. If z is in D, y changes nothing now.
* F differs at a: if both are defined, ask a. Let F(a) be defined in one prefix only, as b. If K < n and the other prefix ends
  in its only a, continue with a token other than b. Otherwise continue with tokens other than a. Then ask a.
* F is equal, z is not in D, and z' is another symbol or in D: continue with one token y other than z, to the end, and ask z.
  The answer is y after the first prefix, and FAILED after the second.

Counting the F that occur. Read the sequence as a walk. The steps that define F are the first ones out of each symbol of D. From
a symbol that the walk enters for the first time it follows F. It does so until it is at a symbol that it has left before (or,
at the end, at a z that it has not left). Then it may jump, which is a step to any symbol. So a walk of K - 1 steps consists of
|D| = d steps along F and of jumps, with at least one jump between two stretches. Once there is a jump, more are possible, from
the symbol just met to itself.

A stretch must begin at every symbol of D without an F-predecessor in D ("leaf"), and in every component of F that is one cycle.
Stretches from these cover D. `maps_by_starts` counts the maps of d symbols into themselves by this number s of beginnings.
* z in D: F maps D into D, and s - 1 jumps fit: s <= K - d.
* z not in D, entered along F: z has one predecessor, and the first stretch that comes to it ends the walk. So the tree of z is
  a path of j >= 1 symbols. The other d - j symbols map into themselves, with s <= K - 1 - d. If there are none, K - 1 = j.
* z not in D, entered by a jump (seen only if K < n): F maps D into D, s jumps fit: s <= K - 1 - d, and z is any other symbol.
"""

from functools import cache
from math import comb, factorial, perm


@cache
def stirling_partitions(size: int, blocks: int) -> int:
    """Partitions of a set into so many blocks: Stirling numbers of the second kind.

    >>> [stirling_partitions(4, blocks) for blocks in range(5)]
    [0, 1, 7, 6, 1]
    """
    if size == 0 or blocks == 0:
        return int(size == blocks)
    return blocks * stirling_partitions(size - 1, blocks) + stirling_partitions(size - 1, blocks - 1)


@cache
def stirling_cycles(size: int, cycles: int) -> int:
    """Permutations of a set with so many cycles: Stirling numbers of the first kind, without sign.

    >>> [stirling_cycles(4, cycles) for cycles in range(5)]
    [0, 6, 11, 6, 1]
    """
    if size == 0 or cycles == 0:
        return int(size == cycles)
    return (size - 1) * stirling_cycles(size - 1, cycles) + stirling_cycles(size - 1, cycles - 1)


def _maps_by_leaves(size: int, leaves: int) -> int:
    """Maps of a set into itself with an image of `size` - `leaves` symbols."""
    if not 0 <= leaves <= size:
        return 0
    return comb(size, leaves) * factorial(size - leaves) * stirling_partitions(size, size - leaves)


@cache
def _maps_without_pure_cycles(size: int, leaves: int) -> int:
    """The same, with no component that is one cycle.

    A map is a permutation of some symbols and such a map of the others; so with exponential generating functions in the number
    of symbols, M = Q / (1 - x), and Q = (1 - x) M.
    """
    return _maps_by_leaves(size, leaves) - (size * _maps_by_leaves(size - 1, leaves) if size else 0)


@cache
def maps_by_starts(size: int, starts: int) -> int:
    """Maps of a set into itself whose leaves and components that are one cycle are `starts` in all.

    >>> [maps_by_starts(2, starts) for starts in range(3)]  # 4 maps: the identity has two cycles
    [0, 3, 1]
    """
    return sum(
        comb(size, inside) * stirling_cycles(inside, cycles) * _maps_without_pure_cycles(size - inside, starts - cycles)
        for inside in range(size + 1)
        for cycles in range(min(inside, starts) + 1)
    )


@cache
def _maps_up_to(size: int, starts: int) -> int:
    """Maps with at most so many starts."""
    if starts < 0:
        return 0
    return maps_by_starts(size, starts) + _maps_up_to(size, starts - 1)


def classes(length: int, tokens: int) -> int:
    """The classes of prefixes of K = `tokens` of n = `length` tokens over [n]; n >= 2, 1 <= K <= n.

    >>> [classes(length, length) for length in range(2, 7)]
    [4, 18, 132, 1175, 12345]
    """
    is_over = tokens == length
    total = 0 if is_over or tokens > 1 else length
    for size in range(1, min(length, tokens) + 1):
        total += comb(length, size) * _maps_up_to(size, min(size, tokens - size))
        if not is_over:
            total += comb(length, size) * (length - size) * _maps_up_to(size, min(size, tokens - 1 - size))
    for path in range(1, min(length, tokens)):
        total += perm(length, path + 1) * int(path == tokens - 1)
        for size in range(1, min(length - path, tokens - path)):
            ways = _maps_up_to(size, min(size, tokens - 1 - path - size))
            total += perm(length, path + 1) * comb(length - path - 1, size) * ways
    return total
