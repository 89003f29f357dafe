"""Displays of a running sweep, on stderr: bars with an ETA on a terminal, one line per finished run elsewhere."""

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from seqsep.lab.run import Run


class Display:
    """A display that shows nothing; its subclasses fill in what they show.

    A sweep sets `pauses`, the steps at which runs will pause; then it calls `begin` first and `close` last, whatever happens.
    """

    pauses: Mapping[Run, int] = MappingProxyType({})

    def steps(self, run: Run) -> int:
        """The most steps that a run takes in this sweep."""
        return self.pauses.get(run, run.steps)

    def begin(self, runs: Sequence[Run], finished: int) -> None:
        """The sweep begins: the runs that will be trained, and how many more the store holds finished."""

    def update(self, worker: int, run: Run, step: int, accuracy: float | None) -> None:
        """A run is at `step` in the process `worker`; step 0 says that it has just been handed over."""

    def finish(self, run: Run, result: dict[str, Any], seconds: float) -> None:
        """A run has ended and is on disk; the result of a failed run has nothing but `status`."""

    def note(self, line: str) -> None:
        """Say on stderr that something went another way than asked for, even if nothing else is shown."""
        print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """The sweep is over."""


class Lines(Display):
    """A display of one plain line per finished run."""

    def begin(self, runs: Sequence[Run], finished: int) -> None:
        """Show a line if the store holds some runs already."""
        self.ended = finished
        self.total = finished + len(runs)
        if finished:
            self.show(f"{finished} of {self.total} runs are in the store")

    def finish(self, run: Run, result: dict[str, Any], seconds: float) -> None:
        """Show the run's line."""
        self.ended += 1
        outcome = result["status"]
        if "steps" in result:
            outcome += f", accuracy {result['accuracy']:.4f} after {result['steps']} steps"
        self.show(f"[{self.ended}/{self.total}] {run.label()}: {outcome}, {seconds:.1f} s")

    def show(self, line: str) -> None:
        """Print a line on stderr."""
        print(line, file=sys.stderr, flush=True)

    def note(self, line: str) -> None:
        """Show the line among the others."""
        self.show(line)


class Bars(Lines):
    """A display of a bar for the whole sweep, in steps, and one per run under way. Plain lines scroll by above them."""

    def __init__(self, console: Console | None = None) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
        )
        self.bars = Progress(
            *columns,
            console=console or Console(stderr=True),
            transient=True,
        )

    def begin(self, runs: Sequence[Run], finished: int) -> None:
        """Show the bar for the whole."""
        super().begin(runs, finished)
        self.active: dict[Run, tuple[TaskID, int]] = {}
        self.done = 0
        self.whole = self.bars.add_task("all steps", total=sum(map(self.steps, runs)), note=self._note())
        if runs:
            self.bars.start()

    def update(self, worker: int, run: Run, step: int, accuracy: float | None) -> None:
        """Move the run's bar and the whole one."""
        # Bars belong to runs, not to processes: if a worker dies, the next one goes on with the same bar.
        if run not in self.active:
            self.active[run] = (self.bars.add_task(run.label(), total=self.steps(run), note=""), 0)
        bar, _ = self.active[run]
        self.active[run] = (bar, step)
        self.bars.update(bar, completed=step, note="" if accuracy is None else f"accuracy {accuracy:.3f}")
        self._move()

    def finish(self, run: Run, result: dict[str, Any], seconds: float) -> None:
        """Show the run's line in place of its bar."""
        if run in self.active:
            self.bars.remove_task(self.active.pop(run)[0])
        self.done += self.steps(run)  # all of them, even if it converged early: none is left to wait for
        super().finish(run, result, seconds)
        self._move()

    def close(self) -> None:
        """Take the bars away."""
        self.bars.stop()

    def show(self, line: str) -> None:
        """Print a line above the bars."""
        self.bars.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _move(self) -> None:
        under_way = sum(step for _, step in self.active.values())
        self.bars.update(self.whole, completed=self.done + under_way, note=self._note())

    def _note(self) -> str:
        return f"{self.ended} of {self.total} runs"


def display() -> Display:
    """Bars if stderr is a terminal, else lines."""
    return Bars() if sys.stderr.isatty() else Lines()
