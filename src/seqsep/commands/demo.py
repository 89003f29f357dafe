"""`seqsep demo`: check the theorems, train the six architectures, write the page.

A demo that was interrupted continues where it was: runs that the store holds finished are not trained again.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from seqsep.commands.check import check_every_theorem
from seqsep.commands.command import Command
from seqsep.commands.shared_flags import positive
from seqsep.commands.status import DONE, REFUTED

NAME = "demo"
COMMITTED = Path("results/demo.jsonl")


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: where runs and the page are kept, and how many processes train."""
    parser.add_argument("--store", type=Path, default=Path("runs/demo.sqlite"), help="where finished runs are kept")
    parser.add_argument("--report", type=Path, default=Path("report"), help="folder of the page")
    parser.add_argument("--workers", type=positive, help="processes; by default one per core")


def run(options: argparse.Namespace) -> int:
    """Run the demo."""
    return REFUTED if demo(options.store, options.report, options.workers).failed else DONE


@dataclass(frozen=True)
class Demo:
    """What a demo came to: the page, and whether a theorem or a run failed."""

    page: Path
    failed: bool


def demo(store: Path, folder: Path, workers: int | None = None, committed: Path = COMMITTED) -> Demo:
    """Check, train and write the page; `committed` are rows of all rates and seeds, drawn beside the fresh ones."""
    from seqsep.lab.progress import display
    from seqsep.lab.row import read_rows
    from seqsep.lab.store.store import Store
    from seqsep.lab.sweep import sweep
    from seqsep.report.comparison import Comparison
    from seqsep.report.experiment_table import DEMO_EXPERIMENTS
    from seqsep.report.write import reach_findings, write_demo

    print("Theorems (measured / bound)", flush=True)
    records, refuted = check_every_theorem()
    runs = [run for experiment in DEMO_EXPERIMENTS.values() for run in experiment.runs("demo")]
    print(f"\nTraining {len(runs)} models (finished ones are kept in {store})", flush=True)
    with Store(store) as opened:
        rows = sweep(runs, opened, NAME, workers=workers, progress=display())
    earlier = read_rows(committed) if committed.exists() else []
    print(f"\n{Comparison.of_rows(rows, earlier).sentence()}")
    page = write_demo(folder, rows, earlier, records, findings=reach_findings(committed.parent))
    failed = [row for row in rows if not row.finished]
    for row in failed:
        print(f"{row.run.label()}: {row.status}", file=sys.stderr)
    print(f"Open {page}")
    return Demo(page, refuted or bool(failed))


COMMAND = Command(
    name="demo",
    purpose="check the theorems, train six architectures, write the report page",
    example="seqsep demo",
    add_flags=add_flags,
    run=run,
)
