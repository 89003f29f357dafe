"""`seqsep check`: theorems against their bounds; or a user's own layer or model against the laws, in a process of its own."""

import argparse
import json
import sys
from typing import Any

from seqsep.lab.engines.engine import Ended, Judged
from seqsep.lab.engines.job import Check
from seqsep.lab.engines.local import Supervisor
from seqsep.plugins.layer import OwnLayer
from seqsep.plugins.model import OwnModel, parse_layer
from seqsep.theorems import BY_NAME, TheoremFails

MODEL_SIZES = {"vocabulary": 11, "classes": 7, "longest": 24}


def theorems(options: argparse.Namespace) -> int:
    """Run the theorems; returns 0, or 1 where one is refuted."""
    records: list[dict[str, Any]] = []
    refuted = False
    for name in options.names:
        theorem = BY_NAME[name]
        try:
            outcomes = theorem.check(**{option: value for option, value in options.given.items() if option in theorem.options})
        except TheoremFails as failure:
            refuted = True
            print(f"seqsep: {failure}", file=sys.stderr)
            records.append(
                {"theorem": name, "source": theorem.source, "holds": False, "counterexample": failure.counterexample}
            )
            continue
        for outcome in outcomes:
            records.append(outcome.record())
            refuted |= not outcome.holds
            if not options.json:
                print(outcome.line())
    if options.json:
        print(json.dumps(records, ensure_ascii=False, allow_nan=False))
    return 1 if refuted else 0


def plug_ins(options: argparse.Namespace) -> int:
    """Try every law on every layer and model named, a line each; returns 0, or 1 where one fails."""
    own = options.own
    given = [*map(parse_layer, own.mixer), *map(OwnModel.parse, own.model)]
    records = [_record(one, name, own) for one, name in zip(given, [*own.mixer, *own.model], strict=True)]
    if own.json:
        print(json.dumps(records[0] if len(records) == 1 else records, ensure_ascii=False, allow_nan=False))
    return 0 if all(record["holds"] for record in records) else 1


def _record(given: OwnLayer | OwnModel, name: str, own: argparse.Namespace) -> dict[str, Any]:
    sizes = {"width": own.width, "heads": own.heads} | (MODEL_SIZES if isinstance(given, OwnModel) else {})
    laws: list[dict[str, Any]] = []

    def add(law: str, holds: bool, where: str) -> None:
        laws.append({"law": law, "holds": holds, "where": where})
        if not own.json:
            print(f"{'holds' if holds else 'FAILS'}  {law}{': ' if where else ''}{where}", flush=True)

    with Supervisor(1, own.stall_seconds) as supervisor:
        for event in supervisor.run([Check(given, sizes)]):
            if isinstance(event, Judged):
                add(event.law, event.holds, event.where)
            if isinstance(event, Ended) and "status" in event.result:
                add("runs to the end", False, event.result["status"].removeprefix("failed: "))
    failed = sum(not law["holds"] for law in laws)
    if not own.json:
        print(f"{name} with {', '.join(f'{key} {value}' for key, value in sizes.items())}: ", end="")
        print(f"{failed} of {len(laws)} laws fail" if failed else f"all {len(laws)} laws hold")
    kind = "model" if isinstance(given, OwnModel) else "mixer"
    return {kind: name, "sha256": given.digest, "sizes": sizes, "holds": not failed, "laws": laws}
