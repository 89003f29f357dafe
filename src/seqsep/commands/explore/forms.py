"""The fields of a form, from the annotations of a function: names, ranges, choices and meanings are declared once, there.

A form takes numbers, switches and words of a list. It does not take an option that is a file: a page opens no file that a
reader names.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from seqsep.commands.explore.visit import Visit
from seqsep.commands.shared_flags import fraction
from seqsep.core.names import BadInput, excerpt
from seqsep.core.options import Option

MOST: Mapping[str, int] = {
    "length": 24,
    "alphabet": 64,
    "kinds": 16,
    "depth": 16,
    "gram": 6,
    "steps": 1 << 16,
    "width": 256,
    "left": 12,
    "eta": 1 << 20,
}
"""The greatest number that a page takes for an option, so that its picture can be read."""
MOST_OTHERS = 1 << 16


@dataclass(frozen=True)
class FormField:
    """A field: its name, its words, its value as text, and what it takes.

    `kind` is number, choice, switch or text.
    """

    name: str
    label: str
    kind: str
    value: str
    meaning: str = ""
    least: str = ""
    most: str = ""
    choices: tuple[str, ...] = ()


def is_offered(option: Option) -> bool:
    """Return True if a form can take the option.

    >>> is_offered(Option("length", int, 8)), is_offered(Option("text", Path, None))
    (True, False)
    """
    return option.kind in (int, bool, Fraction) or (option.kind is not Path and bool(option.choices))


def fields_of(options: Iterable[Option], visit: Visit, given: Mapping[str, Any]) -> list[FormField]:
    """Return the fields of options, each with what the visit asks for, or else with the given value or the default."""
    return [_field(option, visit, given) for option in options if is_offered(option)]


def _field(option: Option, visit: Visit, given: Mapping[str, Any]) -> FormField:
    default = given.get(option.name, None if option.is_required else option.default)
    shown = "" if default is None or default is False else str(default)
    kind = "choice" if option.choices else "switch" if option.kind is bool else "number" if option.kind is int else "text"
    least = most = ""
    if option.range is not None and option.kind is int:
        least = str(option.range.least)
        most = str(_most(option))
    value = visit.asked(option.name, shown)
    label = option.name.replace("_", " ")
    return FormField(option.name, label, kind, value, meaning=option.meaning, least=least, most=most, choices=option.choices)


def _most(option: Option) -> int:
    most = MOST.get(option.name, MOST_OTHERS)
    own = None if option.range is None else option.range.most
    return most if own is None else min(most, int(own))


def values_of(options: Iterable[Option], visit: Visit) -> dict[str, Any]:
    """Return the values that a visit gives to options. Raises BadInput, which names the field, for a wrong one.

    >>> values_of([Option("length", int, 8)], Visit(query={"length": "12"}))
    {'length': 12}
    """
    return {option.name: _value(option, visit.asked(option.name)) for option in options if _is_given(option, visit)}


def _is_given(option: Option, visit: Visit) -> bool:
    return is_offered(option) and bool(visit.asked(option.name))


def _value(option: Option, word: str) -> Any:
    name = option.name.replace("_", " ")
    if option.choices:
        if word not in option.choices:
            raise BadInput(f"{name}: expected one of {', '.join(option.choices)}, found {excerpt(repr(word))}")
        return word
    if option.kind is bool:
        return word == "yes"
    if option.kind is Fraction:
        try:
            return fraction(word)
        except Exception:
            raise BadInput(f"{name}: expected a number such as 1/64 or 0.1, found {excerpt(repr(word))}") from None
    number = whole(name, word)
    least = 0 if option.range is None else int(option.range.least)
    if not least <= number <= _most(option):
        raise BadInput(f"{name}: expected {least} to {_most(option):,} on this page, found {number:,}")
    return number


def whole(name: str, word: str) -> int:
    """Read a whole number of at most 12 digits. Raises BadInput, which names the field, for anything else.

    >>> whole("length", " 12 ")
    12
    """
    text = word.strip()
    if not text.isascii() or not text.removeprefix("-").isdecimal() or len(text) > 12:
        raise BadInput(f"{name}: expected a whole number, found {excerpt(repr(word))}")
    return int(text)


def whole_between(name: str, word: str, least: int, most: int) -> int:
    """Read a whole number from `least` to `most`. Raises BadInput for anything else.

    >>> whole_between("length", "6", 2, 8)
    6
    """
    number = whole(name, word)
    if not least <= number <= most:
        raise BadInput(f"{name}: expected {least:,} to {most:,} on this page, found {number:,}")
    return number


def taken(options: Iterable[Option], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the values that are options, each as its own annotation reads it.

    >>> taken([Option("length", int, 8)], {"length": 12, "alphabet": 4})
    {'length': 12}
    """
    found = {option.name: (values[option.name], option) for option in options if option.name in values}
    return {
        name: option.reads(value) if option.reads is not None and isinstance(value, str) else value
        for name, (value, option) in found.items()
    }
