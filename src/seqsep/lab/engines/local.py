"""The engine `local`: a supervisor of long-lived worker processes, each with one torch thread, each replaceable.

A pool of the standard library dies whole when one worker segfaults; here the dead worker is replaced, and its run starts
again from its last checkpoint. A run whose workers keep dying ends as failed (a user's code: at once), and the others go on.
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
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType
from typing import Any

from seqsep.lab.device import CPU, GPU, environment, variables
from seqsep.lab.engines.engine import FAILED_STARTS, RETRIES, STALL_SECONDS, Ended, Event, Judged, Moved, Saved, Work
from seqsep.lab.engines.process import GRACE_SECONDS, MOST_PRINTED, Worker

WORKER = Path(__file__).with_name("worker.py")
SECONDS_BETWEEN_LOOKS = 1.0
LONGEST_MESSAGE = 1 << 24
WORKER_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "GOMP_SPINCOUNT": "0"}
if sys.platform == "linux":
    # By default glibc gives big blocks back to the kernel after every step and faults them in again during the next. Keeping
    # them halves a training step of Mamba (width 64, N = 100: 742 to 304 ms) and changes nothing for attention.
    WORKER_ENVIRONMENT |= {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 34), "MALLOC_TOP_PAD_": str(1 << 26)}


class Supervisor:
    """Runs jobs on `workers` processes; leaving the context stops them at once, whatever they do.

    A job that says nothing for `stall_seconds` has failed. `device`: cpu, or cuda, where the processes share the GPUs that
    this one sees, each process on the one with the fewest.
    """

    def __init__(self, workers: int, stall_seconds: float = STALL_SECONDS, device: str = CPU) -> None:
        if workers < 1:
            raise ValueError(f"Supervisor(workers={workers}): workers is at least 1")
        if not stall_seconds > 0:
            raise ValueError(f"Supervisor(stall_seconds={stall_seconds}): stall_seconds is above 0")
        if device not in (CPU, GPU):
            raise ValueError(f"Supervisor(device={device!r}): device is {CPU} or {GPU}")
        self.limit, self.stall_seconds, self.device = workers, stall_seconds, device
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
        """What its results depend on beside the runs. Raises EngineUnavailable where the device is not there."""
        return environment(self.device)

    def run(self, jobs: Sequence[Work]) -> Iterator[Event]:
        """Do the jobs, handed out in the given order; every job ends in exactly one `Ended`.

        Raises ChildProcessError (an OSError) when workers do not even start.
        """
        waiting = deque(range(len(jobs)))
        digests = [job.digests for job in jobs]
        attempts, begun = [0] * len(jobs), [0.0] * len(jobs)
        failed_starts = 0

        def ended(worker: Worker, result: dict[str, Any]) -> Ended:
            assert worker.job is not None
            job, worker.job = worker.job, None
            if jobs[job].has_plug_ins and worker in self.workers:
                self._discard(worker)
            return Ended(job, result, time.monotonic() - begun[job], attempts[job])

        while waiting or any(worker.job is not None for worker in self.workers):
            busy = sum(worker.job is not None for worker in self.workers)
            while len(self.workers) < min(self.limit, busy + len(waiting)):
                given = variables(self.device, [worker.given.get("CUDA_VISIBLE_DEVICES") for worker in self.workers])
                self.workers.append(Worker(WORKER, WORKER_ENVIRONMENT | given, self.device))
            for worker in self.workers:
                if waiting and worker.ready and worker.job is None:
                    index = waiting.popleft()
                    attempts[index] += 1
                    begun[index] = begun[index] or time.monotonic()
                    worker.take(index)
                    with suppress(OSError):  # a worker that has just died is found by its closed pipe
                        worker.connection.send_bytes(json.dumps(jobs[index].message(digests[index])).encode())
                    yield Moved(index, worker.process.pid, 0, None)
            for worker, message in self._heard():
                at, pid = worker.job, worker.process.pid
                worker.heard = time.monotonic()
                match message["kind"]:
                    case "ready":
                        worker.ready, failed_starts = True, 0
                    case "stage":
                        worker.stage = message["words"]
                    case "progress":
                        assert at is not None
                        worker.stage = f"after step {message['step']}"
                        yield Moved(at, pid, message["step"], message["accuracy"])
                    case "checkpoint":
                        assert at is not None
                        digests[at] = tuple(message["digests"])
                        yield Saved(at, message["step"], digests[at])
                    case "verdict":
                        assert at is not None
                        yield Judged(at, message["law"], message["holds"], message["where"])
                    case "result" | "failure":
                        if message["kind"] == "failure" and self.device != CPU:
                            self._discard(worker)  # after an error of a GPU its process may never compute again
                        yield ended(worker, message.get("result") or {"status": f"failed: {message['error']}"})
                    case "too much" | "stalled":
                        self._discard(worker)
                        yield ended(worker, {"status": f"failed: {message['error']}{_during(worker)}"})
                    case "gone":
                        self.workers.remove(worker)
                        death = worker.death()
                        failed_starts += not worker.ready
                        if failed_starts == FAILED_STARTS:
                            raise ChildProcessError(f"workers do not start: {FAILED_STARTS} in a row ended with {death}")
                        if at is not None and attempts[at] <= RETRIES and not jobs[at].has_plug_ins:
                            waiting.appendleft(at)
                        elif at is not None:
                            yield ended(worker, {"status": f"failed: worker died ({death}){_during(worker)}"})

    def _heard(self) -> Iterator[tuple[Worker, dict[str, Any]]]:
        """The next message of each worker that has one, or that it is gone, stalled or prints too much."""
        by_source = {worker.connection: worker for worker in self.workers}
        by_output = {worker.output: worker for worker in self.workers if worker.prints and worker.printed <= MOST_PRINTED}
        limits = [worker.heard + self.stall_seconds - time.monotonic() for worker in self.workers if worker.job is not None]
        ready = wait([*by_source, *by_output], max(0.0, min([SECONDS_BETWEEN_LOOKS, *limits])))
        for worker in list(self.workers):
            if worker.output in ready:
                worker.show()
            too_much = worker.printed > MOST_PRINTED and worker.job is not None
            # What it said before goes first, as it tells when it was that it printed.
            if worker.connection in ready or (too_much and worker.connection.poll()):
                message = _receive(worker.connection)
                if not (too_much and message["kind"] in ("result", "gone")):
                    yield worker, message
                    continue
            if too_much:
                yield worker, {"kind": "too much", "error": f"it printed more than {MOST_PRINTED:,} bytes"}
            elif worker.process.poll() is not None and not worker.connection.poll():
                # What it has started may hold its pipe open.
                yield worker, {"kind": "gone"}
            elif (
                worker.job is not None and time.monotonic() > worker.heard + self.stall_seconds and not worker.connection.poll()
            ):
                words = f"no progress for {self.stall_seconds:g} s (--stall-seconds is the limit)"
                yield worker, {"kind": "stalled", "error": words}

    def _discard(self, worker: Worker) -> None:
        self.workers.remove(worker)
        worker.show()
        worker.process.kill()
        worker.stop(time.monotonic() + GRACE_SECONDS)


def _during(worker: Worker) -> str:
    return f", {worker.stage}" if worker.stage else ""


def _receive(connection: Connection) -> dict[str, Any]:
    try:
        return json.loads(connection.recv_bytes(LONGEST_MESSAGE))
    except (EOFError, OSError, ValueError):
        return {"kind": "gone"}
