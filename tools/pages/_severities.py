"""The severity of each erratum and what it says in one line; the records in `src/seqsep/theorems` have the evidence.

A test holds that every erratum of every theorem is here, and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from seqsep.theorems.base import Choice, Remark

Severity = Literal["wrong", "constant", "wording", "choice"]

SEVERITIES: Mapping[Severity, str] = {
    "wrong": "A statement, a construction or a step of a proof is false as the paper prints it. It needs another argument.",
    "constant": "The argument works, but a number, a width or an order of growth is not the printed one.",
    "wording": "A slip of the pen. The rest of the text shows what the authors mean.",
    "choice": "Not an error. Our construction has another form, or answers a question that the paper leaves open.",
}
"""The meaning of each severity, the most severe first."""


@dataclass(frozen=True)
class Graded:
    """The severity of an erratum, and a sentence that says what is wrong.

    >>> Graded("wording", "The text says largest and means smallest.").severity
    'wording'
    """

    severity: Severity
    summary: str


ERRATA: Mapping[tuple[str, int], Graded] = {
    ("index-lookup-state", 1): Graded(
        "constant", "The grid from -N^Kc to N^Kc has 2 N^(2 Kc) + 1 numbers, not N^(2 Kc), so a number needs more bits."
    ),
    ("index-lookup-attention", 1): Graded("wording", "The printed encoding of a symbol is longer than the printed embedding."),
    ("index-lookup-attention", 2): Graded(
        "wording", "The printed set of inputs has positions beyond the end of a short sequence."
    ),
    ("index-lookup-attention", 3): Graded("wording", "The text draws a length k for each example, and then samples N symbols."),
    ("attention-blocks", 1): Graded("wrong", "The printed output weights do not compute the indicator of an integer."),
    ("attention-blocks", 2): Graded(
        "wording", "The threshold function has two hidden units, but the paper prints four output weights for it."
    ),
    ("attention-blocks", 3): Graded("wrong", "The printed scores find the first match, not the last one."),
    ("recall-attention", 1): Graded("constant", "Keys and values overlap in the hard instance. An offset of 1 repairs it."),
    ("recall-attention", 2): Graded(
        "constant", "The strings of the c-gram instance are too long, and keys and values overlap."
    ),
    ("counting-attention", 1): Graded("wrong", "The printed rule also counts the query token itself."),
    ("retrieval-by-pattern", 1): Graded("wrong", "The printed patterns also match inside the question."),
    ("retrieval-by-pattern", 2): Graded("wrong", "A count that is written as three tokens is not a count for `re`."),
    ("associative-recall-state", 1): Graded(
        "wording", "The last sentence of the proof says at most, but the proof shows at least."
    ),
    ("counting-state", 1): Graded("wrong", "Every answer of the hard instance is 0. A threshold of 0 repairs it."),
    ("equality-two-layers", 1): Graded("constant", "The printed scale eta is about half of what its inequality needs."),
    ("equality-two-layers", 2): Graded("wrong", "The grid rounds down, so no weight below 1 is rounded to 1."),
    ("equality-two-layers", 3): Graded("constant", "The printed embedding has 3 + 2k coordinates, not 2 + 2k."),
    ("equality-two-layers", 4): Graded("constant", "The 2-DNF of inequality has N terms, not N/2."),
    ("equality-two-layers", 5): Graded("wrong", "For N = 50, the printed lengths 5, 7, .., 49 are odd. N is not among them."),
    ("equality-two-layers", 6): Graded("wording", "The printed query, value and sum of layer 1 do not fit the printed input."),
    ("equality-two-layers", 7): Graded("wording", "The sum of layer 2 begins one position too early."),
    ("two-layer-total-size", 1): Graded(
        "constant", "The printed size of a Transformer leaves out the table of the embeddings of the symbols."
    ),
    ("equality-state", 1): Graded("wrong", "Lemma 4 holds for the least DFA of a language, not for every DFA."),
    ("equality-state", 2): Graded("wording", "The proof states a bound on numbers, but it shows a bound on bits."),
    ("sparse-threshold-two-layers", 1): Graded(
        "wrong", "The FFN is the same at every position, so it cannot compute a different g at each."
    ),
    ("sparse-threshold-two-layers", 2): Graded("wording", "Disjointness as the paper defines it is a 2-DNF, not a 2-CNF."),
    ("nearest-neighbor-two-layers", 1): Graded("wrong", "For a small margin the printed width exceeds O(log N)."),
    ("nearest-neighbor-two-layers", 2): Graded("wording", "The printed inner products have other constants than Q and K give."),
    ("bounded-dyck-state", 1): Graded("constant", "A DFA for Dyck-(n,k) needs O(n^k) states, not O(2^k), for n > 2."),
    ("bounded-dyck-one-layer", 1): Graded("wrong", "The proof of the fooling set leaves out that even halves differ too."),
    ("bounded-dyck-one-layer", 2): Graded("wording", "The text says Lemma 4, but it uses Theorem 4."),
    ("is-tree-state", 1): Graded("wrong", "The printed equivalence of Lemma C.28 is false in half of the cases."),
    ("is-tree-tour", 1): Graded("wrong", "The printed read-out selects vertex 1 for every vertex."),
    ("is-tree-tour", 2): Graded("constant", "The error bound of the next counter is too small, and an interval is empty."),
    ("is-tree-hybrid", 1): Graded("wrong", "The printed search misses the next edge on some graphs."),
    ("is-tree-walk", 1): Graded("wrong", "A query of Algorithm 2 reads as an edge in every later search."),
    ("turing-machine-retrieval", 1): Graded("wrong", "The printed pattern finds the first write to a cell, not the last."),
    ("turing-machine-retrieval", 2): Graded("wrong", "A query beyond the input finds a token of the thought, not FAILED."),
    ("one-layer-protocol", 1): Graded("constant", "The printed steps cost more bits than the printed total."),
}
"""The errata by theorem and number, from 1."""


def graded(theorem: str, number: int, remark: Remark) -> Graded:
    """Return the severity of a remark; every `Choice` is a choice of ours. Raises ValueError for an erratum without one.

    >>> graded("index-lookup-state", 1, Choice("B.2", "p", "q", "r", "s")).severity
    'choice'
    """
    if isinstance(remark, Choice):
        return Graded("choice", f"{remark.found[0].upper()}{remark.found[1:]}.")
    if (theorem, number) not in ERRATA:
        raise ValueError(f"erratum {number} of {theorem}: expected a severity in tools/pages/_severities.py, found none")
    return ERRATA[theorem, number]
