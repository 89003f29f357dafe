"""What `seqsep list` prints, from the registries: the generated file src/seqsep/commands/members.json.

The command line reads names and facts there, since it takes seconds to import the registries.
"""

import inspect
import json
from collections.abc import Callable
from dataclasses import MISSING, asdict, fields
from typing import Any

from seqsep.experiments import EXPERIMENTS, Experiment
from seqsep.mixers import MIXERS, THEOREM_MIXERS
from seqsep.mixers.settings import settings
from seqsep.tasks import TASKS
from seqsep.theorems import THEOREMS
from seqsep.theorems.base import MOST
from seqsep.theorems.ranges import LEAST, LEAST_OF

Record = dict[str, Any]


def tasks() -> list[Record]:
    """Every task: name, revision, and each field with its default (None if it is required)."""
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
    """Every mixer: name, revision, whether the state grows, what its block holds by default, and its settings."""
    return [
        {
            "name": mixer.name,
            "summary": _first_line(inspect.getmodule(mixer)),
            "revision": mixer.revision,
            "state_grows": mixer.grows,
            "theorems_only": mixer in THEOREM_MIXERS,
            "block": asdict(mixer.block),
            "settings": {} if mixer in THEOREM_MIXERS else settings(mixer),
        }
        for mixer in (*MIXERS, *THEOREM_MIXERS)
    ]


def theorems() -> list[Record]:
    """Every theorem: name, source, statement, and the options of its check."""
    return [
        {
            "name": theorem.name,
            "summary": theorem.claim.statement,
            "source": theorem.source,
            "options": list(theorem.options),
        }
        for theorem in THEOREMS
    ]


def limits() -> list[Record]:
    """The range of each size that a theorem's functions take as an option, and where a theorem begins at another value."""
    return [
        {
            "name": name,
            "least": LEAST[name],
            "most": most,
            "least_of": {theorem: least[name] for theorem, least in LEAST_OF.items() if name in least},
        }
        for name, most in MOST.items()
    ]


def experiments() -> list[Record]:
    """Every experiment: name, question, how many runs each preset has, and the words of `seqsep run --only`."""
    return [
        {
            "name": experiment.name,
            "summary": experiment.question,
            "presets": {preset: _number_of_runs(experiment, preset) for preset in experiment.presets},
            "words": experiment.words(),
        }
        for experiment in EXPERIMENTS
    ]


def _number_of_runs(experiment: Experiment, preset: str) -> int:
    search = experiment.search(preset)
    return len(experiment.runs(preset)) if search is None else search.size


def _first_line(documented: object | Callable[..., Any]) -> str:
    return (inspect.getdoc(documented) or "").split("\n", 1)[0]


REGISTRIES: dict[str, Callable[[], list[Record]]] = {
    "tasks": tasks,
    "mixers": mixers,
    "theorems": theorems,
    "experiments": experiments,
    "limits": limits,
}


def members_file() -> str:
    """Every member of every registry, by registry, as JSON."""
    members = {registry: records() for registry, records in REGISTRIES.items()}
    return json.dumps(members, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
