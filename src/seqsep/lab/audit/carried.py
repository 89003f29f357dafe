"""Carries at least: the information about the prefix that the measured accuracy proves to be in the state.

Lookups. Let e_i be the error rate when value i is asked for, over prefixes. Fano's inequality at each place gives

    I(values; state) >= sum_i R(S, 1 - e_i),    R(S, a) = log2 S - h(1 - a) - (1 - a) log2(S - 1)        (ceilings.one_of_many)

R rises with a, so the lower limits of the places' accuracies may replace them. Each of the N limits is wrong with
probability at most error / N, so that all hold at once with probability 1 - error.

Equality of random halves. The states are classes of words, of m_k words each, M = S^h in all. Each class answers wrongly with
weight m_k (m_k - 1) / (2 M^2) at least (ceilings.random_equality), so sum_k (m_k / M)^2 <= 2 e + 1/M, and

    I(a; state) = H(state) >= -log2 sum_k (m_k / M)^2 >= -log2(2 e + S^-h)

the first step as the state is a function of a, the second as Shannon's entropy is at least the collision entropy. Here e is
replaced by its upper limit.
"""

from collections.abc import Sequence
from math import log2

import numpy as np

from seqsep.core.names import narrowed
from seqsep.lab.audit.intervals import lower_limit
from seqsep.tasks import AssociativeRecall, Equality, IndexLookup, Task
from seqsep.tasks.ceilings import carried_bits_by_place


def places_at_least(right: np.ndarray, error: float) -> list[float]:
    """Return the lower limit of the accuracy at each place, all of which hold at once with probability 1 - error.

    `right`: prefixes by places. Prefixes are independent; questions about one prefix need not be.

    >>> [round(limit, 4) for limit in places_at_least(np.ones((1000, 2), dtype=bool), error=0.1)]
    [0.997, 0.997]
    """
    prefixes, places = right.shape
    return [lower_limit(int(count), prefixes, error / places) for count in right.sum(0)]


def lower_accuracy(right: np.ndarray, error: float) -> float:
    """Return a lower limit of the accuracy over all questions: the mean of the places' limits.

    >>> round(lower_accuracy(np.ones((1000, 2), dtype=bool), error=0.1), 4)
    0.997
    """
    return float(np.mean(places_at_least(right, error)))


def carried_bits(task: Task, right: np.ndarray, error: float) -> float:
    """Return the least number of bits about the prefix that the state carries. It is wrong with probability at most `error`.

    >>> round(carried_bits(IndexLookup(length=2, alphabet=4), np.ones((1000, 2), dtype=bool), error=0.05), 2)
    3.92
    >>> carried_bits(IndexLookup(length=2, alphabet=4), np.zeros((1000, 2), dtype=bool), error=0.05)
    0.0
    """
    return carried_of_limits(task, places_at_least(right, error))


def carried_of_limits(task: Task, limits: Sequence[float]) -> float:
    """Return the same number, if the accuracy at each place is not below its limit."""
    if isinstance(task, Equality):
        wrong = 1 - limits[0]
        words = task.symbols ** (task.length // 2)
        return max(0.0, -log2(2 * wrong + 1 / words))
    alphabet = task.alphabet if isinstance(task, IndexLookup) else narrowed(task, AssociativeRecall).values
    return carried_bits_by_place(alphabet, limits)
