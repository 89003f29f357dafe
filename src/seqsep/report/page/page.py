"""The report: an offline page, index.html, from training runs and theorem checks, next to is-tree.html.

Nothing on it needs the network or JavaScript; the same input gives the same bytes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from seqsep.core.files import write_file
from seqsep.lab.experiments.claims.papers import SEPARATIONS, figure2_dyck
from seqsep.report.comparison import Comparison
from seqsep.report.demo_heatmap import heatmap
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.figure_files import ShownExperiment
from seqsep.report.formatting import DASH, count, known
from seqsep.report.headline import separation, tiles
from seqsep.report.limited_state import LIMIT_STYLES, LimitedState
from seqsep.report.page import curves, tables
from seqsep.report.page.is_tree_bits import IS_TREE_STYLES, is_tree_bits
from seqsep.report.page.is_tree_page import FILE as WORKED_EXAMPLE
from seqsep.report.page.ledger_charts import CODE_WORDS, LEDGER_STYLES, TOTAL_WORDS, frontier_figures, separation_figure
from seqsep.report.page.positions import positions_table
from seqsep.report.page.proofs import write_proofs
from seqsep.report.page.templates import environment, source
from seqsep.report.page.theorem_table import statement_tables
from seqsep.report.plain_table import PlainTable
from seqsep.report.styles import STYLES

UNBROKEN = re.compile(r"(?<=\d) (?=%)|(?<=\bN) (?==)|(?<=\bN =) |(?<=\(\d,) (?=\d+\))")
"""The spaces at which no line may end."""

COMMANDS = (
    ("make demo", "checks the theorems, trains the models and writes this page"),
    ("make test", "runs the tests"),
    ("seqsep report", "rebuilds this page from results/demo.jsonl without training"),
    ("seqsep check --json", "prints the theorem table as JSON"),
)
"""(command, what it does), under "Run it again"."""


@dataclass(frozen=True)
class OwnRuns:
    """The reader's rows: the file that they come from, and their tasks with figures and tables."""

    source: str
    tasks: tuple[ShownExperiment, ...]

    @property
    def commands(self) -> tuple[tuple[str, str], ...]:
        """The commands under "Run it again"."""
        return (
            (f"seqsep report --rows {self.source}", "rebuilds this page from these rows"),
            ("seqsep check --json", "prints the theorem table as JSON"),
        )


def write_page(
    folder: Path,
    runs: DemoRuns,
    theorems: Sequence[Mapping[str, Any]] = (),
    experiments: Sequence[ShownExperiment] = (),
    commands: Sequence[tuple[str, str]] = COMMANDS,
    comparison: Comparison | None = None,
    findings: PlainTable | None = None,
    limited: LimitedState | None = None,
    own: OwnRuns | None = None,
) -> Path:
    """Write `folder`/index.html, and proofs.html of the theorems that it shows; return the first one's path.

    The runs may be incomplete. `theorems` are records as `seqsep check --json` prints them; `experiments` are those whose
    figures are on the page. `comparison` is that of fresh rows with committed ones, `findings` is a table of the lengths that
    architectures learn, and `limited` is the picture of a state that is too small. `own` are the reader's rows.
    """
    path = folder / "index.html"
    write_proofs(folder, [str(record.get("theorem")) for record in theorems])
    write_file(
        path,
        page(
            runs,
            theorems,
            experiments,
            own.commands if own else commands,
            comparison=comparison,
            findings=findings,
            limited=limited,
            own=own,
        ),
    )
    return path


def page(
    runs: DemoRuns,
    theorems: Sequence[Mapping[str, Any]],
    experiments: Sequence[ShownExperiment],
    commands: Sequence[tuple[str, str]],
    comparison: Comparison | None = None,
    findings: PlainTable | None = None,
    limited: LimitedState | None = None,
    own: OwnRuns | None = None,
) -> str:
    """Return the page as text."""
    theorem_tables = statement_tables(theorems)
    checks = [check for table in theorem_tables for check in table.checks]
    demo_heatmap = heatmap(runs)
    panels = curves.panels(runs)
    text = (
        environment()
        .get_template("page.html")
        .render(
            css=Markup(source("page.css")),  # our own file
            styles={
                **STYLES,
                **{run.model.slug: run.model.style for run in runs.all},
                **LEDGER_STYLES,
                **IS_TREE_STYLES,
                **LIMIT_STYLES,
            },
            separation=separation(runs),
            tiles=tiles(runs, sum(check.holds for check in checks), len(checks)),
            heatmap=demo_heatmap,
            ceilings=curves.ceilings(demo_heatmap),
            limited=limited,
            panels=panels,
            own=own,
            has_demo_tasks=bool(demo_heatmap.rows or panels or own is None),
            kept="" if own else "committed ",
            rates=tables.rate_tables(runs),
            positions=positions_table(runs),
            figure2=tables.figure2_table(runs),
            figure3=tables.figure3_table(runs),
            paper_dyck=figure2_dyck(),
            paper_link=SEPARATIONS,
            theorems=theorem_tables,
            codes=CODE_WORDS,
            totals=TOTAL_WORDS,
            separation_in_bits=separation_figure(),
            frontiers=frontier_figures(),
            is_tree=is_tree_bits(),
            worked_example=WORKED_EXAMPLE,
            experiments=experiments,
            scaled_down=tables.scaled_down(runs),
            provenance=tables.provenance(runs),
            commands=commands,
            comparison=comparison,
            findings=findings,
            evaluation_error=_evaluation_error(runs),
            dash=DASH,
        )
    )
    return UNBROKEN.sub("\u00a0", text)


def _evaluation_error(runs: DemoRuns) -> str:
    """Return the largest standard error of a measured accuracy, in points."""
    measured = [run for run in runs.all if known(run.accuracy) and 0 <= run.accuracy <= 1]
    if not measured:
        return ""
    largest = max((run.accuracy * (1 - run.accuracy) / run.evaluation) ** 0.5 for run in measured)
    examples = min(run.evaluation for run in runs.all)
    return f"{count(examples)} evaluation examples: standard error at most {100 * largest:.1f} points."
