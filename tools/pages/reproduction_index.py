"""docs/reproduction/index.md, generated from the committed rows: a verdict for each claim of the papers."""

from collections.abc import Iterator
from pathlib import Path

from pages._claim_tables import accuracies_by_seed, figure
from pages._claims import FIGURES, claims_of_figure, found_in
from pages._markdown import folded, table
from pages.experiments import list_of_pages
from seqsep.lab.experiments.claims import CLAIMS
from seqsep.lab.experiments.claims.claim import STATUSES
from seqsep.lab.experiments.claims.known import Found
from seqsep.lab.experiments.claims.papers import figure2_index_lookup
from seqsep.lab.row import read_rows
from seqsep.report.formatting import percent
from seqsep.tasks import IndexLookup

HEAD = """# What is reproduced

This page is for readers of the two papers. It says which of their measured claims hold in our runs.
The papers are Bhattamishra et al. 2024 (arXiv:2406.09347) and Wen, Dang and Lyu 2025 (arXiv:2402.18510).
`make pages` computes the verdicts from the rows in `results/` by a fixed rule.
`seqsep claims` prints the rows that decide a claim.
Rates, seeds and curves are on the [pages of the experiments](#the-experiments).

## How a verdict is computed

"""
RULE = """
A row counts for a claim if it has the paper's task and architecture, and at most the paper's layers, width and steps.
Learning rate, heads, initial scale, positional encoding and the reading of appendix H.1 may differ.
The best row that counts is compared with the paper's number:

* **Near-perfect number** (99 % or more): *reproduced* if our best is at most one point lower, else *not reached*.
* **Other number:** *not reached* if our best is more than five points lower. *Contradicted* if at least five points higher.
  Between the two, *reproduced* if a row of the paper's size with all of its steps is as near, else *open*.
* **Words for a number:** "near-perfect" is read as 99 %. "Below" is *contradicted* from 99 % on.
* **Order of models:** *contradicted* if the upper model has 99 % and a lower one is at most one point below it.
  *Not reached* if the upper one is not more than five points above all lower ones. Else it is *order reproduced* or *open*.
  *Order reproduced* needs a row of each lower model at the paper's size, with at least the steps of the upper one.
* **Speed:** *reproduced* if the best row has 99 % within the steps of the claim, else *not reached*.
"""
READ = """
In the tables, numbers are accuracies in percent, and ours is the best row that counts. Two numbers with "to" are the range over
seeds. *Same size* means the paper's layers and width, and *smaller* means fewer layers or a smaller width.
Size, steps and seeds of each claim are folded away below its table.
"""
SHORT = """
## What is not reproduced, in short

No cause is given: none is held by a test here.

"""
EXPERIMENTS = """
## The experiments

Each page has a question, the set-up, one table, one figure, all rows as CSV, and the command that repeats it.
At 99 %, 5,000 evaluation examples have a standard error of 0.14 points.
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
DRAWN = "drawn-length"


PICTURES = {
    "figure-2-": """![Accuracy on index lookup, one row an architecture and one column a length](../reach.svg)

Index lookup over 64 symbols, from all committed rows: the median accuracy over seeds of each architecture's best setting, with
the range, the size and the steps. Hatched cells have another size than the paper's model.
""",
}
"""Beginning of the names of a figure's claims -> the picture below its tables."""


def reproduction_index_page(folder: Path) -> str:
    """Return the page as Markdown."""
    found = found_in(folder)
    seeds = accuracies_by_seed(folder)
    parts = [HEAD, _meanings(found), folded("The rule, with all its thresholds", RULE.strip()), READ]
    for beginning, title in FIGURES.items():
        parts += [f"\n## {title}\n\n", figure(beginning, claims_of_figure(beginning), found, seeds)]
        if beginning in PICTURES:
            parts.append(folded("Picture of index lookup", PICTURES[beginning]))
    return "".join([*parts, SHORT, *_missing(found), _drawn_lengths(folder), EXPERIMENTS, list_of_pages(), TOCTREE])


def _meanings(found: Found) -> str:
    """Return the table of what each verdict means, with the number of claims that have it."""
    verdicts = [found.verdict(claim).status for claim in CLAIMS]
    lines = [[status, str(verdicts.count(status)), means] for status, means in STATUSES.items()]
    return table([["Verdict", "Claims", "Meaning"], *lines])


def _missing(found: Found) -> Iterator[str]:
    """Yield a line with the names of contradicted claims, and one with the number of all others that are not reproduced."""
    named = {status: [claim.name for claim in CLAIMS if found.verdict(claim).status == status] for status in STATUSES}
    if named["contradicted"]:
        yield f"* **contradicted**: {', '.join(f'`{name}`' for name in named['contradicted'])}\n"
    rest = ", ".join(f"{len(named[status])} {status}" for status in ("not reached", "open", "not run") if named[status])
    yield f"* {rest}; `seqsep claims --status STATUS` lists those with one verdict\n"


def _drawn_lengths(folder: Path) -> str:
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
    return f"* Attention with training inputs of a drawn length (a reading of appendix H.1), the paper's in brackets: {said}\n"
