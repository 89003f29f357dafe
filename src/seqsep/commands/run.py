"""`seqsep run`: the runs of an experiment, with a user's own layer, model or task in the place of the experiment's."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from seqsep.experiments import load_experiment
from seqsep.lab.device import CPU, at_once
from seqsep.lab.engines.engine import Engine
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.engines.ray import RayEngine
from seqsep.lab.estimate import show_cost
from seqsep.lab.loggers import Logger
from seqsep.lab.progress import display
from seqsep.lab.pruning import say_on_stderr, siblings, steps_at_most, successive_halving
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import Sweep
from seqsep.mixers import BY_NAME as MIXERS
from seqsep.names import choose
from seqsep.plugins.layer import OwnLayer
from seqsep.plugins.model import OwnModel, parse_layer
from seqsep.plugins.name import PlugIn, names_a_file
from seqsep.plugins.task import OwnTask
from seqsep.tasks import BY_NAME as TASKS
from seqsep.tasks import Task
from seqsep.tasks.base import fields_given


def run(options: argparse.Namespace) -> int:
    """Train the runs, or print them. Returns 0, or 1 where a run failed.

    Raises ValueError and FileNotFoundError for bad input.
    """
    engine = chosen_engine(options)  # says at once which flag does not fit
    experiment = load_experiment(options.experiment)
    changes = changes_of(options.mixer, options.model, options.task, options.fields)
    chosen = {name: getattr(options, name) for name in ("positions", "dtype") if getattr(options, name) is not None}
    changed = [lambda one, change=change: replace(change(one), **chosen) for change in changes]
    search, runs = experiment.search(options.preset), experiment.runs(options.preset)
    if options.only:
        wanted = chosen_by(options.only, runs)
        search, runs = None if search is None else search.only(wanted), list(filter(wanted, runs))
    search = None if search is None else search.changed(*changed)
    runs = [change(one) for change in changed for one in runs] if search is None else search.runs()
    runs = list(dict.fromkeys(runs))
    groups = [] if not options.prune else siblings(runs) if search is None else search.grids
    if options.dry_run:
        show_cost(
            runs,
            search.further if search else 0,
            options.workers or at_once(options.device),
            steps_at_most(groups),
            options.device,
        )
        return 0
    folder = options.log_folder or Path(f"{options.store}.logs")
    loggers = [Logger(kind, folder) for kind in dict.fromkeys(options.log)]

    def log(row: Row) -> None:
        for logger in loggers:
            logger.write(row)

    with Store(options.store) as store, Sweep(store, experiment.name, engine, show=display, on_row=log) as sweep:
        survival = successive_halving(groups, sweep, say_on_stderr)
        rows = list[Row]()
        left = [run for run in runs if survival.goes_on(run)]
        while len(rows) < len(left):
            rows = sweep.train(left)
            if search is not None:
                left = [run for run in search.runs([*rows, *survival.pruned.values()]) if survival.goes_on(run)]
    rows += [*survival.pruned.values(), *survival.failed.values()]
    for row in rows:  # also those that the store held already, and those that were pruned
        log(row)
    failed = sum(not row.has_outcome for row in rows)
    counts = {"pruned": len(survival.pruned), "waiting": len(survival.waiting)}
    said = "".join(f", {number} {word}" for word, number in counts.items() if number)
    print(f"{len(rows) + len(survival.waiting)} runs in {options.store}{said}, {failed} failed")
    return 1 if failed else 0


def words(one: Run) -> tuple[str, ...]:
    """What `--only` knows a run by: its layers, its task, and its sizes."""
    sizes = {"N": one.task.length, "layers": len(one.layers), "width": one.width, "heads": one.heads}
    return *dict.fromkeys(map(str, one.layers)), one.task.name, *(f"{name}={size}" for name, size in sizes.items())


def chosen_by(patterns: Sequence[str], runs: Sequence[Run]) -> Callable[[Run], bool]:
    """Whether a run has every word of one of the patterns, which are words with commas between.

    Raises ValueError for a pattern that chooses none of `runs`.
    """
    wanted = {pattern: [word.strip() for word in pattern.split(",")] for pattern in patterns}
    known = [set(words(one)) for one in runs]
    for pattern, needed in wanted.items():
        if not any(found.issuperset(needed) for found in known):
            there = list(dict.fromkeys(word for one in runs for word in words(one)))
            strange = [word for word in needed if word not in there]
            said = f"{strange[0]!r}, which is none of {', '.join(there)}" if strange else "words that no run has together"
            raise ValueError(f"--only {pattern}: expected words of a run, found {said}")
    return lambda one: any(set(words(one)).issuperset(needed) for needed in wanted.values())


def chosen_engine(options: argparse.Namespace) -> Engine:
    """The engine of the flags; it starts nothing yet. Raises ValueError for a flag that is not of this engine."""
    if options.engine == "ray":
        if options.device != CPU:
            raise ValueError(f"--device {options.device}: expected --gpus-per-run in its place with --engine ray")
        return RayEngine(options.workers, options.stall_seconds, options.address, options.gpus_per_run or 0.0)
    for name in ("address", "gpus_per_run"):
        if getattr(options, name) is not None:
            raise ValueError(f"--{name.replace('_', '-')} {getattr(options, name)}: expected --engine ray beside it")
    return Supervisor(options.workers or at_once(options.device), options.stall_seconds, options.device)


def changes_of(
    mixers: Sequence[str],
    models: Sequence[str],
    task: str | None,
    given: Mapping[str, int | float | str],
) -> list[Callable[[Run], Run]]:
    """What becomes of a run: every layer replaced by each of `mixers` in turn, the whole model by each of `models`, and the
    task by `task` with the fields `given` (its length is that of the run's task where none is given).

    Raises ValueError where a name is not known, FileNotFoundError where a file is not there.
    """
    if given and task is None:
        raise ValueError(f"unknown argument --{next(iter(given)).replace('_', '-')} (try seqsep run --help)")
    layers = [parse_layer(name) if names_a_file(name) else choose("mixer", name, list(MIXERS)) for name in mixers]
    wholes = [OwnModel.parse(name) for name in models]
    make = None if task is None else _task(task, given)

    def change(one: Run, layer: str | OwnLayer | OwnModel | None, whole: OwnModel | None) -> Run:
        if layer is not None:
            one = replace(one, layers=(layer,) * len(one.layers))
        if whole is not None:
            one = replace(one, layers=(whole,))
        return one if make is None else replace(one, task=make(one.task.length))

    pairs = [*((layer, None) for layer in layers), *((None, whole) for whole in wholes)] or [(None, None)]
    return [partial(change, layer=layer, whole=whole) for layer, whole in pairs]


def _task(name: str, given: Mapping[str, int | float | str]) -> Callable[[int], Task]:
    """From a length to the task of a name or of FILE.py:CLASS."""
    if names_a_file(name):
        own, options = PlugIn.parse(name), dict(given)
        chosen = options.pop("length", None)
        if chosen is not None and not isinstance(chosen, int):
            raise ValueError(f"--task {name}: --length: expected a whole number, found {chosen!r}")
        return lambda length: OwnTask.of(own, chosen or length, **options)
    kind: Any = TASKS[choose("task", name, list(TASKS))]
    fields = fields_given(kind, given)
    return lambda length: kind(**{"length": length, **fields})
