"""docs/reference/theorems/index.md: every statement of each paper with its verdict, and the theorem that runs it."""

import inspect
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import seqsep
from pages._markdown import table
from pages.papers import VERDICTS, Paper, Statement, paper_of, papers_of
from seqsep.core.files import read_text
from seqsep.report.page.proofs import module_of
from seqsep.theorems import THEOREMS, Claim, Theorem

FOLDER = "docs/reference/theorems"
HEAD = """# Theorems

Use this page to find the theorem of seqsep for a numbered statement of a paper.
Each theorem has its own page: the statement, the proof, and a command that checks it, with the output of the command.
`make pages` generates these pages from `src/seqsep/theorems/`, and the verdicts from `tools/pages/papers.py`.

An **upper bound** says that a model of a certain size is right. seqsep builds it weight by weight, and a command runs it.
A **lower bound** says that every model needs a certain size. A command runs the reduction of its proof on given models.
Such a run is an example. The written proof shows that no smaller model is right. If the last column says yes, a
[machine-checked proof](../../explanation/machine-checked.md) shows it for every model. A **certificate** is a file that
`seqsep-check` checks without seqsep.

The verdicts mean:

"""
MANY = 100_000


@dataclass(frozen=True)
class Covered:
    """A statement of a paper, with the theorem that runs it and the claim that names it."""

    statement: Statement
    theorem: Theorem
    claim: Claim


def theorems_page(results: Path, theorems: Sequence[Theorem] = THEOREMS) -> str:
    """Return the index: the verdicts, for each paper a table of its statements in the paper's order, and the long checks."""
    parts = [HEAD, table([["verdict", "meaning"], *([verdict, meaning] for verdict, meaning in VERDICTS.items())])]
    parts.append("\nEvery difference from the papers is in the [errata](../errata.md).\n")
    for paper in all_papers(theorems):
        shown = f"*{paper.title}*, [arXiv:{paper.arxiv}]({paper.address}).\n\n" if paper.address else ""
        parts.append(f"\n## {paper.name}\n\n{shown}")
        rows = _rows(paper, theorems, machine_checked(results.parent))
        parts.append(table([["statement", "verdict", "theorem", "bound", "certificate", "machine-checked"], *rows]))
    parts.append(f"\n## The long checks\n\n{long_checks(results, theorems)}\n")
    names = "\n".join(sorted(theorem.name for theorem in theorems))
    parts.append(f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n")
    return "".join(parts)


def long_checks(results: Path, theorems: Sequence[Theorem]) -> str:
    """Return how many theorems have a row of a long check, what the rows count, and how many have a margin."""
    paths = [results / f"verify/{theorem.name}.json" for theorem in theorems if theorem.verify is not None]
    rows = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    with_margin = sum(any(one["least_margin"] is not None for one in row["outcomes"]) for row in rows)
    few = ", ".join(f"`{row['check']}` {row['inputs']:,}" for row in rows if row["inputs"] < MANY)
    return (
        f"`make verify` runs a long check of {len(rows)} of the {len(theorems)} theorems. Each check writes a row, the "
        f"record of its result, to `results/verify/`.\nMost rows have {MANY:,} inputs or more. These have fewer: {few}.\n"
        "An input that runs under two rounding modes counts twice.\n"
        f"{with_margin} rows also have the least measured margin. A margin is the distance of a computed number from the "
        "threshold at which an\nanswer would change."
    )


def machine_checked(clone: Path) -> dict[str, list[str]]:
    """Return the table of proofs/: the name of a theorem -> the theorems in Rocq that are its statement."""
    table: dict[str, list[str]] = json.loads(read_text(clone / "proofs/theorems.json"))
    return table


def _rows(paper: Paper, theorems: Sequence[Theorem], proved: dict[str, list[str]]) -> list[list[str]]:
    covered = covered_statements(paper, theorems)
    rows = []
    for statement in paper.statements:
        ours = [one.theorem for one in covered if one.statement == statement]
        rows += [[statement.label, statement.verdict, *_cells(theorem, theorem.name in proved)] for theorem in ours]
        if not ours:
            rows.append([statement.label, statement.verdict, "", "", "", ""])
    return rows


def _cells(theorem: Theorem, is_proved: bool) -> list[str]:
    has_certificate = theorem.certificate_witness is not None
    return [_link(theorem), ", ".join(theorem.sides), "yes" if has_certificate else "", "yes" if is_proved else ""]


def _link(theorem: Theorem) -> str:
    return f"[{theorem.name}]({theorem.name}.md)"


def covered_statements(paper: Paper, theorems: Sequence[Theorem] = THEOREMS) -> list[Covered]:
    """Return every statement of the paper that a claim in a theorem's file names, in the paper's order.

    If several claims of a file name it, the one that names the fewest statements says it. Raises ValueError for a claim whose
    source begins with a paper and continues with a statement that the paper does not have.

    >>> from pages.papers import SEPARATIONS
    >>> [covered.statement.label for covered in covered_statements(SEPARATIONS)][:3]
    ['Theorem 1', 'Theorem 2', 'Theorem 3']
    """
    statements = {}
    for theorem in theorems:
        of_paper = [claim for claim in claims(theorem) if paper_of(claim.source).name == paper.name]
        for claim in sorted(of_paper, key=lambda claim: len(paper.labels(claim.source)), reverse=True):
            for label in paper.labels(claim.source):
                statement = paper.statements[paper.order.index(label)]
                statements[label, theorem.name] = Covered(statement, theorem, claim)
    return sorted(statements.values(), key=lambda covered: paper.order.index(covered.statement.label))


def all_papers(theorems: Sequence[Theorem] = THEOREMS) -> tuple[Paper, ...]:
    """Return the papers, and after them the other sources that a theorem has, if any."""
    return papers_of(claim.source for theorem in theorems for claim in claims(theorem))


def claims(theorem: Theorem) -> list[Claim]:
    """Return the claims that a theorem's file makes, its own first."""
    return list(dict.fromkeys([theorem.claim, *(one for one in vars(module_of(theorem)).values() if isinstance(one, Claim))]))


def test_file(theorem: Theorem, clone: Path) -> str:
    """Return the file of its tests: its own, else a shared one of its folder that names it, else test_theorems.py."""
    place = Path(file_of(theorem)).relative_to("theorems")
    folder = Path("tests/theorems") / place.parent
    own = folder / f"test_{place.name}"
    if (clone / own).is_file():
        return own.as_posix()
    members = {f"test_{path.name}" for path in Path(inspect.getfile(module_of(theorem))).parent.glob("[!_]*.py")}
    for shared in sorted((clone / folder).glob("test_*.py")):
        if shared.name not in members and re.search(rf"\b{place.stem}\b", read_text(shared)):
            return (folder / shared.name).as_posix()
    return "tests/theorems/test_theorems.py"


def file_of(theorem: Theorem) -> str:
    """Return the file of a theorem below src/seqsep."""
    return Path(inspect.getfile(module_of(theorem))).relative_to(Path(seqsep.__file__).parent).as_posix()
