"""`seqsep report`: the page, its figures and tables, from a store or from rows."""

import argparse
from pathlib import Path
from typing import Any

from seqsep.commands.check import check_every_theorem
from seqsep.commands.command import RESULTS, Command
from seqsep.commands.demo import add_check_again
from seqsep.commands.kept import saying_what_is_kept
from seqsep.commands.outputs import require_report
from seqsep.commands.shared_flags import label
from seqsep.commands.shipped import shipped
from seqsep.commands.status import DONE, REFUTED

Record = dict[str, Any]


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which rows, and where the page goes."""
    parser.add_argument(
        "--rows",
        type=Path,
        default=shipped("results/demo.jsonl"),
        metavar="FILE",
        help="a store, or rows that seqsep export has written. Default: the committed rows of the demo, which come with "
        "seqsep. The page also shows experiments whose rows are in the same folder, as NAME.jsonl and NAME-paper.jsonl",
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
        help="also write DIR/references.bib, with the two papers and the papers of the mixers shown",
    )
    parser.add_argument(
        "--label",
        action="append",
        default=[],
        type=layers_and_label,
        metavar="LAYERS=NAME",
        help="name of the models of these layers on the page, in figures and tables, such as mamba,attention=mine or "
        "MyLayer=mine; may be given several times; labels of seqsep train and run come with the rows that seqsep export writes",
    )
    add_check_again(parser)


def layers_and_label(text: str) -> tuple[str, str]:
    """Read LAYERS=NAME. Raises ArgumentTypeError for anything else.

    >>> layers_and_label("mamba2(states=8)=small")
    ('mamba2(states=8)', 'small')
    """
    layers, _, name = text.rpartition("=")
    if not layers:
        raise argparse.ArgumentTypeError(f"expected LAYERS=NAME, as mamba,attention=mine, found {text}")
    return layers, label(name)


def run(options: argparse.Namespace) -> int:
    """Write the page, with the theorems' outcomes that are kept or else checked now, and say where it is.

    Raises BadInput, before anything is checked, if the page cannot be written.
    """
    require_report(options.report)
    from seqsep.commands.outcome_cache import OutcomeCache
    from seqsep.report.write import write_report

    cache = OutcomeCache.open(again=options.check_again)
    is_refuted = False

    def check() -> list[Record]:
        nonlocal is_refuted
        for line in cache.said():
            print(line, flush=True)
        records, is_refuted = check_every_theorem(cache)
        return records

    def kept() -> str:
        return "; ".join(part for part in (cache.kept(), f"the page in {options.report} is as it was") if part)

    with saying_what_is_kept(kept):
        page = write_report(
            options.rows, options.report, check=check, bibtex=options.bibtex, named=options.label, is_own=_is_own(options.rows)
        )
    if is_refuted:
        print("A theorem FAILS: its line above has the counterexample. The page leaves it out.")
    print(f"open {page}")
    return REFUTED if is_refuted else DONE


def _is_own(rows: Path) -> bool:
    """Return True unless the rows are in the folder of those that come with seqsep."""
    return rows.resolve().parent != shipped("results/demo.jsonl").resolve().parent


COMMAND = Command(
    name="report",
    purpose="write a page, figures and tables from the rows of runs",
    example="seqsep report --rows runs/store.sqlite -o DIR",
    group=RESULTS,
    add_flags=add_flags,
    run=run,
)
