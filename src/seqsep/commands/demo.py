"""The main job, composed of the rooms below: check the theorems, train the architectures, write the page.

A demo that was interrupted continues where it was: runs that the store holds finished are not trained again.
"""

import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from seqsep.experiments import EXPERIMENTS, Experiment, dyck_architectures, index_lookup_architectures
from seqsep.lab.progress import display
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import canonical_json
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.report.bibliography import write_bibliography
from seqsep.report.cells import Grid
from seqsep.report.drawn import Drawn, draw_experiment, draw_ledger
from seqsep.report.measured import Measured
from seqsep.report.page import write_page
from seqsep.report.picture import draw_picture
from seqsep.tasks import BoundedDyck, IndexLookup
from seqsep.theorems import THEOREMS, TheoremFails

NAME = "demo"
COMMITTED = Path("results/demo.jsonl")
OWN = (index_lookup_architectures, dyck_architectures)
COMMANDS = (
    ("make demo", "checks the theorems, trains the models and writes this page"),
    ("make test", "runs the tests"),
    ("seqsep report", "rebuilds this page from results/demo.jsonl without training"),
    ("seqsep check --json", "prints the theorem table as JSON"),
)


@dataclass(frozen=True)
class Demo:
    """What a demo came to: the page, and whether a theorem or a run failed."""

    page: Path
    failed: bool


def demo(store: Path, folder: Path, workers: int | None = None, committed: Path = COMMITTED) -> Demo:
    """Run the main job. `committed` are rows of all rates and seeds, drawn beside the fresh ones where the file is there."""
    print("Theorems (measured / bound)", flush=True)
    records, refuted = check_theorems()
    runs = [*index_lookup_architectures.runs("demo"), *dyck_architectures.runs("demo")]
    print(f"\nTraining {len(runs)} models (finished ones are kept in {store})", flush=True)
    with Store(store) as opened:
        rows = sweep(runs, opened, NAME, workers=workers, progress=display())
    earlier = read_rows(committed) if committed.exists() else []
    print(f"\n{compare(rows, earlier)}")
    page = write(folder, rows, earlier, records)
    failed = [row for row in rows if not row.finished]
    for row in failed:
        print(f"{row.run.label()}: {row.status}", file=sys.stderr)
    print(f"Open {page}")
    return Demo(page, refuted or bool(failed))


def report(rows: Path, folder: Path, bibtex: bool = False) -> Path:
    """The page from committed rows alone, with the theorems checked anew; beside it figures (PDF, PNG, SVG) and tables (CSV,
    LaTeX) of these rows and of the experiments whose rows lie beside them as NAME.jsonl and NAME-paper.jsonl, whose figures the
    page shows too. With `bibtex` also references.bib. Figures are drawn in a process of their own, meanwhile."""
    committed = read_rows(rows)
    shown = grids(rows, committed)
    if bibtex:
        write_bibliography(folder, {name for _, grid in shown.values() for one in grid.contenders for name in one.layers})
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            separation = pool.submit(draw_ledger, folder)
            drawing = {
                name: pool.submit(draw_experiment, grid, folder, name, question) for name, (question, grid) in shown.items()
            }
            records = check_theorems()[0]
            drawn = [drawing[name].result() for name in drawing]
            separation.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return write(folder, [], committed, records, [one for one in drawn if one.name not in own_names(rows)])


def grids(path: Path, rows: Sequence[Row]) -> dict[str, tuple[str, Grid]]:
    """What there is to draw, by name, each with its question: the demo's rows, which are `path`'s, by experiment; then those of
    the files beside it."""
    found = {}
    for name, own, kind in zip(own_names(path), OWN, (IndexLookup, BoundedDyck), strict=True):
        chosen = [row for row in rows if isinstance(row.run.task, kind)]
        if chosen:
            found[name] = own.EXPERIMENT.question, own.figure(chosen)
    for experiment in EXPERIMENTS:
        for preset in ("quick", "paper"):
            beside = experiment.rows_file(path.parent, preset)
            if experiment.figure is not None and beside.exists():
                grid = experiment.figure(read_rows(beside))
                found[beside.stem] = (experiment.question, grid) if preset == "quick" else at_the_papers_size(experiment, grid)
    return found


def own_names(path: Path) -> list[str]:
    """The figures of the demo's own rows, which the page shows in its own way."""
    return [f"{path.stem}-{own.NAME}" for own in OWN]


def at_the_papers_size(experiment: Experiment, grid: Grid) -> tuple[str, Grid]:
    """The question and the grid of the preset `paper`: the question says how much of it there is, the grid's title whose size
    it has."""
    subject, measure = grid.title.rsplit(":", 1)
    question = f"{experiment.question} Of the preset paper, {experiment.part(grid, 'paper')}."
    return question, replace(grid, title=f"{subject} (the paper's size):{measure}")


def check_theorems() -> tuple[list[dict[str, Any]], bool]:
    """Every theorem with its defaults, a line each; the records, and whether one failed."""
    records, refuted = [], False
    for theorem in THEOREMS:
        try:
            for outcome in theorem.check():
                print(outcome.line(), flush=True)
                records.append(outcome.record())
        except TheoremFails as failure:
            refuted = True
            print(f"FAILS  {failure}", flush=True)
    return records, refuted


def write(
    folder: Path,
    fresh: Sequence[Row],
    committed: Sequence[Row],
    records: Sequence[dict[str, Any]],
    drawn: Sequence[Drawn] = (),
) -> Path:
    """The page and its picture."""
    fresh_runs, committed_runs = list(measured(fresh)), list(measured(committed))
    page = write_page(folder, fresh_runs, committed_runs, records, COMMANDS, drawn)
    draw_picture(folder / "picture.png", fresh_runs, committed_runs)
    return page


def measured(rows: Iterable[Row]) -> Iterable[Measured]:
    """Rows of the lab as the report's own records; runs without an outcome are left out."""
    for row in rows:
        if row.finished:
            yield Measured.of(row.run, row.result, row.environment)


def compare(fresh: Sequence[Row], committed: Sequence[Row]) -> str:
    """How many fresh runs equal the committed row of the same key and environment, number for number."""

    def identity(row: Row) -> tuple[str, str]:
        return row.key, canonical_json(row.environment)

    known = {identity(row): row.result for row in committed}
    pairs = [(row.result, known[identity(row)]) for row in fresh if identity(row) in known]
    equal = sum(ours == theirs for ours, theirs in pairs)
    return f"{equal} of {len(pairs)} runs equal their committed rows number for number (another CPU may round otherwise)"
