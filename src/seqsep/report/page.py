"""The report: one offline page, index.html, from training runs and theorem checks.

Nothing on it needs the network or JavaScript; the same input gives the same bytes.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from seqsep.report import curves, tables
from seqsep.report.contender import OTHER, STYLES
from seqsep.report.drawn import Drawn
from seqsep.report.headline import dyck_sentence, separation, tiles
from seqsep.report.heatmap import heatmap
from seqsep.report.ledger_charts import LEDGER_STYLES, frontier_figures, separation_figure
from seqsep.report.measured import Evidence, Measured
from seqsep.report.numerals import DASH, count, known
from seqsep.report.papers import SEPARATIONS, figure2_dyck
from seqsep.report.templates import environment, source
from seqsep.report.theorem_table import statements
from seqsep.tasks import BoundedDyck

UNBROKEN = re.compile(r"(?<=\d) (?=%)|(?<=\bN) (?==)|(?<=\bN =) |(?<=\(\d,) (?=\d+\))")
COMMANDS = (
    ("make demo", "checks the theorems, trains the models and writes this page"),
    ("make test", "runs the tests"),
)


def write_page(
    folder: Path,
    fresh: Iterable[Measured],
    committed: Iterable[Measured] = (),
    theorems: Sequence[Mapping[str, Any]] = (),
    commands: Sequence[tuple[str, str]] = COMMANDS,
    drawn: Sequence[Drawn] = (),
) -> Path:
    """Write `folder`/index.html and return its path.

    `fresh` are the runs just made and `committed` those of all rates and seeds; either may be empty or incomplete.
    `theorems` are records as `seqsep check --json` prints them, with `statement`; `commands` are (command, what it does), and
    `drawn` the experiments whose figures stand on it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "index.html"
    path.write_text(page(Evidence(tuple(fresh), tuple(committed)), theorems, commands, drawn), encoding="utf-8")
    return path


def page(
    runs: Evidence,
    theorems: Sequence[Mapping[str, Any]],
    commands: Sequence[tuple[str, str]] = COMMANDS,
    drawn: Sequence[Drawn] = (),
) -> str:
    """The page as text."""
    checks = statements(theorems)
    checked = [outcome for table in checks for outcome in table.outcomes]
    grid = heatmap(runs)
    template = environment().get_template("page.html")
    text = template.render(
        css=Markup(source("page.css")),  # our own file
        styles={**STYLES, "other": OTHER, **LEDGER_STYLES},
        separation=separation(runs),
        dyck_sentences=[text for task in runs.tasks(BoundedDyck) if (text := dyck_sentence(runs, task))],
        tiles=tiles(runs, sum(outcome.holds for outcome in checked), len(checked)),
        heatmap=grid,
        ceilings=curves.ceilings(grid),
        panels=curves.panels(runs),
        rates=tables.rate_tables(runs),
        figure2=tables.figure2_table(runs),
        figure3=tables.figure3_table(runs),
        paper_dyck=figure2_dyck(),
        paper_link=SEPARATIONS,
        theorems=checks,
        separation_in_bits=separation_figure(),
        frontiers=frontier_figures(),
        experiments=drawn,
        scaled_down=tables.scaled_down(runs),
        provenance=tables.provenance(runs),
        commands=commands,
        evaluation_error=_evaluation_error(runs),
        dash=DASH,
    )
    return UNBROKEN.sub("\u00a0", text)


def _evaluation_error(runs: Evidence) -> str:
    """The largest standard error of a measured accuracy, in points."""
    errors = [
        (run.accuracy * (1 - run.accuracy) / run.evaluation) ** 0.5
        for run in runs.all
        if known(run.accuracy) and 0 <= run.accuracy <= 1
    ]
    examples = {run.evaluation for run in runs.all}
    if not errors:
        return ""
    return f"{count(min(examples))} evaluation examples: standard error at most {100 * max(errors):.1f} points."
