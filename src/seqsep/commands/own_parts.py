"""A user's own layers, models and tasks on the command line of `seqsep check`: every law tried, in a process of its own."""

import argparse
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import Parser, print_json
from seqsep.commands.shared_flags import add_own_part_flags, fields_from_flags, positive
from seqsep.commands.status import DONE, REFUTED
from seqsep.core.names import BadInput

if TYPE_CHECKING:
    from seqsep.models.plugins.layer import UserLayer
    from seqsep.models.plugins.model import UserModel
    from seqsep.models.plugins.task import UserTask

LENGTH = 20
MODEL_SIZES = {"vocabulary": 11, "classes": 7, "longest": 24}


def name_own_parts(words: Sequence[str]) -> bool:
    """Whether the words name a user's own file; --mixer of a theorem names a built-in mixer."""
    parts = [part for word in words for part in word.split("=", 1)]
    return "--model" in parts or any(flag in ("--mixer", "--task") and ".py" in value for flag, value in pairwise(parts))


def run_own_parts(words: Sequence[str]) -> int:
    """Try every law on every layer, model and task that the words name: a line a law, or JSON at the end."""
    from seqsep.models.plugins.model import UserModel, parse_layer
    from seqsep.models.plugins.name import PlugIn
    from seqsep.models.plugins.task import own_task

    options = _own_part_options(words)
    names = [*options.mixer, *options.model, *options.task]
    layers = [*map(parse_layer, options.mixer), *map(UserModel.parse, options.model)]
    parts = [*layers, *(own_task(PlugIn.parse(name), options.fields) for name in options.task)]
    records = [_check_own_part(name, part, options) for name, part in zip(names, parts, strict=True)]
    if options.json:
        print_json(records[0] if len(records) == 1 else records)
    return DONE if all(record["holds"] for record in records) else REFUTED


def _own_part_options(words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="seqsep check")
    add_own_part_flags(parser, "your own layer, as FILE.py:CLASS", 60.0)
    parser.add_argument("--task", action="append", default=[], metavar="FILE.py:CLASS", help="your own task")
    parser.add_argument("--width", type=positive, default=8, help="width of the layer under test; by default 8")
    parser.add_argument("--heads", type=positive, default=2, help="heads of the layer, if it takes them; by default 2")
    parser.add_argument("--json", action="store_true")
    if "--task" not in [word.split("=")[0] for word in words]:
        return parser.parse_args(words)
    parser.takes_further = True
    options, further = parser.parse_known_args(words)
    options.fields = {"length": LENGTH} | fields_from_flags(further)
    if not isinstance(options.fields["length"], int):
        raise BadInput(f"--task {options.task[0]}: --length: expected a whole number, found {options.fields['length']!r}")
    return options


def _check_own_part(name: str, part: "UserLayer | UserModel | UserTask", options: argparse.Namespace) -> dict[str, Any]:
    """Try every law on a layer, a model or a task, printing each verdict without --json; the record says what holds."""
    from seqsep.lab.engines.engine import Ended, Judged
    from seqsep.lab.engines.job import Check
    from seqsep.lab.engines.local import Supervisor
    from seqsep.lab.engines.validation import parts_of
    from seqsep.models.plugins.model import UserModel
    from seqsep.models.plugins.task import UserTask

    is_task = isinstance(part, UserTask)
    is_model = isinstance(part, UserModel)
    sizes = options.fields if is_task else {"width": options.width, "heads": options.heads} | (MODEL_SIZES if is_model else {})
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
    tried = {law["law"] for law in laws}
    untried = [law for law in parts_of(part) if law not in tried]
    if not options.json:
        shown = ", ".join(f"{size} {value}" for size, value in sizes.items())
        verdict = f"{failed} of {len(laws)} laws fail" if failed else f"all {len(laws)} laws hold"
        rest = f"; {len(untried)} more laws are not tested until this one holds" if untried else ""
        print(f"{name} with {shown}: {verdict}{rest}")
    kind = "task" if is_task else "model" if is_model else "mixer"
    digest = part.source.digest if isinstance(part, UserTask) else part.digest
    return {kind: name, "sha256": digest, "sizes": sizes, "holds": not failed, "laws": laws, "untried": untried}


def _verdict_line(law: str, holds: bool, where: str) -> str:
    line = f"{'holds' if holds else 'FAILS'}  {law}"
    return f"{line}: {where}" if where else line
