"""Workers that only play their part: scripts that speak the protocol of `worker.py` and train nothing."""

from pathlib import Path
from typing import Any

import pytest

from seqsep.lab.engines import local
from seqsep.lab.engines.engine import Ended
from seqsep.lab.engines.job import Job
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup

BEGINNING = """
import hashlib, json, os, signal, sys, time
from multiprocessing.connection import Connection
from pathlib import Path
connection = Connection(int(sys.argv[1]))
def send(**message):
    connection.send_bytes(json.dumps(message).encode())
RESULT = {"status": "finished", "steps": 0, "accuracy": 0.0, "best_accuracy": 0.0, "curve": []}
RESULT |= {"state_bits": [0, 0], "parameters": 0}
send(kind="ready")
while True:
    message = json.loads(connection.recv_bytes())
    seed = message["run"]["seed"]
"""


def let_workers_play(part: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of the engine `local` do `part` for every message, indented as the body of a loop, with `message` and `seed`.

    RESULT is the result of a run that ended."""
    script = folder / "player.py"
    script.write_text(BEGINNING + part)
    monkeypatch.setattr(local, "WORKER", script)


def run_of(seed: int) -> Run:
    return Run(task=IndexLookup(length=5, alphabet=4), layers=("lstm",), width=8, seed=seed)


def job(seed: int, *digests: str) -> Job:
    return Job(run_of(seed), Path("nowhere"), digests)


def play(workers: int, *jobs: Job, stall_seconds: float = 60.0) -> list[Any]:
    with Supervisor(workers, stall_seconds) as supervisor:
        return list(supervisor.run(jobs))


def statuses(events: list[Any]) -> dict[int, str]:
    ended = [event for event in events if isinstance(event, Ended)]
    assert len({event.job for event in ended}) == len(ended)
    return {event.job: event.result["status"] for event in ended}
