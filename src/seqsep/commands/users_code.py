"""A user's Python file under a command: an exit is an error of the file, and what it prints goes to stderr.

An exception, SystemExit included, is caught here. An end of the process (`os._exit`, a crash, another program in its place) is
seen by a parent: if the words of a command name a Python file, the command runs in a child of the program.
"""

import mmap
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO, cast, no_type_check

from seqsep.commands.status import BAD_INPUT, DONE, REFUTED
from seqsep.core.interrupts import is_interrupt, watch_parent

SIGNALS = (signal.SIGINT, signal.SIGTERM)
WAITED = (*SIGNALS, signal.SIGCHLD)
PART_FLAGS = ("--part", "--par")
WRITERS = ("seqsep", "argparse", "__main__")
"""Packages whose code writes to the standard output of a command."""


@contextmanager
def users_code_apart() -> Iterator[None]:
    """Turn whatever a user's code raises into PlugInFails, which names the file and the line; what it prints goes to stderr.

    Ctrl-C and MemoryError stay as they are.
    """
    output = sys.stdout
    sys.stdout = cast(TextIO, _Output(output))
    try:
        yield
    except BaseException as error:
        path = _users_file(error)
        if path is None:
            raise
        from seqsep.models.plugins.load import fault

        raise fault(error, path) from error
    finally:
        sys.stdout = output


class _Output:
    """The standard output for seqsep's own code, and stderr for any other code and for forks of this process."""

    def __init__(self, ours: Any) -> None:
        self._ours = ours
        self._process = os.getpid()

    @no_type_check  # a type checker's call would come between the writer and this one
    def __getattr__(self, name: str) -> Any:
        writer = sys._getframe().f_back  # None if Python flushes the stream at its end
        is_ours = writer is None or writer.f_globals.get("__name__", "").partition(".")[0] in WRITERS
        return getattr(self._ours if is_ours and os.getpid() == self._process else sys.stderr, name)


def _users_file(error: BaseException) -> Path | None:
    """Return the user's file that an exception came through, or None."""
    load: Any = sys.modules.get("seqsep.models.plugins.load")  # it imports torch, and has run every user's file
    if load is None or is_interrupt(error) or isinstance(error, load.PlugInFails | MemoryError):
        return None
    files = {module.__file__ for name, module in list(sys.modules.items()) if name.startswith(load.PREFIX)}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in files:
            return Path(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    return None


def supervised(main: Callable[[], int], say: Callable[[str, int], int]) -> int:
    """Run the program, in a child if its words name a user's file; return the exit status.

    If the child ends without a status, `say` is called with one line that names the file.
    """
    files = _files_named(sys.argv[1:])
    if not files or not hasattr(os, "fork"):
        return main()
    said = mmap.mmap(-1, 2)  # shared: whether the child came to the end of its work, and its exit status
    parent = os.getpid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, WAITED)
    child = os.fork()
    if not child:
        return _work(main, said, parent)
    code = _wait(child)
    if said[0]:
        return said[1] or max(code, 0)
    how = f"signal {-code}: {signal.strsignal(-code)}" if code < 0 else f"exit status {code}"
    return say(f"{', '.join(files)}: expected code that returns, found that its process ended ({how})", BAD_INPUT)


def _files_named(words: Sequence[str]) -> list[str]:
    """Return the words that name a Python file.

    >>> _files_named(["ask", "model", "--part", "layer", "--input", "lines"]), _files_named(["check", "--mixer=layer.py:Mine"])
    (['layer'], ['layer.py:Mine'])
    """
    named = [word for before, word in pairwise(["", *words]) if ".py" in word or before in PART_FLAGS or "--part=" in word]
    return [word.partition("=")[2] if word.startswith("--") else word for word in named]


def _wait(child: int) -> int:
    """Wait for the child, to which Ctrl-C and SIGTERM are passed on; return its exit status, or minus the signal.

    The signals stay blocked and are waited for: a handler of Python would not run if the signal came just before `waitpid`.
    """
    waited = [number for number in WAITED if signal.getsignal(number) is not signal.SIG_IGN]
    while True:
        if signal.sigwait(waited) != signal.SIGCHLD:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)
            continue
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, WAITED)
            return os.waitstatus_to_exitcode(status)


def _work(main: Callable[[], int], said: mmap.mmap, parent: int) -> int:
    """Run the program as the child: it ends with its parent, and what a user's code prints goes to stderr."""
    # A terminal's Ctrl-C reaches both processes. The child is interrupted once: by the SIGTERM of its parent.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda number, frame: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WAITED)
    watch_parent(parent)
    _divert_descriptor()
    process = os.getpid()
    status = REFUTED  # of a traceback, with --debug
    try:
        status = main()
    except SystemExit as end:  # --help
        status = end.code if isinstance(end.code, int) else DONE
        raise
    finally:
        if os.getpid() == process:  # and not a fork that the user's code made
            said[:] = bytes((True, status))
    return status


def _divert_descriptor() -> None:
    """Send to stderr what is written past Python, or by other programs, to the descriptor of the standard output."""
    printed = sys.stdout
    if not isinstance(printed, TextIOWrapper):  # closed
        return
    ours = os.fdopen(os.dup(printed.fileno()), "w", encoding=printed.encoding, errors=printed.errors)
    ours.reconfigure(line_buffering=printed.line_buffering, write_through=printed.write_through)
    with suppress(OSError):  # stderr is closed
        os.dup2(2, printed.fileno())
    sys.stdout = cast(TextIO, _Output(ours))  # also for what a user's code prints when Python ends
