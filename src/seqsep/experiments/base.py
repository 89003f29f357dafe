"""What an experiment is: a question, its presets, and the runs of each."""

from collections.abc import Callable
from dataclasses import dataclass

from seqsep.lab.run import Run


@dataclass(frozen=True)
class Experiment:
    """One question to a set of runs. `runs(preset)` raises ValueError for a preset that is not in `presets`."""

    name: str
    question: str
    presets: tuple[str, ...]
    runs: Callable[[str], list[Run]]


def require_preset(experiment: str, preset: str, presets: tuple[str, ...]) -> None:
    """Raise ValueError unless the experiment has this preset."""
    if preset not in presets:
        raise ValueError(f"{experiment}: unknown preset {preset!r}; it has {', '.join(presets)}")
