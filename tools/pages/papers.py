"""The papers: statements in their order, each with its verdict; the pages of docs/reference/theorems/ are made from them.

Every numbered statement or theorem of the first two papers is here. Each of the other papers has one bound, proved in our own
words. A theorem may have another source, such as "own": it is listed under that source.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["holds", "holds with changes", "in part", "our own statement", "not compared", "not here"]

VERDICTS: Mapping[Verdict, str] = {
    "holds": "The statement holds as the paper says it. seqsep may have a sharper constant.",
    "holds with changes": "The statement holds after a change of its proof, its construction, a constant or a condition.",
    "in part": "seqsep has one half of the statement.",
    "our own statement": "The statement and its proof are ours. If a paper is named, the idea is from that paper.",
    "not compared": "seqsep has no list of the statements of this source.",
    "not here": "No theorem of seqsep is about the statement.",
}
"""The meaning of each verdict."""


@dataclass(frozen=True)
class Statement:
    """A statement of a paper by its label, with its verdict, and in `detail` what the verdict rests on.

    >>> Statement("Theorem 2", "holds").label
    'Theorem 2'
    """

    label: str
    verdict: Verdict
    detail: str = ""


@dataclass(frozen=True)
class Paper:
    """A paper by its short name, as sources begin with it, and its statements, first to last.

    >>> SEPARATIONS.labels("Bhattamishra et al. 2024, Lemma 4, Theorems 11 and 12")
    ['Lemma 4', 'Theorem 11', 'Theorem 12']
    """

    name: str
    arxiv: str
    title: str
    statements: tuple[Statement, ...]

    @property
    def address(self) -> str:
        """The page of the paper; empty for other sources."""
        return f"https://arxiv.org/abs/{self.arxiv}" if self.arxiv else ""

    @property
    def order(self) -> tuple[str, ...]:
        """The labels of the statements, first to last."""
        return tuple(statement.label for statement in self.statements)

    def labels(self, source: str) -> list[str]:
        """Return the statements that a source names. Raises ValueError unless it is of this paper and each is one of its
        own.
        """
        begins = re.fullmatch(rf"{re.escape(self.name)}(?: \(arXiv:{self.arxiv}\))?, (.+)", source)
        said = begins[1] if begins else ""
        if said in self.order:
            return [said]
        numbered = re.findall(r"([A-Z][a-z]+?)s? ((?:[A-Z]\.)?\d[\d.]*(?: and (?:[A-Z]\.)?\d[\d.]*)*)", said)
        named = [f"{kind} {number.rstrip('.')}" for kind, numbers in numbered for number in numbers.split(" and ")]
        if not named or not set(named) <= set(self.order):
            raise ValueError(f"{source}: expected statements of {self.name}, each one of {', '.join(self.order)}")
        return named


SEPARATIONS = Paper(
    name="Bhattamishra et al. 2024",
    arxiv="2406.09347",
    title="Separations in the Representational Capabilities of Transformers and Recurrent Architectures",
    statements=(
        Statement("Theorem 1", "holds with changes", "the query token has a key of its own; in the paper its key is 0"),
        Statement("Theorem 2", "holds"),
        Statement("Theorem 3", "holds", "exactly: N log2 S bits of state are needed, ceil(N log2 S) are enough"),
        Statement("section 3 (discussion of Theorem 3)", "holds"),
        Statement(
            "Theorem 4",
            "holds with changes",
            "for stepwise softmax, and for m >= 2 by a protocol of ours: the steps in the paper cost more bits than the total "
            "that it states",
        ),
        Statement(
            "Lemma 1", "holds", "the words of depth 2 are a fooling set; for a depth of 3 or more the set of all words is not"
        ),
        Statement(
            "Theorem 5",
            "holds with changes",
            "for stepwise softmax; for m >= 2 the constant is from `one-layer-protocol`, which counts the bits of the protocol",
        ),
        Statement("section 4.1", "holds"),
        Statement(
            "section 4.2",
            "holds with changes",
            "for stepwise softmax, with constants; one layer of value width N/2 + 1 is enough",
        ),
        Statement(
            "Theorem 6",
            "holds with changes",
            "a threshold after layer 1 makes up for attention weights below 1; the scale of the scores in the paper is too "
            "small",
        ),
        Statement("section 5 (total size)", "holds", "with constants; equality takes O(log N) bits by the parabola code"),
        Statement(
            "Theorem 7",
            "holds with changes",
            "labels copy the point before them; the construction in the paper needs a width beyond O(log N)",
        ),
        Statement("Theorem 8", "holds"),
        Statement(
            "Fact 1",
            "holds",
            "for sets of N places: exactly N + 1 bits if both parties learn the answer; a randomised protocol with an error of "
            "at most e sends at least (1 - 2 sqrt(e (1 - e))) N / 4 bits",
        ),
        Statement(
            "Fact 2",
            "holds",
            "exactly N + 1 bits if both parties learn the answer; for an error of 1/3, O(log N) bits are enough with private "
            "coins, and 2 bits with shared coins",
        ),
        Statement(
            "Fact 3",
            "holds",
            "a randomised protocol with error e needs (1 - h(e)) N bits, with the binary entropy h; a constant fraction of N "
            "is enough",
        ),
        Statement("Lemma 2", "holds", "for every gamma, with a quarter of the coordinates in the paper"),
        Statement(
            "Lemma 3",
            "holds",
            "with 19 ln N / eps^2 coordinates; for basis vectors in O(log N) bits of memory, by another construction",
        ),
        Statement("Corollary 8.1", "holds", "it is Lemma 2 at gamma = 1/4"),
        Statement(
            "Proposition 9",
            "holds",
            "the bound is exact if the keys come in one fixed order; in any order a model can need more bits while it reads "
            "the last pair",
        ),
        Statement("Definition 1", "holds", "it says what a fooling set is"),
        Statement("Fact 4", "holds", "also if only one party learns the answer"),
        Statement("appendix E", "holds with changes", "with 8 states in place of 7: the dead state counts too"),
        Statement("Theorem 10", "holds with changes", "it is Theorem 5 again, with the letter d for the width"),
        Statement("Lemma 4", "holds with changes", "it holds for the least DFA of a language, but not for every DFA"),
        Statement("Theorem 11", "holds", "also for models whose step depends on the time"),
        Statement(
            "Theorem 12", "holds with changes", "for stepwise softmax; the constant is from a protocol whose bits are counted"
        ),
        Statement(
            "Theorem 13",
            "holds with changes",
            "each feature has a token after the bits, called a slot; the layout in the paper works only with such slots and "
            "without a causal mask",
        ),
        Statement(
            "Lemma 5",
            "holds with changes",
            "the later member of each pair attends to the earlier one; the proof in the paper needs attention without a mask",
        ),
        Statement("Corollary 13.1", "holds", "Omega(N / log N) in place of Omega(N / (log N)^2)"),
    ),
)

RETRIEVAL = Paper(
    name="Wen, Dang, Lyu 2025",
    arxiv="2402.18510",
    title="RNNs are not Transformers (Yet): The Key Bottleneck on In-context Retrieval",
    statements=(
        Statement(
            "Theorem 4.1",
            "in part",
            "the half with a chain of thought runs; that no model works without one is conditional and not shown",
        ),
        Statement(
            "Theorem 4.6",
            "holds",
            "the half on RNNs is sharper here, with the exact number of bits for Index, Counting and associative recall",
        ),
        Statement(
            "Theorem 4.7",
            "holds",
            "RNNs need Theta(n log n) bits, which is sharper; if loops and repeated edges are allowed, the number is known "
            "exactly",
        ),
        Statement(
            "Theorem 4.8",
            "holds with changes",
            "one layer, for prompts filled up to N + 1 tokens, with 2C + O(1) more tokens in the vocabulary",
        ),
        Statement("Proposition 5.1", "holds", "the number of bits that the oracle saves is known exactly"),
        Statement(
            "Theorem 5.2",
            "holds with changes",
            "the patterns in the paper find other matches; IsTree takes O(n) tokens, see Theorem 5.3",
        ),
        Statement(
            "Theorem 5.3",
            "holds with changes",
            "in 14n - 10 tokens, with the queries [ v ] and [ v y ]; a program that writes regular expressions needs 45n - 36",
        ),
        Statement(
            "Theorem 5.4",
            "holds with changes",
            "our query finds the last write to a cell; the pattern in the paper finds the first",
        ),
        Statement("Theorem 5.6", "holds", "for IsTree our hybrid writes O(n) tokens of thought, in place of O(n log n)"),
        Statement(
            "Theorem 5.7",
            "holds with changes",
            "by another chain of thought; the search in the paper misses the next edge on some graphs",
        ),
        Statement("Theorem 5.8", "holds", "with one token per step"),
        Statement(
            "appendix C, attention blocks", "holds with changes", "each block is one head; Lemmas C.3, C.5 and C.15 are mended"
        ),
    ),
)

COMPOSITION = Paper(
    name="Peng, Narayanan, Papadimitriou 2024",
    arxiv="2402.08164",
    title="On Limitations of the Transformer Architecture",
    statements=(
        Statement(
            "function composition by one layer",
            "our own statement",
            "the idea is the paper's; constants and proof are ours, for two arithmetics",
        ),
    ),
)

INDUCTION = Paper(
    name="Sanford, Hsu, Telgarsky 2024",
    arxiv="2408.14332",
    title="One-layer transformers fail to solve the induction heads task",
    statements=(
        Statement(
            "induction heads by one layer",
            "our own statement",
            "the idea is the paper's; constants and proof are ours, for exact weights",
        ),
    ),
)

PAPERS = (SEPARATIONS, RETRIEVAL, COMPOSITION, INDUCTION)
OWN_STATEMENT = "own"
OTHER = "Other sources"


class OtherSources(Paper):
    """The sources that are none of the papers; each is its own label."""

    def labels(self, source: str) -> list[str]:
        """Return the source itself."""
        return [source]


def paper_of(source: str) -> Paper:
    """Return the paper that a source begins with; for any other source, `OtherSources` with that one.

    >>> paper_of("Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6, Index").arxiv
    '2402.18510'
    >>> paper_of("own").order
    ('own',)
    """
    return next((paper for paper in PAPERS if source.startswith(paper.name)), _others([source]))


def papers_of(sources: Iterable[str]) -> tuple[Paper, ...]:
    """Return the papers, and after them, if a source is of none, `OtherSources` with all of these.

    >>> [paper.name for paper in papers_of(["own"])][-1], len(papers_of([])) == len(PAPERS)
    ('Other sources', True)
    """
    others = dict.fromkeys(source for source in sources if paper_of(source).name == OTHER)
    return (*PAPERS, _others(others)) if others else PAPERS


def _others(sources: Iterable[str]) -> OtherSources:
    verdicts: dict[str, Verdict] = {OWN_STATEMENT: "our own statement"}
    statements = tuple(Statement(source, verdicts.get(source, "not compared")) for source in sources)
    return OtherSources(OTHER, arxiv="", title="", statements=statements)
