"""A regular expression of the user's or of a model's own, searched in a process of its own that is stopped in time.

Python's `re` takes exponential time on some patterns, and nothing in the same process can stop it. The process is a bare
interpreter, which is given the pattern and the text and loads nothing of seqsep. On Linux it ends with the process that asked;
elsewhere it ends by itself, if there is a timer, when the time is over.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.core.interrupts import END_WITH_PARENT

SECONDS = 10.0
LATER = 5.0
"""Seconds after which an abandoned search ends, counted from the end of the time that it is given."""
SEARCH = f"""
import ctypes, json, re, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl({END_WITH_PARENT}, 9)
pattern, text, seconds = json.loads(sys.stdin.read())
if hasattr(signal, "setitimer"):
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
try:
    found = re.search(pattern, text)
    answer = [None if found is None else found.group(1), None]
except (re.error, IndexError, OverflowError, RecursionError) as error:
    answer = [None, str(error)]
print(json.dumps(answer))
"""


class SearchTooLong(Exception):
    """A pattern was searched for longer than allowed; what it would have found depends on no machine's speed, so none is given.

    >>> raise SearchTooLong("(x+x+)+y", 0.5)
    Traceback (most recent call last):
    seqsep.tasks.retriever.pattern.SearchTooLong: pattern (x+x+)+y: stopped after 0.5 seconds
    """

    def __init__(self, expression: str, seconds: float) -> None:
        super().__init__(f"pattern {expression[:200]}: stopped after {seconds:g} seconds")


@dataclass(frozen=True)
class Pattern:
    """A query that is a regular expression itself, as the paper has it: what its first group matches, leftmost, is found.

    Its tokens, joined by spaces, are the pattern; the flag (?x) as the first makes these spaces meaningless.

    >>> Pattern.of(["(?x)", "(?<!\\\\S)", "7", "\\\\s", "(\\\\S+)"]).find("<s> 4 7 9 7".split())
    '9'
    """

    expression: str
    seconds: float = SECONDS

    @classmethod
    def of(cls, tokens: Sequence[str]) -> "Pattern":
        """Return the pattern that a model writes, token by token."""
        return cls(" ".join(tokens))

    def find(self, tokens: Sequence[str]) -> str | None:
        """Return what the first group matches in the tokens joined by spaces; None for FAILED.

        Raises SearchTooLong after `seconds`, the start of the process included; ValueError for a text that is not a pattern of
        `re`, or one without a group.
        """
        asked = json.dumps([self.expression, " ".join(tokens), self.seconds + LATER])
        command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", SEARCH]
        try:
            done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=self.seconds, check=True)
        except subprocess.TimeoutExpired:
            raise SearchTooLong(self.expression, self.seconds) from None
        found, error = json.loads(done.stdout)
        if error is not None:
            raise ValueError(f"Pattern({self.expression[:200]!r}): expected a pattern with a group; {error}")
        return None if found is None else str(found)
