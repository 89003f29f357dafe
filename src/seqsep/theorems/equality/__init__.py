"""Equality of two halves: two attention layers decide it; a state, or one layer with stepwise softmax, of few bits cannot.

Files:

    two_layers                   two layers decide equality or inequality (Theorem 6)
    relabelled_two_layers        the same for every partition of the positions into halves (Lemma 5)
    two_layer_no_short_protocol  no short protocol follows from a two-layer model (Corollary 13.1)
    state                        equality needs N/2 log2 S state bits, and one layer much width (Lemma 4, Theorems 11 and 12)
    one_layer                    one layer decides equality if only its weights are rounded (against Theorems 4 and 12)
    total_size                   the networks have C (log2 N)^3 bits in all, with C (section 5)
    _trials                      inputs of the attention networks, the right answers, and the margin
    _errata                      the errata of Theorem 6, appendices F and H.2
    _words                       inputs of the recurrent models
    _collision                   Theorem 11 by communication: two halves with one state, and an input answered wrongly
    _by_automata                 Theorem 11 by automata, and Lemma 4
    _one_layer_cost              Theorem 12: the width and heads that one attention layer needs
"""

from seqsep.core.registry import Members
from seqsep.theorems.base import Theorem

PLACES = {
    "equality-two-layers": "seqsep.theorems.equality.two_layers:THEOREM",
    "relabelled-equality-two-layers": "seqsep.theorems.equality.relabelled_two_layers:THEOREM",
    "equality-state": "seqsep.theorems.equality.state:THEOREM",
    "equality-one-layer": "seqsep.theorems.equality.one_layer:THEOREM",
    "two-layer-no-short-protocol": "seqsep.theorems.equality.two_layer_no_short_protocol:THEOREM",
    "two-layer-total-size": "seqsep.theorems.equality.total_size:THEOREM",
}
THEOREMS: Members[Theorem] = Members(PLACES)

__all__ = ["PLACES", "THEOREMS"]
