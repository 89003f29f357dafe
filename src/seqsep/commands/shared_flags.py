"""Readers of flags that several commands share: counts, a task's fields, a theorem's options, a user's own layers and
models.
"""

import argparse
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

from seqsep.core.names import BadInput, excerpt
from seqsep.lab.store_file import is_store

KEY = re.compile("[0-9a-f]{64}")
"""The key of a run, which is the name of the file of its model."""


def whole_number(text: str) -> int:
    """Read a whole number. Raises ArgumentTypeError, which argparse reports, for anything else.

    >>> whole_number("20")
    20
    """
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, found {text!r}") from None


def number(text: str) -> float:
    """Read a number. Raises ArgumentTypeError for anything else."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, found {text!r}") from None


def positive(text: str) -> int:
    """Read a whole number from 1. Raises ArgumentTypeError for anything else."""
    value = whole_number(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, found {text}")
    return value


def seconds(text: str) -> float:
    """Read a finite time above 0, in seconds. Raises ArgumentTypeError for anything else."""
    value = number(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds above 0, found {text}")
    return value


def label(text: str) -> str:
    """Read a label of runs. Raises ArgumentTypeError for anything else.

    >>> label("mine")
    'mine'
    """
    from seqsep.lab.run_labels import require_label

    try:
        return require_label(text, "label")
    except BadInput as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("label: ")) from None


def fraction(text: str) -> Fraction:
    """Read a fraction or a decimal number: 1/64, 0.1. Raises ArgumentTypeError for anything else.

    At most 50 characters and an exponent of two digits, because the exponent after e is multiplied out.
    """
    if len(text) > 50 or re.search("e[+-]?[0-9_]{3}", text.lower()):
        raise argparse.ArgumentTypeError(
            f"expected a number such as 1/64 or 0.1, of at most 50 characters and from 1e-99 to 1e99, found {excerpt(text)}"
        )
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"expected a number such as 1/64 or 0.1, found {text}") from None


def fields_from_flags(words: Sequence[str]) -> dict[str, int | float | str]:
    """Return the values of flags whose names and types are known only later: --name 3, or --name=next.

    Raises BadInput for a word that is not a flag, or a flag without a value.
    """
    parts = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    flags = parts[::2]
    values = [*parts[1::2], ""][: len(flags)]
    fields: dict[str, int | float | str] = {}
    for flag, value in zip(flags, values, strict=True):
        if not flag.startswith("--"):
            raise BadInput(f"unknown argument {flag} (try seqsep --help)")
        if not value or value.startswith("--"):
            raise BadInput(f"unknown argument {flag}: a task's field takes a value")
        fields[flag[2:].replace("-", "_")] = _number_or_text(value)
    return fields


def _number_or_text(text: str) -> int | float | str:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def reader(kind: Any) -> Callable[[str], Any]:
    """Return the function that turns a word into a value of a parameter's type."""
    readers: dict[Any, Callable[[str], Any]] = {int: whole_number, float: number, Fraction: fraction}
    return readers.get(kind, kind if isinstance(kind, type) else str)


def add_own_part_flags(parser: argparse.ArgumentParser, mixer_help: str, stall_seconds: float) -> None:
    """Add flags for a user's own layers and models, and for the longest time without progress."""
    parser.add_argument(
        "--mixer", action="append", default=[], metavar="MIXER", help=f"{mixer_help}; may be given several times"
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="FILE.py:CLASS",
        help="your own module from tokens to logits, built as CLASS(vocabulary, classes, longest, width)",
    )
    parser.add_argument(
        "--stall-seconds",
        type=seconds,
        default=stall_seconds,
        metavar="S",
        help=f"fail a run or check that makes no progress for S seconds; by default {stall_seconds:g}",
    )


def add_kept_model(parser: argparse.ArgumentParser, folder: str = "") -> None:
    """Add what names a kept model: its file, or a store and a key, and the files of the user's own parts.

    `folder`: what a folder in its place is, if that is possible.
    """
    place = "FILE|STORE|FOLDER" if folder else "FILE|STORE"
    kept = "a kept model (the .safetensors file that --keep-weights or seqsep.save wrote)"
    what = f"{kept}, {'' if folder else 'or '}the store of a run with --keep-weights{', or ' if folder else ''}{folder}"
    parser.add_argument("model", type=Path, metavar=place, help=what)
    parser.add_argument(
        "key", nargs="?", metavar="KEY", help="if the first argument is a store: the key of a run, or the beginning of the key"
    )
    parser.add_argument(
        "--part",
        type=Path,
        action="append",
        default=[],
        metavar="FILE.py",
        help="if the kept model uses your own layers, model or task: the Python file with them",
    )


def weights_folder(store: Path) -> Path:
    """Return the folder with the models of a store's runs, each as KEY.safetensors.

    >>> weights_folder(Path("runs/store.sqlite"))
    PosixPath('runs/store.sqlite.weights')
    """
    return Path(f"{store}.weights")


def kept_file(place: Path, key: str | None) -> Path:
    """Return the file of a model: `place` itself, or the model of the run in a store whose key begins with `key`, or of its
    only run.

    Raises BadInput if none or several do, with the keys that there are.

    >>> kept_file(Path("model.safetensors"), None)
    PosixPath('model.safetensors')
    """
    folder = weights_folder(place)
    if not folder.is_dir() and is_store(place):
        raise BadInput(
            f"{place}: expected a store that keeps weights, found one without the folder {folder}; train with --keep-weights"
        )
    if key is None and not folder.is_dir():
        return place
    if key is not None and place.is_file() and not folder.is_dir():
        raise BadInput(f"{place} {key}: expected no KEY after the file of one model; only a store takes a KEY")
    files = sorted(file for file in folder.glob("*.safetensors") if KEY.fullmatch(file.stem)) if folder.is_dir() else []
    found = [file for file in files if file.stem.startswith(key or "")]
    if len(found) != 1:
        known = ", ".join(file.stem[:12] for file in files[:8]) or "none"
        several = f"{len(found)} keys that begin so" if found else "none that begins so"
        if key is None:
            several = f"no KEY and {len(found)} of them"
        named = f"{place} {key or ''}".strip()
        raise BadInput(f"{named}: expected the key of a run kept in {folder}, found {several}; there are {known}")
    return found[0]
