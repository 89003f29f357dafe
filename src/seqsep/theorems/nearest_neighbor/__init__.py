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

from typing import TYPE_CHECKING

from seqsep.core.registry import Registry, lazy_names

if TYPE_CHECKING:
    from seqsep.theorems.base import Theorem

    THEOREMS: tuple[Theorem, ...]

PLACES = {
    "nearest-neighbor-two-layers": "seqsep.theorems.nearest_neighbor.two_layers:THEOREM",
    "nearest-neighbor-state": "seqsep.theorems.nearest_neighbor.state:THEOREM",
}
if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, {"THEOREMS": Registry("theorem", PLACES).members})

__all__ = ["PLACES", "THEOREMS"]
