"""Experiments: committed rows as heat maps, and the sweeps of the reader's store.

A preset is one whose rows come with seqsep, and the store is the one of `--store`, so a page opens no file that a reader names.
"""

from pathlib import Path

from seqsep.commands.explore.pages.heat_map import heat_map
from seqsep.commands.explore.pages.sweeps import sweep_content, sweeps_of
from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.commands.shipped import shipped
from seqsep.core.names import BadInput, choose, text_of
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.experiments.base import Experiment
from seqsep.lab.rows_of import read_rows
from seqsep.report.experiment_table import experiment_table

LEFT_OUT = ("claims", "language-classes")
"""Experiments whose rows are of many tasks: `seqsep claims` and docs/reference/languages.md show them."""


def presets_of(experiment: Experiment) -> list[str]:
    """Return the presets of an experiment whose rows come with seqsep."""
    return [preset for preset in experiment.presets if _rows_file(experiment, preset).is_file()]


def _rows_file(experiment: Experiment, preset: str) -> Path:
    return experiment.rows_file(shipped("results"), preset)


def known_experiments() -> list[Experiment]:
    """Return the experiments that the page shows."""
    return [one for name, one in BY_NAME.items() if name not in LEFT_OUT and presets_of(one)]


def content(visit: Visit) -> PageContent:
    """Return the list of experiments, the page of one, or a sweep of the reader's store. Raises BadInput for an unknown one."""
    if visit.store and visit.asked("sweep"):
        return sweep_content(visit)
    experiments = known_experiments()
    if not visit.name:
        sweeps, error = sweeps_of(visit.store)
        listed = {"experiments": experiments, "sweeps": sweeps, "store": Path(visit.store).name if visit.store else ""}
        return PageContent("Experiments", "experiments.html", listed, error=error, command="seqsep list experiments")
    name = choose("experiment", visit.name, [one.name for one in experiments])
    experiment = BY_NAME[name]
    presets = presets_of(experiment)
    preset = visit.asked("preset", presets[0])
    if preset not in presets:
        raise BadInput(f"preset: expected one of {', '.join(presets)}, found {text_of(ValueError(preset))}")
    table = experiment_table(experiment, read_rows(_rows_file(experiment, preset))).legible
    shown, error = heat_map(table, visit)
    values = {"experiment": experiment, "presets": presets, "preset": preset, "map": shown}
    command = f"seqsep run {name} --preset {preset}"
    return PageContent(f"Experiment {name}", "experiment.html", values, error=error, command=command)
