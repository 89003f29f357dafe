"""An experiment by its name, or a user's own file."""

import inspect
from collections.abc import Iterable
from pathlib import Path

from seqsep.core.names import choose, docstring
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.experiments.base import Experiment
from seqsep.lab.run import Run
from seqsep.models.plugins.load import attribute, naming_its_line, run_file
from seqsep.models.plugins.name import relative_to


def load_experiment(name: str) -> Experiment:
    """Return the experiment of a name, or of a user's Python file with `runs(preset)`.

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
