"""`seqsep list`: tasks, mixers, theorems and experiments, as plain records or as lines."""

import argparse
import inspect
from collections.abc import Callable
from dataclasses import MISSING, asdict, fields
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import Command, print_json
from seqsep.commands.status import DONE

if TYPE_CHECKING:
    from seqsep.experiments import Experiment

Record = dict[str, Any]


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which registry."""
    parser.add_argument("what", choices=tuple(REGISTRIES))
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    """Print the members of a registry."""
    records = REGISTRIES[options.what]()
    if options.json:
        print_json(records)
    else:
        print("\n".join(line for record in records for line in lines_of(record)))
    return DONE


def lines_of(record: Record) -> list[str]:
    """A record for a person: a line with name and summary, an indented one with the rest."""
    rest = {key: value for key, value in record.items() if key not in ("name", "summary")}
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


def tasks() -> list[Record]:
    """Every task: name, revision, and each field with its default (None if it is required)."""
    from seqsep.tasks import TASKS

    return [
        {
            "name": task.name,
            "summary": _first_line(task),
            "revision": task.revision,
            "fields": {field.name: None if field.default is MISSING else field.default for field in fields(task)},
        }
        for task in TASKS
    ]


def mixers() -> list[Record]:
    """Every mixer: name, revision, whether the state grows, and what its block holds by default."""
    from seqsep.mixers import MIXERS, THEOREM_MIXERS

    return [
        {
            "name": mixer.name,
            "summary": _first_line(inspect.getmodule(mixer)),
            "revision": mixer.revision,
            "state_grows": mixer.grows,
            "theorems_only": mixer in THEOREM_MIXERS,
            "block": asdict(mixer.block),
        }
        for mixer in (*MIXERS, *THEOREM_MIXERS)
    ]


def theorems() -> list[Record]:
    """Every theorem: name, source, statement, and the options of its check."""
    from seqsep.theorems import THEOREMS

    return [
        {
            "name": theorem.name,
            "summary": theorem.claim.statement,
            "source": theorem.source,
            "options": list(theorem.options),
        }
        for theorem in THEOREMS
    ]


def experiments() -> list[Record]:
    """Every experiment: name, question, and how many runs each preset has."""
    from seqsep.experiments import EXPERIMENTS

    return [
        {
            "name": experiment.name,
            "summary": experiment.question,
            "presets": {preset: _number_of_runs(experiment, preset) for preset in experiment.presets},
        }
        for experiment in EXPERIMENTS
    ]


def _number_of_runs(experiment: "Experiment", preset: str) -> int:
    search = experiment.search(preset)
    return len(experiment.runs(preset)) if search is None else search.size


def _first_line(documented: object | Callable[..., Any]) -> str:
    return (inspect.getdoc(documented) or "").split("\n", 1)[0]


REGISTRIES: dict[str, Callable[[], list[Record]]] = {
    "tasks": tasks,
    "mixers": mixers,
    "theorems": theorems,
    "experiments": experiments,
}
COMMAND = Command(
    name="list",
    purpose="list what there is",
    example="seqsep list mixers --json",
    add_flags=add_flags,
    run=run,
)
