"""The place of a store: the files that can be one, copies of them, and the identity of the file that was opened."""

import os
import shutil
import stat
import time
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from seqsep.core.files import kind_of

JOURNAL = "-journal"
LOGS = ("-wal", JOURNAL, "-shm")
"""Endings of the files that SQLite keeps next to an open database, and leaves there if its process is killed."""
COPIED = ("", "-wal")
"""Endings of the files that hold rows. A journal is never copied: SQLite deletes the file that a journal names."""
NO_FILES = {
    ":memory:": "SQLite's name for a database without a file",
    "-": "the sign for the standard streams",
}
COPIES = 6
SECONDS_BETWEEN_COPIES = 0.1


class StoreError(ValueError):
    """A file is not a sound store of this version. The message is one line: path, what was expected, what was found."""


class StoreUnavailable(OSError):
    """A store cannot be used now: another driver writes, the disk is full, the directory is not writable."""


class StoreRemoved(StoreUnavailable):
    """The file of an open store was deleted or replaced: what SQLite still writes is in no file that anybody can open."""


def removed(path: Path, rows: int, rescued: Path) -> StoreRemoved:
    """Return the error of a store that was removed, whose rows are in the file `rescued`.

    >>> print(removed(Path("r.sqlite"), 1, Path("r.sqlite.rescued-1.jsonl")))
    r.sqlite: the file ... its 1 row is in r.sqlite.rescued-1.jsonl, which seqsep store import takes into a store
    """
    gone = f"{path}: the file of this store was deleted or replaced while a sweep wrote to it"
    held = "its 1 row is" if rows == 1 else f"its {rows} rows are"
    return StoreRemoved(f"{gone}; {held} in {rescued.name}, which seqsep store import takes into a store")


def repair_with(path: Path) -> str:
    """Return the steps that repair a damaged store, in words."""
    return f"seqsep store repair {path} keeps what is intact"


def require_place(path: Path) -> None:
    """Raise StoreError unless the path leads to a regular file with one name, or is a new name without a log of SQLite.

    SQLite would take a log that was left there for that of the new store. Logs of a store are regular files as well.

    >>> require_place(Path("/"))
    Traceback (most recent call last):
    seqsep.lab.store.place.StoreError: /: expected a store of seqsep, found a folder
    """
    if str(path) in NO_FILES:
        raise StoreError(f"{path}: expected a file for the store, found {NO_FILES[str(path)]}")
    if path.exists():
        _require_plain_file(path)
        _require_plain_logs(path)
        return
    if path.is_symlink():
        raise StoreError(f"{path}: expected a store of seqsep or a new name for one, found a link that leads to no file")
    left = next((log for log in (Path(f"{path}{end}") for end in LOGS) if os.path.lexists(log)), None)
    if left is not None:
        raise StoreError(f"{path}: expected a store of seqsep, found none but its log {left.name}; {repair_with(path)}")


def _require_plain_file(path: Path) -> None:
    """Raise StoreError unless a path that exists leads to a regular file with one name.

    SQLite names locks and logs after the database. Under two names two drivers would write to one file, and rows would be lost.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise StoreError(f"{path}: expected a store of seqsep, found {kind_of(status.st_mode)}")
    if status.st_nlink > 1:
        real = path.resolve()
        others = (other for other in real.parent.iterdir() if other != real and identity(other) == identity(real))
        named = next((f", one of them {other.name}" for other in others if not other.is_symlink()), "")
        found = f"found a file with {status.st_nlink} names (hard links){named}"
        raise StoreError(f"{path}: expected a file with one name, {found}; remove the other names, or use a copy")


def _require_plain_logs(path: Path) -> None:
    """Raise StoreError for a log that is not a regular file with one name, and for a rollback journal.

    A store has a write-ahead log. A journal is never ours, and a forged one makes SQLite delete any file that it names.
    """
    for ending in LOGS:
        log = Path(f"{path.resolve()}{ending}")
        try:
            status = log.lstat()
        except FileNotFoundError:
            continue
        if ending == JOURNAL:
            found = f"found the rollback journal {log.name}, which SQLite would obey"
            raise StoreError(f"{path}: expected a store with a write-ahead log, {found}; {repair_with(path)}")
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            kind = "a file with several names" if stat.S_ISREG(status.st_mode) else kind_of(status.st_mode)
            raise StoreError(f"{log}: expected the log of a store, found {kind}; move it away")


def identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of the file, which another file of the same name does not have; None if the file does not
    exist.
    """
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def unused(path: Path, word: str, ending: str = "") -> Path:
    """Return the first of FILE.word-1, FILE.word-2, ... that does not exist and has no log next to it.

    >>> unused(Path("/no/store.db"), "damaged").name
    'store.db.damaged-1'
    """
    numbered = (Path(f"{path}.{word}-{number}{ending}") for number in count(1))
    return next(place for place in numbered if not any(os.path.lexists(f"{place}{log}") for log in ("", *LOGS)))


def is_writable(path: Path) -> bool:
    """Return True if SQLite could write to a store and to its logs, which it needs in order to read as well."""
    by_rights = {"effective_ids": True} if os.access in os.supports_effective_ids else {}
    return all(os.access(place, os.W_OK, **by_rights) for place in (path, path.resolve().parent))


def copy_of(path: Path) -> TemporaryDirectory[str]:
    """Return a folder with a copy of a store and of its log, which SQLite may write to.

    If the driver writes meanwhile, the copies of file and log may be of different times, so they are made again. Raises
    StoreUnavailable if the store changes during every attempt.
    """
    for attempt in range(COPIES):
        time.sleep(SECONDS_BETWEEN_COPIES * min(attempt, 1))
        folder = TemporaryDirectory(prefix="seqsep-")
        before = _written(path)
        for suffix in COPIED:
            if Path(f"{path.resolve()}{suffix}").exists():
                shutil.copyfile(f"{path.resolve()}{suffix}", Path(folder.name) / f"{path.name}{suffix}")
        if _written(path) == before:
            return folder
        folder.cleanup()
    raise StoreUnavailable(f"{path}: is being written to all the time; try again")


def _written(path: Path) -> list[tuple[int, int, int] | None]:
    """Return inode, size and time of a store and of its log, which change if they are written to."""
    found: list[tuple[int, int, int] | None] = []
    for suffix in COPIED:
        try:
            status = Path(f"{path.resolve()}{suffix}").stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return found
