"""Workers that only play their part: scripts that speak the protocol of `worker.py` and train nothing."""

from pathlib import Path

import pytest

from seqsep.lab.engines import local

BEGINNING = """
import hashlib, json, os, signal, sys, time
from multiprocessing.connection import Connection
from pathlib import Path
connection = Connection(int(sys.argv[1]))
def send(**message):
    connection.send_bytes(json.dumps(message).encode())
send(kind="ready")
while True:
    message = json.loads(connection.recv_bytes())
    seed = message["run"]["seed"]
"""


def let_workers_play(part: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of the engine `local` do `part` for every message, indented as the body of a loop, with `message` and `seed`."""
    script = folder / "player.py"
    script.write_text(BEGINNING + part)
    monkeypatch.setattr(local, "WORKER", script)
