"""The processes that a worker's run has started, wherever they went: they inherit a mark in their environment.

A process group ends with its worker, but a process may have begun a session of its own, and outlive whoever started it. Linux
only, where /proc shows the environment that a process was started with; one that was started without it is not found.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

MARK = "SEQSEP_WORKER"
MOST_ROUNDS = 10
SECONDS_BETWEEN_ROUNDS = 0.02


def marked(mark: str) -> list[int]:
    """Return the processes whose environment has the mark. Those of other users, and those that end meanwhile, are left out.

    >>> marked("no worker has this mark")
    []
    """
    sought = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if sought in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def end_marked(mark: str) -> None:
    """Kill the processes with the mark, and those that they start meanwhile.

    One that is just becoming another program shows no environment for a moment: none is left when none is found twice.
    """
    empty_rounds = 0
    for _ in range(MOST_ROUNDS):
        left = [pid for pid in marked(mark) if pid != os.getpid()]
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        empty_rounds = 0 if left else empty_rounds + 1
        if empty_rounds == 2:
            return
        time.sleep(SECONDS_BETWEEN_ROUNDS)
