"""What any function of sequences asks of recurrent and of one-layer attention models, length by length.

Files:

    analyze   the least state and the attention bound at each length, and how the least state grows
    function  a function as a user names it: a Python file, a task, a formula, a DIMACS file, a regular expression
    record    what an analysis found, as lines for a person and as JSON
    evidence  what shows a least state, for a certificate
"""

from seqsep.analysis.analyze import analyze, theorem_4_bits
from seqsep.analysis.record import Analysis, AtLength, InputPair, Width

__all__ = ["Analysis", "AtLength", "InputPair", "Width", "analyze", "theorem_4_bits"]
