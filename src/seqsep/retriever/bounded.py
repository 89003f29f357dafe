"""A call that is given up in time: what a user's own retriever does may never end.

In a process's main thread the operating system's timer interrupts the call, a search of Python's `re` included, and nothing of
it is left. Elsewhere, or where there is no such timer, it runs in a thread that is left behind when time is over.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Result = TypeVar("Result")


class TookTooLong(BaseException):
    """A call was given up. Of no kind that the called code can catch by `except Exception`.

    >>> issubclass(TookTooLong, Exception)
    False
    """


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """What the call returns; what it raises is raised. Raises TookTooLong after `seconds`.

    >>> within(5.0, lambda: 2 + 2)
    4
    """
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        with _alarm(seconds):
            return call()
    return _in_a_thread(seconds, call)


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


def _in_a_thread(seconds: float, call: Callable[[], Result]) -> Result:
    ended: dict[str, Any] = {}

    def run() -> None:
        try:
            ended["result"] = call()
        except BaseException as error:
            ended["error"] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TookTooLong
    if "error" in ended:
        raise ended["error"]
    result: Result = ended["result"]
    return result
