"""Bounded Dyck: is a string of n kinds of brackets well matched, with at most k of them open at any time?

Files:

    attention     upper bound: next brackets and membership by one, two or three attention layers (section 4.1)
    state         upper bound: a recurrent model of constant size (appendix E)
    one_layer     lower bound: no narrow attention layer recognises the words (Lemma 1, Theorems 5 and 10)
    monoid        lower bound: the syntactic monoid is not in DA, and what follows from that (Lemma 1's other proof)
    _plan         the parameters of an attention network, its grid and the named spaces of its residual stream
    _layers       the attention networks, layer by layer
    _parts        the heads and hidden units of these layers
    _bound        the sizes of the attention networks with explicit constants
    _trials       runs an attention network on strings and compares its answers
    _recurrent    the stack in the units of one recurrent layer
    _fooling_set  the words of Dyck-(n,2), which are a fooling set (Lemma 1)
    _collision    a one-layer model that counts brackets, and the search for an input answered wrongly
    _prefixes     the brackets that may follow each prefix of a string
    _words        the strings that networks are tested on
    _strings      strings as users write them, and as tokens
"""

from seqsep.core.registry import Members
from seqsep.theorems.base import Theorem

PLACES = {
    "bounded-dyck-attention": "seqsep.theorems.bounded_dyck.attention:THEOREM",
    "bounded-dyck-state": "seqsep.theorems.bounded_dyck.state:THEOREM",
    "bounded-dyck-one-layer": "seqsep.theorems.bounded_dyck.one_layer:THEOREM",
    "bounded-dyck-monoid": "seqsep.theorems.bounded_dyck.monoid:THEOREM",
}
THEOREMS: Members[Theorem] = Members(PLACES)

__all__ = ["PLACES", "THEOREMS"]
