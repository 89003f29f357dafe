"""The open SQLite file of a store: accepted only with our own schema, read and written with errors in one line."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from seqsep.lab.store.columns import digest_of
from seqsep.lab.store.place import StoreError, StoreUnavailable, repair_with
from seqsep.lab.store.schema import SCHEMA_VERSION, expected_schema, foreign_object

BUSY_SECONDS = 5.0
STEPS_BETWEEN_SIGNALS = 100_000
"""Steps of SQLite's virtual machine, some milliseconds, after which Python may handle a signal."""
MOST_STEPS_TO_OPEN = 100
"""The multiple of that number of steps that may pass before the schema is found to be ours: a forged one may have no end."""
ENVIRONMENT_CODES = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}
SWITCHES = {  # of sqlite3.Connection.setconfig
    "SQLITE_DBCONFIG_DEFENSIVE": True,
    "SQLITE_DBCONFIG_TRUSTED_SCHEMA": False,
    "SQLITE_DBCONFIG_ENABLE_TRIGGER": False,
    "SQLITE_DBCONFIG_ENABLE_VIEW": False,
}

Names = tuple[set[tuple[str, str]], set[str]]
"""Key and experiment of each run that has a row, and the key of each checkpoint."""


class Database:
    """The tables of a store. `path` is the name in messages; `opened` is the file, or a copy of it.

    `how` is a parameter of SQLite's URI: mode=rw by default; with mode=ro nothing is written to file and log, and with
    immutable=1 the log is not read. Raises StoreError if the file is not a sound store, and StoreUnavailable if it cannot be
    opened.
    """

    def __init__(self, path: Path, opened: Path, how: str = "mode=rw") -> None:
        self.path = path
        self._steps_left: int | None = MOST_STEPS_TO_OPEN
        with self.in_one_line():
            # The URI of an absolute path is a file, whatever its name means to SQLite.
            uri = f"file://{quote(os.fsencode(opened.absolute()))}?{how}"
            self.connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with self.in_one_line():
                self._harden()
                self._require_own()
        except BaseException:
            self.close()
            raise

    def _harden(self) -> None:
        """Let no SQL in the file run, and let signals end a long statement.

        Python 3.11 has no `setconfig`: there, triggers and views are only kept out by the comparison of the schema, which
        comes before any statement that could run one.
        """
        self.connection.set_progress_handler(self._progress, STEPS_BETWEEN_SIGNALS)
        self.connection.execute("PRAGMA trusted_schema=OFF")
        self.connection.execute("PRAGMA cell_size_check=ON")
        if hasattr(self.connection, "setconfig"):
            for name, value in SWITCHES.items():
                self.connection.setconfig(getattr(sqlite3, name), value)
        # Bytes that are not UTF-8 must reach the digest check instead of failing in the driver without a row's name.
        self.connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        self.connection.execute("PRAGMA synchronous=FULL")

    def _progress(self) -> int:
        """Stop a statement if the steps are used up. A signal's handler runs as this is called, and stops it by raising."""
        if self._steps_left is None:
            return 0
        self._steps_left -= 1
        return int(self._steps_left < 0)

    def _require_own(self) -> None:
        """Raise StoreError unless the file has our schema, nothing else, and no damage that SQLite finds."""
        version = self.connection.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA_VERSION:
            age = "newer" if version > SCHEMA_VERSION else "unknown"
            raise StoreError(f"{self.path}: expected schema version {SCHEMA_VERSION}, found the {age} version {version}")
        foreign = foreign_object(self.connection)
        if foreign is not None:
            sound = f"if it was sound before, {repair_with(self.path)}"
            raise StoreError(f"{self.path}: {expected_schema()}, found {foreign}; {sound}")
        self._steps_left = None
        problem = self.connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if problem != "ok":
            damage = " ".join(problem.split())
            raise StoreError(f"{self.path}: expected a sound database, found: {damage}; {repair_with(self.path)}")

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def read(self, table: str, condition: str, *values: str) -> list[list[Any]]:
        """Return the columns of rows, without their digests. Raises StoreError for a row whose digest differs."""
        with self.in_one_line():
            rows = self.connection.execute(f"SELECT * FROM {table} WHERE {condition}", values).fetchall()
        for *row, digest in rows:
            if digest != digest_of(row):
                raise self.unsound(table, row, f"expected columns of SHA-256 {digest_of(row)}, found {digest!r:.70}")
        return [row for *row, _ in rows]

    def digest(self, experiment: str, key: str) -> str | None:
        """Return the digest of a run's row, or None if the row does not exist."""
        with self.in_one_line():
            query = "SELECT digest FROM runs WHERE key = ? AND experiment = ?"
            found = self.connection.execute(query, (key, experiment)).fetchone()
        return None if found is None else found[0]

    def names(self) -> Names:
        """Return the names of all rows."""
        with self.in_one_line():
            runs = set(self.connection.execute("SELECT key, experiment FROM runs"))
            return runs, {key for (key,) in self.connection.execute("SELECT key FROM checkpoints")}

    def keep_a_log(self) -> None:
        """Have a write-ahead log, as every store has from the start. A copy that another program made may have a journal."""
        with self.in_one_line():
            self.connection.execute("PRAGMA journal_mode=WAL")

    def empty_the_log(self) -> None:
        """Write what is in the log to the file that is open, as far as no reader needs the log."""
        with self.in_one_line():
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def delete_checkpoint(self, key: str) -> None:
        """Delete the row of a run's checkpoints. Call it in a `transaction`."""
        self.connection.execute("DELETE FROM checkpoints WHERE key = ?", (key,))

    def write(self, table: str, row: tuple[Any, ...]) -> None:
        """Put a row in place of an earlier one, with its digest. Call it in a `transaction`."""
        marks = ", ".join("?" * (len(row) + 1))
        self.connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", (*row, digest_of(row)))

    def unsound(self, table: str, row: list[Any], why: object) -> StoreError:
        """Return the error that names a row and says what to do about it."""
        return StoreError(f"{self.path}: table {table}, row {row[0]!r:.40}, {row[1]!r:.20}: {why}; {repair_with(self.path)}")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Have all changes inside on disk at the end, or none of them. Errors are in one line."""
        with self.in_one_line():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def in_one_line(self) -> Iterator[None]:
        """Turn errors of SQLite into StoreError and StoreUnavailable, and what a signal stopped into KeyboardInterrupt."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", None)
            if code is None:  # a mistake of ours, such as a closed database
                raise
            if code & 0xFF in ENVIRONMENT_CODES:
                raise StoreUnavailable(f"{self.path}: {error}") from error
            if code == sqlite3.SQLITE_INTERRUPT and (self._steps_left is None or self._steps_left >= 0):
                # sqlite3 drops the exception that the signal's handler raised in `_progress`.
                raise KeyboardInterrupt from None
            found = "a schema without an end" if code == sqlite3.SQLITE_INTERRUPT else error
            raise StoreError(f"{self.path}: expected a sound store, found: {found}; {repair_with(self.path)}") from error
