"""Names that a user types: the known name that is meant, or one line that says what was expected; and texts from outside.

`ensure`, `required` and `narrowed` check what seqsep itself guarantees. They raise under `python -O` too, where `assert` does
nothing. `docstring` returns docstrings under `python -OO` too, where `__doc__` is None.
"""

import ast
import difflib
import functools
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral
from typing import Any, ParamSpec, TypeVar

__all__ = [
    "LEAST_LIKENESS",
    "BadInput",
    "InternalError",
    "choose",
    "docstring",
    "ensure",
    "excerpt",
    "install",
    "is_whole",
    "narrowed",
    "nearest",
    "printable",
    "required",
    "split_names",
    "text_of",
    "whole",
    "whole_arguments",
]

T = TypeVar("T")
P = ParamSpec("P")

LONGEST_EXCERPT = 60
LONGEST_MESSAGE = 500
MOST_LISTED = 5
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, marks of writing direction, line separators, and halves of surrogate pairs, which no file takes."""
LEAST_LIKENESS = 0.6
"""Of a mistyped word to a known one, as `difflib` counts it: 1 for equal words."""
MOST_BEHIND = 0.12
"""Names whose similarity is within this of the greatest one are suggested too."""


class BadInput(ValueError):
    """A user's input is wrong; the message is one line.

    >>> str(BadInput("--count: expected a whole number from 1, found 0"))
    '--count: expected a whole number from 1, found 0'
    """


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number: Python's or NumPy's, but not 8.0 and not True.

    >>> [is_whole(value) for value in (8, 8.0, True)]
    [True, False, False]
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def whole(value: Any, where: str) -> int:
    """Return a whole number as Python's int. Raise BadInput for anything else.

    >>> whole(8.0, "LSTM: width")
    Traceback (most recent call last):
    seqsep.core.names.BadInput: LSTM: width: expected a whole number, found 8.0
    """
    if not is_whole(value):
        raise BadInput(f"{where}: expected a whole number, found {excerpt(repr(value))}")
    return int(value)


def whole_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function raise BadInput if an argument that is annotated as int, or int | None, is not a whole number.

    >>> @whole_arguments
    ... def doubled(length: int) -> int:
    ...     return 2 * length
    >>> doubled(True)
    Traceback (most recent call last):
    seqsep.core.names.BadInput: doubled: length: expected a whole number, found True
    """
    signature = inspect.signature(function)
    sizes = [name for name, parameter in signature.parameters.items() if parameter.annotation in (int, int | None)]
    called = function.__qualname__.split(".")[-2] if function.__name__ == "__init__" else function.__name__

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # which says what is wrong with the call
        for name in sizes:
            if given.arguments.get(name) is not None:
                given.arguments[name] = whole(given.arguments[name], f"{called}: {name}")
        return function(*given.args, **given.kwargs)

    return checked


class InternalError(RuntimeError):
    """A bug of seqsep: something that its own code guarantees does not hold.

    >>> raise InternalError("the minimal automaton answers wrongly")
    Traceback (most recent call last):
        ...
    seqsep.core.names.InternalError: the minimal automaton answers wrongly
    """


def ensure(condition: bool, broken: str, *details: object) -> None:
    """Raise InternalError with the words `broken` and the details unless the condition holds.

    >>> ensure(2 + 2 == 5, "the sum is wrong", 2, 2)
    Traceback (most recent call last):
    seqsep.core.names.InternalError: the sum is wrong: 2, 2
    """
    if not condition:
        raise InternalError(": ".join([broken, ", ".join(map(str, details))] if details else [broken]))


def required(value: T | None, what: str) -> T:
    """Return the value. Raise InternalError with its name if it is None.

    >>> required(0, "the least margin")
    0
    """
    if value is None:
        raise InternalError(f"{what}: expected a value, found None")
    return value


def narrowed(value: object, kind: type[T]) -> T:
    """Return the value, which is of this kind. Raise InternalError if it is not.

    >>> narrowed("7", int)
    Traceback (most recent call last):
    seqsep.core.names.InternalError: expected int, found str
    """
    if not isinstance(value, kind):
        raise InternalError(f"expected {kind.__name__}, found {type(value).__name__}")
    return value


def choose(kind: str, name: str, known: Sequence[str]) -> str:
    """Return the known name that `name` means; underscores may replace dashes.

    Raises BadInput with the known names that have these words in them, or nearly, or else with where all of them are listed.

    >>> choose("task", "index_lookup", ["index-lookup", "equality"])
    'index-lookup'
    >>> choose("task", "indx-lookup", ["index-lookup", "equality"])
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: unknown task 'indx-lookup'; did you mean index-lookup?
    >>> choose("task", "sorting", ["index-lookup", "equality"])
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: unknown task 'sorting'; seqsep list tasks has them
    """
    dashed = name.replace("_", "-")
    if dashed in known:
        return dashed
    likeness = {other: _likeness(dashed, other) for other in known}
    least = max(LEAST_LIKENESS, max(likeness.values(), default=0) - MOST_BEHIND)
    near = sorted((other for other in known if likeness[other] >= least), key=lambda other: -likeness[other])
    means = f"did you mean {_listed(near)}?" if near else f"seqsep list {kind}s has them"
    raise BadInput(f"unknown {kind} {excerpt(name)!r}; {means}")


def _likeness(word: str, name: str) -> float:
    """Return the likeness of the word to the name or to as many neighbouring words of it; 1 if it is equal to either.

    >>> _likeness("two-layers", "equality-two-layers"), _likeness("indx", "index-lookup")
    (1.0, 0.8888888888888888)
    """
    parts = name.split("-")
    count = word.count("-") + 1
    runs = {"-".join(parts[first : first + count]) for first in range(len(parts) - count + 1)}
    return max(difflib.SequenceMatcher(None, word, one).ratio() for one in {name, *runs})


def _listed(names: Sequence[str]) -> str:
    """Return the names, or the first few of many.

    >>> _listed(["a", "b"]), _listed(["a", "b", "c", "d", "e", "f", "g"])
    ('a, b', 'a, b, c, d, e, ...')
    """
    return ", ".join([*names[:MOST_LISTED], *(["..."] if len(names) > MOST_LISTED else [])])


def nearest(word: str, known: Iterable[str], least: float = 0.5) -> str:
    """Return the end of a message about a mistyped word: the near known word, of likeness `least` or more; empty if none is
    near.

    >>> nearest("--lenght", ["--length", "--seed"]), nearest("--colour", ["--length", "--seed"])
    ('; did you mean --length?', '')
    """
    bare = {name.lstrip("-"): name for name in known}
    near = difflib.get_close_matches(word.replace("_", "-").lstrip("-"), list(bare), n=1, cutoff=least)
    return f"; did you mean {bare[near[0]]}?" if near else ""


def split_names(text: str) -> list[str]:
    """Split a list of names at its commas, except those in brackets, which divide a name's settings.

    >>> split_names("mamba2(states=128,conv=2), attention")
    ['mamba2(states=128,conv=2)', 'attention']
    """
    return [part.strip() for part in re.split(r",(?![^(]*\))", text)]


def printable(text: str, kept: str = "\n\t") -> str:
    """Return the text with each character that acts on a terminal, and each half of a surrogate pair, as \\uXXXX.

    These are control characters, line separators and marks of writing direction. `kept` are those that stay; a name, which has
    one line, keeps none. JSON with Unicode strings stays JSON with the same values.

    >>> printable("caf\\u00e9 \\ud800 \\x1b[2J \\u202e")
    'caf\u00e9 \\\\ud800 \\\\u001b[2J \\\\u202e'
    """
    return UNSEEN.sub(lambda found: found[0] if found[0] in kept else f"\\u{ord(found[0]):04x}", text)


def excerpt(text: str, most: int = LONGEST_EXCERPT) -> str:
    """Return the text if it has at most `most` characters, else its first `most` characters and three points.

    >>> excerpt("a" * 100, most=5)
    'aaaaa...'
    """
    return text if len(text) <= most else f"{text[:most]}..."


def install(extra: str, *further: str) -> str:
    """Return the command that installs an extra of seqsep from a clone, and further packages.

    >>> install("hf")
    "pip install '.[hf]' in a clone of seqsep"
    """
    packages = " ".join([f"'.[{extra}]'", *further])
    return f"pip install {packages} in a clone of seqsep"


def text_of(error: BaseException) -> str:
    """Return an exception's text in one printable line of at most 500 characters, even if its text raises.

    >>> text_of(ValueError("two\\nlines"))
    'two lines'
    """
    try:
        said = printable(" ".join(str(error).split()))
    except BaseException as second:
        return f"(its text raises {type(second).__name__})"
    return excerpt(said, LONGEST_MESSAGE)


def docstring(owner: Any) -> str:
    """Return the docstring of a module, class or function; empty if it has none.

    `python -OO` keeps none, so there it is read from the source file.

    >>> docstring(docstring).split("; ")[0]
    'Return the docstring of a module, class or function'
    """
    if sys.flags.optimize < 2:
        return inspect.getdoc(owner) or ""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(owner)))
    except (OSError, TypeError, SyntaxError):
        return ""
    holder: Any = tree if inspect.ismodule(owner) else tree.body[0]
    return ast.get_docstring(holder) or ""
