"""The process that trains: takes runs from a pipe, one at a time, and reports in messages. Its driver is supervisor.py.

Started as a script, so that it watches its parent before it imports anything slow: no worker outlives a killed driver.
A message is one JSON object. In: run, checkpoint (path), digest (or null). Out, by `kind`: ready; progress (step, accuracy);
checkpoint (step, digest); result (result); failure (error, one line).
"""

import json
import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqsep.lab.run import Run

SECONDS_BETWEEN_REPORTS = 0.2
SECONDS_BETWEEN_LOOKS = 0.25
LONGEST_ERROR = 500


def watch(parent: int) -> None:
    """End this process once its parent is gone."""
    while os.getppid() == parent:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    os._exit(1)


class Reporter:
    """The way back to the driver."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def send(self, kind: str, **content: Any) -> None:
        """One message; where the driver is gone, nobody wants the rest, and this process ends."""
        try:
            self.connection.send_bytes(json.dumps({"kind": kind} | content, allow_nan=False).encode())
        except OSError:
            os._exit(1)


def serve(connection: Connection) -> None:
    """Work until the driver closes the pipe."""
    import torch

    from seqsep.lab.run import Run

    torch.set_num_threads(1)
    reporter = Reporter(connection)
    reporter.send("ready")
    while True:
        try:
            message = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        try:
            run = Run.from_configuration(message["run"])
            result = work(run, Path(message["checkpoint"]), message["digest"], reporter)
        except Exception as error:
            line = f"{type(error).__name__}: {' '.join(str(error).split())}"
            reporter.send("failure", error=line[:LONGEST_ERROR])
        else:
            reporter.send("result", result=result)


def work(run: "Run", checkpoint: Path, digest: str | None, reporter: Reporter) -> dict[str, Any]:
    """Train one run; a checkpoint that is missing or spoiled means a start from step 0."""
    from seqsep.lab.checkpoint import CheckpointError
    from seqsep.lab.train import Progress, train

    due, points = 0.0, 0

    def moved(progress: Progress) -> None:
        nonlocal due, points
        now = time.monotonic()
        if now >= due or len(progress.curve) > points:
            due, points = now + SECONDS_BETWEEN_REPORTS, len(progress.curve)
            accuracy = progress.curve[-1].accuracy if progress.curve else None
            reporter.send("progress", step=progress.step, accuracy=accuracy)

    def saved(step: int, digest: str) -> None:
        reporter.send("checkpoint", step=step, digest=digest)

    try:
        _, result = train(run, checkpoint, moved, saved, digest)
    except CheckpointError:
        _, result = train(run, checkpoint, moved, saved, None)
    return result.record()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=watch, args=(int(sys.argv[2]),), daemon=True).start()
    serve(Connection(int(sys.argv[1])))
