"""State tracking: which layers follow the product of group elements that a sequence spells, and at which precision?

Files:

    parity                  upper bound: parity by one unit of an LSTM, or one number with a negative eigenvalue
    dihedral                upper bound: D_m and Z_m by two layers with one reflection a token
    symmetric               both sides: S_m over transpositions by one exact reflection a token, with the fewest coordinates
    _swap_blocks            words over all of S_m by at most one swap a token, with a read-out that applies the rest
    solvable                upper bound: solvable groups by layers of roots of unity, as many as the derived length
    reflections_per_token   both sides: the least number of reflections a token, by characters
    _words                  words over a named group, as users write them, and their products
    _representations        the irreducible real representations of a finite group
    nonnegative_diagonal    parity of 1^n by non-negative diagonal channels: up to n = G - 1, and never beyond
    diagonal_periods        real diagonal channels have periods 1 and 2, so they do not count modulo 3
    symmetric_steps         a symmetric positive step, rounded once, has no cycle; two places where this is false
    delta_parity_in_floats  one delta rule with positive eigenvalues decides parity if every operation is rounded
    modular_count_attention  upper bound: two attention layers count modulo m at logarithmic precision
    horizon                 the number of tokens for which rounded reflections follow a group of rotations
    parity_recall_hybrid    both sides: parity-conditioned recall by a hybrid, and why its halves fail
    _parity_recall          inputs of parity-conditioned recall, and its lower bounds as programs
    state_recall_hybrid     both sides: state-based recall by a hybrid, and why its halves fail
    _state_recall           inputs of state-based recall, and its lower bounds as programs
    _hybrids                a recurrence whose step depends on the token, and attention, with nine values a number
    _attention_alone        attention without positions gives one answer to many repeats of a word
    collision               a recurrence with two words that reach one state, as the evidence of a certificate
    _recurrences            the end of a run of one letter in a recurrence on the grid
    _float_formats          rounding to bfloat16, float16 and float32, equal on every processor
    _rotations              groups of rotations, each element as two reflections
"""

from seqsep.core.registry import Members
from seqsep.theorems.base import Theorem

PLACES = {
    "parity-recurrent": "seqsep.theorems.state_tracking.parity:THEOREM",
    "dihedral-reflections": "seqsep.theorems.state_tracking.dihedral:THEOREM",
    "symmetric-reflections": "seqsep.theorems.state_tracking.symmetric:THEOREM",
    "solvable-phases": "seqsep.theorems.state_tracking.solvable:THEOREM",
    "reflections-per-token": "seqsep.theorems.state_tracking.reflections_per_token:THEOREM",
    "nonnegative-diagonal-parity": "seqsep.theorems.state_tracking.nonnegative_diagonal:THEOREM",
    "diagonal-periods": "seqsep.theorems.state_tracking.diagonal_periods:THEOREM",
    "symmetric-steps": "seqsep.theorems.state_tracking.symmetric_steps:THEOREM",
    "delta-parity-in-floats": "seqsep.theorems.state_tracking.delta_parity_in_floats:THEOREM",
    "modular-count-attention": "seqsep.theorems.state_tracking.modular_count_attention:THEOREM",
    "parity-conditioned-recall-hybrid": "seqsep.theorems.state_tracking.parity_recall_hybrid:THEOREM",
    "state-based-recall-hybrid": "seqsep.theorems.state_tracking.state_recall_hybrid:THEOREM",
    "horizon": "seqsep.theorems.state_tracking.horizon:THEOREM",
}
THEOREMS: Members[Theorem] = Members(PLACES)

__all__ = ["PLACES", "THEOREMS"]
