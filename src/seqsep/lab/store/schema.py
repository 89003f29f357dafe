"""The tables in the file of a store, and how a new one appears."""

import sqlite3
from pathlib import Path

from seqsep.files import on_disk

APPLICATION_ID = 0x73716570  # "sqep" in the file's header, so that `file` and we tell a store from other databases
SCHEMA_VERSION = 1
TABLES = {
    "runs": "experiment TEXT NOT NULL, key TEXT NOT NULL, configuration TEXT NOT NULL, status TEXT NOT NULL, result TEXT, "
    "environment TEXT NOT NULL, seconds REAL NOT NULL, attempts INTEGER NOT NULL, digest TEXT NOT NULL, "
    "PRIMARY KEY (key, experiment)",
    "checkpoints": "key TEXT NOT NULL PRIMARY KEY, step INTEGER NOT NULL, sha256 TEXT NOT NULL, environment TEXT NOT NULL, "
    "digest TEXT NOT NULL",
}


def digests_of(column: str) -> tuple[str, ...]:
    """The digests in the column `sha256`: that of a run's last checkpoint, and that of the one before.

    >>> digests_of("3fa1 90bc")
    ('3fa1', '90bc')
    """
    return tuple(column.split())


def digests_column(digests: tuple[str, ...]) -> str:
    """The column `sha256` of a checkpoint's row.

    >>> digests_column(("3fa1", "90bc"))
    '3fa1 90bc'
    """
    return " ".join(digests)


def make_database(path: Path) -> None:
    """Put an empty store at `path`, whole and in WAL mode at once, one process at a time (`store.only_driver`).

    If the file appeared before its mode is set, another process could open it meanwhile, and SQLite would tell one of the two
    that the database is locked. Raises sqlite3.Error and OSError.
    """
    half = path.with_name(f".{path.name}.tmp")
    files = (half, *(Path(f"{half}-{end}") for end in ("journal", "wal", "shm")))
    for left in files:  # of a maker that was killed
        left.unlink(missing_ok=True)
    try:
        database = sqlite3.connect(half, isolation_level=None)
        try:
            database.execute("PRAGMA synchronous=FULL")
            database.execute("BEGIN IMMEDIATE")
            database.execute(f"PRAGMA application_id={APPLICATION_ID}")
            database.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            for table, columns in TABLES.items():
                database.execute(f"CREATE TABLE {table} ({columns})")
            database.execute("COMMIT")
            database.execute("PRAGMA journal_mode=WAL")  # last: the tables are then in the file itself, not in a log
        finally:
            database.close()
        half.replace(path)
        on_disk(path.parent)
    finally:
        for left in files:
            left.unlink(missing_ok=True)
