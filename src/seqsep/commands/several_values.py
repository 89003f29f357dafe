"""Flags that take one value or several with commas between them: a run for each combination."""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
THOUSANDS = re.compile(r"\d{1,3}(,\d{3})*,0\d\d(,\d{3})*")


class Choices(tuple[str, ...]):
    """Words of a flag of which several may be given."""

    def __contains__(self, given: object) -> bool:
        words = given if isinstance(given, tuple) else (given,)
        return all(super(Choices, self).__contains__(word) for word in words)


def several(read: Callable[[str], Any], choices: Sequence[str] = ()) -> Callable[[str], tuple[Any, ...]]:
    """Return a reader of one value or several with commas. It raises ArgumentTypeError for anything else.

    >>> several(float)("1e-3,3e-3")
    (0.001, 0.003)
    """

    def reader(text: str) -> tuple[Any, ...]:
        if THOUSANDS.fullmatch(text):
            raise argparse.ArgumentTypeError(f"expected a number without commas, such as {text.replace(',', '')}, found {text}")
        words = text.split(",")
        for word in words if choices else ():
            if word not in choices:
                raise argparse.ArgumentTypeError(f"expected {', '.join(choices)}, found {word!r}")
        return tuple(dict.fromkeys(read(word) for word in words))

    reader.__name__ = read.__name__  # by which the pages of commands know the type
    return reader


def combinations(values: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return each combination of the values, by name.

    >>> combinations({"width": (16, 32), "steps": (5,)})
    [{'width': 16, 'steps': 5}, {'width': 32, 'steps': 5}]
    """
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def field_combinations(fields: Mapping[str, int | float | str]) -> list[dict[str, int | float | str]]:
    """Return each combination of a task's fields, of which a value such as 2,4,8 stands for several. Other texts stay as they
    are, also with commas.

    >>> field_combinations({"length": "16,32", "form": "zoology"})
    [{'length': 16, 'form': 'zoology'}, {'length': 32, 'form': 'zoology'}]
    """
    return combinations({name: tuple(_values(value)) for name, value in fields.items()})


def _values(value: int | float | str) -> Iterable[int | float | str]:
    words = value.split(",") if isinstance(value, str) else []
    if len(words) < 2 or not all(map(NUMBER.fullmatch, words)):
        return [value]
    return dict.fromkeys(int(word) if re.fullmatch(r"[+-]?\d+", word) else float(word) for word in words)
