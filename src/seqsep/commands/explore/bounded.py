"""A page made in a process of its own, with limits of time and memory: no input of a reader can stop the server.

The processes are copies of one that has imported all pages and has run none. A page comes back as bytes, so nothing that such a
process sends is unpickled.
"""

import json
import multiprocessing
import os
import resource
import signal
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from seqsep.commands.explore.visit import RenderedPage, Visit, plain_page
from seqsep.core.interrupts import watch_parent

SECONDS = 5.0
CLOCK = 4
"""Seconds on the clock for each second of a processor that a page may take: on a busy machine pages wait for a processor."""
MEBIBYTES = 1024
AT_ONCE = 2
"""Pages that are made at the same time."""
MOST_WAITING = 16
MOST_ANSWER = 8 << 20
FAILED = 500
TOO_LONG = 422
TOO_BUSY = 503
SMALLER = "Choose smaller sizes or a shorter input."
NO_MEMORY = "allocate memory"
"""The words of torch for memory that it does not get, as a RuntimeError."""
PRELOADED = "seqsep.commands.explore.pages.rendered"


class Renderer:
    """Makes pages in other processes, at most two at a time.

    `seconds` and `mebibytes` are the limits of one page: time of a processor, and memory beyond what all pages share. On the
    clock, a page may take four times as long. `store` is the path of the reader's store, or empty.
    """

    def __init__(self, seconds: float = SECONDS, mebibytes: int = MEBIBYTES, store: str = "") -> None:
        self.seconds = seconds
        self.mebibytes = mebibytes
        self.store = store
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([PRELOADED])
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._waiting = threading.BoundedSemaphore(AT_ONCE + MOST_WAITING)

    def page(self, visit: Visit) -> RenderedPage:
        """Return the page of a visit, or a page that says why it took too long."""
        if not self._waiting.acquire(blocking=False):
            return plain_page(TOO_BUSY, "Too many pages are being made. Load this page again in a few seconds.")
        try:
            with self._free:
                return self._made(visit)
        finally:
            self._waiting.release()

    def warm(self, visit: Visit) -> None:
        """Start the process whose copies make pages, and make a page without a limit of time: imports take seconds."""
        Renderer(seconds=120.0, mebibytes=self.mebibytes).page(visit)

    def _made(self, visit: Visit) -> RenderedPage:
        receiving, sending = self._context.Pipe(duplex=False)
        request = asdict(replace(visit, body=None, store=self.store))
        process = self._context.Process(
            target=make, args=(sending, json.dumps(request), visit.body, self.seconds, self.mebibytes), daemon=True
        )
        process.start()
        sending.close()
        try:
            with suppress(EOFError, OSError):
                if receiving.poll(CLOCK * self.seconds):
                    status, _, html = receiving.recv_bytes(MOST_ANSWER).partition(b"\n")
                    return RenderedPage(int(status), html)
                return plain_page(TOO_LONG, f"This page was not made in {CLOCK * self.seconds:g} s. {SMALLER}")
            process.join(self.seconds)
            if process.exitcode == -signal.SIGXCPU:
                return plain_page(TOO_LONG, f"This page took more than {self.seconds:g} s of a processor. {SMALLER}")
            return plain_page(TOO_LONG, f"This page needs more memory than it may use. {SMALLER}")
        finally:
            receiving.close()
            process.kill()
            process.join()


def make(sending: Connection, request: str, body: bytes | None, seconds: float, mebibytes: int) -> None:
    """Make a page and send it, in a process of its own."""
    from seqsep.commands.explore.pages.rendered import rendered  # heavy: the server itself does not import it

    watch_parent(os.getppid())  # the process that copies itself; it ends with the server
    limit(seconds, mebibytes)
    given: Mapping[str, Any] = json.loads(request)
    try:
        page = rendered(Visit(**{**given, "body": body}))
        sending.send_bytes(b"%d\n" % page.status + page.html)
    except Exception as error:
        if isinstance(error, MemoryError) or NO_MEMORY in str(error):
            os._exit(1)
        traceback.print_exc()
        page = plain_page(FAILED, "This page failed. That is an error of seqsep; please report it with this address.")
        sending.send_bytes(b"%d\n" % page.status + page.html)
    finally:
        sending.close()


def limit(seconds: float, mebibytes: int) -> None:
    """Limit this process: to whole seconds of a processor, after which the system ends it, and to further memory."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(seconds), ceil(seconds) + 1))
    most = (mebibytes << 20) + _address_space()
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _address_space() -> int:
    """Return the bytes of address space that this process has, or 16 GiB if the system does not say."""
    with suppress(OSError, ValueError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 16 << 30
