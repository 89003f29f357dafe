"""SIGKILL of a whole sweep, at random instants and at named points. Started again, it must end as if left in peace.

The named points are functions that the driver or its worker patches before it begins; the package knows nothing of them.
"""

import os
import random
import signal
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from seqsep.lab import checkpoint as checkpoint_module
from seqsep.lab.engines.worker import Reporter
from seqsep.lab.store import checkpoints
from seqsep.lab.store.store import Store
from support.faults.forked_sweep import Forked, Log, drive, logged, runs, seconds_until_gone, start, status_of

IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is gone afterwards, in memory where that is possible."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        yield Path(folder)


class Killer:
    """Kills the driver's process group and this process, when something happens for the n-th time."""

    def __init__(self, nth: int) -> None:
        self.left, self.driver = nth, os.getpid()

    def __call__(self, *_: Any) -> None:
        self.left -= 1
        if self.left == 0:
            os.killpg(self.driver, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)


def before(owner: Any, name: str, do: Callable[..., None]) -> None:
    """Have `do` called before each call of owner.name, with its arguments."""
    kept = getattr(owner, name)

    def replaced(*arguments: Any, **named: Any) -> Any:
        do(*arguments)
        return kept(*arguments, **named)

    setattr(owner, name, replaced)


def after(owner: Any, name: str, do: Callable[..., None]) -> None:
    """The same, after each call."""
    kept = getattr(owner, name)

    def replaced(*arguments: Any, **named: Any) -> Any:
        result = kept(*arguments, **named)
        do(*arguments)
        return result

    setattr(owner, name, replaced)


def traced(on_statement: Callable[[str], None]) -> None:
    """Have every SQL statement of the driver's store told before it runs."""
    kept = sqlite3.connect

    def connect(*arguments: Any, **named: Any) -> sqlite3.Connection:
        connection = kept(*arguments, **named)
        connection.set_trace_callback(on_statement)
        return connection

    sqlite3.connect = connect  # type: ignore[assignment]


class Statements:
    """The change that the transaction under way, or the last one, made."""

    CHANGES: ClassVar = {
        "CREATE": "store",
        "INSERT OR REPLACE INTO runs": "row",
        "INSERT OR REPLACE INTO checkpoints": "checkpoint",
    }

    def __init__(self, change: str, kill: Killer, at: str) -> None:
        self.change, self.kill, self.last = change, kill, ""
        traced(self.told)
        if at == "after":
            before(checkpoints, "remove", self.removing)
        self.at = at

    def told(self, statement: str) -> None:
        self.last = next((name for text, name in self.CHANGES.items() if statement.startswith(text)), self.last)
        if statement == "COMMIT" and self.at == "before" and self.last == self.change:
            self.kill()

    def removing(self, *_: Any) -> None:
        if self.last == self.change:
            self.kill()


def in_worker(install: Callable[[], None]) -> None:
    """Patch the workers, not the driver."""
    Forked.in_worker = staticmethod(install)


def half_written(kill: Killer) -> None:
    def write(path: Path, data: bytes) -> None:
        path.parent.mkdir(exist_ok=True)
        path.with_name(f".{path.name}.{os.getpid()}.{'0' * 16}.tmp").write_bytes(data[: len(data) // 2])
        kill()

    before(checkpoint_module, "write_file", write)


def sent(kill: Killer) -> None:
    before(Reporter, "send", lambda self, kind, *_: kill() if kind == "checkpoint" else None)


def exporting(install: Callable[[], None]) -> None:
    """Patch the driver once its export begins: a store is put in place by the same calls."""
    before(Store, "export", lambda *_: install())


POINTS: dict[str, Callable[[Killer], Any]] = {
    "before the commit that makes the store": lambda kill: Statements("store", kill, "before"),
    "a store is made, before the rename": lambda kill: before(Path, "replace", kill),
    "a store is made, after the rename": lambda kill: after(Path, "replace", kill),
    "before the commit of a row": lambda kill: Statements("row", kill, "before"),
    "after the commit of a row, before its checkpoints are removed": lambda kill: Statements("row", kill, "after"),
    "after a row is on disk, before it is reported": lambda kill: before(Log, "finish", kill),
    "half of a checkpoint is written": lambda kill: in_worker(lambda: half_written(kill)),
    "a checkpoint is written, before its rename": lambda kill: in_worker(lambda: before(Path, "replace", kill)),
    "after the rename of a checkpoint, before its folder is synced": lambda kill: in_worker(
        lambda: after(Path, "replace", kill)
    ),
    "a checkpoint is on disk, before the driver knows": lambda kill: in_worker(lambda: sent(kill)),
    "before the commit of a checkpoint": lambda kill: Statements("checkpoint", kill, "before"),
    "after the commit of a checkpoint, before an older one is removed": lambda kill: Statements("checkpoint", kill, "after"),
    "during export, before the file is synced": lambda kill: exporting(lambda: before(os, "fsync", kill)),
    "during export, before the rename": lambda kill: exporting(lambda: before(Path, "replace", kill)),
    "during export, after the rename": lambda kill: exporting(lambda: after(Path, "replace", kill)),
}
EXPORT = "during export"
ONCE = ("before the commit that makes the store", "a store is made", EXPORT)
"""The events that happen once a sweep; all others are passed several times."""


@cache
def in_peace(is_pruned: bool = False) -> tuple[bytes, float]:
    """The export of an uninterrupted sweep, and how long it took."""
    with scratch() as folder:
        begun = time.monotonic()
        status = status_of(start(folder, lambda: drive(folder, is_pruned)))
        assert status == 0, (folder / "errors").read_text()
        assert ended(folder / "store.db") == {run.key() for run in runs()}
        return (folder / "rows.jsonl").read_bytes(), time.monotonic() - begun


def trial(
    expected: bytes, wait: float | None, point: str = "", nth: int = 1, is_pruned: bool = False
) -> tuple[list[str], float, int]:
    """Kill one sweep after `wait` seconds or at the n-th passing of a point; returns what is wrong, how long orphans lived,
    and how many runs had ended or were pruned then."""
    wrong = []
    with scratch() as folder:

        def begin() -> None:
            if point:
                POINTS[point](Killer(nth))
            drive(folder, is_pruned)

        pid = start(folder, begin)
        if wait is not None:
            time.sleep(wait)
            os.killpg(pid, signal.SIGKILL)
        status = status_of(pid)
        if status not in ((-signal.SIGKILL,) if point else (-signal.SIGKILL, 0)):
            wrong.append(f"ended with {status}: {(folder / 'errors').read_text()[-300:]}")
        orphans = seconds_until_gone(pid)
        if orphans == float("inf"):
            wrong.append("an orphan is left")
        done = ended(folder / "store.db")
        if point.startswith(EXPORT) and len(done) < len(runs()):
            wrong.append(f"killed before the export, after {len(done)} runs")
        lost = set(logged(folder, "reported")) - done
        if lost:
            wrong.append(f"lost {lost}")
        (folder / "log").unlink(missing_ok=True)
        again = start(folder, lambda: drive(folder, is_pruned))
        if status_of(again):
            wrong.append(f"does not go on: {(folder / 'errors').read_text()[-300:]}")
            return wrong, orphans, len(done)
        repeated = set(logged(folder, "began")) & done
        if repeated:
            wrong.append(f"repeated {repeated}")
        if (folder / "rows.jsonl").read_bytes() != expected:
            wrong.append("the export differs")
        if seconds_until_gone(again) == float("inf"):
            wrong.append("a process is left at the end")
        left = sorted(path.name for path in (*(folder / "store.db.checkpoints").glob("*"), *folder.glob(".*")))
        if left:
            wrong.append(f"files are left: {left}")
    return wrong, orphans, len(done)


def ended(path: Path) -> set[str]:
    """Keys of the runs with an outcome in a store that a killed driver left."""
    if not path.exists():
        return set()
    with Store(path, create=False) as store:
        return {row.key for row in store.rows() if row.has_outcome}


def kills(count: int, seed: int = 0, is_pruned: bool = False) -> dict[str, Any]:
    """SIGKILL at instants drawn evenly over a sweep's time."""
    expected, seconds = in_peace(is_pruned)
    drawn = random.Random(seed)
    waits = [drawn.uniform(0, seconds) for _ in range(count)]
    return summary(
        {f"{number}, after {wait:.3f} s": trial(expected, wait, is_pruned=is_pruned) for number, wait in enumerate(waits)}
    )


def pruned(count: int, seed: int = 0) -> dict[str, Any]:
    """The same of a sweep that prunes."""
    return kills(count, seed, is_pruned=True)


def points(count: int, every: int = 1) -> dict[str, Any]:
    """SIGKILL at each named point (or every third, say), `count` times: at its first passing, its second, ..."""
    expected, _ = in_peace()
    trials = {}
    for name in list(POINTS)[::every]:
        for trial_number in range(count):
            nth = 1 if name.startswith(ONCE) else 1 + trial_number
            trials[f"{name}, {trial_number + 1}"] = trial(expected, None, name, nth)
    return summary(trials)


def summary(trials: dict[str, tuple[list[str], float, int]]) -> dict[str, Any]:
    return {
        "trials": len(trials),
        "failures": [f"{name}: {'; '.join(wrong)}" for name, (wrong, _, _) in trials.items() if wrong],
        "longest_orphan_seconds": round(max(orphans for _, orphans, _ in trials.values()), 2),
        "finished_when_killed": sorted({done for _, _, done in trials.values()}),
    }
