"""Lines of progress on stderr for commands other than sweeps: at most one every ten seconds."""

import sys
import time
from collections.abc import Callable

SECONDS_BETWEEN_LINES = 10.0


def now_and_then() -> Callable[[str], None]:
    """Return a function that prints words on stderr, if ten seconds have passed since its last line or since it was made.

    >>> say = now_and_then()
    >>> say("one of many")
    """
    last = time.monotonic()

    def say(words: str) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            print(words, file=sys.stderr, flush=True)

    return say
