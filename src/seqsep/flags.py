"""Options read from flags: a task's fields, a theorem's parameters; names with their nearest neighbours."""

import argparse
import difflib
from argparse import SUPPRESS
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from fractions import Fraction
from inspect import signature
from typing import Any, NoReturn, get_args, get_type_hints


class BadInput(ValueError):
    """Something the user gave is wrong; the message is one line."""


class Parser(argparse.ArgumentParser):
    """argparse with one-line errors."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (try {self.prog} --help)")


def positive(text: str) -> int:
    """A whole number from 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, found {text}")
    return value


def fraction(text: str) -> Fraction:
    """A fraction or decimal number: 1/64, 0.1."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"expected a number such as 1/64 or 0.1, found {text}") from None


def choose(kind: str, name: str, known: Sequence[str]) -> str:
    """The known name that is meant, dashed. Raises BadInput with the nearest names."""
    dashed = name.replace("_", "-")
    if dashed in known:
        return dashed
    near = difflib.get_close_matches(dashed, known, n=3, cutoff=0.4) or sorted(known)
    raise BadInput(f"unknown {kind} {name!r}; did you mean {', '.join(near)}?")


def task_fields(name: str, rest: Sequence[str]) -> Any:
    """The task of a name, with its fields read from flags."""
    from seqsep.tasks import BY_NAME

    task = BY_NAME[choose("task", name, list(BY_NAME))]
    parser = Parser(prog=f"seqsep sample {name}")
    for field in fields(task):
        required = field.default is MISSING
        parser.add_argument(f"--{field.name.replace('_', '-')}", dest=field.name, type=int, required=required,
                            default=None if required else field.default)  # fmt: skip
    return task(**vars(parser.parse_args(rest)))


def theorem_options(command: str, names: Sequence[str], calls: Mapping[str, Any], rest: Sequence[str]) -> dict[str, Any]:
    """Options of the theorems' functions read from flags; their types are those of the parameters."""
    parser = Parser(prog=f"seqsep {command} {' '.join(names) if len(names) < 3 else ''}".strip(), argument_default=SUPPRESS)
    types: dict[str, tuple[Any, bool]] = {}
    for call in calls.values():
        hints = get_type_hints(call)
        types |= {name: (hints[name], entry.default is entry.empty) for name, entry in signature(call).parameters.items()}
    for name, (hint, required) in types.items():
        flag = f"--{name.replace('_', '-')}"
        kind = next(part for part in (get_args(hint) or (hint,)) if part is not type(None))
        if kind is bool:
            parser.add_argument(flag, action="store_true")
        else:
            read = fraction if kind is Fraction else kind if isinstance(kind, type) else str
            parser.add_argument(flag, type=read, required=required)
    given, unknown = parser.parse_known_args(rest)
    if unknown:
        raise BadInput(f"{command}: {unknown[0]} is not an option of {' or '.join(names)}")
    return vars(given)
