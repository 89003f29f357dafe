"""`seqsep demo`: check the theorems, train seven architectures, write the page. A first page has the rows of attention only.

A demo that was interrupted continues where it was: theorems whose outcomes are kept are not checked again, and runs that the
store holds finished are not trained again.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.commands.check import check_every_theorem
from seqsep.commands.command import RESULTS, Command
from seqsep.commands.kept import KeptRuns, saying_what_is_kept
from seqsep.commands.outputs import require_report
from seqsep.commands.shared_flags import positive
from seqsep.commands.shipped import shipped
from seqsep.commands.status import DONE, REFUTED

if TYPE_CHECKING:
    from seqsep.commands.outcome_cache import OutcomeCache
    from seqsep.lab.row import Row
    from seqsep.lab.run import Run
    from seqsep.lab.store.store import Store

NAME = "demo"
COMMITTED = shipped("results/demo.jsonl")
SECONDS_OF_A_THEOREM = 1.0
"""On average, on one core."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: where runs and the page are kept, how many processes train, and whether kept outcomes count."""
    parser.add_argument("--store", type=Path, default=Path("runs/demo.sqlite"), help="file of finished runs")
    parser.add_argument("--report", type=Path, default=Path("report"), help="folder of the page")
    parser.add_argument("--workers", type=positive, help="processes; by default one per core")
    add_check_again(parser)


def add_check_again(parser: argparse.ArgumentParser) -> None:
    """Add the flag for checking every theorem again."""
    parser.add_argument(
        "--check-again",
        action="store_true",
        help="check every theorem again, also if an earlier demo or report has kept its outcome",
    )


def run(options: argparse.Namespace) -> int:
    """Run the demo."""
    done = demo(options.store, options.report, options.workers, check_again=options.check_again)
    return REFUTED if done.failed else DONE


@dataclass(frozen=True)
class Demo:
    """The results of a demo: the page, and whether a theorem or a run failed."""

    page: Path
    failed: bool


def demo(store: Path, folder: Path, workers: int | None = None, committed: Path = COMMITTED, check_again: bool = False) -> Demo:
    """Check, train and write the page; `committed` are rows of all rates and seeds, drawn beside the fresh ones."""
    require_report(folder)
    print(
        "seqsep demo checks theorems, trains small models and writes a page. It first measures how long that takes ..",
        flush=True,
    )
    from seqsep.commands.outcome_cache import OutcomeCache
    from seqsep.lab.progress import display
    from seqsep.lab.row import read_rows
    from seqsep.lab.store.store import Store
    from seqsep.lab.sweep import sweep
    from seqsep.report.comparison import Comparison
    from seqsep.report.experiment_table import DEMO_EXPERIMENTS
    from seqsep.report.limited_state import limited_state
    from seqsep.report.write import reach_findings, write_demo

    runs = [run for experiment in DEMO_EXPERIMENTS.values() for run in experiment.runs(NAME)]
    earlier = read_rows(committed) if committed.exists() else []
    shown: dict[str, Any] = {
        "findings": reach_findings(committed.parent),
        "limited": limited_state(committed.parent),
    }
    cache = OutcomeCache.open(again=check_again)
    with Store(store) as opened:
        print("\n".join(plan(runs, opened, cache, workers=workers, page=folder / "index.html")), flush=True)
    print("\nTheorems: the size that is nearest to its bound, measured / bound", flush=True)
    with saying_what_is_kept(cache.kept):
        records, refuted = check_every_theorem(cache)
        print(f"\nTraining {len(runs)} models", flush=True)
        with Store(store) as opened, saying_what_is_kept(KeptRuns(opened, NAME)):
            first = first_runs(runs)
            ended = {row.key for row in opened.finished(NAME)}
            if 0 < len(first) < len(runs) and not {run.key() for run in first} <= ended:
                early = sweep(first, opened, NAME, workers=workers, progress=display())
                page = write_demo(folder, early, earlier, records, **shown)
                print(f"\nA first page is ready: {page}", flush=True)
                print(f"It has the rows of attention. {len(runs) - len(first)} models are left to train.", flush=True)
            rows = sweep(runs, opened, NAME, workers=workers, progress=display())
    page = write_demo(folder, rows, earlier, records, **shown)
    print(f"\n{Comparison.of_rows(rows, earlier).sentence()}.")
    failed = [row for row in rows if row.failed]
    for row in failed:
        print(f"{row.run.label()}: {row.status}", file=sys.stderr)
    print("\n".join(ending(page, store, rows, earlier, refuted=refuted)))
    return Demo(page, refuted or bool(failed))


def first_runs(runs: "Sequence[Run]") -> "list[Run]":
    """Return attention's runs, which take less than a minute on two cores."""
    return [run for run in runs if set(run.layers) == {"attention"}]


def plan(runs: "Sequence[Run]", store: "Store", cache: "OutcomeCache", *, workers: int | None, page: Path) -> list[str]:
    """Return the lines of the plan: the steps of the demo, their estimated duration from a short measurement, and what is kept
    already.
    """
    from seqsep.lab.engines.engine import usable_cores
    from seqsep.lab.estimate import estimate
    from seqsep.lab.progress import duration
    from seqsep.theorems import THEOREMS

    ended = {row.key for row in store.finished(NAME)}
    left = [run for run in runs if run.key() not in ended]
    unchecked = [theorem for theorem in THEOREMS if theorem.name not in cache.records]
    processes = workers or usable_cores()
    checks = len(unchecked) * SECONDS_OF_A_THEOREM
    training = estimate(left) / processes if left else 0.0
    at_once = f"{processes} at once" if processes > 1 else "one at a time"
    kept = f"; {len(runs) - len(left)} more are kept finished in {store.path}" if len(left) < len(runs) else ""
    lines = [
        f"This takes about {duration(checks + training)} here, if nothing else runs:",
        f"  1. check {len(unchecked)} of {len(THEOREMS)} theorems: what they build is run on inputs, about {duration(checks)}",
        f"  2. train {len(left)} of {len(runs)} small models, {at_once}, about {duration(training)}{kept}",
        f"  3. write {page}: both, next to the papers' numbers; a first page comes when attention is trained",
        "Ctrl-C keeps what is done; the same command continues from there.",
    ]
    return [*lines, *cache.said()]


def ending(page: Path, store: Path, rows: "Sequence[Row]", earlier: "Sequence[Row]", *, refuted: bool) -> list[str]:
    """Return the last lines for a reader: the finding, the path of the page, what is kept, and what to do next."""
    from seqsep.report.demo_runs import DemoRuns
    from seqsep.report.headline import separation

    found = separation(DemoRuns.of_rows(rows, earlier))
    return [
        *([f"{found.sentence()}."] if found else []),
        *(["A theorem FAILS: its line above has the counterexample."] if refuted else []),
        f"Open {page} in a browser; it needs no network. The file is-tree.html next to it is a worked example.",
        f"Runs are kept in {store}: seqsep store show {store}",
        "Next: seqsep --help; seqsep list theorems; seqsep check THEOREM --help; seqsep examples DIR for a layer of your own.",
    ]


COMMAND = Command(
    name="demo",
    purpose="check the theorems, train seven architectures, write the report page",
    example="seqsep demo",
    group=RESULTS,
    add_flags=add_flags,
    run=run,
)
