"""Names that a user types: the known name that is meant, or one line that says what was expected; and texts from outside."""

import difflib
import re
from collections.abc import Iterable, Sequence

__all__ = ["BadInput", "choose", "excerpt", "nearest", "printable", "split_names", "text_of"]

LONGEST_EXCERPT = 60
LONGEST_MESSAGE = 500


class BadInput(ValueError):
    """A user's input is wrong; the message is one line.

    >>> str(BadInput("--count: expected a whole number from 1, found 0"))
    '--count: expected a whole number from 1, found 0'
    """


def choose(kind: str, name: str, known: Sequence[str]) -> str:
    """Return the known name that `name` means; underscores may stand for dashes.

    Raises BadInput with the nearest known names, or with all of them if none is near.

    >>> choose("task", "index_lookup", ["index-lookup", "equality"])
    'index-lookup'
    >>> choose("task", "indx-lookup", ["index-lookup", "equality"])
    Traceback (most recent call last):
        ...
    seqsep.names.BadInput: unknown task 'indx-lookup'; did you mean index-lookup?
    """
    dashed = name.replace("_", "-")
    if dashed in known:
        return dashed
    near = difflib.get_close_matches(dashed, known, n=3, cutoff=0.4) or sorted(known)
    raise BadInput(f"unknown {kind} {name!r}; did you mean {', '.join(near)}?")


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message about a mistyped word: which of the known ones is near; empty if none is.

    >>> nearest("--lenght", ["--length", "--seed"]), nearest("--colour", ["--length", "--seed"])
    ('; did you mean --length?', '')
    """
    bare = {name.lstrip("-"): name for name in known}
    near = difflib.get_close_matches(word.replace("_", "-").lstrip("-"), list(bare), n=1, cutoff=0.5)
    return f"; did you mean {bare[near[0]]}?" if near else ""


def split_names(text: str) -> list[str]:
    """Split a list of names at its commas, but for those in brackets, which divide a name's settings.

    >>> split_names("mamba2(states=128,conv=2), attention")
    ['mamba2(states=128,conv=2)', 'attention']
    """
    return [part.strip() for part in re.split(r",(?![^(]*\))", text)]


def printable(text: str) -> str:
    """The text with what no file or terminal takes, halves of surrogate pairs, written out.

    >>> printable("caf\\u00e9 \\ud800")
    'caf\u00e9 \\\\ud800'
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def excerpt(text: str, most: int = LONGEST_EXCERPT) -> str:
    """The text if it has at most `most` characters, else so many of them and three points.

    >>> excerpt("a" * 100, most=5)
    'aaaaa...'
    """
    return text if len(text) <= most else f"{text[:most]}..."


def text_of(error: BaseException) -> str:
    """What an exception says, in one line that can be printed and of at most 500 characters, even if its text raises.

    >>> text_of(ValueError("two\\nlines"))
    'two lines'
    """
    try:
        said = " ".join(printable(str(error)).split())
    except BaseException as second:
        return f"(its text raises {type(second).__name__})"
    return excerpt(said, LONGEST_MESSAGE)
