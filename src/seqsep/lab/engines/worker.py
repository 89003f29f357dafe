"""The process that trains: takes runs from a pipe, one at a time, and reports in messages. Its driver is supervisor.py.

Started as a script, so that it watches its parent before it imports anything slow: no worker outlives a killed driver.
A message is one JSON object. In: run, files (of its plug-ins), checkpoint (path), digests (of its checkpoints, the last one
first) and until (a step to pause at, or null); or check, files, sizes.
Out, by `kind`: ready; stage (what begins now, in words); progress (step, accuracy); checkpoint (step, digests: its own and that
of the one before); verdict (law, holds, where); result (result); failure (error, one line). If no checkpoint can be written,
the result is `unavailable`: why.

A run with plug-ins is examined first (examination.py). Its process takes no other run: what a plug-in leaves behind in it could
reach them.
"""

import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

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
        self.process = os.getpid()

    def send(self, kind: str, **content: Any) -> None:
        """One message; where the driver is gone, nobody wants the rest, and this process ends; so does a fork of it."""
        if os.getpid() != self.process:
            os._exit(1)
        try:
            self.connection.send_bytes(json.dumps({"kind": kind} | content, allow_nan=False).encode())
        except OSError:
            os._exit(1)

    def stage(self, words: str) -> None:
        """What begins now."""
        self.send("stage", words=words)

    def fail(self, words: str) -> None:
        """The end, with a reason."""
        self.end("failure", error=" ".join(words.split())[:LONGEST_ERROR])

    def end(self, kind: str, **content: Any) -> None:
        """The last message of a run: after it this process may be stopped, so what was printed goes first."""
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # a plug-in may have closed or replaced it
                stream.flush()
        self.send(kind, **content)


def serve(connection: Connection, device: str) -> None:
    """Work until the driver closes the pipe."""
    from seqsep.lab.device import leave, prepare
    from seqsep.plugins.load import PlugInFails, in_words

    prepare(device)
    reporter = Reporter(connection)
    reporter.send("ready")
    while True:
        try:
            message = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        files = message.get("files", {})
        try:
            result = examine(message, files, reporter) if "check" in message else work(message, files, reporter, device)
        except PlugInFails as failure:
            reporter.fail(str(failure))
        except (Exception, SystemExit) as error:
            reporter.fail(in_words(error, *map(Path, files.values())))
        else:
            reporter.end("result", result=result)
        leave(device)


def work(message: dict[str, Any], files: dict[str, str], reporter: Reporter, device: str = "cpu") -> dict[str, Any]:
    """Train one run. A checkpoint that is missing or spoiled means a start from the one before, or from step 0, and a line."""
    from seqsep.lab.checkpoint import CheckpointError, CheckpointNotWritten
    from seqsep.lab.run import Run
    from seqsep.lab.train import Progress, train

    run, checkpoint = Run.from_configuration(message["run"], files), Path(message["checkpoint"])
    due, points, watch = 0.0, 0, None
    kept: list[str] = []
    if run.plug_ins():
        from seqsep.lab.engines import examination

        watch = examination.Watch(run.plug_ins())
        examination.examine(run, reporter.stage)
        watch.begin()
        reporter.stage("training")

    def moved(progress: Progress) -> None:
        nonlocal due, points
        if watch is not None:
            watch.look()
        now = time.monotonic()
        if now >= due or len(progress.curve) > points:
            due, points = now + SECONDS_BETWEEN_REPORTS, len(progress.curve)
            accuracy = progress.curve[-1].accuracy if progress.curve else None
            reporter.send("progress", step=progress.step, accuracy=accuracy)

    def saved(step: int, digest: str) -> None:
        kept[:] = [digest, *kept][:2]
        reporter.send("checkpoint", step=step, digests=tuple(kept))

    starts = [*message["digests"], None]
    for start, other in zip(starts, [*starts[1:], None], strict=True):
        kept[:] = [start] if start else []
        try:
            _, result = train(run, checkpoint, moved, saved, start, message.get("until"), device)
            break
        except CheckpointError as error:
            instead = "the checkpoint before it" if other else "step 0"
            print(f"{error}; {run.label()} goes on from {instead}", file=sys.stderr)
        except CheckpointNotWritten as error:
            return {"status": f"failed: {error}", "unavailable": str(error)}
    if watch is not None:
        watch.look()
    return result.record()


def examine(message: dict[str, Any], files: dict[str, str], reporter: Reporter) -> dict[str, Any]:
    """Try the laws on a layer and send each verdict; the result says whether all of them hold."""
    from seqsep.lab.engines import examination
    from seqsep.plugins.model import restore_layer

    plug_in = restore_layer(message["check"], files)
    assert not isinstance(plug_in, str)
    watch = examination.Watch([plug_in])
    holds = True
    for verdict in examination.verdicts(plug_in, **message["sizes"], begin=reporter.stage):
        holds &= verdict.holds
        reporter.send("verdict", law=verdict.law, holds=verdict.holds, where=verdict.where[:LONGEST_ERROR])
    if watch.forks:
        watch.look()
    return {"holds": holds}


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=watch, args=(int(sys.argv[2]),), daemon=True).start()
    serve(Connection(int(sys.argv[1])), sys.argv[3])
