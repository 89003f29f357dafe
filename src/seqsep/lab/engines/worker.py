"""The process that trains: it takes runs from a pipe, one at a time, and reports in messages. Its driver is local.py.

Started as a script, so that it watches its parent before it imports anything slow: no worker outlives a killed driver.
A message is one JSON object. In: run, files (of its plug-ins), checkpoint (path), digests (of its checkpoints, the last one
first), until (a step to pause at, or null) and keep (a path for the model at its end, or null); or check, files, sizes.
Out, by `kind`: ready; stage (what begins now, in words); progress (step, accuracy); checkpoint (step, digests: its own and that
of the one before); verdict (law, holds, where); result (result, processor); failure (error, one line). If no checkpoint can be
written, the result is `unavailable`: why.

The plug-ins of a run are validated first (validation.py). Its process takes no other run: anything that a plug-in leaves in it
could reach them.
"""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.core.interrupts import watch_parent

if TYPE_CHECKING:  # nothing slow is imported before this process watches its parent
    from seqsep.lab.engines.watch import SideEffectGuard
    from seqsep.lab.run import Run
    from seqsep.lab.train import Progress

SECONDS_BETWEEN_REPORTS = 0.2
LONGEST_ERROR = 500


class Reporter:
    """The way back to the driver."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.process = os.getpid()

    def send(self, kind: str, **content: Any) -> None:
        """Send one message. If the driver is gone, nobody wants the rest, and this process ends; so does a fork of it."""
        if os.getpid() != self.process:
            os._exit(1)
        try:
            self.connection.send_bytes(json.dumps({"kind": kind} | content, allow_nan=False).encode())
        except OSError:
            os._exit(1)

    def stage(self, words: str) -> None:
        """Say what begins now."""
        self.send("stage", words=words)

    def fail(self, words: str) -> None:
        """Say that the run came to its end, and why."""
        self.end("failure", error=" ".join(words.split())[:LONGEST_ERROR])

    def end(self, kind: str, **content: Any) -> None:
        """Send the last message of a run: after it this process may be stopped, so what was printed goes first."""
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # a plug-in may have closed or replaced it
                stream.flush()
        self.send(kind, **content)


def serve(connection: Connection, device: str) -> None:
    """Work until the driver closes the pipe."""
    from seqsep.lab.device import leave, prepare, processor
    from seqsep.models.plugins.load import PlugInFails, in_words

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
            result = check(message, files, reporter) if "check" in message else work(message, files, reporter, device)
        except PlugInFails as failure:
            reporter.fail(str(failure))
        except BaseException as error:  # SIGINT is ignored here: whatever it is, it is of the run
            reporter.fail(in_words(error, *map(Path, files.values())))
        else:
            reporter.end("result", result=result, processor=processor(device))
        leave(device)


def work(message: dict[str, Any], files: dict[str, str], reporter: Reporter, device: str = "cpu") -> dict[str, Any]:
    """Train one run from the first of its checkpoints that is sound, else from step 0. A line names each that is not."""
    from seqsep.lab.checkpoint import CheckpointError, CheckpointNotWritten
    from seqsep.lab.run import Run
    from seqsep.lab.train import train

    run = Run.from_configuration(message["run"], files)
    watch = validated(run, reporter) if run.plug_ins() else None
    reports = Reports(reporter, watch)
    starts = [*message["digests"], None]
    for start, next_start in zip(starts, [*starts[1:], None], strict=True):
        reports.kept = (start,) if start else ()
        try:
            _, result = train(
                run,
                checkpoint=Path(message["checkpoint"]),
                on_progress=reports.progress,
                on_checkpoint=reports.checkpoint,
                resume_digest=start,
                until=message.get("until"),
                device=device,
                keep=Path(message["keep"]) if message.get("keep") else None,
            )
            break
        except CheckpointError as error:
            instead = "the checkpoint before it" if next_start else "step 0"
            print(f"{error}; {run.label()} resumes from {instead}", file=sys.stderr)
        except CheckpointNotWritten as error:
            return {"status": f"failed: {error}", "unavailable": str(error)}
    if watch is not None:
        watch.check()
    return result.record()


class Reports:
    """The reports of a run to the driver: each checkpoint, each evaluation, and its step now and then."""

    def __init__(self, reporter: Reporter, watch: "SideEffectGuard | None") -> None:
        self.reporter = reporter
        self.watch = watch
        self.due = 0.0
        self.points = 0
        self.kept: tuple[str, ...] = ()

    def progress(self, progress: "Progress") -> None:
        """Report a step; raises PlugInFails if a plug-in did something forbidden meanwhile."""
        if self.watch is not None:
            self.watch.check()
        now = time.monotonic()
        if now >= self.due or len(progress.curve) > self.points:
            self.due = now + SECONDS_BETWEEN_REPORTS
            self.points = len(progress.curve)
            accuracy = progress.curve[-1].accuracy if progress.curve else None
            self.reporter.send("progress", step=progress.step, accuracy=accuracy)

    def checkpoint(self, step: int, digest: str) -> None:
        """Report a checkpoint on disk. The one before it is kept as well."""
        self.kept = (digest, *self.kept)[:2]
        self.reporter.send("checkpoint", step=step, digests=self.kept)


def validated(run: "Run", reporter: Reporter) -> "SideEffectGuard":
    """Validate the plug-ins of a run; the watch over them while it trains. Raises PlugInFails."""
    from seqsep.lab.engines.validation import validate
    from seqsep.lab.engines.watch import SideEffectGuard

    watch = SideEffectGuard(run.plug_ins())
    validate(run, reporter.stage)
    watch.begin()
    reporter.stage("training")
    return watch


def check(message: dict[str, Any], files: dict[str, str], reporter: Reporter) -> dict[str, Any]:
    """Try the laws on a plug-in and send each verdict; the result says whether all of them hold."""
    from seqsep.core.names import InternalError
    from seqsep.lab.engines.validation import task_verdicts, verdicts
    from seqsep.lab.engines.watch import SideEffectGuard
    from seqsep.models.plugins.model import restore_layer
    from seqsep.models.plugins.name import PlugIn
    from seqsep.models.plugins.task import own_task

    if "task" in message:
        fields = {name: value for name, value in message["task"].items() if name != "name"}
        task = own_task(PlugIn.restore(message["check"], files), fields)
        SideEffectGuard([task.source])
        judged = task_verdicts(task, reporter.stage)
    else:
        plug_in = restore_layer(message["check"], files)
        if isinstance(plug_in, str):
            raise InternalError(f"check {plug_in}: expected a layer or model of a user's file")
        SideEffectGuard([plug_in])
        judged = verdicts(plug_in, **message["sizes"], begin=reporter.stage)
    holds = True
    for verdict in judged:
        holds &= verdict.holds
        reporter.send("verdict", law=verdict.law, holds=verdict.holds, where=verdict.where[:LONGEST_ERROR])
    return {"holds": holds}


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    watch_parent(int(sys.argv[2]))
    serve(Connection(int(sys.argv[1])), sys.argv[3])
