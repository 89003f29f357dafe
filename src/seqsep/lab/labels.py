"""Labels of several runs, of which no two are alike: differing fields that a run's own label lacks are added after it."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from seqsep.lab.run import Run


def labels(runs: Iterable[Run]) -> dict[Run, str]:
    """Return each run's label, followed by the fields in which runs of the same label differ.

    >>> from dataclasses import replace
    >>> from seqsep.tasks import IndexLookup
    >>> run = Run(IndexLookup(length=20), layers=("lstm",), width=32)
    >>> list(labels([run, replace(run, decay="linear", batch=128), replace(run, seed=1)]).values())[1:]
    ['lstm index-lookup N=20 rate 0.001 seed 0 batch 128 decay linear', 'lstm index-lookup N=20 rate 0.001 seed 1']
    """
    values = {run: _values(run) for run in runs}
    groups: dict[str, list[Run]] = {}
    for run in values:
        groups.setdefault(run.label(), []).append(run)
    found = dict.fromkeys(values, "")
    for label, group in groups.items():
        different = [name for name in values[group[0]] if len({repr(values[run].get(name)) for run in group}) > 1]
        for run in group:
            own = [f"{name.replace('_', ' ')} {values[run][name]}" for name in different if name in values[run]]
            found[run] = " ".join([label, *own])
    return found


def _values(run: Run) -> dict[str, Any]:
    """Return every field of the run and of its task. A user's own layers have the first digits of their digests."""
    task = {f"task {field.name}": getattr(run.task, field.name) for field in fields(run.task)}
    layers = "+".join(f"{name}{at}{digest[:8]}" for name, at, digest in (str(layer).partition("@") for layer in run.layers))
    return {**vars(run), "task": run.task.name, "layers": layers, **task}
