"""The files that one command writes: each has its own name, can be written, and differs from every file that the command reads.

A command checks them before its work, so that no work is lost for a name.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from seqsep.core.files import kind_of, require_output
from seqsep.core.names import BadInput
from seqsep.lab.store_file import is_store

REPORT_FOLDERS = ("figures", "tables")
REPORT_FILES = ("index.html", "proofs.html", "is-tree.html", "picture.png", "references.bib")


def require_outputs(outputs: Iterable[Path | None], read: Iterable[Path]) -> None:
    """Raise BadInput, before anything runs, unless each of the outputs that are asked for can be written.

    A store is never overwritten: its rows would be lost.

    >>> require_outputs([Path("a.json"), None, Path("./a.json")], read=[])
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: a.json: expected a name for each file to write, found it twice
    """
    inputs = list(read)
    asked = [path for path in outputs if path is not None]
    for place, path in enumerate(asked):
        require_output(path, read=inputs)
        require_folder(path.parent)
        if is_store(path):
            raise BadInput(f"{path}: expected a file to write that is not a store or another database, found one")
        if path.absolute() in [other.absolute() for other in asked[:place]]:
            raise BadInput(f"{path}: expected a name for each file to write, found it twice")


def require_folder(path: Path) -> None:
    """Raise BadInput unless the path is a folder to write to, or can become one.

    >>> require_folder(Path("/dev/null/pages"))
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: /dev/null/pages: expected a folder to write to, found a device at /dev/null
    """
    there = next(place for place in (path, *path.absolute().parents) if os.path.lexists(place))
    if not there.is_dir():
        at = "" if there == path else f" at {there}"
        raise BadInput(f"{path}: expected a folder to write to, found {kind_of(there.lstat().st_mode)}{at}")
    if not os.access(there, os.W_OK | os.X_OK):
        raise BadInput(f"{path}: expected a folder to write to, found no right to write to {there}")


def require_report(folder: Path) -> None:
    """Raise BadInput unless a report can be written to the folder: its pages, figures and tables.

    >>> require_report(Path("/dev/null"))
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: /dev/null: expected a folder to write to, found a device
    """
    for part in (folder, *(folder / name for name in REPORT_FOLDERS)):
        require_folder(part)
    require_outputs([folder / name for name in REPORT_FILES], read=[])


def files_among(words: Iterable[str]) -> list[Path]:
    """Return the existing files among the words of a command line, also after a flag's equals sign: its output must not replace
    them.
    """
    paths = [Path(word.rpartition("=")[2]) for word in words]
    return [path for path in paths if path.is_file()]


def file_name(label: str) -> str:
    """Return a file's name for a label: letters, digits and dashes.

    >>> file_name("own_layer.py:MovingAverage"), file_name("gated-delta(negative)")
    ('own_layer-py-MovingAverage', 'gated-delta-negative')
    """
    return re.sub(r"[^\w]+", "-", label).strip("-")
