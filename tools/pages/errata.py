"""docs/reference/errata.md, generated from the theorem records: the errors found in the papers, with their severity."""

from collections.abc import Sequence
from dataclasses import dataclass

from pages._docstrings import inline
from pages._markdown import table
from pages._severities import SEVERITIES, Graded, graded
from pages.papers import Paper, paper_of, papers_of
from seqsep.theorems import THEOREMS, Theorem
from seqsep.theorems.base import Remark

HEAD = """# Errata

You need this page if you read or build on one of the papers, and want to know which printed sentences do not hold.
A test of seqsep checks each entry. The tables below link all entries. In an entry:

* *Printed* is the statement in the paper.
* *Found* is the result of our check.
* *Built* is what our construction, program or proof has in place of the printed statement.

`make pages` generates the page from the records in `src/seqsep/theorems/`. Words in quotation marks are the paper's.

Each entry has a severity:

"""
ERRORS = "## List of errata\n\n"
CHOICES = """## List of choices and sharpenings

These entries are not errors. Our construction has another form, is sharper, or answers a question that the authors leave open.

"""


@dataclass(frozen=True)
class ErratumEntry:
    """A remark of a theorem, its number among that theorem's errata or choices, and its severity."""

    theorem: Theorem
    number: int
    remark: Remark
    graded: Graded

    @property
    def title(self) -> str:
        """The heading of the entry, which is unique."""
        return f"{self.theorem.name}{' choice' if self.graded.severity == 'choice' else ''} {self.number}"

    @property
    def anchor(self) -> str:
        """The entry's place on the page, as links name it."""
        return self.title.replace(" ", "-")


def errata_page(theorems: Sequence[Theorem] = THEOREMS) -> str:
    """Return the page: severities, an index of one line an entry, then the entries paper by paper."""
    errata = [entry for theorem in theorems for entry in entries(theorem) if entry.graded.severity != "choice"]
    choices = [entry for theorem in theorems for entry in entries(theorem) if entry.graded.severity == "choice"]
    counts = [["severity", "entries", "meaning"]]
    for severity, meaning in SEVERITIES.items():
        count = sum(entry.graded.severity == severity for entry in (*errata, *choices))
        counts.append([severity, str(count), meaning])
    return "".join(
        [HEAD, table(counts), "\n", ERRORS, _index(errata), "\n", CHOICES, _index(choices), _sections(errata, choices)]
    )


def entries(theorem: Theorem) -> list[ErratumEntry]:
    """Return the errata of a theorem, then its choices.

    >>> from seqsep.theorems import BY_NAME
    >>> [entry.anchor for entry in entries(BY_NAME["index-lookup-state"])]
    ['index-lookup-state-1', 'index-lookup-state-choice-1']
    """
    found = []
    for remarks in (theorem.errata, theorem.choices):
        for number, remark in enumerate(remarks, 1):
            found.append(ErratumEntry(theorem, number, remark, graded(theorem.name, number, remark)))
    return found


def _index(listed: Sequence[ErratumEntry]) -> str:
    """Return the index of the entries, one line each."""
    lines = [["entry", "place in the paper", "severity", "in one line"]]
    for entry in listed:
        said = entry.graded.summary if entry.graded.severity != "choice" else _shown(entry.remark.found)
        lines.append([f"[{entry.title}](#{entry.anchor})", _shown(entry.remark.where), entry.graded.severity, said])
    if all(entry.graded.severity == "choice" for entry in listed):
        lines = [[line[0], line[1]] for line in lines]
    return table(lines)


def _sections(errata: Sequence[ErratumEntry], choices: Sequence[ErratumEntry]) -> str:
    parts = []
    for kind, listed in (("errata", errata), ("choices", choices)):
        for paper in papers_of(one.theorem.source for one in listed):
            ours = [one for one in listed if paper_of(one.theorem.source).name == paper.name]
            parts.append(_of_paper(kind, paper, ours))
    return "".join(parts)


def _of_paper(kind: str, paper: Paper, listed: Sequence[ErratumEntry]) -> str:
    if not listed:
        return ""
    title = f"*{paper.title}*\n" if paper.title else ""
    return f"\n## {paper.name}: {kind}\n\n{title}" + "".join(map(_section, listed))


def _section(entry: ErratumEntry) -> str:
    remark = entry.remark
    theorem = entry.theorem
    said = "" if entry.graded.severity == "choice" else f" {entry.graded.summary}"
    return (
        f"\n### {entry.title}\n\n"
        f"{_shown(remark.where)}. Severity: **{entry.graded.severity}**.{said}\n\n"
        f"* Printed: {_shown(remark.printed)}.\n"
        f"* Found: {_shown(remark.found)}.\n"
        f"* Built: {_shown(remark.built)}.\n"
        f"* Theorem: [{theorem.name}](theorems/{theorem.name}.md), from {theorem.source}.\n"
        f"* Test: `{remark.test}`\n"
    )


def _shown(text: str) -> str:
    return inline(text).replace("|", r"\|")
