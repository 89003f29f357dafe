"""The number of states that associative recall over [n] needs after K of n tokens, counted in polynomial time.

Let x_1 .. x_K be the tokens so far, and z = x_K. For a symbol a, let F(a) be the token directly after the first a. It is
undefined if a does not occur, or occurs only as the last token. Let D be the set of the symbols a for which F(a) is defined.
Two prefixes are in one class if no continuation leads to different answers. So one state is enough for a class.

Classes. Two prefixes are in different classes in exactly two cases:
* Their F differ.
* K < n, and their F are equal. One prefix ends in a symbol z that is not in D. The other ends in another symbol z'.

No other cases. Let a token y follow. If z is not in D, F(z) becomes y. If z is in D, F does not change. So the answer after
any continuation depends only on F, and on z if z is not in D.

These two cases. In each a continuation leads to different answers:
* Let F differ at a. Read the n - K tokens that are left, and then the question a. If F(a) is defined in both prefixes, any
  tokens will do. Otherwise F(a) = b is defined in one prefix only. First let the other prefix end in its only a, with K < n.
  Then choose a next token that is not b. The answers are b and this token. In all other cases choose tokens other than a. Then
  the answers are b and FAILED.
* Let F be equal, z not in D, and z' another symbol. Choose a symbol y other than z. All tokens that are left are y, and the
  question is z. The answer is y after the first prefix. After the second it is FAILED.

Counting. It remains to count the F that occur. Read the sequence as a walk of K - 1 steps from symbol to symbol. The first
step out of a symbol a goes to F(a). Call it a new step. So there are d = |D| new steps. All other steps are jumps: they start
at a symbol that the walk has left before, and may go to any symbol. A stretch is a run of new steps with no jump inside.
Between two stretches there is at least one jump. At a symbol that the walk has left before, more jumps can be added, from this
symbol to itself. So only the least number of jumps matters.

A leaf is a symbol of D that is F(a) for no a in D. No new step enters a leaf, so a stretch must begin at every leaf. No new
step enters a component of F from outside. So a stretch must also begin in every component that is one cycle, as it has no
leaf. Stretches that begin at these symbols cover D. Let s be their number. `maps_by_starts` counts the maps of d symbols into
themselves by s. There are three cases:
* z is in D. Then F maps D into D, and there are at least s - 1 jumps. So s <= K - d.
* z is not in D, and the last step is new. Then the walk has not been at z before, so z is F(a) for exactly one a. Consider the
  symbols from which repeated steps a -> F(a) lead to z. They are one path of j >= 1 symbols: once the walk enters it, it
  follows the path to z. F maps the other d - j symbols into themselves. They need s stretches of their own, so s <= K - 1 - d.
  If there are no other symbols, the walk has no jumps, and K - 1 = j.
* z is not in D, and the last step is a jump. (This matters only if K < n.) Then F maps D into D, and there are at least s
  jumps. So s <= K - 1 - d. z is any symbol outside D.
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
