"""The log of SQLite next to a store: a reader applies it only if it is that of the store.

If the file of a store is replaced while a driver writes to it, the driver's log stays next to the new file. SQLite cannot know
that it is that of another file: it would write the pages of the log over the rows of the new one.
"""

from pathlib import Path

from seqsep.lab.store.database import Database, Names
from seqsep.lab.store.pages import LOG_HEADER
from seqsep.lab.store.place import LOGS, StoreError, identity, repair_with

LOG = LOGS[0]
ATTEMPTS = 2
"""A driver may write to the file while it is read, so that a loss is looked for again."""


def require_own_log(path: Path, opened: Path) -> None:
    """Raise StoreError if a store loses rows, or is not sound, with the log next to it; nothing is changed on disk.

    A store never deletes the row of a run, and that of a checkpoint only as the run ends. So each run in its file alone has a
    row in the file with its log, and so has each checkpoint or its run. A file that is not sound without its log, since its
    driver was killed while it moved the log into the file, is not compared. `path` is the name in messages; `opened` is the
    file, or a copy of it.
    """
    log = Path(f"{opened.resolve()}{LOG}")
    if not log.is_file() or log.stat().st_size <= LOG_HEADER:
        return
    alone = _names(path, opened, "immutable=1")
    if alone is None:
        return
    for _ in range(ATTEMPTS):
        together = _names(path, opened, "mode=ro")
        lost = 0 if together is None else _lost(alone, together)
        if together is not None and not lost:
            return
    found = f"with which {lost} {'row of the store is' if lost == 1 else 'rows of the store are'} gone"
    found = found if lost else "with which the store is damaged"
    expected = f"expected the log of this store, found {path.name}{LOG}, {found}: it is that of another file"
    raise StoreError(f"{path}: {expected}; {repair_with(path)} of both")


def _lost(alone: Names, together: Names) -> int:
    """Count the rows in a file alone that are not in the file with its log."""
    runs, checkpoints = together
    ended = {key for key, _ in runs}
    return len(alone[0] - runs) + len(alone[1] - checkpoints - ended)


def _names(path: Path, opened: Path, how: str) -> Names | None:
    """Return the names of the rows in a file that is opened in this way; None if it is not a sound store."""
    try:
        database = Database(path, opened, how)
    except StoreError:
        return None
    try:
        return database.names()
    except StoreError:
        return None
    finally:
        database.close()


class OwnLogs:
    """The logs that SQLite made for an open store, by device and inode: of files of these names, only these are removed.

    `opened` is the identity of the open file; there are no logs of it if another file is in its place.
    """

    def __init__(self, path: Path, opened: tuple[int, int] | None) -> None:
        found = {log: identity(log) for log in (Path(f"{path.resolve()}{ending}") for ending in LOGS)}
        self.found = found if identity(path) == opened else {}

    def remove(self) -> None:
        """Remove the logs that are still the same files. SQLite keeps them open, and reads and writes them as before."""
        for log, known in self.found.items():
            if known is not None and identity(log) == known:
                log.unlink()
