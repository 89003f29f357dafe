"""Thresholds of sparse features: do more than b of M given functions, each of at most k bits, hold?

Files:

    two_layers              two layers with k heads compute the answer (Theorem 13)
    disjointness_one_layer  one of them, disjointness, needs one wide layer, or a long state (section 4.2, Fact 1)
    _slots                  the plan of a two-layer network: its slots and the scales of its scores
    _formulas               the formulas to test
    _trials                 the assignments to test, and how the answers are compared
    _remarks                differences between the text of Theorem 13 and its construction
    _buckets                one layer that counts ones in buckets of places
"""

from seqsep.core.registry import Members
from seqsep.theorems.base import Theorem

PLACES = {
    "sparse-threshold-two-layers": "seqsep.theorems.sparse_threshold.two_layers:THEOREM",
    "disjointness-one-layer": "seqsep.theorems.sparse_threshold.disjointness_one_layer:THEOREM",
}
THEOREMS: Members[Theorem] = Members(PLACES)

__all__ = ["PLACES", "THEOREMS"]
