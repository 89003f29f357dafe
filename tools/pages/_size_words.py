"""The meaning of each size that a line of `seqsep check` gives, for pages on which `seqsep bound` does not print it."""

import re
from collections.abc import Mapping

from pages._docstrings import inline
from seqsep.commands.bound import SIZE_WORDS

MEASURED = re.compile(r"; measured / bound: (.*?)(?:; |$)", re.MULTILINE)
NAME = re.compile(r"(?:^|, )([A-Za-z_]+) ")
PRINTED = re.compile(r"^    (\w+) +[\d,.]+  ", re.MULTILINE)

OF_CHECKS: Mapping[str, str] = {
    "C": "bits divided by (log2 N)^3, the greatest value over the lengths tested",
    "C_at_the_longest": "the same at the longest length tested",
    "behaviours": "different outputs of the heads, over all inputs of Bob, that the inputs of Alice lead to",
    "bits": "bits that the parties exchange, or the bits that they need",
    "bits_if_both_learn": "bits that the parties need if both learn the answer",
    "bits_without_coins": "bits that a deterministic protocol needs",
    "classes": "classes of prefixes that the state must distinguish",
    "close_tokens": "tokens until the error is half of the least distance between two elements",
    "dimension": "coordinates of a vector",
    "dimension_proved": "coordinates of a vector by the bound that the proof shows",
    "elements": "elements of the monoid",
    "error": "greatest chance of a wrong answer over all inputs",
    "greatest_product": "greatest inner product of two different vectors of signs, without its sign",
    "idempotents": "idempotents of the monoid",
    "impossible_from": "the least N at which the state is too small for index lookup",
    "information": "information in bits that the transcript has about the inputs",
    "layer_entries": "entries of the recurrence and the layer",
    "memory_bits": "bits of memory of the program that writes the vectors",
    "pairs": "pairs that the run compares",
    "partitions": "partitions of the positions into two halves",
    "repeats": "repeats of a word after which no answer of the attention changes",
    "right_tokens": "tokens until the nearest element is a wrong one",
    "seed_bits": "bits of the seed that gives the vectors",
    "sequences": "sequences with the same answers of the oracle, which the state must distinguish",
    "symbols_recovered": "symbols that the state gives back, one for each position",
    "tokens": "tokens for which the number 1/t differs, if it is rounded once",
    "tokens_a_step": "tokens that the network writes for each step",
    "values_recovered": "values that the state gives back, one for each key",
    "words": "words of the fooling set",
}
"""The meaning of each size of a check that no theorem's `bound` has."""
OF_ONE: Mapping[tuple[str, str], str] = {
    ("bounded-dyck-monoid", "bits"): "bits that the parties need",
    ("counting-state", "states"): "states after the last number of the sequence",
    ("delta-parity-in-floats", "states"): "different states of the layer in the run",
    ("disjointness-one-layer", "pairs"): "pairs of the fooling set",
    ("log-space-code", "error"): "greatest change of an inner product",
    ("near-orthogonal-vectors", "pairs"): "pairs of different vectors",
    ("symmetric-steps", "states"): "most states in a run of one letter",
}
"""The meanings that a size has for one theorem only."""


def size_words(theorem: str, checked: str, bound: str) -> str:
    """Return a list of the sizes in the output of a check that the output of `seqsep bound` does not explain; empty if none.

    Raises ValueError for a size without a meaning.

    >>> size_words("counting-state", "N = 5; measured / bound: bits 7 / 7, states 126 / 126; 9 inputs", "    bits 7  bits")
    'The sizes in the output are:\\n\\n* `states`: states after the last number of the sequence.\\n'
    """
    known = set(PRINTED.findall(bound))
    names = dict.fromkeys(name for line in MEASURED.findall(checked) for name in NAME.findall(line))
    said = "".join(f"* `{name}`: {inline(_meaning(theorem, name))}.\n" for name in names if name not in known)
    return f"The sizes in the output are:\n\n{said}" if said else ""


def _meaning(theorem: str, size: str) -> str:
    meaning = OF_ONE.get((theorem, size)) or OF_CHECKS.get(size) or SIZE_WORDS.get(size)
    if meaning is None:
        raise ValueError(f"{theorem}: the size {size} has no meaning; add it to tools/pages/_size_words.py")
    return meaning
