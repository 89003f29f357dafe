"""`seqsep store`: what a store holds, the repair of a damaged one, and exported rows taken into one."""

import argparse
import sys
from pathlib import Path

from seqsep.commands.command import RESULTS, Command, Parser, print_json
from seqsep.commands.kept import saying_what_is_kept
from seqsep.commands.outputs import require_outputs
from seqsep.commands.shared_flags import weights_folder
from seqsep.commands.status import DONE, REFUTED
from seqsep.core.names import printable

ACTIONS = {
    "show": "check a store and summarise its rows",
    "repair": "keep every intact row of a damaged store; the damaged file is kept under another name",
    "import": "add exported rows to a store, so that a sweep does not train these runs again; other rows do not change",
}


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: what to do, and with which store; an existing file in place of an action is shown."""
    if isinstance(parser, Parser):
        parser.action_of_a_file = "show"
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, purpose in ACTIONS.items():
        rows = " results/demo.jsonl" if name == "import" else ""
        example = f"Example: seqsep store {name} runs/store.sqlite{rows}"
        status = "; exit status 1: something is lost" if name == "repair" else ""
        action = actions.add_parser(name, help=purpose, description=purpose, epilog=f"{example}{status}")
        action.add_argument("path", type=Path, metavar="PATH", help="path of the store")
        if name == "import":
            action.add_argument("rows", type=Path, nargs="+", metavar="ROWS.jsonl", help="files that seqsep export wrote")
        action.add_argument("--json", action="store_true", help="one JSON object")
        action.set_defaults(parser=action)


def run(options: argparse.Namespace) -> int:
    """Show or repair the store, or import rows."""
    if options.action == "import":
        return import_rows(options.path, options.rows, options.json)
    action = repair if options.action == "repair" else show
    return action(options.path, options.json)


def show(path: Path, as_json: bool) -> int:
    """Print what the store holds, by experiment, and which weights are kept. Raises StoreError if it is damaged."""
    from seqsep.commands.stored_rows import by_experiment
    from seqsep.lab.run_labels import read_labels
    from seqsep.lab.store.store import Store

    with Store(path, create=False) as store:
        checkpoints = len(store.steps())
        rows = store.rows()
    kept = {file.stem for file in weights_folder(path).glob("*.safetensors")}
    experiments = by_experiment(rows, read_labels(path), kept)
    processors = sorted({str(row.environment.get("processor", "one that was not recorded")) for row in rows})
    if as_json:
        facts = {"store": str(path), "rows": len(rows), "checkpoints": checkpoints}
        print_json(facts | {"experiments": {name: one.record() for name, one in experiments.items()}, "processors": processors})
        return DONE
    print(f"{path}: sound; {_count(len(rows), 'row')}, {_count(checkpoints, 'checkpoint')} of unfinished runs")
    for name, experiment in experiments.items():
        print("\n".join(experiment.lines(name)))
    if len(processors) > 1:
        line = "  trained on several processors, which round otherwise: " + "; ".join(processors)
        print(printable(line, kept=""))
    return DONE


def repair(path: Path, as_json: bool) -> int:
    """Repair the store and print what was kept and lost. Raises StoreError if nothing is left."""
    from seqsep.lab.store.repair import repair as repair_store

    repaired = repair_store(path)
    rows = _count(repaired.runs, "row")
    checkpoints = _count(repaired.checkpoints, "checkpoint")
    if as_json:
        damaged = None if repaired.damaged is None else str(repaired.damaged)
        counts = {"rows": repaired.runs, "checkpoints": repaired.checkpoints}
        print_json({"store": str(path), **counts, "lost": repaired.lost, "damaged": damaged})
    elif repaired.damaged is None:
        print(f"{path}: sound; {rows}, {checkpoints}; nothing to repair")
    else:
        print(f"{path}: {rows} and {checkpoints} kept, {len(repaired.lost)} lost; the damaged file is {repaired.damaged}")
    if not as_json:
        for lost in repaired.lost:
            print(f"lost: {lost}; it is trained again by its sweep", file=sys.stderr)
    return REFUTED if repaired.lost else DONE


def import_rows(path: Path, files: list[Path], as_json: bool) -> int:
    """Record the rows of the files, each once; print how many are new.

    A finished row of the store stays as it is. Raises ValueError for a line that is not a row, before anything is recorded,
    StoreError and StoreUnavailable.
    """
    from seqsep.lab.row import Row, read_rows
    from seqsep.lab.run_labels import labels_file, read_labels, write_labels
    from seqsep.lab.store.store import Store

    given = {(row.experiment, row.key): row for file in files for row in read_rows(file)}
    labels = {key: label for file in files for key, label in read_labels(file).items()}
    if labels:
        require_outputs([labels_file(path)], read=files)
    recorded: list[Row] = []
    interrupted = saying_what_is_kept(lambda: f"{len(recorded)} of the rows are in {path}, each complete; import them again")
    with interrupted, Store(path) as store, store.driving():
        held = {(row.experiment, row.key) for row in store.finished()}
        new = [row for place, row in given.items() if place not in held]
        for row in new:
            store.record(row, seconds=0.0, attempts=0)
            recorded.append(row)
        if labels:
            write_labels(path, labels | read_labels(path))
    if as_json:
        print_json({"store": str(path), "rows": len(given), "new": len(new)})
    else:
        print(f"{path}: {len(new)} new of {_count(len(given), 'row')}")
    return DONE


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


COMMAND = Command(
    name="store",
    purpose="show or repair a store, or add exported rows to it",
    example="seqsep store repair runs/store.sqlite",
    group=RESULTS,
    add_flags=add_flags,
    run=run,
    details="`seqsep store PATH` is short for `seqsep store show PATH`.",
)
