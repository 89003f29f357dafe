"""`seqsep export`: the canonical rows of a store, as JSON lines."""

import argparse
from pathlib import Path

from seqsep.commands.command import Command
from seqsep.commands.status import DONE


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which store, which of its rows, and where they go."""
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--experiment", help="only the rows of this experiment")
    parser.add_argument("-o", "--output", type=Path, required=True)


def run(options: argparse.Namespace) -> int:
    """Write the rows, and say how many there are. Raises FileNotFoundError if there is no such store."""
    from seqsep.lab.store.store import Store

    if not options.store.exists():
        raise FileNotFoundError(2, "no such store", str(options.store))
    with Store(options.store, create=False) as store:
        print(f"{store.export(options.output, options.experiment)} rows to {options.output}")
    return DONE


COMMAND = Command(
    name="export",
    purpose="write the canonical rows of a store",
    example="seqsep export --store runs/store.sqlite -o rows.jsonl",
    add_flags=add_flags,
    run=run,
)
