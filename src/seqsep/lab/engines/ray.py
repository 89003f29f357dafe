"""The engine `ray`: runs on the nodes of a Ray cluster, or on a Ray of its own on this machine, by actors of ray_worker.py.

An actor is given a batch of runs and is asked what has happened since; the more actors, the longer each waits to be asked, so
that the driver hears about as much from a thousand as from ten. Checkpoints come with the answers, as bytes, and are written
beside the store, so no folder needs to be shared. Where an actor or its node is lost, its runs go to the others, from their
last checkpoints.
"""

import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from seqsep.lab.device import CPU, GPU, environment
from seqsep.lab.engines.engine import FAILED_STARTS, RETRIES, STALL_SECONDS, Ended, EngineUnavailable, Event, Moved, Saved, Work
from seqsep.lab.engines.ray_connection import RayConnection
from seqsep.lab.engines.ray_worker import Answer, Order, RayWorker, differs, identity
from seqsep.lab.whole_file import checkpoint_file, write_checkpoint

ANSWERS_A_SECOND, LEAST_SECONDS = 20, 0.2
MOST_IN_A_BATCH, BATCHES_EACH = 8, 4
SECONDS_TO_STOP = 5.0


@dataclass(eq=False)
class Actor:
    """One actor, the question that it has not answered, and the jobs of its batch; `open` are those that have not ended."""

    handle: Any
    question: Any
    batch: list[int] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    ready: bool = False


class RayEngine:
    """Runs jobs on `workers` actors, by default as many as fit, of one core and `gpus_per_run` of a GPU each: above 0 runs
    compute there.

    `address` is HOST:PORT of a cluster, or auto; by default $RAY_ADDRESS, and without it a Ray of its own is started here.
    A job that says nothing for `stall_seconds` has failed. A process that is connected to Ray already uses that.
    """

    def __init__(self, workers: int | None = None, stall_seconds: float = STALL_SECONDS, address: str | None = None,
                 gpus_per_run: float = 0.0) -> None:  # fmt: skip
        if workers is not None and workers < 1:
            raise ValueError(f"RayEngine(workers={workers}): workers is at least 1")
        if not stall_seconds > 0:
            raise ValueError(f"RayEngine(stall_seconds={stall_seconds}): stall_seconds is above 0")
        if not (0 <= gpus_per_run <= 1 or (gpus_per_run < float("inf") and gpus_per_run == int(gpus_per_run))):
            raise ValueError(f"RayEngine(gpus_per_run={gpus_per_run}): gpus_per_run is from 0 to 1, or a whole number")
        self.limit, self.stall_seconds, self.gpus_per_run = workers, stall_seconds, gpus_per_run
        self.connection = RayConnection(address, workers)
        self.device = GPU if gpus_per_run else CPU
        self.ray: Any = None
        self.actors: list[Actor] = []
        self.found: dict[str, Any] | None = None

    def __enter__(self) -> "RayEngine":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.ray is not None and self.ray.is_initialized():
            if kind is None and self.actors:
                stopping = [actor.handle.stop.remote() for actor in self.actors]
                self.ray.wait(stopping, num_returns=len(stopping), timeout=SECONDS_TO_STOP)
            for actor in self.actors:
                self.ray.kill(actor.handle)
        self.actors.clear()
        self.ray = None
        self.connection.close()

    def environment(self) -> dict[str, Any]:
        """What its results depend on beside the runs; which GPUs there are says the first actor, as this machine may have none.

        Raises EngineUnavailable as `run` does, and where torch finds no GPU on a node that has room for it.
        """
        if self.found is None:
            found = environment()
            if self.device != CPU:
                self._open()
                self.actors.append(self._actor())
                try:
                    found |= self.ray.get(self.actors[0].question)["environment"]
                except self.ray.exceptions.RayError as error:
                    raise EngineUnavailable(f"Ray at {self.connection.address}: {in_words(error)}") from error
            self.found = found
        return self.found

    def _open(self) -> int:
        """Reach Ray; returns for how many runs there is room."""
        if self.ray is None:
            self.ray = self.connection.open()
        return self._room()

    def _actor(self) -> Actor:
        make = self.ray.remote(num_cpus=1, num_gpus=self.gpus_per_run)(RayWorker)
        handle = make.remote(self.stall_seconds, self.connection.folder, self.device)
        return Actor(handle, handle.identity.remote())

    def run(self, jobs: Sequence[Work]) -> Iterator[Event]:
        """Do the jobs, handed out in the given order; every job ends in exactly one `Ended`.

        Raises EngineUnavailable where Ray is not installed or does not answer, no node has room for a run, or a node has
        another seqsep, torch or GPU; ChildProcessError when actors do not even start.
        """
        if not jobs:
            return
        room = self._open()
        limit = room if self.limit is None else self.limit
        interval = max(LEAST_SECONDS, limit / ANSWERS_A_SECOND)
        ours = identity(self.environment() if self.device != CPU else {})
        waiting = deque(range(len(jobs)))
        digests = [job.digests for job in jobs]
        lost, in_a_row = [0] * len(jobs), [0] * len(jobs)
        begun, spent = [0.0] * len(jobs), [0.0] * len(jobs)
        failed_starts = 0
        while waiting or any(actor.open for actor in self.actors):
            busy = sum(bool(actor.open) for actor in self.actors)
            while len(self.actors) < min(limit, busy + len(waiting)):
                self.actors.append(self._actor())
            for actor in self.actors:
                if actor.question is None and (actor.open or waiting):
                    orders = []
                    if not actor.open:
                        size = min(MOST_IN_A_BATCH, max(1, len(waiting) // (BATCHES_EACH * limit)))
                        actor.batch = [waiting.popleft() for _ in range(size)]
                        actor.open = list(actor.batch)
                        orders = [Order.of(jobs[job], digests[job]) for job in actor.batch]
                    actor.question = actor.handle.work.remote(orders, interval)
            for actor, found in self._answers():
                if isinstance(found, dict):
                    refused = differs(ours, found)
                    if refused is not None:
                        raise EngineUnavailable(refused)
                    actor.ready, failed_starts = True, 0
                elif isinstance(found, Answer):
                    sys.stderr.write(found.printed)
                    for event in found.events:
                        job = actor.batch[event.job]
                        match event:
                            case Moved(worker=process, step=step, accuracy=accuracy):
                                if step == 0:
                                    begun[job] = time.monotonic()
                                yield Moved(job, process, step, accuracy)
                            case Saved(step=step, digests=saved):
                                path = Path(jobs[job].message(saved)["checkpoint"])
                                write_checkpoint(path, saved[0], found.checkpoints[event.job])
                                here = tuple(digest for digest in saved if checkpoint_file(path, digest).exists())
                                digests[job], in_a_row[job] = here, 0
                                yield Saved(job, step, here)
                            case Ended(result=result, seconds=seconds, attempts=attempts):
                                actor.open.remove(job)
                                yield Ended(job, result, seconds + spent[job], attempts + lost[job])
                else:
                    self.actors.remove(actor)
                    self.ray.kill(actor.handle)
                    failed_starts += not actor.ready
                    if failed_starts == FAILED_STARTS:
                        raise ChildProcessError(f"workers do not start: {FAILED_STARTS} in a row ended with {in_words(found)}")
                    if actor.open:
                        job = actor.open[0]
                        lost[job] += 1
                        in_a_row[job] += 1
                        spent[job] += time.monotonic() - begun[job] if begun[job] else 0.0
                        if in_a_row[job] > RETRIES:
                            actor.open.pop(0)
                            status = f"failed: worker lost {in_a_row[job]} times without a checkpoint ({in_words(found)})"
                            yield Ended(job, {"status": status}, spent[job], lost[job])
                        waiting.extendleft(reversed(actor.open))

    def _answers(self) -> Iterator[tuple[Actor, Any]]:
        """What has been answered; an error of Ray where the actor is lost."""
        by_question = {actor.question: actor for actor in self.actors if actor.question is not None}
        questions = list(by_question)
        self.ray.wait(questions, num_returns=1, timeout=1.0)
        for question in self.ray.wait(questions, num_returns=len(questions), timeout=0)[0]:
            actor = by_question[question]
            actor.question = None
            try:
                found = self.ray.get(question)
            except self.ray.exceptions.RayError as error:
                found = error
            yield actor, found

    def _room(self) -> int:
        """How many runs fit on the nodes that are there."""
        nodes = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        needs = {"CPU": 1.0} | ({"GPU": self.gpus_per_run} if self.gpus_per_run else {})
        room = sum(int(min(node.get(name, 0.0) / need for name, need in needs.items()) + 1e-6) for node in nodes)
        if not room:
            found = "; ".join(", ".join(f"{node.get(name, 0.0):g} {name}" for name in needs) for node in nodes) or "no node"
            wanted = " and ".join(f"{need:g} {name}" for name, need in needs.items())
            raise EngineUnavailable(f"Ray at {self.connection.address}: expected a node with {wanted} for a run, found {found}")
        return room


def in_words(error: BaseException) -> str:
    """An error of Ray in a few words: by its cause where it has one."""
    cause = getattr(error, "cause", None) or error
    with suppress(IndexError):
        return f"{type(cause).__name__}: {str(cause).strip().splitlines()[0][:200]}"
    return type(cause).__name__
