"""The reduction to IsTree in the paper: two stars that code a string, and one edge that asks for two neighbouring bits of it.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), proof of Theorem 4.7 with Lemma C.28.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from seqsep.tasks.trees.graphs import is_tree
from seqsep.theorems.is_tree._graphs import Graph


def two_stars(bits: Sequence[int], k: int) -> Graph:
    """Return Alice's edges and then Bob's edge (k, k + 1).

    Alice joins vertex i to the hub n - 1 if x_i is 0, and to the hub n if x_i is 1, for i = 1 .. n - 2. The graph is a tree if
    and only if x_k and x_(k+1) differ.

    >>> two_stars((0, 1, 0, 1), k=2).tolist()
    [[1, 5], [2, 6], [3, 5], [4, 6], [2, 3]]
    """
    vertices = len(bits) + 2
    stars = [(place, vertices - 1 + bit) for place, bit in enumerate(bits, start=1)]
    return np.array([*stars, (k, k + 1)], dtype=np.int64)


def messages(vertices: int) -> int:
    """Count the strings of n - 2 bits that the answers to all of Bob's edges distinguish, by the definition of a tree.

    It is 2^(n - 3): a string and its complement get the same answers.

    >>> messages(6)
    8
    """
    asked = range(1, vertices - 2)
    strings = product((0, 1), repeat=vertices - 2)
    return len({tuple(is_tree(vertices, two_stars(bits, k).tolist()) for k in asked) for bits in strings})


def prefix_sums(bits: Sequence[int]) -> list[int]:
    """x_1 + .. + x_k modulo 2, for k = 1 .. n.

    >>> prefix_sums((0, 1, 0))
    [0, 1, 1]
    """
    return [int(total) % 2 for total in np.cumsum(bits)]
