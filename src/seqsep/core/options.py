"""Options and fields: type, range or choices, and meaning, declared once in a signature.

A parameter `length: Annotated[int, Range(2, 65536), "N, tokens."]` of a theorem's function is an option of the command line, of
help, of completion, of JSON and of the pages; so is a field of a task. `options_of` reads all of them from a function.
`require_in_range` refuses a value that is out of range. If an annotation is annotated again, the last range, choices and text
count: `Annotated[Length, Range(2, 16)]`.
"""

import inspect
import math
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from types import NoneType
from typing import Annotated, Any

from seqsep.core.names import excerpt

Number = int | float

LEAST_FRACTION = Fraction(1, 1 << 30)
MOST_SEED = (1 << 63) - 1
LEAST_POWER = 1 << 20
"""From here on, a power of two that ends a range is shown as a power."""


@dataclass(frozen=True)
class Range:
    """The values from `least` to `most`, both included; if `most` is None, without an end.

    Fields:
        least: the least value.
        most: the greatest value.
        above: `least` itself is not included.
        below: `most` itself is not included.
        also: a further condition, in words.
        unit: the unit of the value in an error message.

    >>> str(Range(2, 65536)), str(Range(0)), str(Range(LEAST_FRACTION, Fraction(1, 2), below=True))
    ('2 to 65,536', 'from 0', 'from 2^-30 and below 1/2')
    >>> str(Range(1, 2**20)), str(Range(0, also="and 0 with the form paper")), str(Range(0, above=True))
    ('1 to 2^20', 'from 0, and 0 with the form paper', 'above 0')
    """

    least: Number | Fraction
    most: Number | Fraction | None = None
    above: bool = False
    below: bool = False
    also: str = ""
    unit: str = ""

    def has(self, value: Number | Fraction) -> bool:
        """Return True if the value is in the range; `also` is not tested.

        >>> Range(1, 2).has(2), Range(1, 2).has(0), Range(1, 2, below=True).has(2)
        (True, False, False)
        """
        starts = self.least < value if self.above else self.least <= value
        return starts and (self.most is None or (value < self.most if self.below else value <= self.most))

    @property
    def expected(self) -> str:
        """The values and their unit, as an error message has them.

        >>> Range(1, unit="pair").expected, Range(1, 2**20, unit="pairs").expected
        ('at least 1 pair', '1 to 2^20 pairs')
        """
        return f"{self._ends().replace('from', 'at least')} {self.unit}".rstrip()

    def _ends(self) -> str:
        least = shown_end(self.least)
        first = f"{'above' if self.above else 'from'} {least}"
        if self.most is None:
            return first
        most = shown_end(self.most)
        if not self.above and not self.below:
            return f"{least} to {most}"
        return f"{first} and {'below' if self.below else 'at most'} {most}"

    def __str__(self) -> str:
        return f"{self._ends()}, {self.also}" if self.also else self._ends()


@dataclass(frozen=True, init=False)
class OneOf:
    """The words that an option is chosen from; if `or_file`, it may also be the path of a file.

    `listed` gives the words when they are first asked for, if listing them takes an import or a folder's files.

    >>> OneOf("floor", "nearest").words, str(OneOf("random", "one", "next"))
    (('floor', 'nearest'), 'random, one or next')
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

    def __str__(self) -> str:
        *others, last = self.words
        return f"{', '.join(others)} or {last}"


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
    """A keyword argument of a theorem's function, a field of a task, or a setting of a run.

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

    @property
    def explained(self) -> str:
        """The meaning, and after a semicolon the values; empty if nothing is declared.

        >>> option_of("alphabet", Annotated[int, Range(1, 2**31), "S, symbols to choose from"]).explained
        'S, symbols to choose from; 1 to 2^31'
        """
        values = self.range or self.choice
        return "; ".join(part for part in (self.meaning, "" if values is None else str(values)) if part)

    def fault(self, value: Any) -> str | None:
        """Return the end of the sentence that refuses a value out of the range or the choices; None for any other value.

        >>> length = Option("length", int, 8, range=Range(2, 16))
        >>> length.fault(1), length.fault(2.5), length.fault(2)
        ('is 2 to 16, found 1', 'is a whole number, 2 to 16, found 2.5', None)
        >>> Option("scale", float, 1.0, range=Range(0, above=True)).fault(float("inf"))
        'is a finite number, above 0, found inf'
        """
        if self.choice and not self.choice.or_file and isinstance(value, str) and value not in self.choice.words:
            return f"is one of {', '.join(self.choice.words)}, found {excerpt(repr(value))}"
        if self.range is None or value is None:
            return None
        if not isinstance(value, int if self.kind is int else int | float | Fraction) or isinstance(value, bool):
            wanted = "a whole number" if self.kind is int else "a number"
            return f"is {wanted}, {self.range.expected}, found {excerpt(repr(value))}"
        if isinstance(value, float) and not math.isfinite(value):
            return f"is a finite number, {self.range.expected}, found {value}"
        if not self.range.has(value):
            return f"is {self.range.expected}, found {shown_briefly(value) if isinstance(value, int) else value}"
        return None


def options_of(function: Callable[..., Any]) -> tuple[Option, ...]:
    """Return the options of a function or the fields of a dataclass, in the order of the signature.

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
        options += options_of(records[0]) if records else [option_of(name, hint, parameter.default)]
    return tuple(options)


def option_of(name: str, hint: Any, default: Any = inspect.Parameter.empty) -> Option:
    """Return the option that an annotation declares: of a union, its annotated part, or its first that is not None.

    >>> option_of("order", Annotated[str, OneOf("any", "fixed"), "order of the keys"] | None, None).choices
    ('any', 'fixed')
    """
    parts = [part for part in (typing.get_args(hint) if _is_union(hint) else (hint,)) if part is not NoneType]
    annotated = next((part for part in parts if typing.get_origin(part) is Annotated), parts[0])
    kind, *notes = typing.get_args(annotated) if typing.get_origin(annotated) is Annotated else (annotated,)
    if _is_union(kind):
        kind = next(part for part in typing.get_args(kind) if part is not NoneType)
    option = Option(name, kind, default)
    if typing.get_origin(kind) is typing.Literal:
        option = replace(option, kind=str, choice=OneOf(*typing.get_args(kind)))
    for note in notes:
        option = _noted(option, note)
    return option


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
        fault = options[name].fault(value)
        if fault is not None:
            raise ValueError(f"{where}: {name.replace('_', '-')} {fault}")


def shown_briefly(number: int) -> str:
    """A whole number in digits, or beyond 10^30 as a power of two.

    >>> shown_briefly(1 << 20), shown_briefly(1 << 5000)
    ('1,048,576', 'about 2^5000')
    """
    return f"{number:,}" if abs(number) < 10**30 else f"about 2^{number.bit_length() - 1}"


def shown_end(end: Number | Fraction) -> str:
    """The end of a range in digits. A large power of two, the number below it, and its inverse are shown as powers.

    >>> shown_end(65536), shown_end(2**20), shown_end(2**63 - 1), shown_end(Fraction(1, 2**30)), shown_end(0.00001)
    ('65,536', '2^20', '2^63 - 1', '2^-30', '0.00001')
    """
    if isinstance(end, float):
        return f"{end:.10f}".rstrip("0").rstrip(".")
    inverse = 1 / Fraction(end) if end else 0
    for form, power in {"2^{}": end, "2^{} - 1": end + 1, "2^-{}": inverse}.items():
        if power >= LEAST_POWER and power.denominator == 1 and power.numerator.bit_count() == 1:
            return form.format(power.numerator.bit_length() - 1)
    return f"{end:,}" if isinstance(end, int) else str(end)


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
