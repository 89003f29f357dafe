"""The store: an SQLite file with one row per run and experiment, and a folder of checkpoints beside it.

A row is checked on every read, the file on opening. A write is a transaction and on disk when the call returns; only the one
driver that holds the lock file writes.
"""

import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from seqsep.core.files import open_regular
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.row import Row, write_rows
from seqsep.lab.run import canonical_json
from seqsep.lab.store import checkpoints
from seqsep.lab.store.columns import columns_of, digest_of, in_words, require_checkpoint, row_of
from seqsep.lab.store.database import Database
from seqsep.lab.store.driver_lock import DriverLock, only_driver
from seqsep.lab.store.first_page import require_short_schema
from seqsep.lab.store.own_log import OwnLogs, require_own_log
from seqsep.lab.store.place import (
    StoreError,
    StoreRemoved,
    StoreUnavailable,
    copy_of,
    identity,
    is_writable,
    removed,
    repair_with,
    require_place,
    unused,
)
from seqsep.lab.store.schema import APPLICATION_ID, digests_column, digests_of, make_database

OPENED: Counter[tuple[int, int] | None] = Counter()
"""The files that are open in this process. To open one of them in another way would end SQLite's locks on it (POSIX)."""


class Store:
    """The rows and checkpoints of sweeps, in the file `path`; open it with `with`. `create=False` demands that it exists.

    `copied=True` reads a copy: nothing is written to the file or next to it, and what is written later is not seen.

    Raises StoreError if the file is not a sound store, and StoreUnavailable if it cannot be opened or made.

    >>> from tempfile import mkdtemp
    >>> with Store(Path(mkdtemp()) / "store.db") as store, store.driving():
    ...     store.record(Row("trial", "0" * 64, {}, {"status": "failed: worker died"}, {}), seconds=1.5, attempts=3)
    ...     [row.status for row in store.rows("trial")]
    ['failed: worker died']
    """

    def __init__(self, path: Path | str, create: bool = True, *, copied: bool = False) -> None:
        self.path = Path(path)
        beside = self.path.resolve()  # one store has one lock, by whatever links it is reached
        self.lock = Path(f"{beside}.lock")
        self.checkpoints = Path(f"{beside}.checkpoints")
        self._lock: DriverLock | None = None
        self._logs: OwnLogs | None = None
        self._written: dict[tuple[str, str], tuple[Row, str]] = {}
        if not self._exists(create):
            self._make()
        self._identity = identity(self.path)
        is_copied = copied or not (create or is_writable(self.path))
        self._copy = copy_of(self.path) if is_copied else None
        try:
            opened = self.path if self._copy is None else Path(self._copy.name) / self.path.name
            require_own_log(self.path, opened)
            self._database = Database(self.path, opened)
        except BaseException:
            if self._copy is not None:
                self._copy.cleanup()
            raise
        OPENED[self._identity] += 1

    def _exists(self, create: bool) -> bool:
        """Return True if the file is there and not empty. SQLite, if asked first, would touch another program's database."""
        try:
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            require_place(self.path)
            if OPENED[identity(self.path)]:
                return True
            with open_regular(self.path, most=sys.maxsize) as file:
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
        if header:
            require_short_schema(self.path)
        elif not create:
            raise StoreError(f"{self.path}: expected a store of seqsep, found an empty file")
        return bool(header)

    def _make(self) -> None:
        with only_driver(self.path):
            if not self._exists(create=True):  # another process may have made it meanwhile
                try:
                    make_database(self.path.resolve())
                except (OSError, sqlite3.Error) as error:
                    reason = getattr(error, "strerror", None) or error
                    raise StoreUnavailable(f"{self.path}: cannot be made: {reason}") from error

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; `with` does. If another file is in its place, the logs do not stay next to that one."""
        self._remove_logs_if_moved()
        self._database.close()
        if self._copy is not None:
            self._copy.cleanup()
        OPENED[self._identity] -= 1

    @contextmanager
    def driving(self) -> Iterator[None]:
        """Hold the store's exclusive write lock. A killed driver's lock is free.

        Raises StoreUnavailable while another driver writes, and at the end, also after an interrupt, StoreRemoved if a row that
        was written is gone.
        """
        require_place(self.path)
        checkpoints.require_folder(self.checkpoints)
        with only_driver(self.path) as self._lock:
            try:
                self._database.keep_a_log()
                self._tidy()
                self._logs = OwnLogs(self.path, self._identity)
                yield
                self._require_written()
            except (Exception, KeyboardInterrupt) as error:
                if self._written and self._is_moved():
                    raise self._gone() from error
                raise
            finally:
                self._remove_logs_if_moved()
                self._written = {}
                self._lock = None

    def record(self, row: Row, seconds: float, attempts: int) -> None:
        """Store one run's row in place of an earlier one.

        On return it is on disk; if the row has an outcome, the run's checkpoints are gone.
        """
        columns = columns_of(row, seconds, attempts)
        try:
            row_of(columns)
        except ValueError as error:
            raise ValueError(f"Store.record: run {row.key} of experiment {row.experiment!r}: {error}") from error
        self._require_own_file(row)
        with self._transaction():
            self._database.write("runs", columns)
            if row.has_outcome:
                self._database.delete_checkpoint(row.key)
        self._written[row.experiment, row.key] = (row, digest_of(columns))
        self._require_own_file()
        self._require_in(self._database, [(row.experiment, row.key)])
        if row.has_outcome:
            checkpoints.remove(self.checkpoints, lambda name: checkpoints.run_of(name) == row.key)

    def rows(self, experiment: str | None = None) -> list[Row]:
        """Return every row of one experiment or of all, also those of runs that failed, in order of experiment and key."""
        return self._rows("1") if experiment is None else self._rows("experiment = ?", experiment)

    def finished(self, experiment: str | None = None) -> list[Row]:
        """Return the rows of runs that ended, among them those whose loss was not finite."""
        return [row for row in self.rows(experiment) if row.finished]

    def get(self, key: str) -> list[Row]:
        """Return the rows of one run: one for each experiment that holds it.

        A row whose result is of another run than the key says is left out: the run counts as not trained.
        """
        return [row for row in self._rows("key = ?", key) if row.is_current or not row.has_outcome]

    def export(self, path: Path | str, experiment: str | None = None) -> int:
        """Write the rows with an outcome, those of pruned runs too, as canonical JSON lines; return how many.

        Rows of another version of seqsep are left out, since `read_rows` refuses them.
        """
        rows = [row for row in self.rows(experiment) if row.has_outcome and row.is_current]
        write_rows(path, rows, read=[self.path])
        return len(rows)

    def checkpoint_path(self, key: str) -> Path:
        """Return the path of a run's checkpoints: each is at `checkpoint_file` of this path and of its digest."""
        return self.checkpoints / f"{key}.safetensors"

    def record_checkpoint(self, key: str, step: int, digests: tuple[str, ...], environment: dict[str, Any]) -> None:
        """Store that a checkpoint is on disk; without this its file counts for nothing.

        `digests` are its SHA-256 and that of the checkpoint before it, which is kept as well; older ones are gone on return.
        """
        self._require_own_file()
        before = self._checkpoints("key = ?", key)
        with self._transaction():
            self._database.write("checkpoints", (key, step, digests_column(digests), canonical_json(environment)))
        path = self.checkpoint_path(key)
        earlier = {digest for _, _, column, _ in before for digest in digests_of(column)}
        over = {checkpoint_file(path, digest).name for digest in earlier.difference(digests)}
        checkpoints.remove(self.checkpoints, over.__contains__)

    def checkpoint(
        self, key: str, environment: dict[str, Any], say: Callable[[str], None] | None = None
    ) -> tuple[int, tuple[str, ...]] | None:
        """Return the step of the last checkpoint of a run, and its digests from `record_checkpoint`; None without one.

        None also if another environment wrote it, since that would mix results: `say` is then called with a line.
        """
        for _, step, column, written_in in self._checkpoints("key = ?", key):
            if written_in == canonical_json(environment):
                return step, digests_of(column)
            if say is not None:
                expected, other = (in_words(one) for one in (environment, json.loads(written_in)))
                words = f"checkpoint of run {key[:12]} at step {step}: expected one of {expected}, found one of {other}"
                say(f"{self.path}: {words}; the run starts at step 0")
        return None

    def steps(self) -> dict[str, int]:
        """Return the step of the last checkpoint of each run that has one and no outcome, by its key."""
        return {key: step for key, step, *_ in self._checkpoints("1")}

    def contents(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """Return the columns of every row, of runs and of checkpoints, checked."""
        runs = self._database.read("runs", "1")
        for columns in runs:
            self._row(columns)
        return runs, self._checkpoints("1")

    def fill(self, tables: Mapping[str, Iterable[tuple[Any, ...]]]) -> None:
        """Write rows as they are, for a store that nobody else knows yet: their columns, without the digests."""
        with only_driver(self.path) as self._lock, self._transaction():
            for table, rows in tables.items():
                for row in rows:
                    self._database.write(table, row)
        self._lock = None

    def _rows(self, condition: str, *values: str) -> list[Row]:
        rows = [self._row(columns) for columns in self._database.read("runs", condition, *values)]
        return sorted(rows, key=lambda row: (row.experiment, row.key))

    def _row(self, columns: list[Any]) -> Row:
        """Return the row in these columns. Raises StoreError, with the row's name, for columns that no store writes."""
        try:
            return row_of(columns)
        except ValueError as error:
            raise self._database.unsound("runs", columns, error) from error

    def _checkpoints(self, condition: str, *values: str) -> list[list[Any]]:
        """Return the columns of rows of checkpoints, checked."""
        found = self._database.read("checkpoints", condition, *values)
        for columns in found:
            try:
                require_checkpoint(columns)
            except ValueError as error:
                raise self._database.unsound("checkpoints", columns, error) from error
        return found

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run the body as a transaction of the driver."""
        if self._lock is None:
            raise RuntimeError(f"{self.path}: only the driver writes; open Store.driving() first")
        with self._database.transaction():
            yield

    def _require_own_file(self, *unwritten: Row) -> None:
        """Raise StoreRemoved unless the path still leads to the file that was opened, and StoreUnavailable for a lost lock.

        What that file holds, which SQLite can read as long as it is open, and the rows that are to be written are saved first.
        """
        if self._lock is not None:
            self._lock.keep()
        if self._is_moved():
            raise self._gone(unwritten)

    def _is_moved(self) -> bool:
        """Return whether the path no longer leads to the file that was opened."""
        return identity(self.path) != self._identity

    def _remove_logs_if_moved(self) -> None:
        """Remove the logs of a driver, once their rows are in its file, if another file or none is in the place of that file.

        SQLite would take them for the logs of that other file, and write their pages over its rows.
        """
        if self._logs is not None and self._is_moved():
            with suppress(StoreError, StoreUnavailable):
                self._database.empty_the_log()
            self._logs.remove()

    def _require_written(self) -> None:
        """Raise StoreRemoved unless a new connection finds every row that this driver wrote.

        Another program may have written over the file. This connection would not notice: its pages are in its own memory.
        """
        if not self._written:
            return
        self._require_own_file()
        again = Database(self.path, self.path)
        try:
            self._require_in(again, self._written)
        finally:
            again.close()

    def _require_in(self, database: Database, written: Iterable[tuple[str, str]]) -> None:
        """Raise StoreRemoved unless the database has these rows as they were written, by experiment and key."""
        for name in written:
            if database.digest(*name) != self._written[name][1]:
                raise self._gone()

    def _gone(self, unwritten: Iterable[Row] = ()) -> StoreRemoved:
        """Return the error of a file that is no longer the store, after all known rows are in a file next to it."""
        held: list[Row] = []
        with suppress(StoreError, StoreUnavailable):
            held = self.rows()
        written = [row for row, _ in self._written.values()]
        rows = {(row.experiment, row.key): row for row in (*held, *written, *unwritten) if row.has_outcome}
        rescued = unused(self.path, "rescued", ".jsonl")
        write_rows(rescued, rows.values())
        self._written = {}
        self._remove_logs_if_moved()
        return removed(self.path, len(rows), rescued)

    def _tidy(self) -> None:
        """Remove the checkpoint files, finished or not, that a killed worker left of runs that the store names."""
        rows = self._checkpoints("1")
        known = {
            checkpoint_file(self.checkpoint_path(key), digest).name
            for key, _, column, _ in rows
            for digest in digests_of(column)
        }
        keys = {key for key, *_ in rows} | {key for _, key, *_ in self._database.read("runs", "1")}
        checkpoints.remove(self.checkpoints, lambda name: checkpoints.run_of(name) in keys and name not in known)
