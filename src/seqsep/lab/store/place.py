"""Where a store stands: which files can be one, who may write to it, and whether it is still the file that was opened."""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from seqsep.files import kind_of

LOGS = ("-wal", "-journal", "-shm")
"""What SQLite keeps beside a database while it is open, and leaves there if its process is killed."""
COPIED = ("", "-wal", "-journal")
COPIES = 6
SECONDS_BETWEEN_COPIES = 0.1


class StoreError(ValueError):
    """A file is no sound store of this version. The message is one line: path, what was expected, what was found."""


class StoreUnavailable(OSError):
    """A store cannot be used now: another driver writes, the disk is full, the directory is not writable."""


class StoreRemoved(StoreUnavailable):
    """The file of an open store was deleted or replaced: what SQLite still writes is in no file that anybody can open."""


def repair_with(path: Path) -> str:
    """What to do about a damaged store, in words."""
    return f"seqsep store repair {path} keeps what is intact"


def require_place(path: Path) -> None:
    """Raise StoreError unless the path is, or a link leads to, a regular file or a new name without a log of SQLite beside it.

    SQLite would take a log that was left there for that of the new store.

    >>> require_place(Path("/"))
    Traceback (most recent call last):
    seqsep.lab.store.place.StoreError: /: expected a store of seqsep, found a folder
    """
    if path.exists():
        if not path.is_file():
            raise StoreError(f"{path}: expected a store of seqsep, found {kind_of(path.stat().st_mode)}")
        return
    if path.is_symlink():
        raise StoreError(f"{path}: expected a store of seqsep or a new name for one, found a link that leads to no file")
    left = next((log for log in (Path(f"{path}{end}") for end in LOGS) if log.exists()), None)
    if left is not None:
        raise StoreError(f"{path}: expected a store of seqsep, found none but its log {left.name}; {repair_with(path)}")


def identity(path: Path) -> tuple[int, int] | None:
    """What tells the file from another one with its name: device and inode; None if there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def unused(path: Path, word: str, ending: str = "") -> Path:
    """The first of FILE.word-1, FILE.word-2, ... that is no file and has no log beside it.

    >>> unused(Path("/no/store.db"), "damaged").name
    'store.db.damaged-1'
    """
    numbered = (Path(f"{path}.{word}-{number}{ending}") for number in count(1))
    return next(place for place in numbered if not any(Path(f"{place}{log}").exists() for log in ("", *LOGS)))


def is_writable(path: Path) -> bool:
    """Whether SQLite could write to a store, and to the logs beside it, which it needs in order to read as well."""
    by_rights = {"effective_ids": True} if os.access in os.supports_effective_ids else {}
    return all(os.access(place, os.W_OK, **by_rights) for place in (path, path.resolve().parent))


def copy_of(path: Path) -> TemporaryDirectory[str]:
    """A folder with a copy of a store and of its logs, which SQLite may write to.

    What its driver wrote while it was copied could leave file and log of different times, so it is then copied again.
    Raises StoreUnavailable if the store does not stand still for so long.
    """
    for attempt in range(COPIES):
        time.sleep(SECONDS_BETWEEN_COPIES * min(attempt, 1))
        folder = TemporaryDirectory(prefix="seqsep-")
        before = _written(path)
        for suffix in COPIED:
            if Path(f"{path}{suffix}").exists():
                shutil.copyfile(f"{path}{suffix}", Path(folder.name) / f"{path.name}{suffix}")
        if _written(path) == before:
            return folder
        folder.cleanup()
    raise StoreUnavailable(f"{path}: is being written to all the time; try again")


def _written(path: Path) -> list[tuple[int, int, int] | None]:
    """What changes when a store or one of its logs is written to: file, size and time."""
    found: list[tuple[int, int, int] | None] = []
    for suffix in COPIED:
        try:
            status = Path(f"{path}{suffix}").stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return found


class DriverLock:
    """The lock of a store, held by at most one process: `FILE.lock` beside it, even if the store is damaged or not there yet.

    A lock file that somebody removes no longer keeps others away, so its holder calls `keep` before it writes.
    """

    def __init__(self, store: Path) -> None:
        self.store = store
        self.path = Path(f"{store.resolve()}.lock")
        self.descriptor = self._held()

    def _held(self) -> int:
        """A descriptor of the lock file that holds the lock. Raises StoreUnavailable while another process does."""
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise StoreUnavailable(f"{self.path}: cannot be opened: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        except BlockingIOError as error:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace") or "unknown"
            os.close(descriptor)
            raise StoreUnavailable(f"{self.store}: another sweep writes to this store (process {holder})") from error
        except OSError as error:
            os.close(descriptor)
            raise StoreUnavailable(f"{self.path}: cannot be written: {error.strerror}") from error
        return descriptor

    def keep(self) -> None:
        """Hold the lock anew if its file was removed. Raises StoreUnavailable if another process was faster."""
        held = os.fstat(self.descriptor)
        if identity(self.path) != (held.st_dev, held.st_ino):
            lost = self.descriptor
            self.descriptor = self._held()
            os.close(lost)

    def release(self) -> None:
        """Let others have it."""
        os.close(self.descriptor)


@contextmanager
def only_driver(store: Path) -> Iterator[DriverLock]:
    """Hold the lock of a store. Raises StoreUnavailable while another process does."""
    lock = DriverLock(store)
    try:
        yield lock
    finally:
        lock.release()
