"""docs/reproduction/index.md, generated from the committed rows: a verdict for each claim of the papers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pages._claims import FIGURES, found_in
from pages._markdown import markdown, table
from pages.experiments import list_of_pages
from seqsep.lab.experiments.claims import CLAIMS
from seqsep.lab.experiments.claims.claim import STATUSES, Accuracy, Claim
from seqsep.lab.experiments.claims.known import Found
from seqsep.lab.experiments.claims.papers import figure2_index_lookup
from seqsep.lab.row import read_rows
from seqsep.lab.run import Run
from seqsep.report.numerals import percent
from seqsep.tasks import IndexLookup, IsTree

HEAD = """# What is reproduced

This page is for readers of the two papers. It says which of their measured claims hold in our runs.
The papers are Bhattamishra et al. 2024 (arXiv:2406.09347) and Wen, Dang and Lyu 2025 (arXiv:2402.18510).
`make pages` writes this page from the rows in `results/`. `seqsep claims` prints the rows that decide a claim.
Rates, seeds and curves are on the [pages of the experiments](#the-experiments).

## How a verdict is computed

A row counts for a claim if it has the paper's task and architecture, and at most the paper's layers, width and steps.
Learning rate, heads, initial scale, positional encoding and the reading of appendix H.1 may differ.
The best row that counts is compared with the paper's number.
A near-perfect number of the paper is reproduced if our best is at most one point lower.
A lower number is contradicted if ours is more than five points higher. To reproduce it, a row needs the paper's size and steps.

"""
CELLS = """
In each cell: the paper's accuracy in percent; our best (layers x width, steps; range over seeds); the **verdict**.
"Drawn" means that training inputs had a drawn length, one of the readings of appendix H.1.
"""
SHORT = """
## What is not reproduced, in short

Each cell has our best accuracy, and the paper's in brackets. No cause is given: none is held by a test here.

"""
EXPERIMENTS = """
## The experiments

Each page has a question, the set-up, one table, one figure, all rows as CSV, and the command that repeats it.
A range of accuracies is over seeds. At 99 %, 5,000 evaluation examples have a standard error of 0.14 points.
The best of several settings reads higher than it is, because settings are chosen on the same examples.
This does not show what an architecture learns with more steps or a larger model.

"""
TOCTREE = """
```{toctree}
:hidden:
:glob:

*
```
"""
UNDECIDED = ("contradicted", "not reached", "open")
DRAWN = "drawn-length"


SIZES = ("0.5M", "1M", "2M")


PICTURES = {
    "figure-2-": """
![Accuracy on index lookup, one row an architecture and one column a length](../reach.svg)

Index lookup over 64 symbols, from all committed rows: the median accuracy over seeds of each architecture's best setting, with
the range, the size and the steps. Hatched cells have another size than the paper's model.
""",
}
"""Beginning of the names of a figure's claims -> the picture below its tables."""


def reproduction_index_page(folder: Path) -> str:
    """Return the page as Markdown."""
    found = found_in(folder)
    seeds = _accuracies_by_seed(folder)
    verdicts = [found.verdict(claim).status for claim in CLAIMS]
    counts = [[status, str(verdicts.count(status)), means] for status, means in STATUSES.items()]
    parts = [HEAD, table([["Verdict", "Claims", "Meaning"], *counts]), CELLS]
    for beginning, title in FIGURES.items():
        claims = [claim for claim in CLAIMS if claim.name.startswith(beginning)]
        parts += [f"\n## {title}\n", *_tables(claims, found, seeds), PICTURES.get(beginning, "")]
    missing = [["Figure", "Verdict", "Claim: ours (the paper's), %"], *_missing(found), _drawn_lengths(folder)]
    return "".join([*parts, SHORT, table(missing), EXPERIMENTS, list_of_pages(), TOCTREE])


def _accuracies_by_seed(folder: Path) -> Mapping[str, list[float]]:
    """Return, by the key of a row, the accuracies of all seeds of its setting."""
    rows = [row for path in sorted(folder.glob("*.jsonl")) for row in read_rows(path) if row.has_outcome]
    groups: dict[Run, dict[int, float]] = {}
    for row in rows:
        accuracy = row.result.get("live_accuracy") if isinstance(row.run.task, IsTree) else row.result.get("accuracy")
        if accuracy is not None and not row.failed:
            groups.setdefault(replace(row.run, seed=0), {})[row.run.seed] = accuracy
    return {row.key: list(groups.get(replace(row.run, seed=0), {}).values()) for row in rows}


def _tables(claims: Sequence[Claim], found: Found, seeds: Mapping[str, list[float]]) -> Iterator[str]:
    """Yield a table of accuracies for each set of lengths, and a table of the other claims."""
    groups: dict[str, dict[int, list[Accuracy]]] = {}
    for claim in claims:
        if isinstance(claim, Accuracy):
            groups.setdefault(_model(claim.name), {}).setdefault(claim.task.length, []).append(claim)
    by_lengths: dict[tuple[int, ...], list[tuple[str, list[str]]]] = {}
    for name, cells in groups.items():
        texts = [_cell(several, found, seeds) for several in cells.values()]
        by_lengths.setdefault(tuple(cells), []).append((f"`{name}`", texts))
    for lengths, rows in by_lengths.items():
        yield "\n" + markdown(lengths, rows, corner="Claim")
    others = [claim for claim in claims if not isinstance(claim, Accuracy)]
    if others:
        verdicts = [(claim, found.verdict(claim)) for claim in others]
        lines = [[f"`{one.name}`", one.statement, verdict.evidence, f"**{verdict.status}**"] for one, verdict in verdicts]
        yield "\n" + table([["Claim", "The paper says", "Ours", "Verdict"], *lines])


def _model(name: str) -> str:
    """Return the name of a claim without its length, and on IsTree without the size of its model."""
    parts = name.split("-")[:-1]
    return "-".join(part for part in parts if part not in SIZES)


def _cell(claims: Sequence[Accuracy], found: Found, seeds: Mapping[str, list[float]]) -> str:
    """Return one cell: of one claim, or of the claims on the sizes of a model."""
    if len(claims) == 1:
        (claim,) = claims
        return f"{_printed(claim)}; {_ours(claim, found, seeds)}**{found.verdict(claim).status}**"
    sized = [(claim.name.split("-")[-2], claim) for claim in claims]
    texts = [
        f"{size}: {_printed(claim)}; {_ours(claim, found, seeds)}**{found.verdict(claim).status}**" for size, claim in sized
    ]
    return "<br>".join(texts)


def _printed(claim: Accuracy) -> str:
    if claim.printed is None:
        return "near-perfect" if claim.learns else "below"
    return percent(claim.printed)


def _ours(claim: Accuracy, found: Found, seeds: Mapping[str, list[float]]) -> str:
    """Return our best with its size and steps, and the range over seeds if there are several."""
    best = found.evidence[claim.name].best
    if best is None:
        return ""
    others = seeds.get(best.key, [])
    spread = f"; {percent(min(others))} to {percent(max(others))} over {len(others)} seeds" if len(others) > 1 else ""
    drawn = ", drawn" if best.training == DRAWN else ""
    return f"{percent(best.accuracy)} ({best.layers} x {best.width}, {best.steps:,}{drawn}{spread}); "


def _missing(found: Found) -> Iterator[list[str]]:
    """Yield a line for each figure and verdict that is not `reproduced`."""
    for beginning, title in FIGURES.items():
        claims = [claim for claim in CLAIMS if claim.name.startswith(beginning)]
        for status in UNDECIDED:
            cells = [one for one in claims if isinstance(one, Accuracy) and found.verdict(one).status == status]
            said = dict.fromkeys(_against(claim, beginning, found) for claim in cells)
            if said:
                yield [title, f"**{status}**", "; ".join(said)]
        not_run = sum(found.verdict(claim).status == "not run" for claim in claims)
        if not_run:
            yield [title, "**not run**", f"{not_run} of {len(claims)} claims"]


def _against(claim: Accuracy, beginning: str, found: Found) -> str:
    best = found.evidence[claim.name].best
    ours = "" if best is None else percent(best.accuracy)
    return f"{claim.name.removeprefix(beginning)} {ours} ({_printed(claim)})"


def _drawn_lengths(folder: Path) -> list[str]:
    """Return a line on attention at long inputs under the reading of H.1 that draws a length."""
    best: dict[int, float] = {}
    for path in sorted(folder.glob("index-lookup-architectures*.jsonl")):
        for row in read_rows(path):
            task = row.run.task
            if (
                row.has_outcome
                and isinstance(task, IndexLookup)
                and (task.training_inputs, task.alphabet) == (DRAWN, 64)
                and set(row.run.layers) == {"attention"}
            ):
                best[task.length] = max(best.get(task.length, 0.0), row.result["accuracy"])
    found = [
        (length, f"N = {length} {percent(best[length])}" if length in best else f"N = {length} not run")
        for length in (200, 400)
    ]
    printed = figure2_index_lookup()["attention"].accuracy
    said = "; ".join(f"{words} ({percent(printed[length])})" for length, words in found)
    return ["Attention with training inputs of a drawn length (a reading of appendix H.1)", "", said]
