"""Strings of brackets as users read and write them, and as a network's tokens with [BOS] in front."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.tasks import BoundedDyck
from seqsep.tasks.bounded_dyck import BRACKETS
from seqsep.theorems.bounded_dyck._prefixes import Strings, prefixes

MOST_SHOWN = 80


def parsed(given: Mapping[str, Any], kinds: int, length: int) -> Strings:
    """Read a user's string as one row of tokens. Raises ValueError with the field's name.

    >>> parsed({"string": "([])"}, kinds=2, length=8)
    array([[0, 2, 3, 1]])
    """
    if not isinstance(given.get("string"), str):
        shown = str(given["string"])[:MOST_SHOWN] if "string" in given else f"no such field in {_fields(given)}"
        raise ValueError(f"string: expected a string of brackets, found {shown}")
    numbers = {bracket: token for token, bracket in enumerate(alphabet(kinds))}
    brackets = list(given["string"]) if 2 * kinds <= len(BRACKETS) else given["string"].split()
    unknown = next((bracket for bracket in brackets if bracket not in numbers), None)
    if unknown is not None:
        known = " ".join(list(numbers)[:8]) + (" .." if kinds > 4 else "")
        raise ValueError(f"string: expected brackets {known}, found {unknown[:MOST_SHOWN]!r}")
    if len(brackets) > length:
        raise ValueError(f"string: expected at most {length} brackets, found {len(brackets)}")
    return np.array([[numbers[bracket] for bracket in brackets]], dtype=np.int64)


def _fields(given: Mapping[str, Any]) -> str:
    return ", ".join(given) or "the input"


def require_valid(words: Strings, kinds: int, depth: int, variant: str) -> None:
    """Raise ValueError for a string with a bracket that is not allowed there: `variant` answers valid prefixes only."""
    valid = prefixes(words, kinds, depth).valid[0]
    if not valid.all():
        raise ValueError(f"string: bracket {int(np.argmin(valid))} may not stand there, and {variant} answers valid prefixes")


def with_start(words: Strings, kinds: int) -> Int64[np.ndarray, "batch length+1"]:
    """Put [BOS], the token after those of the brackets, in front of the words.

    >>> with_start(np.array([[0, 1]]), kinds=2)
    array([[4, 0, 1]])
    """
    return np.pad(words, ((0, 0), (1, 0)), constant_values=2 * kinds)


def alphabet(kinds: int) -> list[str]:
    """List the brackets in the order of their tokens, as `BoundedDyck.readable` writes them.

    >>> alphabet(2)
    ['(', ')', '[', ']']
    """
    task = BoundedDyck(2, kinds)
    return [task.readable((token,), 0)["string"] for token in range(2 * kinds)]


def written(word: Int64[np.ndarray, "length"], kinds: int) -> str:
    """Write a string of tokens as `BoundedDyck.readable` does.

    >>> written(np.array([0, 2, 3, 1]), kinds=2)
    '([])'
    """
    return str(BoundedDyck(2, kinds).readable(tuple(word.tolist()), 0)["string"])
