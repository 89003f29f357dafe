"""A worker process of the engine `local`, seen from its driver.

The driver has a pipe of messages and a pipe of what the process prints, and learns how it ended.
"""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path

from seqsep.core.names import printable, required
from seqsep.lab.engines.marked import MARK, end_marked
from seqsep.lab.engines.messages import Mailbox

MOST_PRINTED = 1 << 20
GRACE_SECONDS = 0.5


class Worker:
    """One process, its pipes, its job, and its last message.

    `variables` are added to this process's environment for it; `script` is given the pipe, this process and `device`.
    """

    def __init__(self, script: Path, variables: Mapping[str, str], device: str) -> None:
        self.variables = variables
        self.mark = secrets.token_hex(16)
        self.connection, theirs = Pipe()
        self.mailbox = Mailbox(self.connection)
        self.output, printed = os.pipe()
        os.set_blocking(self.output, False)
        # -P keeps the script's folder off the path; the caller's own path is handed over, as its task may live anywhere there.
        command = [sys.executable, "-P", str(script), str(theirs.fileno()), str(os.getpid()), device]
        self.process = subprocess.Popen(
            command,
            env={**os.environ, **variables, "PYTHONPATH": os.pathsep.join(sys.path), MARK: self.mark},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            pass_fds=[theirs.fileno()],
            process_group=0,  # a terminal's Ctrl-C is the driver's alone: a worker cannot ignore it before it runs
        )
        theirs.close()
        os.close(printed)
        self.ready = False
        self.job: int | None = None
        self.printed = 0
        self.prints = True
        self.heard = time.monotonic()
        self.stage = ""

    def take(self, job: int) -> None:
        """Give it a job."""
        self.job = job
        self.printed = 0
        self.heard = time.monotonic()
        self.stage = ""

    @property
    def job_at_work(self) -> int:
        """The job that it must have, since it reports on it."""
        return required(self.job, "the job of a worker that reports")

    def show(self) -> None:
        """Pass on what it has printed, to stderr, as long as it is not too much."""
        while self.prints and self.printed <= MOST_PRINTED:
            try:
                data = os.read(self.output, 1 << 16)
            except BlockingIOError:
                return
            self.prints = bool(data)
            self.printed += len(data)
            sys.stderr.write(printable(data.decode(errors="replace")))
            sys.stderr.flush()

    def death(self) -> str:
        """Return how the process ended, once its pipe has."""
        self.show()
        self.stop(time.monotonic() + GRACE_SECONDS)
        code = self.process.returncode
        return f"signal {-code}: {signal.strsignal(-code)}" if code < 0 else f"exit status {code}"

    def stop(self, deadline: float) -> None:
        """Wait for the process until `deadline`, then kill it; what it has started is killed as well."""
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        with suppress(ProcessLookupError, PermissionError):  # none of its group is left
            os.killpg(self.process.pid, signal.SIGKILL)
        end_marked(self.mark)
        self.connection.close()
        os.close(self.output)
