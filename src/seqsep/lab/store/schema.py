"""The tables in the file of a store: how a new file is made, and the comparison of a given one with them."""

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

from seqsep.core.files import write_file

APPLICATION_ID = 0x73716570
"""The bytes "sqep" in the file's header, which distinguish a store from other databases."""
SCHEMA_VERSION = 1
TABLES = {
    "runs": "experiment TEXT NOT NULL, key TEXT NOT NULL, configuration TEXT NOT NULL, status TEXT NOT NULL, result TEXT, "
    "environment TEXT NOT NULL, seconds REAL NOT NULL, attempts INTEGER NOT NULL, digest TEXT NOT NULL, "
    "PRIMARY KEY (key, experiment)",
    "checkpoints": "key TEXT NOT NULL PRIMARY KEY, step INTEGER NOT NULL, sha256 TEXT NOT NULL, environment TEXT NOT NULL, "
    "digest TEXT NOT NULL",
}


def expected_schema() -> str:
    """Say what the schema of a store has.

    >>> expected_schema()
    'expected the tables runs, checkpoints of schema version 1 only'
    """
    return f"expected the tables {', '.join(TABLES)} of schema version {SCHEMA_VERSION} only"


def digests_of(column: str) -> tuple[str, ...]:
    """Return the digests in the column `sha256`: that of a run's last checkpoint, and that of the one before.

    >>> digests_of("3fa1 90bc")
    ('3fa1', '90bc')
    """
    return tuple(column.split())


def digests_column(digests: tuple[str, ...]) -> str:
    """Return the column `sha256` of a checkpoint's row.

    >>> digests_column(("3fa1", "90bc"))
    '3fa1 90bc'
    """
    return " ".join(digests)


def foreign_object(database: sqlite3.Connection) -> str | None:
    """Name what distinguishes the schema of a database from that of a store; None if it is exactly ours.

    The complete table of the schema is compared, with the indices that SQLite makes by itself: a trigger or a view could
    swallow every row, whatever it is called.

    >>> foreign_object(sqlite3.connect(":memory:"))
    "no table 'checkpoints'"
    """
    ours: set[tuple[str, str, str, str | None]] = set()
    for table, columns in TABLES.items():
        ours.add(("table", table, table, f"CREATE TABLE {table} ({columns})"))
        ours.add(("index", f"sqlite_autoindex_{table}_1", table, None))
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master"
    found = database.execute(query).fetchmany(len(ours) + 1)
    for row in found:
        if row not in ours:
            return f"the {row[0]!s:.20} {row[1]!r:.60}"
    missing = sorted(ours.difference(found), key=lambda row: (row[0] != "table", row[1]))
    if missing:
        return f"no {missing[0][0]} {missing[0][1]!r}"
    return None if len(found) == len(ours) else "an object twice"


def make_database(path: Path) -> None:
    """Put an empty store at `path`, complete and in WAL mode at once, one process at a time (`only_driver`).

    If the file appeared before its mode is set, another process could open it meanwhile, and SQLite would tell one of the two
    that the database is locked. It is made in a private folder, in which nobody else can put a link. Raises sqlite3.Error and
    OSError.
    """
    with TemporaryDirectory(prefix="seqsep-") as folder:
        made = Path(folder) / "store.sqlite"
        database = sqlite3.connect(made, isolation_level=None)
        try:
            database.execute("BEGIN IMMEDIATE")
            database.execute(f"PRAGMA application_id={APPLICATION_ID}")
            database.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            for table, columns in TABLES.items():
                database.execute(f"CREATE TABLE {table} ({columns})")
            database.execute("COMMIT")
            database.execute("PRAGMA journal_mode=WAL")  # last: the tables are then in the file itself, not in a log
        finally:
            database.close()
        write_file(path, made.read_bytes())
