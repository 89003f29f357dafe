"""The exclusive write lock of a store, a file next to it that at most one process holds."""

import errno
import fcntl
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seqsep.core.files import kind_of
from seqsep.lab.store.place import StoreError, StoreUnavailable, identity

PROCESS_NUMBER = re.compile(rb"[0-9]{0,20}")
"""All that a lock file may hold. It is empty if its maker was killed before it wrote its number."""
LOCKS = Path("/proc/locks")
"""Linux's list of locks: a line has the kind of each, and device and inode of its file."""
FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class DriverLock:
    """The lock of a store, held by at most one process: `FILE.lock` next to it, even if the store is damaged or new.

    Another file of that name, such as the `uv.lock` of a project, is refused and stays as it is. A lock file that somebody
    removes no longer keeps others away, so its holder calls `keep` before it writes.
    """

    def __init__(self, store: Path) -> None:
        self.store = store
        self.path = Path(f"{store.resolve()}.lock")
        self.descriptor = self._held()

    def _held(self) -> int:
        """Return a descriptor of the lock file that holds the lock. Raises StoreUnavailable while another process does."""
        descriptor = self._opened()
        try:
            holder = self._holder(descriptor)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                said = f"another sweep writes to this store (process {holder or 'unknown'})"
                raise StoreUnavailable(f"{self.store}: {said}") from error
            try:
                number = str(os.getpid()).encode()
                os.pwrite(descriptor, number, 0)
                os.ftruncate(descriptor, len(number))
            except OSError as error:
                raise StoreUnavailable(f"{self.path}: cannot be written: {error.strerror}") from error
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _opened(self) -> int:
        """Open the lock file, or make one. Nothing is opened through a link."""
        try:
            return os.open(self.path, FLAGS, 0o666)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
                raise self._other(kind_of(self.path.lstat().st_mode)) from None
            raise StoreUnavailable(f"{self.path}: cannot be opened: {error.strerror}") from error

    def _holder(self, descriptor: int) -> str:
        """Return the process number in the lock file. Raises StoreError for a file that is not a lock file."""
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise self._other(kind_of(status.st_mode))
        if status.st_nlink > 1:
            raise self._other("a file with several names (hard links)")
        written = os.pread(descriptor, 32, 0)
        if not PROCESS_NUMBER.fullmatch(written):
            raise self._other(f"a file that begins with {written[:16]!r}")
        return written.decode("ascii")

    def _other(self, found: str) -> StoreError:
        expected = "expected the lock file of a store, which holds a process number"
        return StoreError(f"{self.path}: {expected}, found {found}; choose another name for the store")

    def keep(self) -> None:
        """Take the lock again if its file was removed. Raises StoreUnavailable if another process was faster."""
        held = os.fstat(self.descriptor)
        if identity(self.path) != (held.st_dev, held.st_ino):
            lost = self.descriptor
            self.descriptor = self._held()
            os.close(lost)

    def release(self) -> None:
        """Let another process take the lock."""
        os.close(self.descriptor)


@contextmanager
def only_driver(store: Path) -> Iterator[DriverLock]:
    """Hold the lock of a store. Raises StoreUnavailable while another process does."""
    lock = DriverLock(store)
    try:
        yield lock
    finally:
        lock.release()


def is_driven(store: Path) -> bool:
    """Return True if Linux says that a process holds the lock of a store. No lock is taken; elsewhere the answer is False."""
    try:
        inode = Path(f"{store.resolve()}.lock").stat().st_ino
        held = [line.split() for line in LOCKS.read_text(encoding="ascii").splitlines()]
    except OSError:
        return False
    return any("FLOCK" in words and words[-3].endswith(f":{inode}") for words in held if len(words) > 3)
