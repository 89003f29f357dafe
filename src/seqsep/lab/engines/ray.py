"""The engine `ray`: actors of ray_worker.py train the runs on a Ray cluster, or on a Ray started here.

An actor is given a batch of runs and is asked what has happened since; the more actors, the longer each waits to be asked, so
that the driver hears about as much from a thousand as from ten. Checkpoints come with the answers, as bytes, and are written
beside the store, so no folder needs to be shared. If an actor or its node is lost, its runs go to the others, from their last
checkpoints.
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

from seqsep.core.files import write_file
from seqsep.core.names import printable
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.device import CPU, GPU, environment
from seqsep.lab.engines.engine import (
    FAILED_STARTS,
    RETRIES,
    STALL_SECONDS,
    Ended,
    EngineJob,
    EngineUnavailable,
    Event,
    Heartbeat,
    JobProgress,
    Saved,
)
from seqsep.lab.engines.ray_connection import RayConnection
from seqsep.lab.engines.ray_worker import Answer, RayJob, RayWorker, differs, identity

ANSWERS_A_SECOND = 20
LEAST_SECONDS = 0.2
MOST_IN_A_BATCH = 8
BATCHES_EACH = 4
SECONDS_TO_STOP = 5.0


@dataclass(eq=False)
class Actor:
    """One actor, the question that it has not answered, and the jobs of its batch. Those in `open` have not ended."""

    handle: Any
    question: Any
    batch: list[int] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    ready: bool = False


@dataclass
class ClusterJobs:
    """The progress of the jobs.

    Those in `waiting` wait for an actor. Of each job it keeps the checkpoints, how many actors were lost with it, when it
    began, and the seconds spent on lost actors.
    """

    jobs: Sequence[EngineJob]
    waiting: deque[int] = field(init=False)
    digests: list[tuple[str, ...]] = field(init=False)
    lost: list[int] = field(init=False)
    lost_in_a_row: list[int] = field(init=False)
    begun: list[float] = field(init=False)
    spent: list[float] = field(init=False)
    failed_starts: int = 0

    def __post_init__(self) -> None:
        self.waiting = deque(range(len(self.jobs)))
        self.digests = [job.digests for job in self.jobs]
        self.lost = [0] * len(self.jobs)
        self.lost_in_a_row = [0] * len(self.jobs)
        self.begun = [0.0] * len(self.jobs)
        self.spent = [0.0] * len(self.jobs)

    def take(self, actors: int) -> list[int]:
        """Return the next batch of jobs. The fewer jobs are left for each actor, the smaller the batch is."""
        size = min(MOST_IN_A_BATCH, max(1, len(self.waiting) // (BATCHES_EACH * actors)))
        return [self.waiting.popleft() for _ in range(size)]

    def saved(self, job: int, digests: tuple[str, ...], data: bytes) -> tuple[str, ...]:
        """Write a checkpoint that came from a node beside the store; the digests of those that are there now."""
        path = Path(self.jobs[job].message(digests)["checkpoint"])
        write_file(checkpoint_file(path, digests[0]), data)
        here = tuple(digest for digest in digests if checkpoint_file(path, digest).exists())
        self.digests[job] = here
        self.lost_in_a_row[job] = 0
        return here

    def lose(self, job: int) -> None:
        """Record that the actor that worked on a job is lost."""
        self.lost[job] += 1
        self.lost_in_a_row[job] += 1
        self.spent[job] += time.monotonic() - self.begun[job] if self.begun[job] else 0.0


class RayEngine:
    """The engine `ray`: runs jobs on `workers` actors, by default as many as fit.

    Each has one core and `gpus_per_run` of a GPU; above 0 the runs compute on it. `address` is HOST:PORT of a cluster, or
    auto; by default $RAY_ADDRESS, and without it a Ray of its own is started here. A job that says nothing for
    `stall_seconds` has failed. A process that is connected to Ray already uses that.

    >>> with RayEngine(workers=2) as engine:  # Ray is reached once there is a job
    ...     list(engine.run([]))
    []
    """

    def __init__(
        self,
        workers: int | None = None,
        stall_seconds: float = STALL_SECONDS,
        address: str | None = None,
        gpus_per_run: float = 0.0,
    ) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"RayEngine(workers={workers}): workers is at least 1")
        if not stall_seconds > 0:
            raise ValueError(f"RayEngine(stall_seconds={stall_seconds}): stall_seconds is above 0")
        if not (0 <= gpus_per_run <= 1 or (gpus_per_run < float("inf") and gpus_per_run == int(gpus_per_run))):
            raise ValueError(f"RayEngine(gpus_per_run={gpus_per_run}): gpus_per_run is from 0 to 1, or a whole number")
        self.limit = workers
        self.stall_seconds = stall_seconds
        self.gpus_per_run = gpus_per_run
        self.connection = RayConnection(address, workers)
        self.device = GPU if gpus_per_run else CPU
        self.ray: Any = None
        self.actors: list[Actor] = []
        self.known_environment: dict[str, Any] | None = None

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
        """Return what results depend on besides the runs.

        The first actor says which GPUs there are, as this machine may have none. Raises EngineUnavailable as `run` does, and
        if torch finds no GPU on a node that has room for it.
        """
        if self.known_environment is None:
            self.known_environment = environment() if self.device == CPU else self._environment_of_gpus()
        return self.known_environment

    def _environment_of_gpus(self) -> dict[str, Any]:
        """Return the environment that the first actor reports of its own."""
        self._open()
        self.actors.append(self._actor())
        try:
            return dict(self.ray.get(self.actors[0].question)["environment"])
        except self.ray.exceptions.RayError as error:
            raise EngineUnavailable(f"Ray at {self.connection.address}: {in_words(error)}") from error

    def _open(self) -> int:
        """Connect to Ray; return the number of runs that have room."""
        if self.ray is None:
            self.ray = self.connection.open()
        return self._room()

    def _actor(self) -> Actor:
        make = self.ray.remote(num_cpus=1, num_gpus=self.gpus_per_run)(RayWorker)
        handle = make.remote(self.stall_seconds, self.connection.folder, self.device)
        return Actor(handle, handle.identity.remote())

    def run(self, jobs: Sequence[EngineJob]) -> Iterator[Event]:
        """Do the jobs, handed out in the given order; every job ends in exactly one `Ended`.

        Raises EngineUnavailable if Ray is not installed or does not answer, no node has room for a run, or a node has another
        seqsep, torch or GPU; ChildProcessError if actors do not even start.
        """
        if not jobs:
            return
        room = self._open()
        limit = room if self.limit is None else self.limit
        ours = identity(self.environment() if self.device != CPU else {})
        queue = ClusterJobs(jobs)
        while queue.waiting or any(actor.open for actor in self.actors):
            busy = sum(bool(actor.open) for actor in self.actors)
            while len(self.actors) < min(limit, busy + len(queue.waiting)):
                self.actors.append(self._actor())
            self._ask(queue, limit)
            for actor, answer in self._answers():
                if isinstance(answer, dict):
                    refused = differs(ours, answer)
                    if refused is not None:
                        raise EngineUnavailable(refused)
                    actor.ready = True
                    queue.failed_starts = 0
                elif isinstance(answer, Answer):
                    sys.stderr.write(printable(answer.printed))
                    yield from self._events(actor, answer, queue)
                else:
                    yield from self._gone(actor, answer, queue)
            yield Heartbeat()

    def _ask(self, queue: ClusterJobs, limit: int) -> None:
        """Ask every actor that owes no answer what has happened; one whose batch has ended is given the next."""
        interval = max(LEAST_SECONDS, limit / ANSWERS_A_SECOND)
        for actor in self.actors:
            if actor.question is None and (actor.open or queue.waiting):
                orders = []
                if not actor.open:
                    actor.batch = queue.take(limit)
                    actor.open = list(actor.batch)
                    orders = [RayJob.of(queue.jobs[job], queue.digests[job]) for job in actor.batch]
                actor.question = actor.handle.work.remote(orders, interval)

    def _events(self, actor: Actor, answer: Answer, queue: ClusterJobs) -> Iterator[Event]:
        """Yield the events that an answer means to the sweep, with jobs counted as the sweep does."""
        for event in answer.events:
            job = actor.batch[event.job]
            match event:
                case JobProgress(worker=process, step=step, accuracy=accuracy):
                    if step == 0:
                        queue.begun[job] = time.monotonic()
                    yield JobProgress(job, process, step, accuracy)
                case Saved(step=step, digests=digests):
                    yield Saved(job, step, queue.saved(job, digests, answer.checkpoints[event.job]))
                case Ended(result=result, seconds=seconds, attempts=attempts, processor=processor):
                    actor.open.remove(job)
                    seconds += queue.spent[job]
                    attempts += queue.lost[job]
                    yield Ended(job, result, seconds, attempts, processor=processor)

    def _gone(self, actor: Actor, error: BaseException, queue: ClusterJobs) -> Iterator[Event]:
        """Give the jobs of a lost actor to others. If it was lost too often with the job that it worked on, the job has
        failed.
        """
        self.actors.remove(actor)
        self.ray.kill(actor.handle)
        queue.failed_starts += not actor.ready
        if queue.failed_starts == FAILED_STARTS:
            raise ChildProcessError(f"workers do not start: {FAILED_STARTS} in a row ended with {in_words(error)}")
        if not actor.open:
            return
        job = actor.open[0]
        queue.lose(job)
        times = queue.lost_in_a_row[job]
        if times > RETRIES:
            actor.open.pop(0)
            status = f"failed: worker lost {times} times without a checkpoint ({in_words(error)})"
            yield Ended(job, {"status": status}, seconds=queue.spent[job], attempts=queue.lost[job])
        queue.waiting.extendleft(reversed(actor.open))

    def _answers(self) -> Iterator[tuple[Actor, Any]]:
        """Return the answers so far; an error of Ray if the actor is lost."""
        by_question = {actor.question: actor for actor in self.actors if actor.question is not None}
        questions = list(by_question)
        answered, _ = self.ray.wait(questions, num_returns=1, timeout=1.0)
        if not answered and self.connection.folder is not None and not any(node["Alive"] for node in self.ray.nodes()):
            raise EngineUnavailable("Ray on this machine: expected its node to be alive, found that it has ended")
        for question in self.ray.wait(questions, num_returns=len(questions), timeout=0)[0]:
            actor = by_question[question]
            actor.question = None
            try:
                answer = self.ray.get(question)
            except self.ray.exceptions.RayError as error:
                answer = error
            yield actor, answer

    def _room(self) -> int:
        """Return the number of runs that fit on the nodes that are there."""
        nodes = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        needs = {"CPU": 1.0} | ({"GPU": self.gpus_per_run} if self.gpus_per_run else {})
        room = sum(int(min(node.get(name, 0.0) / need for name, need in needs.items()) + 1e-6) for node in nodes)
        if not room:
            there = [", ".join(f"{node.get(name, 0.0):g} {name}" for name in needs) for node in nodes]
            wanted = " and ".join(f"{need:g} {name}" for name, need in needs.items())
            expected = f"expected a node with {wanted} for a run, found {'; '.join(there) or 'no node'}"
            raise EngineUnavailable(f"Ray at {self.connection.address}: {expected}")
        return room


def in_words(error: BaseException) -> str:
    """Return an error of Ray in a few words, by its cause if it has one.

    >>> in_words(OSError("no room"))
    'OSError: no room'
    """
    cause = getattr(error, "cause", None) or error
    with suppress(IndexError):
        return f"{type(cause).__name__}: {str(cause).strip().splitlines()[0][:200]}"
    return type(cause).__name__
