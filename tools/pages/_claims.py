"""The first part of docs/reproduction.md, the claims of the papers one by one; and what the committed rows show, as a file."""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from pages._markdown import markdown, table
from seqsep.experiments.claims import CLAIMS
from seqsep.experiments.claims.claim import STATUSES, Accuracy, Claim
from seqsep.experiments.claims.known import Found, core_hours, in_words
from seqsep.lab.row import read_rows
from seqsep.report.numerals import percent

HEAD = """
## The claims of the papers, one by one

Every number and every sentence of the papers' experiments is a claim here. Each has a verdict, which a rule gives from the
committed rows (`seqsep.experiments.claims`). `seqsep claims` prints the same list with the rows that decide; `seqsep run claims
--claim NAME` trains what decides one claim.

A row counts for a claim if it has the paper's task and architecture, at most its layers, width and steps. Learning rate, heads,
initial scale and positions may differ, and so may the reading of appendix H.1 for index lookup. In the tables, the paper's
number comes first, then our best, then the verdict. If no row counts, the cheapest run's cost on one core is in brackets.
"""
FIGURES = {
    "figure-2-": "Figure 2 of Bhattamishra et al.: index lookup and Dyck-(2,2)",
    "figure-3-": "Figure 3: two layers of Mamba on index lookup",
    "figure-4-": "Figure 4: equality",
    "equality-one-": "Appendix H.2: Eq-one",
    "is-tree-": "Figures 2 and 5 of Wen, Dang and Lyu: IsTree",
    "hotpotqa-": "Section 6.2 of Wen, Dang and Lyu: HotpotQA",
}


@cache
def found_in(folder: Path) -> Found:
    """Return what the rows of a folder of results show."""
    rows = [row for path in sorted(folder.glob("*.jsonl")) for row in read_rows(path)]
    return Found.of_rows(rows, CLAIMS)


def evidence_file(folder: Path) -> str:
    """Return evidence.json: what the committed rows show of each claim."""
    return json.dumps(found_in(folder).record(), indent=1) + "\n"


def claims_part(folder: Path) -> str:
    """Return the part as Markdown: how many claims have each verdict, then a table for each figure."""
    found = found_in(folder)
    verdicts = [found.verdict(claim).status for claim in CLAIMS]
    counts = [[status, str(verdicts.count(status)), means] for status, means in STATUSES.items()]
    parts = [HEAD, "\n", table([["Verdict", "Claims", "Meaning"], *counts])]
    for beginning, title in FIGURES.items():
        parts += [f"\n### {title}\n", *_tables([claim for claim in CLAIMS if claim.name.startswith(beginning)], found)]
    return "".join(parts)


def _tables(claims: Sequence[Claim], found: Found) -> Iterable[str]:
    """Yield a table of accuracies by length for each set of lengths, and a table of the other claims."""
    groups: dict[str, list[Accuracy]] = {}
    for claim in claims:
        if isinstance(claim, Accuracy):
            groups.setdefault(claim.name.rpartition("-")[0], []).append(claim)
    by_lengths: dict[tuple[int, ...], list[tuple[str, list[str]]]] = {}
    for name, cells in groups.items():
        lengths = tuple(claim.task.length for claim in cells)
        by_lengths.setdefault(lengths, []).append((f"`{name}`", [_cell(claim, found) for claim in cells]))
    for lengths, rows in by_lengths.items():
        yield "\n" + markdown(lengths, rows, corner="Paper; ours: verdict")
    others = [claim for claim in claims if not isinstance(claim, Accuracy)]
    if others:
        lines = [[f"`{claim.name}`", claim.statement, *_words(claim, found)] for claim in others]
        yield "\n" + table([["Claim", "Statement", "Verdict", "Ours"], *lines])


def _cell(claim: Accuracy, found: Found) -> str:
    """Return the paper's accuracy, ours, the verdict and, if it is open, what the next run costs."""
    verdict = found.verdict(claim)
    best = found.evidence[claim.name].best
    paper = ("near-perfect" if claim.learns else "below") if claim.printed is None else percent(claim.printed)
    ours = "-" if best is None else percent(best.accuracy)
    missing = found.missing(claim)
    cost = f" ({in_words(core_hours(missing[0]), 'core')})" if missing and best is None else ""
    return f"{paper}; {ours}: {verdict.status}{cost}"


def _words(claim: Claim, found: Found) -> list[str]:
    verdict = found.verdict(claim)
    return [verdict.status, verdict.evidence]
