"""The main job, composed of the rooms below: check the theorems, train the architectures, write the page.

A demo that was interrupted continues where it was: runs that the store holds finished are not trained again.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqsep.lab.progress import display
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import canonical_json
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.report import write_demo, write_report
from seqsep.report.experiment_table import DEMO_EXPERIMENTS
from seqsep.theorems import THEOREMS, TheoremFails

NAME = "demo"
COMMITTED = Path("results/demo.jsonl")


@dataclass(frozen=True)
class Demo:
    """What a demo came to: the page, and whether a theorem or a run failed."""

    page: Path
    failed: bool


def demo(store: Path, folder: Path, workers: int | None = None, committed: Path = COMMITTED) -> Demo:
    """Run the main job. `committed` are rows of all rates and seeds, drawn beside the fresh ones where the file is there."""
    print("Theorems (measured / bound)", flush=True)
    records, refuted = check_theorems()
    runs = [run for experiment in DEMO_EXPERIMENTS.values() for run in experiment.runs("demo")]
    print(f"\nTraining {len(runs)} models (finished ones are kept in {store})", flush=True)
    with Store(store) as opened:
        rows = sweep(runs, opened, NAME, workers=workers, progress=display())
    earlier = read_rows(committed) if committed.exists() else []
    print(f"\n{compare(rows, earlier)}")
    page = write_demo(folder, rows, earlier, records)
    failed = [row for row in rows if not row.finished]
    for row in failed:
        print(f"{row.run.label()}: {row.status}", file=sys.stderr)
    print(f"Open {page}")
    return Demo(page, refuted or bool(failed))


def report(rows: Path, folder: Path, bibtex: bool = False) -> Path:
    """Rebuild the report from committed rows alone, with the theorems checked anew (`seqsep.report.write_report`)."""
    return write_report(rows, folder, check=lambda: check_theorems()[0], bibtex=bibtex)


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


def compare(fresh: Sequence[Row], committed: Sequence[Row]) -> str:
    """How many fresh runs equal the committed row of the same key and environment, number for number."""

    def identity(row: Row) -> tuple[str, str]:
        return row.key, canonical_json(row.environment)

    known = {identity(row): row.result for row in committed}
    pairs = [(row.result, known[identity(row)]) for row in fresh if identity(row) in known]
    equal = sum(ours == theirs for ours, theirs in pairs)
    return f"{equal} of {len(pairs)} runs equal their committed rows number for number (another CPU may round otherwise)"
