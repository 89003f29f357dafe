"""The interface of a sweep's engine: jobs in, events out. The engines are `local` (local.py) and `ray` (ray.py).

They differ in nothing but where a run executes: each run is trained by a process of worker.py with one torch thread.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, runtime_checkable

STALL_SECONDS = 600.0
RETRIES = 2
FAILED_STARTS = 3


class EngineUnavailable(OSError):
    """A requirement of an engine is not installed, or does not answer; the message is one line."""


@runtime_checkable
class EngineJob(Protocol):
    """A job as an engine knows it: a message for worker.py, and whether a user's code runs in it."""

    @property
    def digests(self) -> tuple[str, ...]:
        """SHA-256 of each checkpoint that is there already, the last one first."""

    @property
    def has_plug_ins(self) -> bool:
        """True if it runs a user's code."""

    def message(self, digests: tuple[str, ...]) -> dict[str, Any]:
        """Return the message to the worker; `digests` are those of the checkpoints by now."""


@dataclass(frozen=True)
class JobProgress:
    """A job is at `step` in the process `worker`; step 0 says that it has just been handed over."""

    job: int
    worker: int
    step: int
    accuracy: float | None


@dataclass(frozen=True)
class Judged:
    """A law was tried on the plug-in of a Check: whether it holds and, if not, where."""

    job: int
    law: str
    holds: bool
    where: str


@dataclass(frozen=True)
class Saved:
    """A job's checkpoint at `step` is on disk. `digests` are its SHA-256 and that of the checkpoint before it."""

    job: int
    step: int
    digests: tuple[str, ...]


@dataclass(frozen=True)
class Ended:
    """A job came to its end: the result as JSON (of a failed job only `status`); seconds count every attempt.

    `processor` is what the environment says of the processor that trained it; None for the one of `Engine.environment`.
    """

    job: int
    result: dict[str, Any]
    seconds: float
    attempts: int
    processor: dict[str, str] | None = None


@dataclass(frozen=True)
class Heartbeat:
    """The engine has looked at all its workers; it does so about every second, also while none of them says anything."""


OfAJob = JobProgress | Saved | Judged | Ended
Event = OfAJob | Heartbeat


@runtime_checkable
class Engine(Protocol):
    """The place where runs execute. Nothing is started before `run`; leaving the context stops everything at once."""

    def __enter__(self) -> "Engine":
        """Return the engine itself."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop every process that the engine started."""

    def environment(self) -> dict[str, Any]:
        """Return the facts on which results depend besides the runs (`device.environment`). Raises OSError if not available."""

    def run(self, jobs: Sequence[EngineJob]) -> Iterator[Event]:
        """Do the jobs, handed out in the given order; every job ends in exactly one `Ended`.

        Raises OSError if the engine is not available.
        """


def usable_cores() -> int:
    """Return the number of cores that this process may run on, or of all cores if the system does not say.

    >>> usable_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
