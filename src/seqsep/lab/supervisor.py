"""The engine `local`: a supervisor of long-lived worker processes, each with one torch thread, each replaceable.

A pool of the standard library dies whole when one worker segfaults; here the dead worker is replaced, and its run starts again
from its last checkpoint. A run whose workers keep dying ends as failed, and the others go on. Workers are started as fresh
interpreters (no fork of a process with threads, no import of the caller's main module) and reached by a pipe of JSON messages.
"""

import json
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType
from typing import Any

from seqsep.lab.run import Run

WORKER = Path(__file__).with_name("worker.py")
RETRIES = 2
FAILED_STARTS = 3
GRACE_SECONDS = 0.5
WORKER_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "GOMP_SPINCOUNT": "0"}
if sys.platform == "linux":
    # By default glibc gives big blocks back to the kernel after every step and faults them in again during the next. Keeping
    # them halves a training step of Mamba (width 64, N = 100: 742 to 304 ms) and changes nothing for attention.
    WORKER_ENVIRONMENT |= {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 34), "MALLOC_TOP_PAD_": str(1 << 26)}


@dataclass(frozen=True)
class Job:
    """A run to train, where its checkpoint goes, and the digest of the checkpoint that is there already, if any."""

    run: Run
    checkpoint: Path
    digest: str | None = None


@dataclass(frozen=True)
class Moved:
    """A job is at `step` in the process `worker`; step 0 says that it has just been handed over."""

    job: int
    worker: int
    step: int
    accuracy: float | None


@dataclass(frozen=True)
class Saved:
    """A job's checkpoint at `step` is on disk."""

    job: int
    step: int
    digest: str


@dataclass(frozen=True)
class Ended:
    """A job came to its end: the result as JSON, where a failed one holds only `status`; seconds count every attempt."""

    job: int
    result: dict[str, Any]
    seconds: float
    attempts: int


class Worker:
    """One process, the pipe to it, and the job that it has."""

    def __init__(self) -> None:
        self.connection, theirs = Pipe()
        # -P keeps the script's folder off the path; the caller's own path is handed over, as its task may live anywhere there.
        command = [sys.executable, "-P", str(WORKER), str(theirs.fileno()), str(os.getpid())]
        self.process = subprocess.Popen(
            command,
            env=os.environ | WORKER_ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            process_group=0,  # a terminal's Ctrl-C is the driver's alone: a worker cannot ignore it before it runs
        )
        theirs.close()
        self.ready = False
        self.job: int | None = None

    def death(self) -> str:
        """How the process ended, once its pipe has."""
        self.stop(time.monotonic() + GRACE_SECONDS)
        code = self.process.returncode
        return f"signal {-code}" if code < 0 else f"exit status {code}"

    def stop(self, deadline: float) -> None:
        """Wait for the process until `deadline`, then kill it."""
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.connection.close()


class Supervisor:
    """Runs jobs on `workers` processes; leaving the context stops them at once, whatever they do."""

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise ValueError(f"Supervisor(workers={workers}): workers is at least 1")
        self.limit = workers
        self.workers: list[Worker] = []

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for worker in self.workers:
            worker.process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for worker in self.workers:
            worker.stop(deadline)
        self.workers.clear()

    def run(self, jobs: Sequence[Job]) -> Iterator[Moved | Saved | Ended]:
        """Train the jobs, handed out in the given order; every job ends in exactly one `Ended`.

        Raises ChildProcessError (an OSError) when workers do not even start.
        """
        waiting = deque(range(len(jobs)))
        digests = [job.digest for job in jobs]
        attempts, begun = [0] * len(jobs), [0.0] * len(jobs)
        failed_starts = 0
        while waiting or any(worker.job is not None for worker in self.workers):
            busy = sum(worker.job is not None for worker in self.workers)
            while len(self.workers) < min(self.limit, busy + len(waiting)):
                self.workers.append(Worker())
            for worker in self.workers:
                if waiting and worker.ready and worker.job is None:
                    index = waiting.popleft()
                    attempts[index] += 1
                    begun[index] = begun[index] or time.monotonic()
                    self._hand_over(worker, index, jobs[index], digests[index])
                    yield Moved(index, worker.process.pid, 0, None)
            by_connection = {worker.connection: worker for worker in self.workers}
            for connection in wait(list(by_connection)):
                worker = by_connection[connection]  # type: ignore[index]
                at, pid = worker.job, worker.process.pid
                message = _receive(worker.connection)
                match message["kind"]:
                    case "ready":
                        worker.ready, failed_starts = True, 0
                    case "progress":
                        assert at is not None
                        yield Moved(at, pid, message["step"], message["accuracy"])
                    case "checkpoint":
                        assert at is not None
                        digests[at] = message["digest"]
                        yield Saved(at, message["step"], message["digest"])
                    case "result" | "failure":
                        assert at is not None
                        worker.job = None
                        result = message.get("result") or {"status": f"failed: {message['error']}"}
                        yield Ended(at, result, time.monotonic() - begun[at], attempts[at])
                    case "gone":
                        self.workers.remove(worker)
                        death = worker.death()
                        failed_starts += not worker.ready
                        if failed_starts == FAILED_STARTS:
                            raise ChildProcessError(f"workers do not start: {FAILED_STARTS} in a row ended with {death}")
                        if at is not None and attempts[at] <= RETRIES:
                            waiting.appendleft(at)
                        elif at is not None:
                            result = {"status": f"failed: worker died ({death})"}
                            yield Ended(at, result, time.monotonic() - begun[at], attempts[at])

    def _hand_over(self, worker: Worker, index: int, job: Job, digest: str | None) -> None:
        worker.job = index
        message = {"run": job.run.configuration(), "checkpoint": str(job.checkpoint.absolute()), "digest": digest}
        with suppress(OSError):  # a worker that has just died is found by its closed pipe
            worker.connection.send_bytes(json.dumps(message).encode())


def _receive(connection: Connection) -> dict[str, Any]:
    try:
        return json.loads(connection.recv_bytes())
    except (EOFError, OSError):
        return {"kind": "gone"}
