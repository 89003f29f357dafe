"""Seconds of a training step of users' own layers, models and tasks, which only workers run."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seqsep.lab.engines.engine import STALL_SECONDS
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.progress import Display
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep

STEPS = 40
"""Steps of the run that is timed. Before the first of them ends, the laws are checked and torch warms up: it is not counted."""


class NoStep(Exception):
    """A user's own part does not train; the message says which and why, in one line."""


def timed_by_a_worker(
    shapes: Sequence[Run], device: str, timed: Callable[[], None], stall_seconds: float = STALL_SECONDS
) -> dict[Run, float]:
    """Return the seconds of a step of each shape: the mean over a run in one worker without its first step; `timed` is called
    after each.

    Raises NoStep for a shape whose run fails, or makes no progress for `stall_seconds`.
    """
    if not shapes:
        return {}
    runs = [_short(shape) for shape in shapes]
    clock = _Clock(timed)
    with TemporaryDirectory() as folder, Store(Path(folder) / "store.sqlite") as store:
        rows = sweep(runs, store, "timing", engine=Supervisor(1, stall_seconds, device), progress=clock)
    for row in rows:
        if not row.finished:
            raise NoStep(f"{row.run.label()}: {row.status}")
    return {shape: clock.seconds[run] for shape, run in zip(shapes, runs, strict=True)}


def _short(shape: Run) -> Run:
    """Return the shape's run of STEPS steps, evaluated once, on one example."""
    return replace(shape, steps=STEPS, evaluate_every=STEPS, evaluation=1, live=1)


class _Clock(Display):
    """A display that keeps the seconds of a step of each run and shows nothing, but tells of each run that is timed."""

    def __init__(self, timed: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds: dict[Run, float] = {}
        self.timed = timed
        self.clock = clock
        self.seen: list[tuple[int, float]] = []

    def update(self, worker: int, run: Run, step: int, accuracy: float | None) -> None:
        """Note the time when the run under way is handed over (step 0), and of each later number of steps."""
        self.seen = [(0, self.clock())] if step == 0 else [*self.seen, (step, self.clock())]

    def finish(self, run: Run, result: dict[str, Any], seconds: float) -> None:
        """Count a run that ended at its first step, as a run that diverges does: it took at most the run's seconds."""
        moves = [(step, at) for step, at in self.seen if step]
        (first, began), (last, ended) = (moves[0], moves[-1]) if moves else ((0, 0.0), (0, 0.0))
        self.seconds[run] = (ended - began) / (last - first) if last > first else seconds
        self.timed()
