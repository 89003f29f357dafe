"""`seqsep check`: theorems against their bounds, or a user's own layers and models against the laws."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from seqsep.commands import members
from seqsep.commands.command import Command, Parser, print_json
from seqsep.commands.shared_flags import add_own_part_flags, options_from_flags, positive
from seqsep.commands.status import DONE, REFUTED
from seqsep.commands.theorem_options import help_text
from seqsep.names import BadInput, choose

if TYPE_CHECKING:
    from seqsep.plugins.layer import OwnLayer
    from seqsep.plugins.model import OwnModel
    from seqsep.theorems import Outcome, Theorem, TheoremFails

MODEL_SIZES = {"vocabulary": 11, "classes": 7, "longest": 24}


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which theorems. Their options, and a user's own layers and models, are further flags."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="theorems; by default all")
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    """Check what the words name."""
    if _name_own_parts(options.words):
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


def _name_own_parts(words: Sequence[str]) -> bool:
    """Whether the words name a user's own file; --mixer of a theorem names a built-in mixer."""
    parts = [part for word in words for part in word.split("=", 1)]
    return "--model" in parts or any(flag == "--mixer" and ".py" in value for flag, value in pairwise(parts))


def run_own_parts(words: Sequence[str]) -> int:
    """Try every law on every layer and model that the words name: a line a law, or JSON at the end."""
    from seqsep.plugins.model import OwnModel, parse_layer

    options = _own_part_options(words)
    names = [*options.mixer, *options.model]
    parts = [*map(parse_layer, options.mixer), *map(OwnModel.parse, options.model)]
    records = [_check_own_part(name, part, options) for name, part in zip(names, parts, strict=True)]
    if options.json:
        print_json(records[0] if len(records) == 1 else records)
    return DONE if all(record["holds"] for record in records) else REFUTED


def _own_part_options(words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="seqsep check")
    add_own_part_flags(parser, "your own layer, as FILE.py:CLASS", 60.0)
    parser.add_argument("--width", type=positive, default=8, help="of the layer that is tried")
    parser.add_argument("--heads", type=positive, default=2, help="if the layer takes them")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


def _check_own_part(name: str, part: "OwnLayer | OwnModel", options: argparse.Namespace) -> dict[str, Any]:
    """Try every law on a layer or a model, printing each verdict without --json; the record says what holds."""
    from seqsep.lab.engines.engine import Ended, Judged
    from seqsep.lab.engines.job import Check
    from seqsep.lab.engines.local import Supervisor
    from seqsep.plugins.model import OwnModel

    is_model = isinstance(part, OwnModel)
    sizes = {"width": options.width, "heads": options.heads} | (MODEL_SIZES if is_model else {})
    laws: list[dict[str, Any]] = []
    with Supervisor(1, options.stall_seconds) as supervisor:
        for event in supervisor.run([Check(part, sizes)]):
            if isinstance(event, Judged):
                laws.append({"law": event.law, "holds": event.holds, "where": event.where})
            elif isinstance(event, Ended) and "status" in event.result:
                where = event.result["status"].removeprefix("failed: ")
                laws.append({"law": "runs to the end", "holds": False, "where": where})
            else:
                continue
            if not options.json:
                print(_verdict_line(**laws[-1]), flush=True)
    failed = sum(not law["holds"] for law in laws)
    if not options.json:
        shown = ", ".join(f"{size} {value}" for size, value in sizes.items())
        verdict = f"{failed} of {len(laws)} laws fail" if failed else f"all {len(laws)} laws hold"
        print(f"{name} with {shown}: {verdict}")
    kind = "model" if is_model else "mixer"
    return {kind: name, "sha256": part.digest, "sizes": sizes, "holds": not failed, "laws": laws}


def _verdict_line(law: str, holds: bool, where: str) -> str:
    line = f"{'holds' if holds else 'FAILS'}  {law}"
    return f"{line}: {where}" if where else line


COMMAND = Command(
    name="check",
    purpose="run theorems and compare measured sizes with their bounds",
    example="seqsep check index-lookup-attention --text README.md",
    add_flags=add_flags,
    run=run,
    details="; options of a theorem: seqsep check THEOREM --help. Or try every law on a layer or a model of your own, and say "
    "which fails and where: seqsep check --mixer layer.py:MyLayer [--width 8] [--heads 2] [--json]",
    read_further=list,
    help_of=lambda words: help_text("check", "check", words, "[--json]"),
)
