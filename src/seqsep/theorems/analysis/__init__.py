"""Lower bounds that any function of sequences puts on recurrent and on one-layer attention models, length by length.

Files:

    analyze            the least state and the attention bound at each length, and how both grow
    classify           the class of a regular language, and which architectures recognise it
    network_automaton  the exact automaton of a network in a file
    network_language   the class and the least state of such a network
    every_length       the smallest automaton of a regular language, for words of every length
    automaton_file     an automaton as a table, as automata-lib's dictionary, or as a file of JFLAP
    formula_file       a formula in DIMACS, packed or not
    json_file          the data of a small JSON file
    truth_table        a function as the list of its answers
    languages          a regular language as a user names it, with its least automaton
    statements         what a class says of architectures, by other papers
    attention          the bits that a function costs two parties, and the width times heads of one attention layer that follows
    protocol           bits with which two parties compute a function
    thought            the least number of chain-of-thought steps of one layer with one hard-attention head
    function           a function as a user names it: a Python file, a task, a formula, a DIMACS file, a regular expression
    input_pair         two inputs that show that two prefixes need different states
    record             the result of an analysis, as lines for a person and as JSON
    evidence           the evidence for a least state, for a certificate
"""

from seqsep.theorems.analysis.analyze import analyze
from seqsep.theorems.analysis.attention import Width
from seqsep.theorems.analysis.input_pair import InputPair
from seqsep.theorems.analysis.record import Analysis, AtLength

__all__ = ["Analysis", "AtLength", "InputPair", "Width", "analyze"]
