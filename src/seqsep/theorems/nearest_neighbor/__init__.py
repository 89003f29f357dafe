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

from seqsep.core.registry import Members
from seqsep.theorems.base import Theorem

PLACES = {
    "nearest-neighbor-two-layers": "seqsep.theorems.nearest_neighbor.two_layers:THEOREM",
    "nearest-neighbor-state": "seqsep.theorems.nearest_neighbor.state:THEOREM",
}
THEOREMS: Members[Theorem] = Members(PLACES)

__all__ = ["PLACES", "THEOREMS"]
