"""The number of states that associative recall over [n] needs after K of n tokens, counted in polynomial time.

Let x_1 .. x_K be the tokens so far, and z = x_K. For a symbol a, let F(a) be the token after the first place of a that has a
token after it. Let D be the set of the symbols a for which F(a) is defined. A class is a set of prefixes that no continuation
distinguishes, so one state is enough for it.

Classes. The rest of the tokens and a question distinguish two prefixes in exactly two cases:
* Their F differ.
* K < n, and their F are equal. The last symbol z of one prefix is not in D. The last symbol z' of the other is another symbol
  or in D.

No other cases. If a token y follows, F(z) becomes y if z is not in D. If z is in D, F stays as it is. So the answer after any
continuation depends only on F and, if z is not in D, on z.

These two cases:
* Let F differ at a. If F(a) is defined in both prefixes, ask a. Otherwise it is defined in one prefix only. Call its value b.
  Continue to the end with tokens that leave the answers different, and then ask a. If K < n and the other prefix ends in its
  only a, the next token is one other than b. Otherwise all further tokens are other than a.
* Let F be equal, z not in D, and z' another symbol or in D. Continue to the end with one token y other than z, and ask z. The
  answer is y after the first prefix, and FAILED after the second.

Counting. The following counts the F that occur. Read the sequence as a walk on symbols. The steps that define F are the first
steps out of each symbol of D. If the walk enters a symbol for the first time, its next step follows F. The walk follows F
until it is at a symbol that it has left before. (At the end of the walk it may also be at a z that it has not left.) From a
symbol that it has left before, it may jump: it takes a step to any symbol. A stretch is a part of the walk that follows F. So
a walk of K - 1 steps consists of |D| = d steps along F and of jumps, with at least one jump between two stretches. If there is
a jump, there may be more of them, from the symbol just entered to itself.

Some symbols of D must begin a stretch. A leaf is a symbol of D that is F(a) for no a in D. A stretch must begin at every leaf,
and in every component of F that is one cycle. Stretches that begin there cover D. Let s be the number of these beginnings.
`maps_by_starts` counts the maps of d symbols into themselves by s. There are three cases:
* z is in D. Then F maps D into D, and there are at least s - 1 jumps. So s <= K - d.
* z is not in D, and is entered along F. Then z is F(a) for exactly one a, and the first stretch that enters z ends the walk.
  So the tree of z is a path of j >= 1 symbols. The other d - j symbols map into themselves, with s <= K - 1 - d. If there are
  no other symbols, K - 1 = j.
* z is not in D, and is entered by a jump (this matters only if K < n). Then F maps D into D, and there are at least s jumps.
  So s <= K - 1 - d. z is any symbol outside D.
"""

from functools import cache
from math import comb, factorial, perm


@cache
def stirling_partitions(size: int, blocks: int) -> int:
    """Partitions of a set into `blocks` blocks: Stirling numbers of the second kind.

    >>> [stirling_partitions(4, blocks) for blocks in range(5)]
    [0, 1, 7, 6, 1]
    """
    if size == 0 or blocks == 0:
        return int(size == blocks)
    return blocks * stirling_partitions(size - 1, blocks) + stirling_partitions(size - 1, blocks - 1)


@cache
def stirling_cycles(size: int, cycles: int) -> int:
    """Permutations of a set with `cycles` cycles: Stirling numbers of the first kind, without sign.

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
    """Maps with at most `starts` starts."""
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
