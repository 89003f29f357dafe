"""Confidence limits of a share: Clopper and Pearson 1934, from the binomial tails themselves.

The lower limit of k successes in n independent trials at error alpha is the p with P(at least k of n | p) = alpha, 0 for k = 0:
whatever the true share, it is below the limit with probability at most alpha. The upper one mirrors it.
"""

from functools import lru_cache

import numpy as np

HALVINGS = 60


@lru_cache(maxsize=1 << 14)
def lower_limit(successes: int, trials: int, error: float) -> float:
    """Return the lower limit of a share, which is wrong with probability at most `error`.

    Raises ValueError unless 0 <= successes <= trials, 1 <= trials and 0 < error < 1.

    >>> round(lower_limit(1000, 1000, error=0.05), 6)  # 0.05^(1/1000)
    0.997009
    >>> lower_limit(0, 1000, error=0.05)
    0.0
    """
    if not (0 <= successes <= trials and trials >= 1 and 0 < error < 1):
        raise ValueError(f"lower_limit({successes}, {trials}, error={error}): 0 <= successes <= trials, 0 < error < 1")
    if successes == 0:
        return 0.0
    counts = np.arange(successes, trials + 1)
    logarithms = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, trials + 1)))])
    choices = logarithms[trials] - logarithms[counts] - logarithms[trials - counts]
    low = 0.0
    high = 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        tail = np.exp(choices + counts * np.log(middle) + (trials - counts) * np.log1p(-middle)).sum()
        if tail <= error:
            low = middle
        else:
            high = middle
    return low


def upper_limit(successes: int, trials: int, error: float) -> float:
    """Return the upper limit of a share, which is wrong with probability at most `error`.

    >>> round(upper_limit(0, 1000, error=0.05), 6)
    0.002991
    """
    return 1 - lower_limit(trials - successes, trials, error)
