"""The members of the registries, for `seqsep list` and the commands that take a name.

`names` imports no member, so that help does not wait for torch. A record is made from the member itself.
"""

import inspect
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from seqsep.core.names import docstring
from seqsep.core.options import options_of
from seqsep.core.registry import Registry

if TYPE_CHECKING:
    from seqsep.lab.experiments import Experiment
    from seqsep.models.mixers import Mixer
    from seqsep.tasks import Task
    from seqsep.theorems import Theorem

Record = dict[str, Any]


def registry_of(registry: str) -> Registry[Any]:
    """Return a registry by the word of `seqsep list`; the mixers for theorems are among the mixers.

    >>> "mamba" in registry_of("mixers")
    True
    """
    if registry == "tasks":
        from seqsep import tasks

        return tasks.BY_NAME
    if registry == "mixers":
        from seqsep.models import mixers

        return Registry("mixer", {**mixers.PLACES, **mixers.THEOREM_PLACES})
    if registry == "theorems":
        from seqsep import theorems

        return theorems.BY_NAME
    from seqsep.lab import experiments

    return experiments.BY_NAME


def names(registry: str) -> list[str]:
    """Return the names of a registry's members.

    >>> names("tasks")[:2]
    ['associative-recall', 'bounded-dyck']
    """
    return list(registry_of(registry))


def members(registry: str) -> list[Record]:
    """Return every member of a registry, in its order: name, summary, and the rest that `seqsep list` prints.

    >>> members("mixers")[0]["name"]
    'attention'
    """
    return [record_of(registry, name) for name in names(registry)]


def record_of(registry: str, name: str) -> Record:
    """Return one member: name, summary, and the rest that `seqsep list` prints.

    >>> record_of("experiments", "mamba-width")["presets"]["quick"]
    18
    """
    return RECORDS[registry](registry_of(registry)[name])


def _task(task: "type[Task]") -> Record:
    """Return a task: revision, each field with its default (None if it is required), and the choices of fields of text."""
    declared = options_of(task)
    return {
        "name": task.name,
        "summary": _first_line(task),
        "revision": task.revision,
        "fields": {field.name: None if field.is_required else field.default for field in declared},
        "choices": {field.name: list(field.choices) for field in declared if field.choice},
    }


def _mixer(mixer: "type[Mixer]") -> Record:
    """Return a mixer: revision, growth of the state, the defaults of its block, and its settings."""
    from seqsep.models.mixers import THEOREM_PLACES
    from seqsep.models.mixers.settings import settings

    return {
        "name": mixer.name,
        "summary": _first_line(inspect.getmodule(mixer)),
        "revision": mixer.revision,
        "state_grows": mixer.grows,
        "theorems_only": mixer.name in THEOREM_PLACES,
        "block": asdict(mixer.block),
        "settings": {} if mixer.name in THEOREM_PLACES else settings(mixer),
    }


def _theorem(theorem: "Theorem") -> Record:
    """Return a theorem: source, statement, and the options of its check."""
    return {
        "name": theorem.name,
        "summary": theorem.claim.statement,
        "source": theorem.source,
        "options": list(theorem.options),
    }


def _experiment(experiment: "Experiment") -> Record:
    """Return an experiment: question, the number of runs of each preset, and the words of `seqsep run --only`."""
    return {
        "name": experiment.name,
        "summary": experiment.question,
        "presets": {preset: _number_of_runs(experiment, preset) for preset in experiment.presets},
        "words": experiment.words(),
    }


def _number_of_runs(experiment: "Experiment", preset: str) -> int:
    search = experiment.search(preset)
    return len(experiment.runs(preset)) if search is None else search.size


def _first_line(documented: object) -> str:
    return docstring(documented).split("\n", 1)[0]


RECORDS: dict[str, Callable[[Any], Record]] = {
    "tasks": _task,
    "mixers": _mixer,
    "theorems": _theorem,
    "experiments": _experiment,
}
REGISTRIES = tuple(RECORDS)
