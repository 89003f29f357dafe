"""`seqsep apply`: the built weights of a theorem on the user's own inputs."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from seqsep.commands.command import Command, print_json
from seqsep.commands.members import names
from seqsep.commands.shared_flags import options_from_flags
from seqsep.commands.status import DONE
from seqsep.commands.theorem_options import help_text, refuse_unknown_options
from seqsep.files import lines_of
from seqsep.names import BadInput, choose


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which theorem, and where the inputs are."""
    parser.add_argument("theorem", metavar="THEOREM", help="a name; seqsep list theorems has them")
    parser.add_argument(
        "--input", type=Path, default=Path("-"), help="file of JSON lines; by default, or for -, standard input"
    )


def run(options: argparse.Namespace) -> int:
    """Print one answer a line, as each is computed: {"answer": ..}, or what a theorem's applier gives with names of its own."""
    name = choose("theorem", options.theorem, names("theorems"))
    refuse_unknown_options("apply", [name], options.further, "applier")
    from seqsep.theorems import BY_NAME

    applier = BY_NAME[name].applier
    if applier is None:
        raise BadInput(f"apply {name}: {BY_NAME[name].nothing_to_apply}")
    chosen = options_from_flags("apply", [name], [applier], options.further)
    if str(options.input) == "-":
        if sys.stdin is None:
            raise BadInput("standard input: expected data, found a closed stream")
        _answer(name, sys.stdin.readline, "standard input", chosen)
    else:
        with options.input.open(encoding="utf-8", newline="\n") as file:
            _answer(name, file.readline, str(options.input), chosen)
    return DONE


def _answer(name: str, readline: Callable[[int], str], source: str, chosen: Mapping[str, Any]) -> None:
    """Answer each line of a file as it is read."""
    from seqsep.theorems import apply

    for answer in apply(name, lines_of(readline, source), source, **chosen):
        print_json(answer if isinstance(answer, dict) else {"answer": answer})


COMMAND = Command(
    name="apply",
    purpose="run the built weights of a theorem on your own inputs",
    example="seqsep apply index-lookup-attention --length 20 --input FILE.jsonl",
    add_flags=add_flags,
    run=run,
    details=": one JSON object a line, as seqsep sample --json writes it, or its readable form alone; one answer a line "
    "out; options of a theorem: seqsep apply THEOREM --help",
    read_further=list,
    help_of=lambda words: help_text("apply", "applier", words, "[--input FILE]"),
)
