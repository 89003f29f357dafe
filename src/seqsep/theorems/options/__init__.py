"""Options of theorems: the range, the choices and the meaning of each keyword, declared once in the signature.

A parameter `length: Annotated[int, Range(2, 65536), "N, tokens."]` is an option of the command line, of help, of completion, of
JSON and of the pages. `options_of` reads all of them from a function; `require_in_range` refuses a value that is out of range.
If an annotation is annotated again, the last range, choices and text count: `Annotated[Length, Range(2, 16)]`.

Files:

    types  the types of the options that several theorems have
"""

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from types import NoneType
from typing import Annotated, Any

import numpy as np

from seqsep.core.names import excerpt

Number = int | float

LEAST_FRACTION = Fraction(1, 1 << 30)
MOST_SEED = (1 << 63) - 1
NAMED_ENDS: Mapping[Any, str] = {LEAST_FRACTION: "2^-30", MOST_SEED: "2^63 - 1"}


@dataclass(frozen=True)
class Range:
    """The values from `least` to `most`, both included; if `is_open`, without `most`; if `most` is None, without an end.

    >>> str(Range(2, 65536)), str(Range(0)), str(Range(LEAST_FRACTION, Fraction(1, 2), is_open=True))
    ('2 to 65,536', 'from 0', 'from 2^-30, below 1/2')
    """

    least: int | Fraction
    most: int | Fraction | None = None
    is_open: bool = False

    def has(self, value: Number | Fraction) -> bool:
        """Return True if the value is in the range.

        >>> Range(1, 2).has(2), Range(1, 2).has(0)
        (True, False)
        """
        if self.most is None:
            return self.least <= value
        return self.least <= value < self.most if self.is_open else self.least <= value <= self.most

    def __str__(self) -> str:
        least = _shown_end(self.least)
        if self.most is None:
            return f"from {least}"
        return f"from {least}, below {_shown_end(self.most)}" if self.is_open else f"{least} to {_shown_end(self.most)}"


@dataclass(frozen=True, init=False)
class OneOf:
    """The words that an option is chosen from; if `or_file`, it may also be the path of a file.

    `listed` gives the words when they are first asked for, if listing them takes an import or a folder's files.

    >>> OneOf("floor", "nearest").words
    ('floor', 'nearest')
    """

    listed: Callable[[], tuple[str, ...]]
    or_file: bool

    def __init__(self, *words: str, or_file: bool = False, listed: Callable[[], tuple[str, ...]] | None = None) -> None:
        object.__setattr__(self, "listed", listed or (lambda: words))
        object.__setattr__(self, "or_file", or_file)

    @property
    def words(self) -> tuple[str, ...]:
        """The words, in the order in which help lists them."""
        return self.listed()


@dataclass(frozen=True)
class Read:
    """The function that turns a word of the command line into the value of an option."""

    read: Callable[[str], Any]


@dataclass(frozen=True)
class FieldsOf:
    """The record whose fields are options, as the annotation of `**keywords`."""

    record: type


@dataclass(frozen=True, init=False)
class InPlaceOf:
    """The options that an option replaces: giving both is an error."""

    others: tuple[str, ...]

    def __init__(self, *others: str) -> None:
        object.__setattr__(self, "others", others)


@dataclass(frozen=True)
class Option:
    """A keyword argument of a theorem's function.

    Fields:
        name: the parameter's name; the flag has dashes for underscores.
        kind: the type of a value, such as int, Fraction, str, Path or bool.
        default: the default; `inspect.Parameter.empty` if the option is required.
        meaning: what the option is, in one or two sentences.
        range: the values of a number; None for what is not a number.
        choice: the words to choose from, or None.
        reads: how a word of the command line is read, or None if the type says it.
        in_place_of: options that this one replaces.
    """

    name: str
    kind: Any
    default: Any
    meaning: str = ""
    range: Range | None = None
    choice: OneOf | None = None
    reads: Callable[[str], Any] | None = None
    in_place_of: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        """The flag of the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def choices(self) -> tuple[str, ...]:
        """The words to choose from; empty if any word is allowed."""
        return () if self.choice is None else self.choice.words

    @property
    def is_required(self) -> bool:
        """True if the option has no default."""
        return self.default is inspect.Parameter.empty

    def require(self, where: str, value: Any) -> None:
        """Raise ValueError, which begins with `where`, for a value out of the range or the choices.

        >>> Option("length", int, 8, range=Range(2, 16)).require("check parity: length", 1)
        Traceback (most recent call last):
        ValueError: check parity: length is 2 to 16, found 1
        """
        if self.choice and not self.choice.or_file and isinstance(value, str) and value not in self.choice.words:
            raise ValueError(f"{where} is one of {', '.join(self.choice.words)}, found {excerpt(repr(value))}")
        if self.range is None or value is None:
            return
        is_whole = isinstance(self.range.least, int)
        if not isinstance(value, int if is_whole else int | float | Fraction) or isinstance(value, bool):
            wanted = "a whole number" if is_whole else "a number"
            raise ValueError(f"{where} is {wanted}, {self.range}, found {excerpt(repr(value))}")
        if not self.range.has(value):
            raise ValueError(f"{where} is {self.range}, found {shown_briefly(value) if isinstance(value, int) else value}")


def options_of(function: Callable[..., Any]) -> tuple[Option, ...]:
    """Return the options of a function, in the order of its signature.

    A parameter that `functools.partial` has filled keeps its place, with that value as its default. Keywords that are
    annotated with `FieldsOf` are the fields of a record. A parameter without an annotation has the type of its default.

    >>> def check(length: Annotated[int, Range(1, 9), "N, tokens."] = 4, code: str | None = None) -> None: ...
    >>> [(option.name, option.meaning, option.default) for option in options_of(check)]
    [('length', 'N, tokens.', 4), ('code', '', None)]
    """
    plain = inspect.unwrap(function.func if isinstance(function, partial) else function)
    hints = typing.get_type_hints(plain, include_extras=True)
    options: list[Option] = []
    for name, parameter in inspect.signature(inspect.unwrap(function)).parameters.items():
        hint = hints.get(name, type(parameter.default))
        records = [note.record for note in typing.get_args(hint) if isinstance(note, FieldsOf)]
        options += options_of(records[0]) if records else [_option(parameter, hint)]
    return tuple(options)


def require_in_range(where: str, options: Mapping[str, Option], given: Mapping[str, Any]) -> None:
    """Raise ValueError for the first given value that is out of range, or is next to an option that replaces it.

    >>> require_in_range("check parity", {"length": Option("length", int, 8, range=Range(2, 16))}, {"length": 1})
    Traceback (most recent call last):
    ValueError: check parity: length is 2 to 16, found 1
    """
    for name in given:
        for other in options[name].in_place_of if given[name] is not None else ():
            if given.get(other) not in (None, False):
                raise ValueError(f"{where}: expected {name} or {other}, found both: {name} stands in its place")
    for name, value in given.items():
        options[name].require(f"{where}: {name.replace('_', '-')}", value)


def plain_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with Python's numbers and lists in place of NumPy's: an int64 would overflow where an int grows.

    >>> plain_options({"length": np.int64(9), "code": "parabola"})
    {'length': 9, 'code': 'parabola'}
    """
    return {name: value.tolist() if isinstance(value, np.generic | np.ndarray) else value for name, value in options.items()}


def shown_briefly(number: int) -> str:
    """A whole number in digits, or beyond 10^30 as a power of two.

    >>> shown_briefly(1 << 20), shown_briefly(1 << 5000)
    ('1,048,576', 'about 2^5000')
    """
    return f"{number:,}" if abs(number) < 10**30 else f"about 2^{number.bit_length() - 1}"


def _option(parameter: inspect.Parameter, hint: Any) -> Option:
    """The option of a parameter: of a union, the annotated part, or the first that is not None."""
    parts = [part for part in (typing.get_args(hint) if _is_union(hint) else (hint,)) if part is not NoneType]
    annotated = next((part for part in parts if typing.get_origin(part) is Annotated), parts[0])
    kind, *notes = typing.get_args(annotated) if typing.get_origin(annotated) is Annotated else (annotated,)
    if _is_union(kind):
        kind = next(part for part in typing.get_args(kind) if part is not NoneType)
    option = Option(parameter.name, kind, parameter.default)
    if typing.get_origin(kind) is typing.Literal:
        option = replace(option, kind=str, choice=OneOf(*typing.get_args(kind)))
    for note in notes:
        option = _noted(option, note)
    return option


def _noted(option: Option, note: Any) -> Option:
    if isinstance(note, Range):
        return replace(option, range=note)
    if isinstance(note, OneOf):
        return replace(option, choice=note)
    if isinstance(note, Read):
        return replace(option, reads=note.read)
    if isinstance(note, InPlaceOf):
        return replace(option, in_place_of=note.others)
    return replace(option, meaning=note) if isinstance(note, str) else option


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) is typing.Union or type(hint).__name__ == "UnionType"


def _shown_end(value: int | Fraction) -> str:
    return NAMED_ENDS.get(value) or (f"{value:,}" if isinstance(value, int) else str(value))
