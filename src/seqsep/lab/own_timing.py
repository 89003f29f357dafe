"""Seconds of a training step of users' own layers, models and tasks, which only workers run."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seqsep.lab.engines.local import Supervisor
from seqsep.lab.progress import Display
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep

STEPS = 40
"""Steps of the run that is timed; one of a single step goes before it, in which the laws are checked and torch warms up."""
STALL_SECONDS = 60.0


class NoStep(Exception):
    """A user's own part does not train; the message says which and why, in one line."""


def timed_by_a_worker(shapes: Sequence[Run], device: str, timed: Callable[[], None]) -> dict[Run, float]:
    """Seconds of a step of each shape: those of a run of 40 steps in one worker, over 40; `timed` is called after each.

    Raises NoStep for a shape whose run fails.
    """
    if not shapes:
        return {}
    runs = [_short(shape, steps) for shape in shapes for steps in (1, STEPS)]
    clock = _Clock(timed)
    with TemporaryDirectory() as folder, Store(Path(folder) / "store.sqlite") as store:
        rows = sweep(runs, store, "timing", engine=Supervisor(1, STALL_SECONDS, device), progress=clock)
    for row in rows:
        if not row.finished:
            raise NoStep(f"{row.run.label()}: {row.status}")
    return {shape: clock.seconds[_short(shape, STEPS)] / STEPS for shape in shapes}


def _short(shape: Run, steps: int) -> Run:
    """The shape's run of so many steps, evaluated once, on one example."""
    return replace(shape, steps=steps, evaluate_every=steps, evaluation=1, live=1)


class _Clock(Display):
    """A display that keeps the seconds of each run and shows nothing, but tells of each that is timed."""

    def __init__(self, timed: Callable[[], None]) -> None:
        self.seconds: dict[Run, float] = {}
        self.timed = timed

    def finish(self, run: Run, result: dict[str, Any], seconds: float) -> None:
        self.seconds[run] = seconds
        if run.steps == STEPS:
            self.timed()
