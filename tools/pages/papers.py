"""The papers: statements in their order, each with its verdict; docs/theorems.md is made from them.

Of the first two every numbered statement or theorem is here. Of the others one bound each is, proved in our own words.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """A statement of a paper by its label, and what running it showed.

    >>> Statement("Theorem 2", "holds").label
    'Theorem 2'
    """

    label: str
    verdict: str


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
    def order(self) -> tuple[str, ...]:
        """The labels of the statements, first to last."""
        return tuple(statement.label for statement in self.statements)

    def labels(self, source: str) -> list[str]:
        """The statements that a source names. Raises ValueError unless it is of this paper and each is one of its own."""
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
        Statement("Theorem 1", "holds; the question's own key is mended"),
        Statement("Theorem 2", "holds"),
        Statement("Theorem 3", "holds, and exactly: N log2 S bits are needed and enough"),
        Statement("section 3 (discussion of Theorem 3)", "holds"),
        Statement(
            "Theorem 4", "holds, of stepwise softmax, for m >= 2 by another protocol; the printed steps cost more than printed"
        ),
        Statement("Lemma 1", "holds; for a depth of 3 and more its words of depth 2 are a fooling set, all its words are none"),
        Statement("Theorem 5", "holds, of stepwise softmax; its constant for m >= 2, by the protocol of Theorem 4's row"),
        Statement("section 4.1", "holds"),
        Statement("section 4.2", "holds, of stepwise softmax, with constants; one layer of value width N/2 + 1 is enough"),
        Statement("Theorem 6", "holds by a threshold after layer 1; the printed eta is too small"),
        Statement("section 5 (total size)", "holds, with constants; O(log N) bits for equality by the parabola code"),
        Statement("Theorem 7", "holds by labels that copy the point before them; printed with a width beyond O(log N)"),
        Statement("Theorem 8", "holds"),
        Statement("Fact 1", "holds, exactly: N + 1 bits if both know; with coins (1 - 2 sqrt(e (1 - e))) N / 4 are needed"),
        Statement("Fact 2", "holds, exactly: N + 1 bits if both know; with coins 2 ceil(log2 q), with shared coins 2, counted"),
        Statement("Fact 3", "holds; with coins (1 - h(e)) N bits are needed, and a constant share of N is enough"),
        Statement("Lemma 2", "holds for every gamma, and by a quarter of the printed coordinates"),
        Statement("Lemma 3", "holds, with c = 19; for the basis vectors in O(log N) bits of memory, by another construction"),
        Statement("Corollary 8.1", "Lemma 2 at gamma = 1/4"),
        Statement("Proposition 9", "holds; exact if keys come in one order, else more is needed inside the last pair"),
        Statement("Definition 1", "is what a fooling set is required to be"),
        Statement("Fact 4", "holds, also if only one party learns the answer"),
        Statement("appendix E", "holds, by 8 states in place of 7"),
        Statement("Theorem 10", "Theorem 5 with its constant"),
        Statement("Lemma 4", "holds for the least DFA of a language; false for every DFA"),
        Statement("Theorem 11", "holds, for models that depend on the time as well"),
        Statement("Theorem 12", "holds, of stepwise softmax, with the constant of the counted protocol"),
        Statement(
            "Theorem 13", "holds by slots behind the bits; the printed layout, with such slots, only without a causal mask"
        ),
        Statement("Lemma 5", "holds, if the later member of each pair asks; as printed only without a causal mask"),
        Statement("Corollary 13.1", "holds, and Omega(N / log N) in place of Omega(N / (log N)^2)"),
    ),
)

RETRIEVAL = Paper(
    name="Wen, Dang, Lyu 2025",
    arxiv="2402.18510",
    title="RNNs are not Transformers (Yet): The Key Bottleneck on In-context Retrieval",
    statements=(
        Statement("Theorem 4.1", "with a thought it runs; that no model does without one is conditional and not shown"),
        Statement("Theorem 4.6", "holds; the least state is exact for Index, Counting and recall of pairs"),
        Statement(
            "Theorem 4.7", "holds; the lower bound is Theta(n log n), and exact if pairs may repeat; Omega(n) is printed"
        ),
        Statement(
            "Theorem 4.8",
            "holds by one layer for prompts filled up to N + 1 tokens, with 2C + O(1) more tokens in the vocabulary",
        ),
        Statement("Proposition 5.1", "holds, and exactly: what the oracle saves is counted"),
        Statement("Theorem 5.2", "holds; IsTree in O(n) tokens, as Theorem 5.3 has it"),
        Statement(
            "Theorem 5.3",
            "holds with queries that have names, by 14n - 10 tokens; with literal patterns a program needs 45n - 36",
        ),
        Statement(
            "Theorem 5.4", "holds with queries that have names; the printed pattern finds the first write, another one the last"
        ),
        Statement("Theorem 5.6", "holds; IsTree in O(n) tokens"),
        Statement("Theorem 5.7", "holds by another thought; the printed search misses the next edge on some graphs"),
        Statement("Theorem 5.8", "holds, by one token a step"),
        Statement("appendix C, attention blocks", "each is one head here; Lemmas C.3, C.5 and C.15 are mended"),
    ),
)

COMPOSITION = Paper(
    name="Peng, Narayanan, Papadimitriou 2024",
    arxiv="2402.08164",
    title="On Limitations of the Transformer Architecture",
    statements=(Statement("function composition by one layer", "proved here with constants of our own, for two arithmetics"),),
)

INDUCTION = Paper(
    name="Sanford, Hsu, Telgarsky 2024",
    arxiv="2408.14332",
    title="One-layer transformers fail to solve the induction heads task",
    statements=(Statement("induction heads by one layer", "proved here with constants of our own, for exact weights"),),
)

PAPERS = (SEPARATIONS, RETRIEVAL, COMPOSITION, INDUCTION)


def paper_of(source: str) -> Paper:
    """The paper that a source begins with. Raises ValueError if it is none of them.

    >>> paper_of("Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6, Index").arxiv
    '2402.18510'
    """
    for paper in PAPERS:
        if source.startswith(paper.name):
            return paper
    raise ValueError(f"{source}: expected a source that begins with one of {'; '.join(paper.name for paper in PAPERS)}")
