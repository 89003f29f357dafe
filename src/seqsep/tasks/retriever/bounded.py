"""Calls that are given up in time: what a user's own retriever does may never end.

In a process's main thread the operating system's timer interrupts the call, a search of Python's `re` included, and nothing of
it is left. No other thread can be interrupted, and a search lets none run beside it. There the calls run in a copy of this
process, forked at the first of them: in the copy's main thread the timer works, and a copy that does not answer is killed.

What holds in a copy only: a call sees what it changed in earlier calls, and this process sees nothing of it; arguments, results
and errors are sent, so they must pickle; a copy has none of the other threads, so a call that waits for one of them is given
up. Where there is neither the timer nor fork (Windows), a call is refused.
"""

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Generic, ParamSpec, TypeVar

from seqsep.core.interrupts import watch_parent_in_thread

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

GRACE = 1.0
"""Seconds that a copy has to say that a call was given up."""


class TookTooLong(BaseException):
    """A call was given up. Of no kind that the called code can catch by `except Exception`.

    >>> issubclass(TookTooLong, Exception)
    False
    """


class TimeoutCall(Generic[Arguments, Result]):
    """A function each call of which is given up after `seconds`; a context, which ends the copy of the process if there is one.

    Called, it raises what the function raises, TookTooLong after `seconds`, and RuntimeError where no call can be given up, or
    for what cannot be sent from a copy.

    >>> with TimeoutCall(divmod, 5.0) as bounded:
    ...     bounded(7, 2), bounded(9, 2)
    ((3, 1), (4, 1))
    """

    def __init__(self, function: Callable[Arguments, Result], seconds: float) -> None:
        self.function = function
        self.seconds = seconds
        self._copy: _Copy | None = None

    def __enter__(self) -> "TimeoutCall[Arguments, Result]":
        return self

    def __exit__(self, *raised: object) -> None:
        self._end()

    def __call__(self, *arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        """Return what the function returns for these arguments."""
        if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
            with _alarm(self.seconds):
                return self.function(*arguments, **named)
        if self._copy is None:
            self._copy = _Copy(self.function, self.seconds)
        try:
            result, error = self._copy.answer(arguments, named)
        except BaseException:
            self._end()
            raise
        if error is not None:
            raise error
        returned: Result = result
        return returned

    def _end(self) -> None:
        """Kill the copy, if there is one; the next call makes another one."""
        if self._copy is not None:
            self._copy.end()
        self._copy = None


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise TookTooLong in the body once time is over; a timer and handler that were set before are set again."""

    def over(number: int, frame: object) -> None:
        raise TookTooLong

    handler = signal.signal(signal.SIGALRM, over)
    start = time.monotonic()
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # reached too if the time is over just before the line above
        signal.signal(signal.SIGALRM, handler)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(1e-6, left - (time.monotonic() - start)), interval)


class _Copy:
    """A forked copy of this process that answers calls of one function."""

    def __init__(self, function: Callable[..., object], seconds: float) -> None:
        if "fork" not in multiprocessing.get_all_start_methods() or not hasattr(signal, "setitimer"):
            system = f"in this thread on {sys.platform}"
            raise RuntimeError(f"a call that may never end cannot be given up {system}: it has no timer or no fork")
        context = multiprocessing.get_context("fork")
        self.seconds = seconds
        self.here, there = context.Pipe()
        ends = (there, self.here, os.getpid())
        self.process: BaseProcess = context.Process(target=_serve, args=(ends, function, seconds), daemon=True)
        self.process.start()
        there.close()

    def answer(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, BaseException | None]:
        """Return what the function returns and None, or None and what it raises. Raises TookTooLong if no answer comes in
        time.
        """
        self.here.send((arguments, named))
        if not self.here.poll(self.seconds + GRACE):
            raise TookTooLong
        try:
            result, error = self.here.recv()
        except EOFError:
            raise RuntimeError("the process in which the call ran has ended") from None
        return result, error

    def end(self) -> None:
        """Kill it, and wait until it is gone."""
        self.process.kill()
        self.process.join()
        self.here.close()


def _serve(ends: tuple[Connection, Connection, int], function: Callable[..., object], seconds: float) -> None:
    """Do the copy's work: answer calls until the other end is closed, or the process there is gone.

    `ends` are both ends of the pipe and that process. This process closes its copy of the other end, which would hold it open.
    """
    there, here, parent = ends
    here.close()
    watch_parent_in_thread(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches it too, but it is for the process that asks to end it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    bounded = TimeoutCall(function, seconds)
    with suppress(EOFError, ConnectionError):
        while True:
            arguments, named = there.recv()
            answer: tuple[object, BaseException | None]
            try:
                answer = (bounded(*arguments, **named), None)
            except BaseException as error:
                answer = (None, error)
            there.send_bytes(_sendable(answer))


def _sendable(answer: tuple[object, BaseException | None]) -> bytes:
    """Return the pickled answer, or in its place an error that says what cannot be sent, and how."""
    try:
        pickled = pickle.dumps(answer)
        pickle.loads(pickled)
    except Exception as failure:
        result, error = answer
        what = f"what it returns, {result!r:.80}" if error is None else f"{type(error).__name__}: {error}"
        said = " ".join(f"{what}, cannot be sent from the process in which the call ran: {failure}".split())
        return pickle.dumps((None, RuntimeError(said)))
    return pickled
