"""The engine `local`: a supervisor of long-lived worker processes on this machine, each with one thread, each replaceable.

A pool of the standard library dies whole when one worker segfaults; here the dead worker is replaced, and its run starts
again from its last checkpoint. A run whose workers keep dying ends as failed (a user's code: at once), and the others continue.
Workers are started as fresh interpreters (no fork of a process with threads, no import of the caller's main module) and
reached by a pipe of JSON messages. What they and the code of their users print comes by another pipe and goes to stderr. A
run that says nothing for too long, or prints too much, ends as failed; a worker that ran a user's code takes no other run,
and is stopped with all its children.
"""

import json
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from types import TracebackType
from typing import Any

from seqsep.lab.device import CPU, GPU, environment, variables
from seqsep.lab.engines.engine import (
    FAILED_STARTS,
    RETRIES,
    STALL_SECONDS,
    Ended,
    EngineJob,
    Event,
    Heartbeat,
    JobProgress,
    Judged,
    Saved,
)
from seqsep.lab.engines.process import GRACE_SECONDS, MOST_PRINTED, Worker

WORKER = Path(__file__).with_name("worker.py")
SECONDS_BETWEEN_LOOKS = 1.0
WORKER_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "GOMP_SPINCOUNT": "0"}
if sys.platform == "linux":
    # By default glibc gives big blocks back to the kernel after every step and faults them in again during the next. Keeping
    # them halves a training step of Mamba (width 64, N = 100: 742 to 304 ms) and changes nothing for attention.
    WORKER_ENVIRONMENT |= {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 34), "MALLOC_TOP_PAD_": str(1 << 26)}


@dataclass
class JobQueue:
    """The progress of the jobs: those that wait for a worker, and of each its checkpoints, attempts and beginning."""

    jobs: Sequence[EngineJob]
    waiting: deque[int] = field(init=False)
    digests: list[tuple[str, ...]] = field(init=False)
    attempts: list[int] = field(init=False)
    begun: list[float] = field(init=False)
    failed_starts: int = 0

    def __post_init__(self) -> None:
        self.waiting = deque(range(len(self.jobs)))
        self.digests = [job.digests for job in self.jobs]
        self.attempts = [0] * len(self.jobs)
        self.begun = [0.0] * len(self.jobs)

    def take(self) -> tuple[int, dict[str, Any]]:
        """Return the next job, and the message to its worker."""
        job = self.waiting.popleft()
        self.attempts[job] += 1
        self.begun[job] = self.begun[job] or time.monotonic()
        return job, self.jobs[job].message(self.digests[job])

    def ended(self, job: int, result: dict[str, Any], processor: dict[str, str] | None = None) -> Ended:
        """Return the event of a job's end."""
        seconds = time.monotonic() - self.begun[job]
        return Ended(job, result, seconds, self.attempts[job], processor=processor)

    def may_try_again(self, job: int) -> bool:
        """Return True if a job whose worker died goes to another. A user's code does not: it may have killed the worker."""
        return self.attempts[job] <= RETRIES and not self.jobs[job].has_plug_ins


class Supervisor:
    """The engine `local`: runs jobs on `workers` processes; leaving the context stops them at once, whatever they do.

    A job that says nothing for `stall_seconds` has failed. `device`: cpu, or cuda, whose processes share the GPUs that this one
    sees, each process on the GPU with the fewest.

    >>> with Supervisor(workers=2) as engine:  # a process is started once there is a job for it
    ...     list(engine.run([]))
    []
    """

    def __init__(self, workers: int, stall_seconds: float = STALL_SECONDS, device: str = CPU) -> None:
        if workers < 1:
            raise ValueError(f"Supervisor(workers={workers}): workers is at least 1")
        if not stall_seconds > 0:
            raise ValueError(f"Supervisor(stall_seconds={stall_seconds}): stall_seconds is above 0")
        if device not in (CPU, GPU):
            raise ValueError(f"Supervisor(device={device!r}): device is {CPU} or {GPU}")
        self.limit = workers
        self.stall_seconds = stall_seconds
        self.device = device
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

    def environment(self) -> dict[str, Any]:
        """Return what results depend on besides the runs. Raises EngineUnavailable if the device is not there."""
        return environment(self.device)

    def run(self, jobs: Sequence[EngineJob]) -> Iterator[Event]:
        """Do the jobs, handed out in the given order; every job ends in exactly one `Ended`.

        Raises ChildProcessError (an OSError) if workers do not even start.
        """
        queue = JobQueue(jobs)
        while queue.waiting or any(worker.job is not None for worker in self.workers):
            self._start_workers(len(queue.waiting))
            for worker in self.workers:
                if queue.waiting and worker.ready and worker.job is None:
                    job, message = queue.take()
                    worker.take(job)
                    with suppress(OSError):  # a worker that has just died is found by its closed pipe
                        worker.connection.send_bytes(json.dumps(message).encode())
                    yield JobProgress(job, worker.process.pid, step=0, accuracy=None)
            for worker, message in self._heard():
                worker.heard = time.monotonic()
                yield from self._events(worker, message, queue)
            yield Heartbeat()

    def _start_workers(self, waiting: int) -> None:
        """Start a process for each job that waits, up to the limit."""
        busy = sum(worker.job is not None for worker in self.workers)
        while len(self.workers) < min(self.limit, busy + waiting):
            in_use = [worker.variables.get("CUDA_VISIBLE_DEVICES") for worker in self.workers]
            self.workers.append(Worker(WORKER, WORKER_ENVIRONMENT | variables(self.device, in_use), self.device))

    def _events(self, worker: Worker, message: dict[str, Any], queue: JobQueue) -> Iterator[Event]:
        """Yield the events that a message of a worker means to the sweep."""
        pid = worker.process.pid
        match message["kind"]:
            case "ready":
                worker.ready = True
                queue.failed_starts = 0
            case "stage":
                worker.stage = message["words"]
            case "progress":
                worker.stage = f"after step {message['step']}"
                yield JobProgress(worker.job_at_work, pid, message["step"], message["accuracy"])
            case "checkpoint":
                job = worker.job_at_work
                queue.digests[job] = tuple(message["digests"])
                yield Saved(job, message["step"], queue.digests[job])
            case "verdict":
                yield Judged(worker.job_at_work, message["law"], message["holds"], message["where"])
            case "result":
                yield self._ended(worker, message["result"], queue, message.get("processor"))
            case "failure":
                if self.device != CPU:
                    self._discard(worker)  # after an error of a GPU its process may never compute again
                yield self._ended(worker, {"status": f"failed: {message['error']}"}, queue)
            case "too much" | "stalled" | "garbled":
                self._discard(worker)
                yield self._ended(worker, {"status": f"failed: {message['error']}{_during(worker)}"}, queue)
            case "gone":
                yield from self._gone(worker, queue)

    def _gone(self, worker: Worker, queue: JobQueue) -> Iterator[Event]:
        """Remove a dead worker. Give its job to another one, or yield its failure."""
        self.workers.remove(worker)
        death = worker.death()
        queue.failed_starts += not worker.ready
        if queue.failed_starts == FAILED_STARTS:
            raise ChildProcessError(f"workers do not start: {FAILED_STARTS} in a row ended with {death}")
        if worker.job is None:
            return
        if queue.may_try_again(worker.job):
            queue.waiting.appendleft(worker.job)
        else:
            yield self._ended(worker, {"status": f"failed: worker died ({death}){_during(worker)}"}, queue)

    def _ended(self, worker: Worker, result: dict[str, Any], queue: JobQueue, processor: dict[str, str] | None = None) -> Ended:
        """Return the end of a worker's job. The worker takes the next one, unless it ran a user's code."""
        job = worker.job_at_work
        worker.job = None
        if queue.jobs[job].has_plug_ins and worker in self.workers:
            self._discard(worker)
        return queue.ended(job, result, processor)

    def _heard(self) -> Iterator[tuple[Worker, dict[str, Any]]]:
        """Yield the next message of each worker that has one, or the event that it is gone, has stalled or prints too much."""
        self._wait()
        for worker in list(self.workers):
            worker.show()
            too_much = worker.printed > MOST_PRINTED and worker.job is not None
            # Its earlier messages go first: the last of them says what it was doing when it printed.
            message = worker.mailbox.take()
            if message is not None and not (too_much and message["kind"] in ("result", "gone")):
                yield worker, message
            elif too_much:
                yield worker, {"kind": "too much", "error": f"it printed more than {MOST_PRINTED:,} bytes"}
            elif worker.process.poll() is not None and not worker.mailbox.has_more():
                # Processes that it started may hold its pipe open.
                yield worker, {"kind": "gone"}
            elif self._is_stalled(worker) and not worker.mailbox.has_more():
                words = f"no progress for {self.stall_seconds:g} s (--stall-seconds is the limit)"
                yield worker, {"kind": "stalled", "error": words}

    def _wait(self) -> None:
        """Wait until a worker says or prints something, or may have stalled.

        Time in which this process itself was paused, for example with the complete machine, does not count as a stall of a
        worker.
        """
        connections = [worker.connection for worker in self.workers]
        outputs = [worker.output for worker in self.workers if worker.prints and worker.printed <= MOST_PRINTED]
        began = time.monotonic()
        limits = [worker.heard + self.stall_seconds - began for worker in self.workers if worker.job is not None]
        longest = max(0.0, min([SECONDS_BETWEEN_LOOKS, *limits]))
        if any(worker.mailbox.has_more() for worker in self.workers):
            return
        wait([*connections, *outputs], longest)
        paused = time.monotonic() - began - longest
        if paused > SECONDS_BETWEEN_LOOKS:
            for worker in self.workers:
                worker.heard += paused

    def _is_stalled(self, worker: Worker) -> bool:
        return worker.job is not None and time.monotonic() > worker.heard + self.stall_seconds

    def _discard(self, worker: Worker) -> None:
        self.workers.remove(worker)
        worker.show()
        worker.process.kill()
        worker.stop(time.monotonic() + GRACE_SECONDS)


def _during(worker: Worker) -> str:
    return f", {worker.stage}" if worker.stage else ""
