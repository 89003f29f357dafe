"""Names that a reader gives to runs, by the runs' keys: in a separate file next to a store or a file of rows.

A label says nothing of what is trained, so it is not a field of a run: the key, the row and its digest stay as they are, and a
run can be named later, or otherwise. The file is the store's or the rows' path followed by `.labels.json`.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from seqsep.core.files import read_bytes, write_file
from seqsep.core.names import BadInput, printable

Labels = Mapping[str, str]
NO_LABELS: Labels = MappingProxyType({})
MOST_BYTES = 1 << 24
LABEL = re.compile(r"[^\W_][^\x00-\x1f\x7f$\\]{0,39}")
KEY = re.compile("[0-9a-f]{64}")


def require_label(text: str, where: str) -> str:
    """Return the label, if it is valid. Raises BadInput that begins with `where`.

    >>> require_label("mine, 2 layers", "--label")
    'mine, 2 layers'
    """
    if LABEL.fullmatch(text) is None or printable(text, kept="") != text:
        raise BadInput(
            f"{where}: expected at most 40 characters in one line, without $, \\ and control characters, that begin with a "
            f"letter or a digit, found {text[:60]!r}"
        )
    return text


def labels_file(place: Path | str) -> Path:
    """Return the file of the labels of a store, or of a file of rows.

    >>> labels_file("runs/store.sqlite").name
    'store.sqlite.labels.json'
    """
    return Path(f"{place}.labels.json")


def read_labels(place: Path | str) -> dict[str, str]:
    """Return the labels next to a store or a file of rows, by key; empty if the file does not exist.

    Raises ValueError, which names the file, for one that holds anything else.
    """
    path = labels_file(place)
    try:
        data = read_bytes(path, most=MOST_BYTES)
    except FileNotFoundError:
        return {}
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(KEY.fullmatch(key) and isinstance(found[key], str) for key in found):
        raise ValueError(f"{path}: expected a JSON object of keys of runs with their labels, found something else")
    return {key: require_label(label, f"{path}: {key[:12]}") for key, label in found.items()}


def write_labels(place: Path | str, labels: Labels) -> None:
    """Write the labels of a store or a file of rows. Without labels, write only if the file exists already.

    >>> import tempfile
    >>> rows = Path(tempfile.mkdtemp()) / "rows.jsonl"
    >>> write_labels(rows, {"0" * 64: "mine"})
    >>> list(read_labels(rows).values())
    ['mine']
    """
    path = labels_file(place)
    if labels or path.exists():
        write_file(path, json.dumps(dict(labels), indent=0, sort_keys=True, ensure_ascii=False) + "\n", read=[Path(place)])


def add_labels(place: Path | str, keys: Iterable[str], label: str) -> None:
    """Give these runs the label, in place of any that they have."""
    write_labels(place, read_labels(place) | dict.fromkeys(keys, label))
