"""Recurrent models whose step is a circuit, written out gate by gate by attention.

Files:

    attention         one attention layer writes out any recurrent model whose step is C NAND gates (Theorem 4.8)
    _circuit          the format of circuits, the recurrent model that one defines, and random ones
    _tokens           the vocabulary, and what each token says of the next one
    _rows             the embedding: the row of every token and of every place
    _shown            a circuit's runs, gate by gate, as evidence for a certificate
    _trials           inputs to test the network on, and the runs required of it
    _position_modulo  the first layer in the paper, by rounding; without rounding there is none
"""

from typing import TYPE_CHECKING

from seqsep.core.registry import Registry, from_places, lazy_names

if TYPE_CHECKING:
    from seqsep.theorems.base import Theorem
    from seqsep.theorems.circuits import attention
    from seqsep.theorems.circuits._circuit import Circuit as Circuit

    THEOREMS: tuple[Theorem, ...]
    circuit_of = attention._of_file

PLACES = {
    "circuits-attention": "seqsep.theorems.circuits.attention:THEOREM",
}
_HOMES = {
    "Circuit": "seqsep.theorems.circuits._circuit:Circuit",
    "circuit_of": "seqsep.theorems.circuits.attention:_of_file",
}
if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, {**from_places(_HOMES), "THEOREMS": Registry("theorem", PLACES).members})

__all__ = ["PLACES", "THEOREMS"]
