"""Nearest neighbour: the label of the point that is nearest to the last point.

Files:

    two_layers  two layers answer it (Theorem 7)
    state       it needs floor(N/2) state bits (Theorem 8)
    _plan       the parameters of a network, with eta2 and Kc
    _settings   points and labels on the grid, their margins and their tokens
    _drawn      random and hard settings to test
    _reading    a user's points, rounded to the grid, with their margins
    _trials     settings on which the network runs, and searches for small margins
    _printed    the construction of the paper, and its errata
"""

from seqsep.theorems.base import Theorem
from seqsep.theorems.nearest_neighbor import state, two_layers

THEOREMS: tuple[Theorem, ...] = (
    two_layers.THEOREM,
    state.THEOREM,
)

__all__ = ["THEOREMS"]
