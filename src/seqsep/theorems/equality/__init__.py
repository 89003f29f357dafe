"""Equality of two halves: two attention layers decide it; a state, or one layer with stepwise softmax, of few bits cannot.

Files:

    two_layers                   two layers decide equality or inequality (Theorem 6)
    relabelled_two_layers        the same for every partition of the positions into halves (Lemma 5)
    two_layer_no_short_protocol  no short protocol follows from a two-layer model (Corollary 13.1)
    state                        equality needs N/2 log2 S state bits, and one layer much width (Lemma 4, Theorems 11 and 12)
    one_layer                    one layer decides equality if only its weights are rounded (against Theorems 4 and 12)
    total_size                   the networks have C (log2 N)^3 bits in all, with C (section 5)
    _trials                      inputs of the attention networks, the right answers, and the margin
    _words                       inputs of the recurrent models
    _collision                   Theorem 11 by communication: two halves with one state, and an input answered wrongly
    _by_automata                 Theorem 11 by automata, and Lemma 4
    _one_layer_cost              Theorem 12: the width and heads that one attention layer needs
"""

from seqsep.theorems.base import Theorem
from seqsep.theorems.equality import (
    one_layer,
    relabelled_two_layers,
    state,
    total_size,
    two_layer_no_short_protocol,
    two_layers,
)

THEOREMS: tuple[Theorem, ...] = (
    two_layers.THEOREM,
    relabelled_two_layers.THEOREM,
    state.THEOREM,
    one_layer.THEOREM,
    two_layer_no_short_protocol.THEOREM,
    total_size.THEOREM,
)

__all__ = ["THEOREMS"]
