"""Displays of a running sweep, on stderr: bars with an ETA on a terminal, plain lines elsewhere.

A line reports each run that has ended. Between these, a line says how far all runs under way are, how fast the sweep is and
about how long it still takes: if one of them has passed a tenth of its steps, but no sooner than 5 s after the last such line,
and at least every 30 s, also while no run says anything.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from seqsep.core.names import printable
from seqsep.lab.labels import labels
from seqsep.lab.pace import Pace
from seqsep.lab.run import Run

PARTS_OF_A_RUN = 10
LEAST_SECONDS_BETWEEN_LINES = 5.0
MOST_SECONDS_BETWEEN_LINES = 30.0


class Display:
    """A display that shows nothing; its subclasses fill in what they show.

    A sweep sets `pauses`, the steps at which runs will pause, `starts`, those from which they continue, and `later`, the steps
    that may follow in further stages; then it calls `begin` first and `close` last, whatever happens.
    """

    pauses: Mapping[Run, int] = MappingProxyType({})
    starts: Mapping[Run, int] = MappingProxyType({})
    later: Mapping[Run, float] = MappingProxyType({})

    def begin(self, runs: Sequence[Run], finished: int) -> None:
        """Begin the display with the runs that will be trained, and the number of further finished runs in the store."""

    def update(self, worker: int, run: Run, step: int, accuracy: float | None) -> None:
        """Note that a run is at `step` in the process `worker`; step 0 means that it has just been handed over."""

    def tick(self) -> None:
        """Show that time has passed; the sweep calls it about every second."""

    def finish(self, run: Run, result: dict[str, Any], seconds: float) -> None:
        """Note that a run has ended and is on disk. The result of a failed run has only `status`."""

    def note(self, line: str) -> None:
        """Say on stderr that something went another way than asked for, even if nothing else is shown."""
        say_on_stderr(line)

    def close(self) -> None:
        """End the display: the sweep is over."""


@dataclass(frozen=True)
class Standing:
    """The standing of a run under way: its last step, the accuracy of its last evaluation, and its time in seconds."""

    step: int = 0
    accuracy: float | None = None
    at: float = 0.0


class Lines(Display):
    """A display of one plain line per finished run, and lines that say how far the others are.

    `clock` gives seconds; `pace` knows how long steps took on earlier displays.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, pace: Pace | None = None) -> None:
        self.clock = clock
        self.pace = pace or Pace()

    def begin(self, runs: Sequence[Run], finished: int) -> None:
        """Show a line if the store holds some runs already."""
        self.ended = finished
        self.labels = labels(runs)
        self.steps = {run: self.pauses.get(run, run.steps) for run in runs}
        self.total = finished + len(runs)
        self.under_way: dict[Run, Standing] = {}
        self.reached = {run: self.starts.get(run, 0) for run in runs}
        self.steps_seen = 0
        self.began_at = self.clock()
        self.said_at = self.began_at
        if finished:
            self.show(f"{finished} of {self.total} runs are in the store")

    def update(self, worker: int, run: Run, step: int, accuracy: float | None) -> None:
        """Show a line if the run has passed a tenth of its steps, or if none was shown for long."""
        now = self.clock()
        earlier = self.under_way.get(run, Standing())
        self.under_way[run] = Standing(step, accuracy, now)
        self.pace.at_once = max(self.pace.at_once, len(self.under_way))
        if step:
            self.reached[run] = step
        if 0 < earlier.step <= step:  # a run that resumes from a checkpoint first reports steps of an earlier sweep
            self.steps_seen += step - earlier.step
            self.pace.saw(run, step - earlier.step, now - earlier.at)
        most = self.steps[run]
        if PARTS_OF_A_RUN * step // most > PARTS_OF_A_RUN * earlier.step // most:
            self._say_standing_after(LEAST_SECONDS_BETWEEN_LINES)
        self.tick()

    def tick(self) -> None:
        """Show a line if none was shown for long."""
        self._say_standing_after(MOST_SECONDS_BETWEEN_LINES)

    def finish(self, run: Run, result: dict[str, Any], seconds: float) -> None:
        """Show the run's line."""
        self.under_way.pop(run, None)
        self.reached.pop(run, None)
        self.ended += 1
        outcome = result["status"]
        if "steps" in result:
            outcome += f", accuracy {result['accuracy']:.4f} after {result['steps']} steps"
        self.show(f"[{self.ended}/{self.total}] {self.labels[run]}: {outcome}, {seconds:.1f} s")

    def show(self, line: str) -> None:
        """Print a line on stderr."""
        say_on_stderr(line)

    def note(self, line: str) -> None:
        """Show the line among the others."""
        self.show(line)

    def _say_standing_after(self, seconds: float) -> None:
        """Show how far every run under way is, how fast all are together, and the time left, if the last line is old."""
        now = self.clock()
        if now - self.said_at < seconds:
            return
        self.said_at = now
        speed = self.steps_seen / (now - self.began_at)
        pace = f"{speed:.3g} steps/s, {self._left()}" if speed else "no step measured yet"
        runs = []
        for run, standing in self.under_way.items():
            accuracy = "" if standing.accuracy is None else f", accuracy {standing.accuracy:.4f}"
            runs.append(f"{self.labels[run]} at {standing.step}/{self.steps[run]}{accuracy}")
        self.show(f"[{self.ended}/{self.total}] {pace}: {'; '.join(runs) or 'no run under way'}")

    def _left(self) -> str:
        """Return the time that is left of this stage, and of all stages if others may follow. Runs that learn take less."""
        stage = self.pace.time_of({run: max(0.0, float(self.steps[run] - step)) for run, step in self.reached.items()})
        if not self.later:
            return f"about {duration(stage)} left"
        whole = stage + self.pace.time_of(self.later)
        return f"about {duration(stage)} left of this stage, {duration(whole)} in total if no run learns"


def duration(seconds: float) -> str:
    """Return a length of time in the largest unit that it fills.

    >>> duration(41.2), duration(600.0), duration(5400.0), duration(200_000.0)
    ('41 s', '10 min', '1.5 h', '2.3 days')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 86400 else f"{seconds / 86400:.1f} days"


class Bars(Lines):
    """A display of a bar for the whole sweep, in steps, and one per run under way. Plain lines scroll by above them."""

    def __init__(self, console: Console | None = None) -> None:
        super().__init__()
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
        )
        self.bars = Progress(
            *columns,
            console=console or Console(file=getattr(sys.stderr, "unescaped", sys.stderr)),  # bars move the cursor
            transient=True,
        )

    def begin(self, runs: Sequence[Run], finished: int) -> None:
        """Show the bar for the whole."""
        super().begin(runs, finished)
        self.active: dict[Run, tuple[TaskID, int]] = {}
        self.done = 0
        self.whole = self.bars.add_task("all steps", total=sum(self.steps.values()), note=self._note())
        if runs:
            self.bars.start()

    def update(self, worker: int, run: Run, step: int, accuracy: float | None) -> None:
        """Move the run's bar and the whole one."""
        # Bars belong to runs, not to processes: if a worker dies, the next one continues the same bar.
        if run not in self.active:
            self.active[run] = (self.bars.add_task(printable(self.labels[run]), total=self.steps[run], note=""), 0)
        bar, _ = self.active[run]
        self.active[run] = (bar, step)
        self.bars.update(bar, completed=step, note="" if accuracy is None else f"accuracy {accuracy:.3f}")
        self._move()

    def tick(self) -> None:
        """Do nothing: the bars move by themselves."""

    def finish(self, run: Run, result: dict[str, Any], seconds: float) -> None:
        """Show the run's line in place of its bar."""
        if run in self.active:
            self.bars.remove_task(self.active.pop(run)[0])
        self.done += self.steps[run]  # all of them, even if it converged early: none is left to wait for
        super().finish(run, result, seconds)
        self._move()

    def close(self) -> None:
        """Take the bars away."""
        self.bars.stop()

    def show(self, line: str) -> None:
        """Print a line above the bars."""
        self.bars.console.print(printable(line), markup=False, highlight=False, soft_wrap=True)

    def _move(self) -> None:
        under_way = sum(step for _, step in self.active.values())
        self.bars.update(self.whole, completed=self.done + under_way, note=self._note())

    def _note(self) -> str:
        return f"{self.ended} of {self.total} runs"


def say_on_stderr(line: str) -> None:
    """Print a plain line on stderr, if there is one: a process without it may have another file in its place."""
    if sys.stderr is not None:
        print(printable(line), file=sys.stderr, flush=True)


def display(pace: Pace | None = None) -> Display:
    """Return bars if stderr is a terminal, else lines that know the time of steps from earlier displays."""
    return Bars() if sys.stderr is not None and sys.stderr.isatty() else Lines(pace=pace)
