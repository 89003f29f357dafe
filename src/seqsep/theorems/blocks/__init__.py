"""Pieces that several constructions are put together from: named spaces, and heads and hidden units on them.

Files:

    space         named, disjoint spaces of the residual stream, which refuse a block of another size
    number        whole numbers as (v, v^2), and the read-out that peaks at a number
    head          scores, sums of them, and heads and layers made of them
    hard_maximum  the scale of scores from which attention is exact, and the least grid for it
    match         scores that compare numbers: equal to the query's, or a fixed number of places back
    tie_break     scores that choose the first or the last of several matches
    gate          scores that keep a head from seeing some keys
    count         the head that counts what it attends to, by the weight of a sink
    lookup        the head that attends to the address asked for, and the head that averages
    units         hidden units side by side
    threshold     hidden units that turn a number into a bit
    remember      linear recurrences: sums over earlier tokens, and the token a fixed number of places back
    bump          hidden units that keep a value if a number is 0
    random_attention  causal attention with random weights, for statements about all networks of a size
    mismatch      hidden units that compare two strings of bits
"""

from seqsep.theorems.blocks.bump import bump
from seqsep.theorems.blocks.count import count
from seqsep.theorems.blocks.gate import gated
from seqsep.theorems.blocks.hard_maximum import ROUNDINGS, hard_scale, least_grid, uniform_weight
from seqsep.theorems.blocks.head import Scores, head, side_by_side
from seqsep.theorems.blocks.lookup import average, largest_entry, largest_score, lookup, lookup_exponent
from seqsep.theorems.blocks.match import match, match_needs, offset
from seqsep.theorems.blocks.mismatch import mismatch
from seqsep.theorems.blocks.number import Number, number, peaks, with_squares
from seqsep.theorems.blocks.remember import Remembered, linear_layer, running_sum, shift_register
from seqsep.theorems.blocks.space import Rows, Spaces
from seqsep.theorems.blocks.threshold import at_least_one, doubled_bit, doubled_in_place
from seqsep.theorems.blocks.tie_break import first, last
from seqsep.theorems.blocks.units import Units, feed_forward

__all__ = [
    "ROUNDINGS",
    "Number",
    "Remembered",
    "Rows",
    "Scores",
    "Spaces",
    "Units",
    "at_least_one",
    "average",
    "bump",
    "count",
    "doubled_bit",
    "doubled_in_place",
    "feed_forward",
    "first",
    "gated",
    "hard_scale",
    "head",
    "largest_entry",
    "largest_score",
    "last",
    "least_grid",
    "linear_layer",
    "lookup",
    "lookup_exponent",
    "match",
    "match_needs",
    "mismatch",
    "number",
    "offset",
    "peaks",
    "running_sum",
    "shift_register",
    "side_by_side",
    "uniform_weight",
    "with_squares",
]
