"""From rows to the report: the page and its picture; beside them figures, tables and the bibliography."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from seqsep.core.interrupts import watch_parent
from seqsep.lab import rows_of
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run_labels import NO_LABELS, Labels, read_labels
from seqsep.report.any_task import runs_by_task, write_task
from seqsep.report.bibliography import write_bibliography
from seqsep.report.comparison import Comparison
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.experiment_table import DEMO_EXPERIMENTS, report_tables
from seqsep.report.figure_files import ShownExperiment, write_experiment, write_separation
from seqsep.report.figures.picture import draw_picture
from seqsep.report.is_tree_files import write_is_tree_results
from seqsep.report.limited_state import LimitedState, limited_state
from seqsep.report.named_layers import labels_of_layers
from seqsep.report.page.is_tree_page import write_is_tree_page
from seqsep.report.page.page import OwnRuns, write_page
from seqsep.report.plain_table import PlainTable
from seqsep.report.reach import experiment_reach, reach_table
from seqsep.report.text_curves import write_text_curves

TheoremRecords = Sequence[Mapping[str, Any]]
"""Records as `seqsep check --json` prints them."""


def write_demo(
    folder: Path,
    fresh: Sequence[Row],
    committed: Sequence[Row],
    theorems: TheoremRecords = (),
    experiments: Sequence[ShownExperiment] = (),
    findings: PlainTable | None = None,
    labels: Labels = NO_LABELS,
    limited: LimitedState | None = None,
    own: OwnRuns | None = None,
) -> Path:
    """Write the page, its picture, and the page of the worked example; return the first page's path.

    `fresh` are the rows just made and `committed` those of all rates and seeds; rows without an outcome are left out.
    `findings` is the table of `reach_findings`, and `labels` are the reader's names of runs, by key.
    `limited` is the picture of a state that is too small. `own` is set if the rows are the reader's.
    """
    runs = DemoRuns.of_rows(fresh, committed, labels, own=own is not None)
    comparison = Comparison.of_rows(fresh, committed) if fresh else None
    page = write_page(folder, runs, theorems, experiments, comparison=comparison, findings=findings, limited=limited, own=own)
    write_is_tree_page(folder)
    draw_picture(folder / "picture.png", runs)
    return page


SAFE_PATH = "PYTHONSAFEPATH"


@contextmanager
def _nothing_from_the_current_folder() -> Iterator[None]:
    """Let the processes that Python starts import no module of the current folder, which may hold a stranger's files."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def write_report(
    rows: Path,
    folder: Path,
    check: Callable[[], TheoremRecords],
    bibtex: bool = False,
    named: Sequence[tuple[str, str]] = (),
    is_own: bool = False,
) -> Path:
    """Write the page from only the rows of a file or of a store; return its path.

    Next to the page are figures (PDF, PNG, SVG) and tables (CSV, LaTeX) of these rows, and of the experiments whose rows are
    beside them as NAME.jsonl and NAME-paper.jsonl, whose figures the page shows too; so does it those of text-TASK.jsonl, the
    replies of language models. With `bibtex` there is also references.bib. `check` gives the theorems' records; the figures are
    drawn in a process of their own meanwhile. `named` are (layers, label) for models that the reader names here; other labels
    are those beside the rows (`lab.run_labels`). With `is_own`, the rows are the reader's: the page has a section with the
    runs of every task, and calls no row committed. It checks no theorem if no row is of a task of `DEMO_EXPERIMENTS`. Raises
    BadInput for layers that no row has.
    """
    committed = [row for row in rows_of.read_rows(rows) if not row.is_reply]
    labels = {**read_labels(rows), **labels_of_layers(named, committed)}
    tables = report_tables(rows, committed, labels)
    if bibtex:
        write_bibliography(folder, {mixer for table in tables for model in table.table.models for mixer in model.layers})
    # A killed report must not leave the process that draws waiting for work.
    spawn = get_context("spawn")
    with (
        _nothing_from_the_current_folder(),
        ProcessPoolExecutor(1, mp_context=spawn, initializer=watch_parent, initargs=(os.getpid(),)) as pool,
    ):
        separation = pool.submit(write_separation, folder)
        drawing = [pool.submit(write_experiment, table, folder) for table in tables]
        of_tasks = [
            pool.submit(write_task, one, folder) for one in (runs_by_task(rows.stem, committed, labels) if is_own else ())
        ]
        of_is_tree = pool.submit(write_is_tree_results, rows.parent, folder)
        try:
            theorems = check() if not is_own or are_of_the_papers(committed) else ()
            shown = [*(experiment.result() for experiment in drawing), *of_is_tree.result()]
            own = OwnRuns(str(rows), tuple(task.result() for task in of_tasks)) if is_own else None
            separation.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    of_demo = {table.name for table in tables if table.is_demo}
    return write_demo(
        folder,
        fresh=[],
        committed=committed,
        theorems=theorems,
        experiments=[*(one for one in shown if one.name not in of_demo), *write_text_curves(rows.parent, folder)],
        findings=reach_findings(rows.parent),
        labels=labels,
        limited=limited_state(rows.parent),
        own=own,
    )


def are_of_the_papers(rows: Sequence[Row]) -> bool:
    """Return True if a row is of index lookup or bounded Dyck, whose sections of the page refer to the theorems."""
    return any(isinstance(row.run.task, tuple(DEMO_EXPERIMENTS)) for row in rows)


def reach_findings(folder: Path) -> PlainTable | None:
    """Return the lengths of index lookup that each architecture learns, from the rows of `length-scaling`, or None."""
    experiment = BY_NAME["index-lookup-architectures"]
    path = experiment.rows_file(folder, "length-scaling")
    return reach_table(experiment_reach(experiment, read_rows(path))) if path.exists() else None
