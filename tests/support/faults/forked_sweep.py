"""Sweeps in processes of their own that begin at once: forks of this one, which has torch already, and so are their workers.

A fresh interpreter takes seconds to load torch, and a trial needs several. All else is as in a user's sweep: the driver, the
supervisor, workers in process groups of their own, real training (tests/lab/test_sweep.py kills sweeps with fresh
interpreters). This process has one thread, whatever OMP_NUM_THREADS says: a fork after OpenMP's threads waits for them for
ever.
"""

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import torch

from seqsep.core import interrupts
from seqsep.lab.engines import process, worker
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.progress import Display
from seqsep.lab.pruning import successive_halving
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import Sweep
from seqsep.tasks import IndexLookup

LAYERS = ("lstm", "dss", "attention", "linear-attention", "retention", "lstm")
ORPHANS_END_WITHIN = 5.0
torch.set_num_threads(1)
torch.optim.Adam([torch.zeros(1)], fused=True)  # the first one imports for seconds: here once, not in every fork


def runs() -> list[Run]:
    """Six short runs, with five checkpoints each."""
    shape = {"width": 8, "steps": 24, "batch": 2, "evaluate_every": 4, "evaluation": 10}
    return [Run(IndexLookup(5, 4), (layer,), seed=seed, **shape) for seed, layer in enumerate(LAYERS)]


class Forked:
    """The part of subprocess.Popen that the supervisor needs, for a fork that works as `worker.py` would."""

    in_worker: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, command: list[str], stdout: int, pass_fds: list[int], **_: Any) -> None:
        self.returncode: int | None = None
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            child(lambda: self.work(pass_fds[0], stdout, parent))

    def work(self, descriptor: int, printed: int, parent: int) -> None:
        os.setpgid(0, 0)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        os.closerange(3, descriptor)  # among them the lock of the store, which would outlive the driver
        os.closerange(descriptor + 1, 1024)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=interrupts.end_with, args=(parent,), daemon=True).start()
        Forked.in_worker()
        worker.serve(Connection(descriptor), "cpu")

    def poll(self) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        begun = time.monotonic()
        while self.poll() is None:
            if timeout is not None and time.monotonic() > begun + timeout:
                raise subprocess.TimeoutExpired("worker", timeout)
            time.sleep(0.005)
        assert self.returncode is not None
        return self.returncode

    def terminate(self) -> None:
        if self.returncode is None:
            os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)


def child(call: Callable[[], object]) -> NoReturn:
    """Be a process that ends with this call: status 0, what it returns as a whole number, or 70 where it raises."""
    status = 70
    try:
        returned = call()
        status = returned if isinstance(returned, int) else 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


class Log(Display):
    """Writes what a user is told to a file, each line at once."""

    def __init__(self, folder: Path) -> None:
        self.file = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def update(self, worker: int, run: Run, step: int, accuracy: float | None) -> None:
        if step == 0:
            self.write("began", run.key())

    def finish(self, run: Run, result: dict[str, Any], seconds: float) -> None:
        """A row is on disk, and not reported yet: a place to be killed at."""

    def write(self, word: str, key: str) -> None:
        os.write(self.file, f"{word} {key}\n".encode())


def drive(folder: Path, is_pruned: bool = False) -> None:
    """The sweep of all runs on two workers, with pruning as one bracket, and its export."""
    log = Log(folder)

    def on_row(row: Row) -> None:
        log.write("reported", row.key)

    with Store(folder / "store.db") as store:
        with Sweep(store, "trial", Supervisor(2), show=lambda: log, on_row=on_row) as sweep:
            survival = successive_halving([runs()] if is_pruned else [], sweep, lambda line: None)
            sweep.train([run for run in runs() if survival.goes_on(run)])
        store.export(folder / "rows.jsonl")


def start(folder: Path, call: Callable[[], object], errors: str = "errors") -> int:
    """Begin `call` in a session and process group of its own; returns its process id, which is that of both. What it and its
    workers print goes to a file."""
    process.subprocess = SimpleNamespace(Popen=Forked, DEVNULL=subprocess.DEVNULL, TimeoutExpired=subprocess.TimeoutExpired)
    sys.stdout.flush()
    begun, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.write(told, b"!")
        os.close(told)
        os.close(begun)
        descriptor = os.open(folder / errors, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        child(call)
    os.close(told)
    os.read(begun, 1)  # before there is a group, it cannot be killed
    os.close(begun)
    return pid


def status_of(pid: int) -> int:
    """The exit status of the process; a signal is negative."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def logged(folder: Path, word: str) -> list[str]:
    """The keys that the sweep began with, or reported."""
    path = folder / "log"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split()[1] for line in lines if line.split()[0] == word]


def seconds_until_gone(session: int) -> float:
    """The seconds until no process of a session is left; beyond the limit, infinity, and they are killed."""
    begun = time.monotonic()
    while members := session_members(session):
        if time.monotonic() > begun + ORPHANS_END_WITHIN:
            for pid in members:
                os.kill(pid, signal.SIGKILL)
            return float("inf")
        time.sleep(0.02)
    return time.monotonic() - begun


def session_members(session: int) -> list[int]:
    """The live processes of a session; zombies of a container without an init are dead."""
    members = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its_session = entry.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it ended while we looked
            continue
        if int(its_session) == session and state != "Z":
            members.append(int(entry.parent.name))
    return members
