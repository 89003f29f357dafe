"""Pieces that several constructions are put together from: named spaces, and heads and hidden units on them.

Files:

    space      named, disjoint spaces of the residual stream, which refuse a block of another size
    lookup     the head that attends to the address asked for, and the head that averages
    threshold  hidden units that turn a number near 0 or 1 into a bit
    match      hidden units that compare two strings of bits
"""

from seqsep.theorems.blocks.lookup import average, largest_entry, largest_score, lookup, lookup_exponent
from seqsep.theorems.blocks.match import mismatch
from seqsep.theorems.blocks.space import Rows, Spaces
from seqsep.theorems.blocks.threshold import Units, doubled_bit, doubled_in_place, feed_forward

__all__ = [
    "Rows",
    "Spaces",
    "Units",
    "average",
    "doubled_bit",
    "doubled_in_place",
    "feed_forward",
    "largest_entry",
    "largest_score",
    "lookup",
    "lookup_exponent",
    "mismatch",
]
