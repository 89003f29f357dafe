"""A user's own layers, models and tasks on the command line of `seqsep check`: every law tried, in a process of its own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import Parser, print_json
from seqsep.commands.engine_laws import outcome, own_model_verdicts
from seqsep.commands.junit import junit_text
from seqsep.commands.shared_flags import add_own_part_flags, fields_from_flags, positive
from seqsep.commands.status import DONE, REFUTED
from seqsep.core.files import require_output, write_file
from seqsep.core.names import BadInput

if TYPE_CHECKING:
    from seqsep.models.plugins.layer import UserLayer
    from seqsep.models.plugins.model import UserModel
    from seqsep.models.plugins.task import UserTask

LENGTH = 20
MODEL_SIZES = {"vocabulary": 11, "classes": 7, "longest": 24}
FORMER_LAWS = {
    "surroundings left alone": "global state unchanged",
    "examples apart": "examples independent",
    "one position asked": "one queried position",
    "streams apart": "different streams",
    "seeds apart": "different seeds",
}
"""The present names of laws by their earlier ones, which `--law` takes until 0.5."""


def name_own_parts(words: Sequence[str]) -> bool:
    """Return True if the words mention a user's own file; --mixer of a theorem means a built-in mixer."""
    parts = [part for word in words for part in word.split("=", 1)]
    return "--model" in parts or any(flag in ("--mixer", "--task") and ".py" in value for flag, value in pairwise(parts))


def run_own_parts(words: Sequence[str]) -> int:
    """Try every law on every layer, model and task that the words name: a line a law, or JSON at the end."""
    from seqsep.models.plugins.model import UserModel, parse_layer
    from seqsep.models.plugins.name import PlugIn
    from seqsep.models.plugins.task import own_task

    asked = _asked(words)
    names = [*asked.mixer, *asked.model, *asked.task]
    layers = [*map(parse_layer, asked.mixer), *map(UserModel.parse, asked.model)]
    parts = [*layers, *(own_task(PlugIn.parse(name), asked.fields) for name in asked.task)]
    chosen = [_chosen_laws(part, asked) for part in parts]
    if asked.junit is not None:
        require_output(asked.junit, read=(Path(name.rpartition(":")[0].removeprefix(UserModel.PREFIX)) for name in names))
    records = [_check_own_part(*each, asked) for each in zip(names, parts, chosen, strict=True)]
    if asked.junit is not None:
        write_file(asked.junit, junit_text({name: _test_cases(record) for name, record in zip(names, records, strict=True)}))
    if asked.json:
        print_json(records[0] if len(records) == 1 else records)
    return DONE if all(record["holds"] for record in records) else REFUTED


@dataclass(frozen=True)
class OwnPartFlags:
    """The user's parts, the sizes that they are built with, and how verdicts are printed."""

    mixer: Sequence[str]
    model: Sequence[str]
    task: Sequence[str]
    width: int
    heads: int
    fields: dict[str, Any]
    stall_seconds: float
    law: Sequence[str]
    junit: Path | None
    json: bool


def _asked(words: Sequence[str]) -> OwnPartFlags:
    parser = Parser(prog="seqsep check")
    add_own_part_flags(parser, "your own layer, as FILE.py:CLASS", 60.0)
    parser.add_argument("--task", action="append", default=[], metavar="FILE.py:CLASS", help="your own task")
    parser.add_argument("--width", type=positive, default=8, help="width of the layer under test; by default 8")
    parser.add_argument("--heads", type=positive, default=2, help="heads of the layer, if it takes them; by default 2")
    parser.add_argument("--law", action="append", default=[], metavar="NAME", help="a law to test; by default all of them")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the verdicts as a JUnit file, for CI")
    parser.add_argument("--json", action="store_true")
    if "--task" not in [word.split("=")[0] for word in words]:
        return OwnPartFlags(**vars(parser.parse_args(words)), fields={})
    parser.takes_further = True
    options, further = parser.parse_known_args(words)
    fields: dict[str, Any] = {"length": LENGTH} | fields_from_flags(further)
    if not isinstance(fields["length"], int):
        raise BadInput(f"--task {options.task[0]}: --length: expected a whole number, found {fields['length']!r}")
    return OwnPartFlags(**vars(options), fields=fields)


def _chosen_laws(part: "UserLayer | UserModel | UserTask", asked: OwnPartFlags) -> list[str]:
    """Return the laws to test on a part. Raises BadInput if it has no law of a name that is given."""
    from seqsep.lab.engines.validation import parts_of
    from seqsep.models.plugins.model import UserModel

    known = list(parts_of(part))
    if not asked.law and not isinstance(part, UserModel):
        return known
    from seqsep.language_models.engines.check import ENGINE_LAWS
    from seqsep.language_models.laws.check import choose_laws

    named = [name.replace("-", " ").replace("_", " ") for name in asked.law]
    present = [FORMER_LAWS.get(name, name) for name in named]
    return choose_laws(present, dict.fromkeys([*known, *(ENGINE_LAWS if isinstance(part, UserModel) else ())]))


def _test_cases(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the laws of a record, with those that were not tested."""
    failed = [law["law"] for law in record["laws"] if law["holds"] is False]
    untried = [{"law": law, "holds": None, "where": f"not tested: {failed[-1]} fails"} for law in record["untried"]]
    return [*record["laws"], *untried]


def _check_own_part(
    name: str, part: "UserLayer | UserModel | UserTask", chosen: Sequence[str], asked: OwnPartFlags
) -> dict[str, Any]:
    """Test laws on a layer, a model or a task, printing each verdict without --json; the record says what holds."""
    from seqsep.models.plugins.model import UserModel
    from seqsep.models.plugins.task import UserTask

    is_task = isinstance(part, UserTask)
    is_model = isinstance(part, UserModel)
    sizes = asked.fields if is_task else {"width": asked.width, "heads": asked.heads} | (MODEL_SIZES if is_model else {})
    laws: list[dict[str, Any]] = []
    verdicts = _own_part_verdicts(part, sizes, chosen, asked.stall_seconds)
    if is_model:
        verdicts = chain(verdicts, _further_verdicts(name, chosen, laws, asked))
    for law in verdicts:
        laws.append(law)
        if not asked.json:
            print(_verdict_line(**law), flush=True)
    failed = sum(law["holds"] is False for law in laws)
    count = sum(law["holds"] is not None for law in laws)
    untried = [law for law in chosen if law not in {one["law"] for one in laws}]
    if not asked.json:
        shown = ", ".join(f"{size} {value}" for size, value in sizes.items())
        rest = f"; {len(untried)} more laws are not tested until this one holds" if untried else ""
        print(f"{name} with {shown}: {outcome(failed, count)}{rest}")
    kind = "task" if is_task else "model" if is_model else "mixer"
    digest = part.source.digest if isinstance(part, UserTask) else part.digest
    return {kind: name, "sha256": digest, "sizes": sizes, "holds": not failed, "laws": laws, "untried": untried}


def _own_part_verdicts(
    part: "UserLayer | UserModel | UserTask", sizes: dict[str, Any], chosen: Sequence[str], stall_seconds: float
) -> Iterator[dict[str, Any]]:
    """Yield the verdicts about the chosen laws in turn, and that about another one if it leaves chosen laws untested."""
    from seqsep.lab.engines.engine import Ended, Judged
    from seqsep.lab.engines.job import Check
    from seqsep.lab.engines.local import Supervisor
    from seqsep.lab.engines.validation import BEFORE_LAWS, parts_of

    left = {law for law in parts_of(part) if law in chosen} or set(BEFORE_LAWS)
    other: dict[str, Any] | None = None
    with Supervisor(1, stall_seconds) as supervisor:
        for event in supervisor.run([Check(part, sizes)]):
            if isinstance(event, Ended) and "status" in event.result:
                where = event.result["status"].removeprefix("failed: ")
                yield {"law": "runs to the end", "holds": False, "where": where}
                return
            if not isinstance(event, Judged):
                continue
            verdict = {"law": event.law, "holds": event.holds, "where": event.where}
            if event.law in chosen:
                yield verdict
            elif not event.holds:
                other = verdict
                continue
            left.discard(event.law)
            if not left:
                return
    if other is not None and left:
        yield other


def _further_verdicts(
    name: str, chosen: Sequence[str], laws: Sequence[Mapping[str, Any]], asked: OwnPartFlags
) -> Iterator[dict[str, Any]]:
    """Yield the verdicts about the chosen laws of engines on a complete model, if the laws before them hold."""
    from seqsep.language_models.engines.check import ENGINE_LAWS

    done = [law["law"] for law in laws]
    left = [law for law in ENGINE_LAWS if law in chosen and law not in done]
    if left and all(law["holds"] for law in laws):
        for one in own_model_verdicts(name, asked.width, asked.heads, asked.stall_seconds, laws=left):
            yield {"law": one.law, "holds": one.holds, "where": one.where}


def _verdict_line(law: str, holds: bool | None, where: str) -> str:
    kind = "not tried" if holds is None else "holds" if holds else "FAILS"
    return f"{kind}  {law}: {where}" if where else f"{kind}  {law}"
