"""Whether a KeyboardInterrupt is an interrupt: the program notes Ctrl-C and SIGTERM as they come, and nothing else."""

import signal
from typing import NoReturn

_noted: list[int] = []
_listens = False


def listen() -> None:
    """From now on SIGTERM interrupts as Ctrl-C does, and both are noted. SIGINT stays ignored where it is.

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
    """Whether an exception is Ctrl-C or SIGTERM, and not a KeyboardInterrupt that a user's code raises on its own.

    >>> is_interrupt(ValueError())
    False
    """
    return isinstance(error, KeyboardInterrupt) and (bool(_noted) or not _listens)


def _interrupt(number: int, frame: object) -> NoReturn:
    _noted.append(number)
    raise KeyboardInterrupt
