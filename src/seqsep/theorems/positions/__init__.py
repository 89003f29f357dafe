"""Positions of stock models, and causal attention without positions: the tokens that a head can distinguish.

Files:

    rotary_previous_token  a rotary head finds the token before, with the gap of its scores enclosed
    rotary_width           the least width of such a head (Dirichlet)
    alibi_window           with ALiBi, the weight of a distant token is exactly 0
    no_positions           without positions, a head numbers tokens by 1/t, and the grid that this takes
    fixed_grid_attention   on a fixed grid and without positions, attention recognises an R-trivial language
    _rotary_gap            that gap at every distance, with an error bound and without a library's cosine
"""

from seqsep.core.registry import Members
from seqsep.theorems.base import Theorem

PLACES = {
    "rotary-previous-token": "seqsep.theorems.positions.rotary_previous_token:THEOREM",
    "rotary-width": "seqsep.theorems.positions.rotary_width:THEOREM",
    "alibi-window": "seqsep.theorems.positions.alibi_window:THEOREM",
    "no-positions": "seqsep.theorems.positions.no_positions:THEOREM",
    "fixed-grid-attention": "seqsep.theorems.positions.fixed_grid_attention:THEOREM",
}
THEOREMS: Members[Theorem] = Members(PLACES)

__all__ = ["PLACES", "THEOREMS"]
