"""`seqsep run`: the runs of an experiment, with a user's own layer, model or task in the place of the experiment's."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from seqsep._given_task import GivenTask
from seqsep.experiments import load_experiment
from seqsep.lab.engine import Engine, usable_cores
from seqsep.lab.progress import display
from seqsep.lab.ray_driver import RayEngine
from seqsep.lab.run import Run
from seqsep.lab.store import Store
from seqsep.lab.supervisor import Supervisor
from seqsep.lab.sweep import sweep
from seqsep.mixers import BY_NAME as MIXERS
from seqsep.plugins import WHOLE, looks_like_a_path, plug_in
from seqsep.tasks import BY_NAME as TASKS
from seqsep.tasks import Task

Choose = Callable[[str, str, Sequence[str]], str]


def run(options: argparse.Namespace, choose: Choose) -> int:
    """Train the runs, or print them; `choose` corrects names or refuses them. Returns 0, or 1 where a run failed.

    Raises ValueError and FileNotFoundError for bad input.
    """
    engine = chosen_engine(options)
    experiment = load_experiment(options.experiment, choose)
    runs = replaced(experiment.runs(options.preset), options.mixer, options.model, options.task, options.fields, choose)
    chosen = {name: getattr(options, name) for name in ("positions", "dtype") if getattr(options, name) is not None}
    runs = [replace(one, **chosen) for one in runs]
    if options.dry_run:
        for one in runs:
            print(f"{one.key()[:12]}  {one.label()}  at most {one.steps} steps")
        print(f"{len(runs)} runs, at most {sum(one.steps for one in runs):,} steps")
        return 0
    with Store(options.store) as store:
        rows = sweep(runs, store, experiment.name, progress=display(), engine=engine)
    failed = [row for row in rows if not row.finished]
    print(f"{len(rows)} runs in {options.store}, {len(failed)} failed")
    return 1 if failed else 0


def chosen_engine(options: argparse.Namespace) -> Engine:
    """The engine of the flags; it starts nothing yet. Raises ValueError for a flag that is not of this engine."""
    if options.engine == "ray":
        return RayEngine(options.workers, options.stall_seconds, options.address, options.gpus_per_run or 0.0)
    for name in ("address", "gpus_per_run"):
        if getattr(options, name) is not None:
            raise ValueError(f"--{name.replace('_', '-')} {getattr(options, name)}: expected --engine ray beside it")
    return Supervisor(options.workers or usable_cores(), options.stall_seconds)


def replaced(
    runs: Sequence[Run],
    mixers: Sequence[str],
    models: Sequence[str],
    task: str | None,
    given: Mapping[str, int],
    choose: Choose,
) -> list[Run]:
    """The runs with every layer replaced by each of `mixers` in turn, the whole model by each of `models`, and the task by
    `task` with the fields `given` (its length is that of the run's task where none is given); equal runs once.

    Raises ValueError where a name is not known, FileNotFoundError where a file is not there.
    """
    if given and task is None:
        raise ValueError(f"unknown argument --{next(iter(given)).replace('_', '-')} (try seqsep run --help)")
    layers = [plug_in(name) if looks_like_a_path(name) else choose("mixer", name, list(MIXERS)) for name in mixers]
    wholes = [plug_in(f"{WHOLE}{name}") for name in models]
    found = list(runs)
    if layers or wholes:
        found = [replace(one, layers=(layer,) * len(one.layers)) for layer in layers for one in runs]
        found += [replace(one, layers=(whole,)) for whole in wholes for one in runs]
    if task is not None:
        make = _task(task, given, choose)
        found = [replace(one, task=make(one.task.length)) for one in found]
    return list(dict.fromkeys(found))


def _task(name: str, given: Mapping[str, int], choose: Choose) -> Callable[[int], Task]:
    """From a length to the task of a name or of FILE.py:CLASS."""
    if looks_like_a_path(name):
        own = plug_in(name)
        return lambda length: GivenTask.of(own, **{"length": length, **given})
    kind: Any = TASKS[choose("task", name, list(TASKS))]
    unknown = [field for field in given if field not in {one.name for one in fields(kind)}]
    if unknown:
        known = ", ".join(one.name for one in fields(kind))
        raise ValueError(f"--task {name}: expected {known} as flags, found --{unknown[0].replace('_', '-')}")
    return lambda length: kind(**{"length": length, **given})
