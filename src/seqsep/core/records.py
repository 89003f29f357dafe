"""Dataclasses from JSON of a stranger: each field must have its declared type, and no code runs."""

import math
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from seqsep.core.names import BadInput, excerpt

MOST_ITEMS = 20_000
MOST_LETTERS = 2_000
MOST_NUMBER = 1 << 62


def restored(kind: Any, value: Any, where: str) -> Any:
    """Return a value that `json` read as a value of the declared type. Lists become tuples, and objects become dataclasses.
    A value that is already a dataclass stays.

    An object must have every field of its dataclass and no other. Raises BadInput, which begins with the place in `where`.

    >>> restored(tuple[int, ...], [1, 2], "row")
    (1, 2)
    >>> restored(tuple[int, ...], [1, True], "row")
    Traceback (most recent call last):
    seqsep.core.names.BadInput: row[1]: expected a whole number, found True
    """
    origin = get_origin(kind)
    parts = get_args(kind)
    if kind is Any or (is_dataclass(kind) and isinstance(kind, type) and isinstance(value, kind)):
        return value
    if origin in (Union, UnionType):
        [inside] = [part for part in parts if part is not NoneType]
        return None if value is None else restored(inside, value, where)
    if origin is Literal and value in parts:
        return value
    if origin is tuple and isinstance(value, list):
        return _tuple(parts, value, where)
    if origin is dict and isinstance(value, dict) and len(value) <= MOST_ITEMS:
        return {name: restored(parts[1], one, f"{where}.{excerpt(name)}") for name, one in value.items()}
    if is_dataclass(kind) and isinstance(kind, type) and isinstance(value, dict):
        return _record(kind, value, where)
    return _plain(kind, value, where)


def _tuple(parts: tuple[Any, ...], value: list[Any], where: str) -> tuple[Any, ...]:
    kinds = [parts[0]] * len(value) if parts[1:] == (...,) else list(parts)
    if len(value) != len(kinds) or len(value) > MOST_ITEMS:
        raise BadInput(f"{where}: expected {len(kinds) if len(kinds) < MOST_ITEMS else 'fewer'} items, found {len(value)}")
    return tuple(restored(kind, one, f"{where}[{place}]") for place, (kind, one) in enumerate(zip(kinds, value, strict=True)))


def _record(kind: type, value: dict[str, Any], where: str) -> Any:
    types = _types(kind)
    wrong = sorted(types.keys() ^ value.keys())
    if wrong:
        raise BadInput(
            f"{where}: expected {', '.join(types)}, {'found no' if wrong[0] in types else 'also found'} {wrong[0]!r:.60}"
        )
    return kind(**{name: restored(types[name], one, f"{where}.{name}") for name, one in value.items()})


@lru_cache(maxsize=64)
def _types(kind: Any) -> dict[str, Any]:
    """Return the declared type of each field of a dataclass."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _plain(kind: Any, value: Any, where: str) -> Any:
    """Return a number, a text or a truth value. A whole number is a number too; a truth value is neither."""
    if type(value) is int and kind in (int, float) and abs(value) < MOST_NUMBER:
        return kind(value)
    if type(value) is float and kind is float and math.isfinite(value):
        return value
    if (type(value) is bool and kind is bool) or (type(value) is str and kind is str and len(value) <= MOST_LETTERS):
        return value
    words = {
        int: "a whole number",
        float: "a finite number",
        bool: "true or false",
        str: f"a text of at most {MOST_LETTERS:,} letters",
    }
    expected = words.get(kind, "a list" if get_origin(kind) is tuple else "one of its words" if get_args(kind) else "an object")
    raise BadInput(f"{where}: expected {expected}, found {excerpt(repr(value))}")
