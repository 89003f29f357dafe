"""`seqsep list`: tasks, mixers, theorems and experiments, as plain records or as lines."""

import argparse
from typing import Any

from seqsep.commands.command import TRAINING, Command, print_json
from seqsep.commands.members import REGISTRIES, Record, members
from seqsep.commands.status import DONE


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which registry."""
    parser.add_argument("what", choices=REGISTRIES, metavar="|".join(REGISTRIES), help="members to list")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON list with an object for each member: its fields, their ranges and their choices",
    )


def run(options: argparse.Namespace) -> int:
    """Print the members of a registry."""
    records = members(options.what)
    if options.json:
        print_json(records)
    else:
        print("\n".join(line for record in records for line in lines_of(record)))
    return DONE


def lines_of(record: Record) -> list[str]:
    """Return a record for a person: a line with name and summary, and an indented line with the rest except what its own help
    shows.
    """
    rest = {key: value for key, value in record.items() if key not in ("name", "summary", "ranges", "choices")}
    described = ", ".join(f"{key} {_plain(value)}" for key, value in rest.items())
    return [f"{record['name']}: {record['summary']}", f"    {described}"]


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key} {_plain(part)}" for key, part in value.items()) + ")"
    if isinstance(value, list):
        return " ".join(map(_plain, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "required" if value is None else str(value)


COMMAND = Command(
    name="list",
    purpose="list the tasks, mixers, theorems or experiments",
    example="seqsep list mixers --json",
    group=TRAINING,
    add_flags=add_flags,
    run=run,
)
