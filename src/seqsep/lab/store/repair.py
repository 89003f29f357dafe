"""Repair of a damaged store: every intact row goes to a new one. The damaged file is kept next to it under another name."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seqsep.core.files import fsync_dir, read_bytes
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.store.driver_lock import only_driver
from seqsep.lab.store.pages import Forged
from seqsep.lab.store.place import JOURNAL, LOGS, StoreError, StoreUnavailable, copy_of, unused
from seqsep.lab.store.salvage import Salvage, holds_a_row, salvage
from seqsep.lab.store.schema import APPLICATION_ID, digests_of
from seqsep.lab.store.store import Store

LARGEST_STORE = 1 << 33
"""Bytes that are read into memory at most."""


@dataclass(frozen=True)
class Repaired:
    """The result of a repair: how many rows of runs and checkpoints are kept, and what is lost.

    `damaged` is the path of the damaged file. It is None if the store was sound; then it is as it was.
    """

    runs: int
    checkpoints: int
    lost: tuple[str, ...]
    damaged: Path | None


def repair(path: Path | str) -> Repaired:
    """Keep every intact row of a store that SQLite or its digests find damaged.

    A sound store is left as it is. Raises StoreError if no row is intact, and StoreUnavailable while a sweep writes or if the
    disk is full; the file is as it was then.
    """
    path = Path(path).resolve()
    if not path.is_file() and not Path(f"{path}-wal").is_file():
        raise StoreError(f"{path}: expected a store of seqsep, found no such file")
    try:
        _require_own(path, *_read(path))  # before a lock file is made: a file of another program stays alone
        with only_driver(path):
            database, log = _read(path)
            salvaged = salvage(database, log)
            sound = _sound(path, salvaged, bool(log)) if path.exists() else None
            return _rebuilt(path, salvaged) if sound is None else sound
    except Forged as error:
        raise StoreError(f"{path}: {error}; the file is as it was") from error
    except StoreUnavailable:
        raise
    except OSError as error:
        raise StoreUnavailable(f"{path}: cannot be repaired: {error.strerror or error}; the file is as it was") from error


def _read(path: Path) -> tuple[bytes, bytes]:
    """Return the bytes of a store and of its log, each empty if its file does not exist."""
    database, log = (
        read_bytes(file, most=LARGEST_STORE) if os.path.lexists(file) else b"" for file in (path, Path(f"{path}-wal"))
    )
    return database, log


def _require_own(path: Path, database: bytes, log: bytes) -> None:
    """Raise StoreError unless a file has the header of a store, or the file or its log has an intact row."""
    has_header = database[:16] == b"SQLite format 3\0" and int.from_bytes(database[68:72], "big") == APPLICATION_ID
    if not has_header and not holds_a_row(database, log):
        raise StoreError(f"{path}: expected a store with an intact row, found none; the file is as it was")


def _sound(path: Path, salvaged: Salvage, has_log: bool) -> Repaired | None:
    """Count what a sound store holds. A copy is opened, as SQLite would write to the file itself."""
    if os.path.lexists(f"{path}{JOURNAL}"):
        return None
    with copy_of(path) as folder:
        copy = Path(folder) / path.name
        try:
            with Store(copy, create=False) as store:
                runs, checkpoints = store.contents()
        except StoreError:
            return None
    # SQLite drops the rest of a log from the first damaged page on, and finds nothing wrong.
    ended = {key for _, key, _, _, result, *_ in runs if result is not None}
    known = ended | {key for key, *_ in checkpoints}
    hidden = salvaged.runs.keys() - {(experiment, key) for experiment, key, *_ in runs}
    unseen = [key for key, row in salvaged.checkpoints.items() if key not in known and _on_disk(path, row)]
    dropped = has_log and (salvaged.lost or salvaged.lost_checkpoints)
    return None if hidden or unseen or dropped else Repaired(len(runs), len(checkpoints), (), None)


def _rebuilt(path: Path, salvaged: Salvage) -> Repaired:
    """Put a store of the intact rows in place. Raises StoreError if there is none."""
    if not salvaged.runs and not salvaged.checkpoints:
        raise StoreError(f"{path}: expected a store with an intact row, found none; the file is as it was")
    checkpoints = [row for row in salvaged.checkpoints.values() if _on_disk(path, row)]
    # Nobody else can put a link into the folder: its name is random, and it is private.
    with TemporaryDirectory(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent) as folder:
        fresh = Path(folder) / path.name
        with Store(fresh) as store:
            store.fill({"runs": salvaged.runs.values(), "checkpoints": checkpoints})
        if path.exists():
            shutil.copymode(path, fresh)
        damaged = unused(path, "damaged")
        _replace(path, fresh, damaged)
    lost = [f"run {key} of experiment {experiment!r}" for experiment, key in salvaged.lost]
    lost += [f"checkpoint of run {key}" for key in salvaged.lost_checkpoints]
    return Repaired(len(salvaged.runs), len(checkpoints), tuple(lost), damaged)


def _replace(path: Path, fresh: Path, damaged: Path) -> None:
    """Put `fresh` in the place of `path`, which is linked under the other name first. At no instant is a file missing."""
    for suffix in ("", *LOGS[:2]):
        if os.path.lexists(f"{path}{suffix}"):
            os.link(f"{path}{suffix}", f"{damaged}{suffix}", follow_symlinks=False)
    fsync_dir(path.parent)
    for suffix in LOGS:  # SQLite would take the log of the damaged file for that of the new one
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    fresh.replace(path)
    fsync_dir(path.parent)


def _on_disk(path: Path, row: tuple[Any, ...]) -> bool:
    """Return True if a file of a checkpoint's row is there. A row without one is worth nothing: its run has ended since."""
    key, _, column, _ = row
    place = Path(f"{path}.checkpoints") / f"{key}.safetensors"
    return any(checkpoint_file(place, digest).exists() for digest in digests_of(column))
