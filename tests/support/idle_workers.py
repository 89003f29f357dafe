"""Workers of the engine `local` that earlier tests have left idle serve later ones: a start takes seconds, mostly of torch."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from seqsep.lab.engines import local

IDLE: dict[Any, list[Any]] = {}


def reuse_idle_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker that is idle when its engine ends serve the next engine with the same environment and path.

    One that ran a user's code has been stopped by then, as in every sweep.
    """
    start, leave = local.Worker, local.Supervisor.__exit__

    def take(*given: Any) -> Any:
        waiting = IDLE.setdefault(key(*given), [])
        while waiting:
            worker = waiting.pop()
            if worker.process.poll() is None:
                return worker
        worker = start(*given)
        worker.given = given  # type: ignore[attr-defined]
        return worker

    def end(engine: Any, *raised: Any) -> None:
        for worker in [*engine.workers]:
            if worker.ready and worker.job is None and worker.process.poll() is None:
                engine.workers.remove(worker)
                IDLE.setdefault(key(*worker.given), []).append(worker)
        leave(engine, *raised)

    monkeypatch.setattr(local, "Worker", take)
    monkeypatch.setattr(local.Supervisor, "__exit__", end)


def key(script: Path, variables: dict[str, str], device: str) -> tuple[Any, ...]:
    """Return all that a worker is started with, but for the variable that names the test."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    return script, tuple(variables.items()), device, tuple(sys.path), tuple(inherited.items())
