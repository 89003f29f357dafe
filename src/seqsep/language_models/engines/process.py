"""The process of an engine, which answers lines with lines, in a session of its own."""

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from seqsep.core.names import excerpt, printable

SECONDS_TO_END = 2.0
SECONDS_BETWEEN_LOOKS = 0.02
MOST_BYTES = 2**30
"""The length of one answer."""
BLOCK = 1 << 16
SHOWN = 160
"""Characters of the request and of the answer, in a message."""
STARTER = """
import ctypes, os, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 9)
if os.getppid() == int(sys.argv[1]):
    os.execvp(sys.argv[2], sys.argv[2:])
"""
"""Ends the engine with this process, also if this process is killed, and then becomes the engine."""


def in_words(line: bytes) -> str:
    """Return the beginning of a line for a message."""
    return repr(excerpt(line[: 2 * SHOWN].decode("utf-8", "replace").rstrip("\n"), SHOWN))


def one_line(value: Any) -> str:
    """Return the beginning of a text, in one line."""
    return excerpt(printable(" ".join(str(value).split())), SHOWN)


class ProcessEnds(Exception):
    """The process ends, or does not answer in time."""

    def __init__(self, words: str, stalled: bool = False) -> None:
        super().__init__(words)
        self.stalled = stalled


class EngineProcess:
    """A process that answers lines with lines."""

    def __init__(self, command: Sequence[str]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `end`)
        self._left = bytearray()
        words = [sys.executable, "-P", "-S", "-c", STARTER, str(os.getpid()), *command]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._errors}
        self._process = subprocess.Popen(words, **pipes, bufsize=0, start_new_session=True)
        self._input = self._process.stdin.fileno() if self._process.stdin else -1
        self._output = self._process.stdout.fileno() if self._process.stdout else -1
        for descriptor in (self._input, self._output):
            os.set_blocking(descriptor, False)

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Return the line that answers. Raises ProcessEnds if none comes."""
        until = time.monotonic() + seconds
        unsent = memoryview(line)
        with selectors.DefaultSelector() as ready:
            ready.register(self._output, selectors.EVENT_READ)
            ready.register(self._input, selectors.EVENT_WRITE)
            searched = 0
            while True:
                end = self._left.find(b"\n", searched)
                if end >= 0 and not unsent:
                    found = bytes(self._left[: end + 1])
                    del self._left[: end + 1]
                    return found
                searched = len(self._left) if end < 0 else searched
                if searched > MOST_BYTES:
                    raise ProcessEnds(
                        f"expected an answer of at most {MOST_BYTES:,} bytes, came {in_words(bytes(self._left[:SHOWN]))}"
                    )
                events = ready.select(max(0.0, until - time.monotonic()))
                if not events:
                    came = f"came {in_words(bytes(self._left))}" if self._left else "nothing came"
                    raise ProcessEnds(f"no answer in {seconds:g} s, {came}{self._complaint()}", stalled=True)
                for key, _ in events:
                    if key.fd == self._input:
                        unsent = self._sent(unsent)
                        if not unsent:
                            ready.unregister(self._input)
                    else:
                        self._receive()

    def _sent(self, unsent: memoryview) -> memoryview:
        try:
            return unsent[os.write(self._input, unsent[:BLOCK]) :]
        except BlockingIOError:
            return unsent
        except OSError:
            raise ProcessEnds(self._last_words()) from None

    def _receive(self) -> None:
        with suppress(BlockingIOError):
            data = os.read(self._output, BLOCK)
            if not data:
                raise ProcessEnds(self._last_words())
            self._left += data

    def _last_words(self) -> str:
        """Return how the process ended, what came of an answer, and the last line of its stderr."""
        self._wait(SECONDS_TO_END)
        code = self._process.poll()
        how = "closed its output" if code is None else f"ended with exit status {code}"
        if code is not None and code < 0:
            how = f"ended by signal {-code} ({signal.strsignal(-code)})"
        came = f", came {in_words(bytes(self._left))}" if self._left else ""
        return f"the process {how}{came}{self._complaint()}"

    def _complaint(self) -> str:
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - BLOCK))
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return f"; last on stderr: {one_line(lines[-1])}" if lines else ""

    def _wait(self, seconds: float) -> None:
        """Wait for the end of the process, which stays a zombie, so that its number stays its own."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self._process.returncode is None:
            with suppress(ChildProcessError):
                if os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
                    return
            time.sleep(SECONDS_BETWEEN_LOOKS)

    def end(self) -> None:
        """Close the input, wait for a short time, and kill what is left of the session."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._wait(SECONDS_TO_END)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._errors.close()
