"""docs/reproduction/index.md, generated from the committed rows: a verdict for each claim of the papers."""

import re
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

This page is for readers of two papers. It says which of their measured claims hold in our runs.
The papers are Bhattamishra et al. 2024 (arXiv:2406.09347) and Wen, Dang and Lyu 2025 (arXiv:2402.18510).
Each row in `results/` is one training run of ours with its outcome.
`make pages` computes the verdicts from these rows by a fixed rule.
`seqsep claims` prints the rows that decide a claim.
Rates, seeds and curves are on the [pages of the experiments](#the-experiments).

## Verdicts

"""
RULE_HEAD = """
## How a verdict is computed
"""
RULE = """ A row counts for a claim if its task and architecture are those of the paper, and its layers, width and steps are at
most those of the paper. Learning rate, heads, initial scale and positional encoding may differ. For index lookup, a row may use
any [H.1 reading](../explanation/glossary.md#h1-reading): appendix H.1 of the first paper describes the training inputs in words
that can be read in several ways.

*Our best* is the highest accuracy of all rows that count. A point is one percentage point.

* **The paper's number is 99 % or more:** *Reproduced* if our best is at most one point lower. Otherwise *not reached*.
* **The paper's number is less than 99 %:**
  * *Not reached* if our best is more than five points lower.
  * *Contradicted* if our best is at least five points higher.
  * Otherwise *reproduced* if a row with the paper's size and the paper's full number of steps is at most five points lower.
    Otherwise *open*.
* **The paper says "near-perfect":** *Reproduced* if our best is at least 99 %. Otherwise *not reached*.
* **The paper says "below near-perfect":**
  * *Contradicted* if our best is at least 99 %.
  * Otherwise *reproduced* if there is a row of the paper's size with all of its steps. Otherwise *open*.
* **The paper says that one model is above others:** These verdicts are tested in this order:
  * *Contradicted* if the upper model reaches at least 99 %, and the best lower model is at most one point below it.
  * *Not reached* if the upper model is at most five points above the best lower model.
  * *Order reproduced* if each lower model has a row with the paper's size for that model, and at least as many steps as our run
    of the upper model.
  * *Open* in all other cases.
* **The paper gives a number of steps:** *Reproduced* if our best row reaches 99 % within these steps. Otherwise *not reached*.
"""
READ = """
The tables below show accuracies in percent. *Paper* is the paper's number, and *ours* is our best row that counts:

* If there are two numbers with "to", they are the lowest and the highest accuracy over seeds.
* *Same size* means that our model has the paper's layers and width. *Smaller* means fewer layers or a smaller width.
* If the claim is that one model is above others, "100.0 against 88.9" gives the upper model first, then the best lower one.

Below each table, a second table is folded away. It contains the size, steps and seeds for each claim. In that table:

* `lstm (3, 256)` means 3 layers of the LSTM with width 256, and `1 x 64` means one layer of width 64.
* For index lookup, a word such as `drawn-length` is the [H.1 reading](../explanation/glossary.md#h1-reading) of the row.
"""
SHORT = """
## What is not reproduced, in short

This list does not say why, because no experiment here isolates a cause.

"""
BY_FIGURE = """
The next table has the number of claims with each verdict, for each figure or section of the two papers:

"""
EXPERIMENTS = """
## The experiments

Each page contains a question, the set-up, one table and one figure. It also contains all rows as CSV, and the command that
repeats the experiment.

An accuracy of 99 % on 5,000 evaluation examples has a standard error of 0.14 points.
The best setting is chosen and measured on the same examples. On new examples, its accuracy would be a little lower on average.
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
    "figure-2-": """![Accuracy on index lookup, one row per architecture and one column per length](../reach.svg)

The picture shows index lookup over 64 symbols, from all committed rows. Each cell is about the best setting of one
architecture. It shows the median accuracy over seeds, the range over seeds, the size and the steps. A cell is hatched if the
size of its model is not that of the paper.
""",
}
"""Beginning of the names of a figure's claims -> the picture below its tables."""


def reproduction_index_page(folder: Path) -> str:
    """Return the page as Markdown."""
    found = found_in(folder)
    seeds = accuracies_by_seed(folder)
    parts = [HEAD, _meanings(found), SHORT, *_missing(found), _drawn_lengths(folder), BY_FIGURE, _by_figure(found)]
    parts += [RULE_HEAD, folded("The rule, with all its thresholds", RULE.strip()), READ]
    for beginning, title in FIGURES.items():
        parts += [f"\n## {title}\n\n", figure(beginning, claims_of_figure(beginning), found, seeds)]
        if beginning in PICTURES:
            parts.append(folded("Picture of index lookup", PICTURES[beginning]))
    return "".join([*parts, EXPERIMENTS, list_of_pages(), TOCTREE])


def _meanings(found: Found) -> str:
    """Return the table of what each verdict means, with the number of claims that have it."""
    verdicts = [found.verdict(claim).status for claim in CLAIMS]
    lines = [[status, str(verdicts.count(status)), means] for status, means in STATUSES.items()]
    return table([["Verdict", "Claims", "Meaning"], *lines])


def _by_figure(found: Found) -> str:
    """Return the table of the verdicts of each figure, with a link to its section."""
    lines = []
    for beginning, title in FIGURES.items():
        verdicts = [found.verdict(claim).status for claim in claims_of_figure(beginning)]
        place = re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
        lines.append([f"[{title}](#{place})", *(str(verdicts.count(status) or "") for status in STATUSES)])
    return table([["Figure or section", *STATUSES], *lines])


def _missing(found: Found) -> Iterator[str]:
    """Yield a line with the names of contradicted claims, and one with the number of all others that are not reproduced."""
    named = {status: [claim.name for claim in CLAIMS if found.verdict(claim).status == status] for status in STATUSES}
    if named["contradicted"]:
        yield f"* **contradicted**: {', '.join(f'`{name}`' for name in named['contradicted'])}\n"
    rest = ", ".join(f"{len(named[status])} {status}" for status in ("not reached", "open", "not run") if named[status])
    yield f"* {rest}. `seqsep claims --status STATUS` lists the claims with one of these verdicts.\n"


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
        (length, f"{percent(best[length])} % at N = {length}" if length in best else f"no run at N = {length}")
        for length in (200, 400)
    ]
    printed = figure2_index_lookup()["attention"].accuracy
    said = "; ".join(f"{words} (the paper has {percent(printed[length])} %)" for length, words in found)
    reading = (
        "Appendix H.1 of the first paper can be read in several ways; "
        "seqsep uses [three](../explanation/glossary.md#h1-reading). If training inputs have drawn lengths (`drawn-length`), "
        "this is the accuracy of attention"
    )
    return f"* {reading}: {said}.\n"
