"""The end of this process: by an interrupt, or with its parent.

The program notes Ctrl-C and SIGTERM as they come, and nothing else is an interrupt. A child process that watches its parent
ends with it, also if the parent is killed and can tell it nothing. Nothing here takes long to import.

>>> is_interrupt(KeyboardInterrupt()), is_interrupt(ValueError())
(True, False)
"""

import ctypes
import os
import signal
import sys
import threading
import time
from typing import NoReturn

END_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)
SECONDS_BETWEEN_LOOKS = 0.25

_noted: list[int] = []
_listens = False


def listen() -> None:
    """Note interrupts from now on; SIGTERM interrupts as Ctrl-C does. SIGINT stays ignored where it is.

    >>> before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    >>> listen()
    >>> is_interrupt(KeyboardInterrupt())  # raised by some code, since no signal came
    False
    >>> stop_listening()
    >>> [signal.signal(one, old) for one, old in zip((signal.SIGINT, signal.SIGTERM), before)] and None
    """
    global _listens
    _listens = True
    signal.signal(signal.SIGTERM, _interrupt)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def stop_listening() -> None:
    """Take every KeyboardInterrupt for an interrupt again, as where seqsep is a library of another program.

    >>> stop_listening()
    >>> is_interrupt(KeyboardInterrupt()), is_interrupt(ValueError())
    (True, False)
    """
    global _listens
    _listens = False


def is_interrupt(error: BaseException) -> bool:
    """Return True for Ctrl-C or SIGTERM, and False for a KeyboardInterrupt that a user's code raises.

    >>> is_interrupt(ValueError())
    False
    """
    return isinstance(error, KeyboardInterrupt) and (bool(_noted) or not _listens)


def _interrupt(number: int, frame: object) -> NoReturn:
    _noted.append(number)
    raise KeyboardInterrupt


def end_with(parent: int) -> None:
    """End this process once its parent is gone."""
    while os.getppid() == parent:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    os._exit(1)


def watch_parent(parent: int) -> None:
    """End this process with its parent, also while a user's code holds the interpreter lock: then no thread looks.

    On Linux the kernel kills it, also if only the thread ends that started it; elsewhere, and if the parent is gone already, a
    thread does.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(END_WITH_PARENT, int(signal.SIGKILL))
    watch_parent_in_thread(parent)


def watch_parent_in_thread(parent: int) -> None:
    """End this process with its parent, whichever thread started it, as soon as one of this process can look."""
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
