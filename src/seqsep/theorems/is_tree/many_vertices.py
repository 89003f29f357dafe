"""The least state of IsTree on many vertices: exactly up to 1,024, beyond that between two bounds a few bits apart.

S(n, b) b! counts the maps of n vertices onto b blocks. Of all b^n maps, at most b (b - 1)^n miss some block. So b^n - b (b -
1)^n <= S(n, b) b! <= b^n. `state` has the theorem.
"""

import math
from functools import lru_cache

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.theorems.is_tree.state import least_bits

MOST_EXACT = 1024


@lru_cache(maxsize=1 << 12)
def at_least(vertices: int) -> int:
    """Return the bits that every recurrent model needs for simple graphs with edges u < v, n >= 6.

    The b of the bound is the best one by floats. Any b gives a bound, and this one is computed in whole numbers.

    >>> at_least(64), at_least(4096)
    (215, 33131)
    """
    if vertices <= MOST_EXACT:
        return least_bits(vertices, simple=True)
    blocks = max(range(3, vertices - 2), key=lambda blocks: _logarithm(vertices, blocks))
    onto = blocks**vertices - blocks * (blocks - 1) ** vertices
    return ceil_log2(1 + onto // math.factorial(blocks))


def _logarithm(vertices: int, blocks: int) -> float:
    """The natural logarithm of the lower bound of S(n, b), nearly; minus infinity if the bound is nothing."""
    missed = blocks * math.exp(vertices * math.log1p(-1 / blocks))
    if missed >= 1:
        return -math.inf
    return vertices * math.log(blocks) - math.lgamma(blocks + 1) + math.log1p(-missed)


@lru_cache(maxsize=1 << 12)
def at_most(vertices: int) -> int:
    """Return the bits that union-find needs at most, for any list of pairs: b S(n, b) <= b^(n+1) / b!.

    The right side is greatest at one b. From b to b + 1 it grows if and only if (b + 1)^n >= b^(n+1).

    >>> at_most(64), at_most(4096)
    (219, 33144)
    """
    if vertices <= MOST_EXACT:
        return least_bits(vertices)
    low = 1
    high = vertices
    while low < high:
        middle = (low + high) // 2
        if (middle + 1) ** vertices >= middle ** (vertices + 1):
            low = middle + 1
        else:
            high = middle
    return ceil_log2(1 + low ** (vertices + 1) // math.factorial(low))
