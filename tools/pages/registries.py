"""The output of `seqsep list`, from the registries: the generated file src/seqsep/commands/members.json.

The command line reads names and facts there, since it takes seconds to import the registries.
"""

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import MISSING, asdict, fields
from typing import Any, get_type_hints

from seqsep.core.names import docstring
from seqsep.lab.experiments import EXPERIMENTS, Experiment
from seqsep.models.mixers import MIXERS, THEOREM_MIXERS
from seqsep.models.mixers.settings import settings
from seqsep.tasks import TASKS, Task
from seqsep.tasks.base import field_meanings
from seqsep.theorems import THEOREMS
from seqsep.theorems.base import Theorem
from seqsep.theorems.option_values import FUNCTIONS, choices_of, range_of

Record = dict[str, Any]


def tasks() -> list[Record]:
    """Every task: name, revision, each field with its default (None if it is required), and the choices of fields of text."""
    return [
        {
            "name": task.name,
            "summary": _first_line(task),
            "revision": task.revision,
            "fields": {field.name: None if field.default is MISSING else field.default for field in fields(task)},
            "choices": {field.name: found for field in fields(task) if (found := _choices(task, field.name))},
        }
        for task in TASKS
    ]


def _choices(task: type[Task], field: str) -> list[str]:
    """The words after the semicolon of what a field of text means; none if any text is taken."""
    if get_type_hints(task)[field] is not str:
        return []
    words = re.split(", | or ", field_meanings(task)[field].rpartition("; ")[2].rstrip("."))
    return words if all(re.fullmatch("[a-z-]+", word) for word in words) else []


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
    """Every theorem: name, source, statement, the options of its check, and ranges and choices of those of each function."""
    return [
        {
            "name": theorem.name,
            "summary": theorem.claim.statement,
            "source": theorem.source,
            "options": list(theorem.options),
            "ranges": _of_options(theorem, lambda *option: str(range_of(*option) or "")),
            "choices": _of_options(theorem, lambda *option: list(choices_of(*option))),
        }
        for theorem in THEOREMS
    ]


def _of_options(theorem: Theorem, say: Callable[[str, str, str], Any]) -> dict[str, dict[str, Any]]:
    """Of each function of the theorem, what `say` says of each option that is no switch, where it says something."""
    found = {}
    for function in dict.fromkeys(FUNCTIONS.values()):
        call = getattr(theorem, function)
        if call is not None:
            parameters = inspect.signature(inspect.unwrap(call)).parameters.values()
            said = {one.name: say(theorem.name, function, one.name) for one in parameters if one.annotation is not bool}
            found[function] = {option: words for option, words in said.items() if words}
    return found


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
    return docstring(documented).split("\n", 1)[0]


REGISTRIES: dict[str, Callable[[], list[Record]]] = {
    "tasks": tasks,
    "mixers": mixers,
    "theorems": theorems,
    "experiments": experiments,
}


def members_file() -> str:
    """Every member of every registry, by registry, as JSON."""
    members = {registry: records() for registry, records in REGISTRIES.items()}
    return json.dumps(members, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
