"""State tracking: which layers follow the product of group elements that a sequence spells, and at which precision?

Files:

    parity                 upper bound: parity by one unit of an LSTM, or one number with a negative eigenvalue
    dihedral               upper bound: D_m and Z_m by two layers with one reflection a token
    symmetric              both sides: S_m over transpositions by one exact reflection a token, with the fewest coordinates
    solvable               upper bound: solvable groups by layers of roots of unity, as many as the derived length
    reflections_per_token  both sides: the least number of reflections a token, by characters
    _words                 words over a named group, as users write them, and their products
    _representations       the irreducible real representations of a finite group
"""

from typing import TYPE_CHECKING

from seqsep.core.registry import Registry, lazy_names

if TYPE_CHECKING:
    from seqsep.theorems.base import Theorem

    THEOREMS: tuple[Theorem, ...]

PLACES = {
    "parity-recurrent": "seqsep.theorems.state_tracking.parity:THEOREM",
    "dihedral-reflections": "seqsep.theorems.state_tracking.dihedral:THEOREM",
    "symmetric-reflections": "seqsep.theorems.state_tracking.symmetric:THEOREM",
    "solvable-phases": "seqsep.theorems.state_tracking.solvable:THEOREM",
    "reflections-per-token": "seqsep.theorems.state_tracking.reflections_per_token:THEOREM",
}
if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, {"THEOREMS": Registry("theorem", PLACES).members})

__all__ = ["PLACES", "THEOREMS"]
