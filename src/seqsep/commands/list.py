"""What there is: tasks, mixers, theorems and experiments as plain records, for `seqsep list`."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, asdict, fields
from typing import Any

from seqsep.experiments import EXPERIMENTS, Experiment
from seqsep.mixers import MIXERS, THEOREM_MIXERS
from seqsep.tasks import TASKS
from seqsep.theorems import THEOREMS


def listing(what: str) -> list[dict[str, Any]]:
    """Records of one registry; each has `name` and `summary`."""
    return {"tasks": tasks, "mixers": mixers, "theorems": theorems, "experiments": experiments}[what]()


def lines(what: str) -> list[str]:
    """The same for a person: a line with name and summary, an indented one with the rest."""
    text = []
    for record in listing(what):
        text.append(f"{record.pop('name')}: {record.pop('summary')}")
        text.append("    " + ", ".join(f"{key} {_plain(value)}" for key, value in record.items()))
    return text


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key} {_plain(part)}" for key, part in value.items()) + ")"
    if isinstance(value, list):
        return " ".join(map(_plain, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "required" if value is None else str(value)


def tasks() -> list[dict[str, Any]]:
    """Name, revision, and every field with its default (null: required)."""
    return [
        {
            "name": task.name,
            "summary": _first_line(task),
            "revision": task.revision,
            "fields": {f.name: None if f.default is MISSING else f.default for f in fields(task)},
        }
        for task in TASKS
    ]


def mixers() -> list[dict[str, Any]]:
    """Name, revision, whether the state grows, and what its block holds by default."""
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


def theorems() -> list[dict[str, Any]]:
    """Name, source, statement, and the options of its check."""
    return [
        {"name": theorem.name, "summary": theorem.statement, "source": theorem.source, "options": list(theorem.options)}
        for theorem in THEOREMS
    ]


def experiments() -> list[dict[str, Any]]:
    """Name, presets and their numbers of runs."""
    return [
        {
            "name": experiment.name,
            "summary": experiment.question,
            "presets": {preset: _size(experiment, preset) for preset in experiment.presets},
        }
        for experiment in EXPERIMENTS
    ]


def _size(experiment: Experiment, preset: str) -> int:
    search = experiment.search(preset)
    return len(experiment.runs(preset)) if search is None else search.size


def _first_line(documented: object | Callable[..., Any]) -> str:
    return (inspect.getdoc(documented) or "").split("\n", 1)[0]
