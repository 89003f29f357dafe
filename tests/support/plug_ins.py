"""Runs with the plug-ins of tests/models/plugins: good.py obeys every law, each member of bad.py breaks one."""

from pathlib import Path
from typing import Any

from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup

FOLDER = Path(__file__).parents[1] / "models/plugins"
GOOD = FOLDER / "good.py"
BAD = FOLDER / "bad.py"


def run_of(*layers: str, seed: int = 0, **fields: Any) -> Run:
    """A short run of these layers, on index lookup unless `task` says otherwise."""
    chosen = {"width": 8, "steps": 30, "batch": 8, "evaluate_every": 10, "evaluation": 50} | fields
    task = chosen.pop("task", IndexLookup(length=5, alphabet=4))
    return Run(task=task, layers=layers, seed=seed, **chosen)
