"""The outcomes of theorems' checks, kept for `seqsep report` and `seqsep demo`, as all of them take a minute and more.

They are kept in a user's folder for caches, under a key of all that determines them: the sources, the versions of Python,
NumPy and torch, and the processor. `seqsep check` never reads them.
"""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seqsep.core.files import read_text, write_file
from seqsep.core.names import text_of

Record = dict[str, Any]
PACKAGE = Path(__file__).parents[1]
WINGS = ("core", "maths", "tasks", "models", "theorems")
"""The wings that a check of a theorem can run."""
FILE = "outcomes.json"
MOST_BYTES = 1 << 26


def cache_folder() -> Path | None:
    """Return the user's folder for caches of seqsep: in XDG_CACHE_HOME, else in ~/.cache; None without a home."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if given.is_absolute():
        return given / "seqsep"
    try:
        return Path.home() / ".cache/seqsep"
    except RuntimeError:
        return None


def key() -> dict[str, str]:
    """Return all that determines the outcomes, in words: sources as a digest, versions, processor and settings."""
    import numpy

    from seqsep.lab.device import environment

    here = {name: str(value) for name, value in environment().items()}
    return {"sources": digest_of_sources(), "python": platform.python_version(), "numpy": numpy.__version__} | here


def digest_of_sources(package: Path = PACKAGE) -> str:
    """Return the SHA-256 of every source and data file of `WINGS`, with their names."""
    whole = hashlib.sha256()
    for wing in WINGS:
        for path in sorted((package / wing).rglob("*")):
            if path.suffix in (".py", ".json") and path.is_file():
                whole.update(f"{path.relative_to(package)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


@dataclass
class OutcomeCache:
    """Records of theorems that held, by name; `path` is where they are kept, None if nowhere."""

    path: Path | None
    key: Mapping[str, str]
    records: dict[str, list[Record]] = field(default_factory=dict)
    found: int = 0

    @classmethod
    def open(cls, again: bool = False) -> "OutcomeCache":
        """Return the cache with the outcomes kept for this key. It is empty if `again`, or if the file is damaged or of another
        key.
        """
        folder = cache_folder()
        path = None if folder is None else folder / FILE
        opened = cls(path, key())
        if not again:
            opened.records = opened._read()
            opened.found = len(opened.records)
        return opened

    def keep(self, theorem: str, records: Sequence[Record]) -> None:
        """Keep the records of a theorem, if all of them hold, until `save`."""
        if all(record["holds"] for record in records):
            self.records[theorem] = list(records)

    def said(self) -> list[str]:
        """Return a line that says which outcomes are from here, and how to check again. The list is empty if none are."""
        if not self.found:
            return []
        which = f"Outcomes of {self.found} theorems are those that an earlier demo or report left in {self.path}"
        return [f"{which}; --check-again checks them again."]

    def kept(self) -> str:
        """Return the words for an interrupted command: the number of kept outcomes and their file."""
        if not self.records or self.path is None:
            return ""
        count = len(self.records)
        return f"outcomes of {count} theorem{'' if count == 1 else 's'} are kept in {self.path}"

    def save(self) -> None:
        """Write the outcomes, completely or not at all. If they cannot be written, print a warning on stderr; this is not an
        error.
        """
        if self.path is None:
            return
        body = {"key": dict(self.key), "records": self.records}
        try:
            write_file(self.path, json.dumps({"sha256": _digest(body), **body}) + "\n")
        except (OSError, ValueError) as error:
            print(f"seqsep: outcomes are not kept: {text_of(error)}", file=sys.stderr)

    def _read(self) -> dict[str, list[Record]]:
        if self.path is None:
            return {}
        try:
            kept = json.loads(read_text(self.path, most=MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(kept, dict) or kept.get("key") != self.key:
            return {}
        body = {name: kept.get(name) for name in ("key", "records")}
        records: dict[str, list[Record]] = kept["records"] if kept.get("sha256") == _digest(body) else {}
        return records


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
