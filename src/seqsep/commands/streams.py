"""The standard streams of a command: no text from outside acts on the terminal, and a stream that fails is noticed.

Both streams escape what `seqsep.core.names.printable` escapes. They differ in what follows when they fail, as on a full disk:

* Standard output is what the command is for. The command ends, with a status that is not 0 (`commands.status`).
* Standard error reports progress. The work continues without it.

A stream that is closed from the start was closed on purpose, by `>&-` or a service manager: the command works, its text goes
nowhere, as with /dev/null, and its status is that of the work.
"""

import errno
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, cast

from seqsep.commands.status import CLOSED_PIPE, ENVIRONMENT
from seqsep.core.names import printable

OUTPUT = "standard output"


class OutputLost(OSError):
    """The standard output takes no more text."""


class Stream:
    """A text stream that escapes what acts on a terminal, and knows whether it has failed; else it is the stream itself.

    `failure` is its first error, also if the code that wrote catches it. `unescaped` is for code that moves the cursor on
    purpose, such as progress bars. Closing it only flushes it: it belongs to the process. `stream` has any type, since tests
    and notebooks put streams of their own in place of the process's.

    >>> import io
    >>> text = io.StringIO()
    >>> print("bell \\a", file=Stream(text))
    >>> text.getvalue()
    'bell \\\\u0007\\n'
    """

    def __init__(self, stream: Any, *, ends_command: bool = True, shown: Callable[[str], str] = printable) -> None:
        self.stream = stream
        self.ends_command = ends_command
        self.shown = shown
        self.failure: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    @property
    def unescaped(self) -> "Stream":
        """The same stream with no character escaped."""
        return Stream(self.stream, ends_command=self.ends_command, shown=str)

    def write(self, text: str) -> int:
        """Write a text. Raises OutputLost if the stream fails, or has failed, and ends the command."""
        shown = self.shown(text)
        self._guarded(lambda: self.stream.write(shown))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts. Raises OutputLost as `write` does."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write what is buffered. Raises OutputLost as `write` does."""
        self._guarded(self.stream.flush)

    def flushed_failure(self) -> OSError | None:
        """Flush the stream, and return its first error, or None."""
        with suppress(OutputLost):
            self.flush()
        return self.failure

    def close(self) -> None:
        """Flush the stream, and leave it open."""
        self.flush()

    def _guarded(self, action: Callable[[], Any]) -> None:
        try:
            if self.failure is None:
                action()
        except OSError as error:
            self.failure = error
            _write_no_more(self.stream)
        if self.failure is not None and self.ends_command:
            raise OutputLost(self.failure.errno, self.failure.strerror, OUTPUT)


@contextmanager
def guarded_streams() -> Iterator[Stream]:
    """Have `sys.stdout` and `sys.stderr` escape and notice failures (`Stream`); yield the first. No closed stream is None."""
    before = sys.stdout, sys.stderr
    with ExitStack() as stack:
        output, errors = (stack.enter_context(_text_stream(os.devnull)) if one is None else one for one in before)
        guarded = Stream(output)
        try:
            sys.stdout = cast(Any, guarded)
            sys.stderr = cast(Any, Stream(errors, ends_command=False))
            yield guarded
        finally:
            for stream in (guarded, sys.stderr):
                with suppress(OutputLost, ValueError):
                    stream.flush()
            sys.stdout, sys.stderr = before


def status_of_lost_output(failure: OSError) -> int:
    """Say on standard error why the standard output failed, and return the exit status.

    If its reader has closed the pipe, as `head` does, there is nothing to say: the reader has what it wants.
    """
    if failure.errno == errno.EPIPE:
        return CLOSED_PIPE
    print(f"seqsep: {OUTPUT}: {failure.strerror or failure}", file=sys.stderr)
    return ENVIRONMENT


def open_closed_descriptors() -> None:
    """Open each closed standard descriptor on /dev/null, and have neither `sys.stdout` nor `sys.stderr` be None.

    Otherwise the next file that is opened, such as a store, would get the number 1 or 2, and with it texts of libraries and of
    child processes. A closed standard input stays None in `sys.stdin`: who reads it is refused.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_WRONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)  # the lowest free number, which is this one
            os.set_inheritable(opened, True)
    if sys.stdout is None:
        sys.stdout = _text_stream(1)
    if sys.stderr is None:
        sys.stderr = _text_stream(2)


def _text_stream(file: str | int) -> io.TextIOWrapper:
    """Return a stream to a file, or to a descriptor that belongs to the process."""
    raw = io.FileIO(file, "w", closefd=isinstance(file, str))
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", line_buffering=True)


def _write_no_more(stream: Any) -> None:
    """Let what is left for a stream go nowhere, or Python would try again at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)
        stream.flush()
