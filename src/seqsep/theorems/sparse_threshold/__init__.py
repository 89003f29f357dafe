"""Thresholds of sparse features: do more than b of M given functions, each of at most k bits, hold?

Files:

    two_layers  two layers with k heads compute them (Theorem 13)
    _slots      the plan of a network: its slots and the scales of its scores
    _formulas   the formulas to try
    _trials     the assignments to try, and how the answers are compared
"""

from seqsep.theorems.base import Theorem
from seqsep.theorems.sparse_threshold import two_layers

THEOREMS: tuple[Theorem, ...] = (two_layers.THEOREM,)

__all__ = ["THEOREMS"]
