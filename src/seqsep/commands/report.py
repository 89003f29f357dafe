"""`seqsep report`: the page, its figures and tables, from committed rows."""

import argparse
from pathlib import Path

from seqsep.commands.check import check_every_theorem
from seqsep.commands.command import Command
from seqsep.commands.status import DONE


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which rows, and where the page goes."""
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
    """Check the theorems anew, write the page, and say where it is."""
    from seqsep.report.write import write_report

    page = write_report(options.rows, options.report, check=lambda: check_every_theorem()[0], bibtex=options.bibtex)
    print(f"open {page}")
    return DONE


COMMAND = Command(
    name="report",
    purpose="rebuild the page, its figures and tables from committed rows",
    example="seqsep report -o DIR --bibtex",
    add_flags=add_flags,
    run=run,
)
