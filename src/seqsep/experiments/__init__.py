"""Experiments: one file per question, with `runs(preset)`; a user's own Python file works the same way."""

import runpy
from collections.abc import Callable, Sequence
from pathlib import Path

from seqsep.experiments import (
    dyck_architectures,
    equality_next,
    equality_one,
    equality_random,
    index_lookup_architectures,
    mamba_width,
)
from seqsep.experiments.base import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    index_lookup_architectures.EXPERIMENT,
    dyck_architectures.EXPERIMENT,
    mamba_width.EXPERIMENT,
    equality_random.EXPERIMENT,
    equality_one.EXPERIMENT,
    equality_next.EXPERIMENT,
)
BY_NAME: dict[str, Experiment] = {experiment.name: experiment for experiment in EXPERIMENTS}


def load_experiment(name: str, choose: Callable[[str, str, Sequence[str]], str]) -> Experiment:
    """The experiment of a name (`choose` corrects or refuses it), or of a trusted Python file with `runs(preset)`.

    Raises ValueError for a file without `runs`, FileNotFoundError for one that is not there.
    """
    path = Path(name)
    if path.suffix != ".py":
        return BY_NAME[choose("experiment", name, list(BY_NAME))]
    if not path.is_file():
        raise FileNotFoundError(2, "no such file", name)
    members = runpy.run_path(name)
    if not callable(members.get("runs")):
        raise ValueError(f"{name}: expected a function runs(preset) that returns a list of Run, found none")
    return Experiment(
        path.stem.replace("_", "-"), members.get("__doc__") or name, tuple(members.get("PRESETS", ())), members["runs"]
    )


__all__ = ["BY_NAME", "EXPERIMENTS", "Experiment", "load_experiment"]
