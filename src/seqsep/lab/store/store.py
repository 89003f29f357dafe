"""The store: an SQLite file with one row per run and experiment, and a folder of checkpoints beside it.

A row is checked on every read, the file on opening. A write is a transaction and on disk when the call returns; only the one
driver that holds the lock file writes.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.row import Row, write_rows
from seqsep.lab.run import canonical_json
from seqsep.lab.store.place import (
    DriverLock,
    StoreError,
    StoreRemoved,
    StoreUnavailable,
    copy_of,
    identity,
    is_writable,
    only_driver,
    repair_with,
    require_place,
    unused,
)
from seqsep.lab.store.schema import APPLICATION_ID, SCHEMA_VERSION, TABLES, digests_column, digests_of, make_database
from seqsep.names import ensure

BUSY_SECONDS = 5.0
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


class Store:
    """The rows and checkpoints of sweeps, in the file `path`; open it with `with`. `create=False` demands that it exists.

    Raises StoreError if the file is no sound store, and StoreUnavailable if it cannot be opened or made.

    >>> from tempfile import mkdtemp
    >>> with Store(Path(mkdtemp()) / "store.db") as store, store.driving():
    ...     store.record(Row("trial", "0" * 64, {}, {"status": "failed: worker died"}, {}), seconds=1.5, attempts=3)
    ...     [row.status for row in store.rows("trial")]
    ['failed: worker died']
    """

    def __init__(self, path: Path | str, create: bool = True) -> None:
        self.path = Path(path)
        beside = self.path.resolve()  # one store has one lock, by whatever links it is reached
        self.lock = Path(f"{beside}.lock")
        self.checkpoints = Path(f"{beside}.checkpoints")
        self._lock: DriverLock | None = None
        if not self._exists(create):
            self._make()
        self._identity = identity(self.path)
        self._copy = None if create or is_writable(self.path) else copy_of(self.path)
        opened = self.path if self._copy is None else Path(self._copy.name) / self.path.name
        with self._in_one_line():
            self._database = sqlite3.connect(opened, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with self._in_one_line():
                self._open()
        except BaseException:
            self.close()
            raise

    def _exists(self, create: bool) -> bool:
        """Whether the file is there, and not empty. Read before SQLite does, which would touch another program's database."""
        try:
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            require_place(self.path)
            with self.path.open("rb") as file:
                header = file.read(100)
        except FileNotFoundError:
            if create:
                return False
            raise StoreError(f"{self.path}: expected a store of seqsep, found no such file") from None
        except OSError as error:
            raise StoreUnavailable(f"{self.path}: cannot be opened: {error.strerror or error}") from error
        if header and header[:16] != b"SQLite format 3\0":
            other = f"found a file that begins with {header[:16]!r}"
            raise StoreError(f"{self.path}: expected a SQLite database, {other}; if it was a store, {repair_with(self.path)}")
        application = int.from_bytes(header[68:72], "big")
        if header and application != APPLICATION_ID:
            expected = f"expected a store of seqsep (application id {APPLICATION_ID:#x})"
            other = f"found a database of another program (application id {application:#x})"
            raise StoreError(f"{self.path}: {expected}, {other}")
        if not header and not create:
            raise StoreError(f"{self.path}: expected a store of seqsep, found an empty file")
        return bool(header)

    def _make(self) -> None:
        with only_driver(self.path), self._in_one_line():
            if not self._exists(create=True):  # another process may have made it meanwhile
                try:
                    make_database(self.path.resolve())
                except OSError as error:
                    raise StoreUnavailable(f"{self.path}: cannot be made: {error.strerror or error}") from error

    def _open(self) -> None:
        # Bytes that are not UTF-8 must reach the digest check instead of failing in the driver without a row's name.
        self._database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        self._database.execute("PRAGMA synchronous=FULL")
        version = self._database.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA_VERSION:
            age = "newer" if version > SCHEMA_VERSION else "unknown"
            raise StoreError(f"{self.path}: expected schema version {SCHEMA_VERSION}, found the {age} version {version}")
        query = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        tables = dict(self._database.execute(query).fetchall())
        if tables != {table: f"CREATE TABLE {table} ({columns})" for table, columns in TABLES.items()}:
            expected = f"expected the tables {', '.join(TABLES)} of schema version {version}"
            raise StoreError(f"{self.path}: {expected}, found others; if it was sound before, {repair_with(self.path)}")
        problem = self._database.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if problem != "ok":
            damage = " ".join(problem.split())
            raise StoreError(f"{self.path}: expected a sound database, found: {damage}; {repair_with(self.path)}")

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; `with` does."""
        self._database.close()
        if self._copy is not None:
            self._copy.cleanup()

    @contextmanager
    def driving(self) -> Iterator[None]:
        """Be the one driver that writes; raises StoreUnavailable while another does. A killed driver's lock is free."""
        with only_driver(self.path) as self._lock:
            try:
                self._tidy()
                yield
            finally:
                self._lock = None

    def record(self, row: Row, seconds: float, attempts: int) -> None:
        """Store one run's row in place of an earlier one.

        On return it is on disk; if the row has an outcome, the run's checkpoints are gone.
        """
        columns = (
            row.experiment,
            row.key,
            canonical_json(row.configuration),
            row.status,
            canonical_json(row.result) if row.has_outcome else None,
            canonical_json(row.environment),
            float(seconds),
            attempts,
        )
        self._require_own_file(row)
        with self._in_one_line(), self._transaction():
            self._write("runs", columns)
            if row.has_outcome:
                self._database.execute("DELETE FROM checkpoints WHERE key = ?", (row.key,))
        if row.has_outcome:
            _remove(self.checkpoints.glob(f"{row.key}.*"))

    def rows(self, experiment: str | None = None) -> list[Row]:
        """Every row of one experiment or of all, also those of runs that failed; in order of experiment and key."""
        return self._rows("1") if experiment is None else self._rows("experiment = ?", experiment)

    def finished(self, experiment: str | None = None) -> list[Row]:
        """The rows of runs that came to their end, among them those whose loss was not finite."""
        return [row for row in self.rows(experiment) if row.finished]

    def get(self, key: str) -> list[Row]:
        """The rows of one run: one for each experiment that holds it."""
        return self._rows("key = ?", key)

    def export(self, path: Path | str, experiment: str | None = None) -> int:
        """Write the rows with an outcome, those of pruned runs too, as canonical JSON lines; returns how many."""
        rows = [row for row in self.rows(experiment) if row.has_outcome]
        write_rows(path, rows, read=[self.path])
        return len(rows)

    def checkpoint_path(self, key: str) -> Path:
        """The path of a run's checkpoints: each is at `checkpoint_file` of this path and of its digest."""
        return self.checkpoints / f"{key}.safetensors"

    def record_checkpoint(self, key: str, step: int, digests: tuple[str, ...], environment: dict[str, Any]) -> None:
        """Store that a checkpoint is on disk; without this its file counts for nothing.

        `digests` are its SHA-256 and that of the checkpoint before it, which is kept as well; older ones are gone on return.
        """
        self._require_own_file()
        before = self._read("checkpoints", "key = ?", key)
        with self._in_one_line(), self._transaction():
            self._write("checkpoints", (key, step, digests_column(digests), canonical_json(environment)))
        path = self.checkpoint_path(key)
        earlier = {digest for _, _, column, _ in before for digest in digests_of(column)}
        _remove(checkpoint_file(path, digest) for digest in earlier.difference(digests))

    def checkpoint(
        self, key: str, environment: dict[str, Any], say: Callable[[str], None] | None = None
    ) -> tuple[int, tuple[str, ...]] | None:
        """The step of the last checkpoint of a run, and its digests as `record_checkpoint` had them; None without one.

        None also if another environment wrote it, since that would mix results: `say` is then called with a line.
        """
        for _, step, column, written_in in self._read("checkpoints", "key = ?", key):
            if written_in == canonical_json(environment):
                return step, digests_of(column)
            if say is not None:
                expected, other = (_in_words(one) for one in (environment, json.loads(written_in)))
                words = f"checkpoint of run {key[:12]} at step {step}: expected one of {expected}, found one of {other}"
                say(f"{self.path}: {words}; the run starts at step 0")
        return None

    def unfinished(self) -> int:
        """How many runs have a checkpoint and no outcome."""
        return len(self._read("checkpoints", "1"))

    def contents(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """The columns of every row, of runs and of checkpoints, checked."""
        return self._read("runs", "1"), self._read("checkpoints", "1")

    def fill(self, tables: Mapping[str, Iterable[tuple[Any, ...]]]) -> None:
        """Write rows as they are, for a store that nobody else knows yet: their columns, without the digests."""
        with only_driver(self.path) as self._lock, self._in_one_line(), self._transaction():
            for table, rows in tables.items():
                for row in rows:
                    self._write(table, row)
        self._lock = None

    def _rows(self, condition: str, *values: str) -> list[Row]:
        rows = []
        for experiment, key, configuration, status, result, environment, _, _ in self._read("runs", condition, *values):
            row = Row(
                experiment=experiment,
                key=key,
                configuration=json.loads(configuration),
                result={"status": status} if result is None else json.loads(result),
                environment=json.loads(environment),
            )
            rows.append(row)
        return sorted(rows, key=lambda row: (row.experiment, row.key))

    def _read(self, table: str, condition: str, *values: str) -> list[list[Any]]:
        with self._in_one_line():
            rows = self._database.execute(f"SELECT * FROM {table} WHERE {condition}", values).fetchall()
        for *row, digest in rows:
            if digest != digest_of(row):
                name = f"table {table}, row {row[0]!r:.40}, {row[1]!r:.20}"
                expected = f"expected columns of SHA-256 {digest_of(row)}, found {digest!r:.70}"
                raise StoreError(f"{self.path}: {name}: {expected}; {repair_with(self.path)}")
        return [row for *row, _ in rows]

    def _write(self, table: str, row: tuple[Any, ...]) -> None:
        ensure(self._lock is not None, "only the driver writes", self.path)
        marks = ", ".join("?" * (len(row) + 1))
        self._database.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", (*row, digest_of(row)))

    def _require_own_file(self, *unwritten: Row) -> None:
        """Raise StoreRemoved unless the path still leads to the file that was opened, and StoreUnavailable for a lost lock.

        What that file holds, which SQLite can read as long as it is open, and the rows that are to be written are saved first.
        """
        if self._lock is not None:
            self._lock.keep()
        if identity(self.path) == self._identity:
            return
        rows = {(row.experiment, row.key): row for row in (*self.rows(), *unwritten) if row.has_outcome}
        rescued = unused(self.path, "rescued", ".jsonl")
        write_rows(rescued, rows.values())
        gone = f"{self.path}: the file of this store was deleted or replaced while a sweep wrote to it"
        raise StoreRemoved(f"{gone}; its {len(rows)} rows are in {rescued.name}, which seqsep store import takes into a store")

    def _tidy(self) -> None:
        """Remove checkpoint files without a row, and half-written files that a killed worker left."""
        rows = self._read("checkpoints", "1")
        saved = [(key, digest) for key, _, column, _ in rows for digest in digests_of(column)]
        known = {checkpoint_file(self.checkpoint_path(key), digest) for key, digest in saved}
        files = [path for path in self.checkpoints.glob("*") if path.suffix in (".safetensors", ".tmp")]
        _remove(path for path in files if path not in known)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    @contextmanager
    def _in_one_line(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", None)
            if code is None:  # a mistake of ours, such as a closed database
                raise
            if code & 0xFF in ENVIRONMENT_CODES:
                raise StoreUnavailable(f"{self.path}: {error}") from error
            raise StoreError(f"{self.path}: expected a sound store, found: {error}; {repair_with(self.path)}") from error


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):  # the next driver tidies what stays
            path.unlink(missing_ok=True)


def _in_words(environment: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {environment[name]}" for name in sorted(environment))


def digest_of(row: Iterable[Any]) -> str:
    """The SHA-256 of a row's columns as JSON. What JSON cannot hold (a blob that someone put there) is as Python writes it.

    >>> digest_of(["trial", 3])[:16]
    'a9a94332208cb5fe'
    """
    return hashlib.sha256(json.dumps(list(row), separators=(",", ":"), default=repr).encode()).hexdigest()
