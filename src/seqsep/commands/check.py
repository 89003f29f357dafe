"""`seqsep check`: theorems against their bounds, or a user's own layers, models and tasks against the laws."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seqsep.commands import members
from seqsep.commands.command import Command, print_json
from seqsep.commands.own_parts import name_own_parts, run_own_parts
from seqsep.commands.shared_flags import options_from_flags
from seqsep.commands.status import DONE, REFUTED
from seqsep.commands.theorem_options import help_text
from seqsep.names import BadInput, choose

if TYPE_CHECKING:
    from seqsep.theorems import Outcome, Theorem, TheoremFails


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which theorems. Their options, and a user's own layers, models and tasks, are further flags."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="theorems; by default all")
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    """Check what the words name."""
    if name_own_parts(options.words):
        return run_own_parts(options.words)
    _refuse_mixer_alone(options.names, options.further)
    return run_theorems(options.names, options.further, options.json)


def run_theorems(names: Sequence[str], words: Sequence[str], as_json: bool) -> int:
    """Check the theorems, all if none is named, with the options in `words`; a line each, or JSON at the end."""
    known = [choose("theorem", name, members.names("theorems")) for name in names] or members.names("theorems")
    from seqsep.theorems import BY_NAME, TheoremFails

    theorems = [BY_NAME[name] for name in known]
    options = options_from_flags("check", known, [theorem.check for theorem in theorems], words)
    records: list[dict[str, Any]] = []
    for theorem, outcome in outcomes_of(theorems, options):
        if isinstance(outcome, TheoremFails):
            print(f"seqsep: {outcome}", file=sys.stderr)
            failed = {"holds": False, "counterexample": outcome.counterexample}
            records.append({"theorem": theorem.name, "source": theorem.source, **failed})
            continue
        records.append(outcome.record())
        if not as_json:
            print(outcome.line())
    if as_json:
        print_json(records)
    return DONE if all(record["holds"] for record in records) else REFUTED


def check_every_theorem() -> tuple[list[dict[str, Any]], bool]:
    """Check every theorem with its defaults, a line each; the records of what holds, and whether one is refuted."""
    from seqsep.theorems import THEOREMS, TheoremFails

    records = []
    refuted = False
    for _, outcome in outcomes_of(THEOREMS, {}):
        if isinstance(outcome, TheoremFails):
            refuted = True
            print(f"FAILS  {outcome}", flush=True)
        else:
            records.append(outcome.record())
            print(outcome.line(), flush=True)
    return records, refuted


def outcomes_of(
    theorems: "Iterable[Theorem]", options: Mapping[str, Any]
) -> "Iterator[tuple[Theorem, Outcome | TheoremFails]]":
    """Check the theorems in turn, each with those of the options that it takes; a refuted one gives its counterexample."""
    from seqsep.theorems import TheoremFails

    for theorem in theorems:
        taken = {name: value for name, value in options.items() if name in theorem.options}
        theorem.require_sizes("check", taken)
        try:
            outcomes = theorem.check(**taken)
        except TheoremFails as failure:
            yield theorem, failure
            continue
        for outcome in outcomes:
            yield theorem, outcome


def _refuse_mixer_alone(names: Sequence[str], further: Sequence[str]) -> None:
    """Raise BadInput for a mixer's name without a theorem: only a layer of the user's is checked by itself."""
    if len(names) == 1 and further[:1] == ["--mixer"] and names[0] not in members.names("theorems"):
        own = f"--mixer {names[0]}: expected FILE.py:CLASS, a layer of yours, or a theorem to try it on"
        raise BadInput(f"{own}: seqsep check linear-attention-state, or seqsep check one-way-protocol --mixer {names[0]}")


COMMAND = Command(
    name="check",
    purpose="run theorems and compare measured sizes with their bounds",
    example="seqsep check index-lookup-attention --text README.md",
    add_flags=add_flags,
    run=run,
    details="; options of a theorem: seqsep check THEOREM --help. Or try every law on a layer, a model or a task of your own, "
    "and say which fails and where: seqsep check --mixer layer.py:MyLayer [--width 8] [--heads 2] [--json], or --task "
    "task.py:MyTask [--length 20], with further fields of the task as flags",
    read_further=list,
    help_of=lambda words: help_text("check", "check", words, "[--json]"),
)
