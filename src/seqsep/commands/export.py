"""`seqsep export`: the canonical rows of a store, as JSON lines; or a table of them, as CSV."""

import argparse
from pathlib import Path

from seqsep.commands.command import RESULTS, Command
from seqsep.commands.outputs import require_outputs
from seqsep.commands.status import DONE
from seqsep.core.files import write_file
from seqsep.core.names import BadInput
from seqsep.core.tables import as_csv


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which store, which of its rows, and where they go."""
    parser.add_argument("--store", type=Path, required=True, help="store to read; required")
    parser.add_argument("--experiment", help="only the rows of this experiment")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        help="NAME.jsonl, which seqsep report and store import read; or NAME.csv, a table with one line a run",
    )


def run(options: argparse.Namespace) -> int:
    """Write the rows. Print their number, and how many failed runs and rows of another version are left out.

    Raises FileNotFoundError if the store does not exist, BadInput for an output of another kind.
    """
    from seqsep.lab.row import write_rows
    from seqsep.lab.run_labels import labels_file, read_labels, write_labels
    from seqsep.lab.run_table import RunTable
    from seqsep.lab.store.store import Store

    is_table = options.output.suffix.lower() == ".csv"
    if not is_table and options.output.suffix.lower() != ".jsonl":
        raise BadInput(f"-o {options.output}: expected a name that ends in .jsonl or .csv")
    if not options.store.exists():
        raise FileNotFoundError(2, "no such store", str(options.store))
    labels_beside = None if is_table else labels_file(options.output)
    require_outputs((options.output, labels_beside), read=[options.store, labels_file(options.store)])
    with Store(options.store, create=False) as store:
        found = store.rows(options.experiment)
        kept = sorted({row.experiment for row in store.rows()}) if options.experiment is not None and not found else []
    if kept:
        raise BadInput(f"--experiment {options.experiment}: expected one of {', '.join(kept)}, which {options.store} holds")
    ended = [row for row in found if row.has_outcome]
    rows = [row for row in ended if row.is_current]
    known = read_labels(options.store)
    labels = {row.key: known[row.key] for row in rows if row.key in known}
    if is_table:
        write_file(options.output, as_csv(RunTable(rows, labels).records()))
    else:
        write_rows(options.output, rows, read=[options.store])
        write_labels(options.output, labels)
    failed = len(found) - len(ended)
    without = f"; {failed} failed {'run has' if failed == 1 else 'runs have'} no result and {'is' if failed == 1 else 'are'}"
    shown = f"{len(rows)} row{'' if len(rows) == 1 else 's'}"
    other = f"; {len(ended) - len(rows)} of another version left out" if len(ended) > len(rows) else ""
    print(f"{shown} to {options.output}{f'{without} left out' if failed else ''}{other}")
    return DONE


COMMAND = Command(
    name="export",
    purpose="write the rows of a store to a file, one for each run that has ended",
    example="seqsep export --store runs/store.sqlite -o rows.jsonl",
    group=RESULTS,
    add_flags=add_flags,
    run=run,
)
