"""Experiments: one file a question, with its presets; a user's own Python file with `runs(preset)` works the same way.

Files:

    index_lookup_architectures  which architecture learns index lookup at which length?
    dyck_architectures          which architecture learns bounded Dyck languages, and how fast?
    mamba_width                 does a wider Mamba look up more?
    equality_random             who tells equal halves from two random ones?
    equality_one                who tells equal halves from halves that differ at one place?
    equality_next               who copies?
    is_tree                     who learns to decide IsTree, with which thought?
    claims                      which claims of the papers hold here?
    base                        what an experiment is
    _search                     a grid of rates, rates around the best, more seeds
    _reach                      who passes a length goes on to the next: architectures under both choices of positions
    _state_bits                 accuracy over bits of state at fixed steps
    _drawn                      index lookup with training inputs of a drawn length
    _readings                   index lookup under each reading of appendix H.1
    _paper                      the sizes of the paper, and the grid of its appendix H
    _equality                   what the three experiments on equality share
"""

import inspect
from collections.abc import Iterable
from pathlib import Path

from seqsep.core.names import choose, docstring
from seqsep.lab.experiments import (
    claims,
    dyck_architectures,
    equality_next,
    equality_one,
    equality_random,
    index_lookup_architectures,
    is_tree,
    mamba_width,
)
from seqsep.lab.experiments._reach import Reach
from seqsep.lab.experiments._search import Search
from seqsep.lab.experiments.base import Experiment
from seqsep.lab.run import Run
from seqsep.models.plugins.load import attribute, naming_its_line, run_file
from seqsep.models.plugins.name import relative_to

EXPERIMENTS: tuple[Experiment, ...] = (
    index_lookup_architectures.EXPERIMENT,
    dyck_architectures.EXPERIMENT,
    mamba_width.EXPERIMENT,
    equality_random.EXPERIMENT,
    equality_one.EXPERIMENT,
    equality_next.EXPERIMENT,
    is_tree.EXPERIMENT,
    claims.EXPERIMENT,
)
BY_NAME: dict[str, Experiment] = {experiment.name: experiment for experiment in EXPERIMENTS}


def load_experiment(name: str) -> Experiment:
    """The experiment of a name, or of a user's Python file with `runs(preset)`.

    In such a file the path of a layer, model or task is relative to the file.

    Raises BadInput for an unknown name, ValueError for a file that does not load or has no `runs`, FileNotFoundError. An
    exception inside the file's `runs` is a ValueError that names its line.

    >>> load_experiment("mamba-width").question
    'Does a wider Mamba look up more?'
    """
    path = Path(name)
    if path.suffix != ".py":
        return BY_NAME[choose("experiment", name, list(BY_NAME))]
    with relative_to(path.parent):
        module = run_file(path)
    own_runs = attribute(module, path, "runs")
    if not callable(own_runs):
        raise ValueError(f"{name}: expected a function runs(preset) that returns a list of Run, found none")

    line = inspect.unwrap(own_runs).__code__.co_firstlineno if inspect.isfunction(own_runs) else 1

    def runs(preset: str) -> list[Run]:
        with naming_its_line(path), relative_to(path.parent):
            returned = own_runs(preset)
            found = list(returned) if isinstance(returned, Iterable) else None
        wrong = returned if found is None else next((run for run in found if not isinstance(run, Run)), None)
        if found is None or wrong is not None:
            raise ValueError(
                f"{name}: runs({preset!r}): expected a list of Run, found {wrong!r:.60} ({path.name}, line {line})"
            )
        return found

    question = docstring(module) or name
    presets = tuple(attribute(module, path, "PRESETS") or ())
    return Experiment(path.stem.replace("_", "-"), question, presets, runs)


__all__ = ["BY_NAME", "EXPERIMENTS", "Experiment", "Reach", "Search", "load_experiment"]
