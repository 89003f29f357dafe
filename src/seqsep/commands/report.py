"""`seqsep report`: the page, its figures and tables, from committed rows."""

import argparse
from pathlib import Path

from seqsep.commands.command import Command
from seqsep.commands.shared_flags import positive
from seqsep.commands.status import DONE, REFUTED


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Which rows, and where the page goes."""
    parser.add_argument(
        "--rows",
        type=Path,
        default=Path("results/demo.jsonl"),
        help="of the demo; beside them lie experiments' rows, NAME.jsonl and NAME-paper.jsonl",
    )
    parser.add_argument(
        "-o",
        "--report",
        type=Path,
        default=Path("report"),
        metavar="DIR",
        help="folder of the page, figures/ and tables/",
    )
    parser.add_argument(
        "--bibtex",
        action="store_true",
        help="also DIR/references.bib: the two papers, and those of the mixers that are shown",
    )


def run(options: argparse.Namespace) -> int:
    """Write the page, and say where it is."""
    from seqsep.commands.demo import report

    print(f"open {report(options.rows, options.report, options.bibtex)}")
    return DONE


COMMAND = Command(
    name="report",
    purpose="rebuild the page, its figures and tables from committed rows",
    example="seqsep report -o DIR --bibtex",
    add_flags=add_flags,
    run=run,
)


def _add_demo_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", type=Path, default=Path("runs/demo.sqlite"), help="where finished runs are kept")
    parser.add_argument("--report", type=Path, default=Path("report"), help="folder of the page")
    parser.add_argument("--workers", type=positive, help="processes; by default one per core")


def _run_demo(options: argparse.Namespace) -> int:
    from seqsep.commands.demo import demo

    return REFUTED if demo(options.store, options.report, options.workers).failed else DONE


DEMO = Command(
    name="demo",
    purpose="check the theorems, train six architectures, write the report page",
    example="seqsep demo",
    add_flags=_add_demo_flags,
    run=_run_demo,
)
