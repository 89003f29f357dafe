"""The store's contract: what is written is read back whole, or refused in one line."""

import json
import sqlite3
from pathlib import Path

import pytest

from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.device import environment
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import Run
from seqsep.lab.store import database as database_module
from seqsep.lab.store.place import StoreError, StoreUnavailable
from seqsep.lab.store.schema import APPLICATION_ID
from seqsep.lab.store.store import Store
from seqsep.tasks import IndexLookup

HERE = environment()


def row(seed: int = 0, experiment: str = "trial", **result: object) -> Row:
    run = Run(task=IndexLookup(length=5, alphabet=4), layers=("lstm",), width=8, seed=seed)
    outcome = {"status": "finished", "steps": 20, "accuracy": 0.3, "best_accuracy": 0.4, "parameters": 684}
    outcome |= {"curve": [[10, 0.1 + 0.2, 1.4], [20, 0.3, 1.3]], "state_bits": [512, 0]} | result
    return Row(experiment, run.key(), run.configuration(), outcome, HERE)


FAILED = Row("trial", "f" * 64, {}, {"status": "failed: worker died (signal 9)"}, HERE)


def one_line(error: pytest.ExceptionInfo[Exception], path: Path, *parts: str) -> None:
    message = str(error.value)
    assert "\n" not in message
    assert str(path) in message
    for part in parts:
        assert part in message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with three finished rows, one failed one and one checkpoint."""
    path = tmp_path / "store.db"
    with Store(path) as store, store.driving():
        for made in (row(2), row(1), row(1, "another"), FAILED):
            store.record(made, seconds=1.5, attempts=1)
        store.record_checkpoint(row(3).key, 10, ("a" * 64,), HERE)
    return path


def tamper(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute(statement, values).rowcount != 0
    connection.commit()
    connection.close()


def test_rows_come_back_as_they_were(path: Path) -> None:
    with Store(path, create=False) as store:
        assert store.rows("another") == [row(1, "another")]
        assert store.finished("trial") == sorted([row(1), row(2)], key=lambda row: row.key)
        assert store.finished() == [row(1, "another"), *store.finished("trial")]
        assert store.rows("trial") == [*store.finished("trial"), FAILED]
        assert store.get(row(1).key) == [row(1, "another"), row(1)]
        assert store.get(row(9).key) == []
        assert store.checkpoint(row(3).key, HERE) == (10, ("a" * 64,))


def test_the_file_says_what_it_is_and_writes_reach_the_disk(path: Path) -> None:
    assert int.from_bytes(path.read_bytes()[68:72], "big") == APPLICATION_ID
    with Store(path) as store:
        pragmas = {
            name: store._database.connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2}


def test_a_later_outcome_takes_the_place_of_an_earlier_one(path: Path) -> None:
    with Store(path) as store, store.driving():
        store.record(row(1, accuracy=0.9, best_accuracy=0.9), seconds=1.0, attempts=1)
        assert store.get(row(1).key) == [row(1, "another"), row(1, accuracy=0.9, best_accuracy=0.9)]


def test_a_checkpoint_of_another_environment_does_not_count(path: Path) -> None:
    with Store(path) as store:
        assert store.checkpoint(row(3).key, HERE | {"torch": "2.10.0"}) is None


def test_only_a_finished_run_loses_its_checkpoint(path: Path) -> None:
    """A finished run loses its checkpoint; one that failed keeps it."""
    with Store(path) as store, store.driving():
        kept, gone = row(4).key, row(5).key
        files = {key: checkpoint_file(store.checkpoint_path(key), "b" * 64) for key in (kept, gone)}
        for key, file in files.items():
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(b"weights")
            store.record_checkpoint(key, 10, ("b" * 64,), HERE)
        store.record(Row("trial", kept, {}, {"status": "failed: ValueError: no"}, HERE), seconds=1.0, attempts=1)
        store.record(row(5), seconds=1.0, attempts=1)
        assert [file.exists() for file in files.values()] == [True, False]
        assert [store.checkpoint(key, HERE) for key in (kept, gone)] == [(10, ("b" * 64,)), None]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("experiment", "trials"),
        ("key", "0" * 64),
        ("configuration", "{}"),
        ("status", "converged"),
        ("result", None),
        ("result", b"\xff\xfe"),
        ("environment", "{}"),
        ("seconds", 1.4999999999999998),
        ("attempts", 2),
        ("digest", "0" * 64),
        ("digest", b"\xff"),
    ],
)
def test_a_changed_column_is_detected_on_every_read(path: Path, column: str, value: object) -> None:
    tamper(path, f"UPDATE runs SET {column} = ? WHERE key = ? AND experiment = 'trial'", value, row(1).key)
    with Store(path) as store:
        changed = str(value) if column == "key" else row(1).key
        for read in (store.rows, store.finished, lambda: store.get(changed), lambda: store.export(path.with_name("rows"))):
            with pytest.raises(StoreError) as error:
                read()
            one_line(error, path, "expected columns of SHA-256", "found")
        assert not path.with_name("rows").exists()


def test_text_that_is_not_utf8_is_detected(path: Path) -> None:
    tamper(path, "UPDATE runs SET status = CAST(x'ff' AS TEXT)")
    with Store(path) as store, pytest.raises(StoreError) as error:
        store.rows()
    one_line(error, path, "expected columns of SHA-256")


@pytest.mark.parametrize(("column", "value"), [("step", 20), ("sha256", "c" * 64), ("environment", "{}"), ("digest", "")])
def test_a_changed_checkpoint_row_is_detected(path: Path, column: str, value: object) -> None:
    tamper(path, f"UPDATE checkpoints SET {column} = ?", value)
    with Store(path) as store, pytest.raises(StoreError) as error:
        store.checkpoint(row(3).key, HERE)
    one_line(error, path, "table checkpoints")


def test_every_column_is_covered_above(path: Path) -> None:
    connection = sqlite3.connect(path)
    columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(runs)")]
    connection.close()
    assert columns == ["experiment", "key", "configuration", "status", "result", "environment", "seconds", "attempts", "digest"]


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database")
    with pytest.raises(StoreError) as error:
        Store(path)
    one_line(error, path, "expected a SQLite database", "not a database")
    assert path.read_text() == "not a database"
    with pytest.raises(StoreError) as error:
        Store(tmp_path)
    one_line(error, tmp_path, "found a folder")


@pytest.mark.parametrize("identity", [0, 0x47504B47])
def test_the_store_of_another_program_is_refused_and_left_alone(tmp_path: Path, identity: int) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id={identity}")
    connection.execute("CREATE TABLE runs (key TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError) as error:
        Store(path)
    one_line(error, path, "application id 0x73716570", f"another program (application id {identity:#x})")
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused(path: Path) -> None:
    tamper(path, "PRAGMA user_version=2")
    with pytest.raises(StoreError) as error:
        Store(path)
    one_line(error, path, "expected schema version 1", "newer version 2")


@pytest.mark.parametrize("statement", ["DROP TABLE checkpoints", "ALTER TABLE runs ADD COLUMN more", "CREATE TABLE x (y)"])
def test_other_tables_are_refused(path: Path, statement: str) -> None:
    tamper(path, statement)
    with pytest.raises(StoreError) as error:
        Store(path)
    one_line(error, path, "expected the tables runs, checkpoints")


def test_a_corrupt_database_is_refused(path: Path) -> None:
    data = bytearray(path.read_bytes())
    page = int.from_bytes(data[16:18], "big")
    data[page : 2 * page] = bytes(page)
    path.write_bytes(data)
    with pytest.raises(StoreError) as error:
        Store(path)
    one_line(error, path, "found")


def test_a_missing_file_is_made_only_for_writing(tmp_path: Path) -> None:
    """A missing file is refused for reading and made for writing."""
    path = tmp_path / "new" / "store.db"
    with pytest.raises(StoreError) as error:
        Store(path, create=False)
    one_line(error, path, "no such file")
    assert not path.parent.exists()
    path.parent.mkdir()
    path.touch()  # a driver killed before its first commit
    with Store(path) as store:
        assert store.rows() == []


def test_a_folder_that_cannot_be_made_is_the_environment(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable) as error:
        Store(tmp_path / "file" / "store.db")
    one_line(error, tmp_path / "file" / "store.db")


def test_a_second_driver_is_refused_until_the_first_is_done(path: Path) -> None:
    with Store(path) as first, Store(path) as second:
        with first.driving():
            with pytest.raises(StoreUnavailable) as error, second.driving():
                pass
            one_line(error, path, "another sweep writes to this store")
            assert len(second.rows()) == 4
        with second.driving():
            second.record(row(6), seconds=1.0, attempts=1)


def test_nobody_writes_without_being_the_driver(path: Path) -> None:
    with Store(path) as store, pytest.raises(RuntimeError, match="only the driver writes"):
        store.record(row(6), seconds=1.0, attempts=1)


def test_a_locked_database_is_the_environment(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that another process locks is a fault of the environment."""
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    with Store(path) as store, store.driving():
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable) as error:
            store.record(row(6), seconds=1.0, attempts=1)
        one_line(error, path, "locked")
        other.execute("ROLLBACK")
        store.record(row(6), seconds=1.0, attempts=1)
        assert len(store.rows()) == 5
    other.close()


def test_a_full_disk_is_the_environment(path: Path) -> None:
    """A full disk is a fault of the environment, and nothing is half written."""
    with Store(path) as store, store.driving():
        pages = store._database.connection.execute("PRAGMA page_count").fetchone()[0]
        store._database.connection.execute(f"PRAGMA max_page_count={pages}")
        before = store.rows()
        with pytest.raises(StoreUnavailable) as error:
            store.record(row(7, steps=10_000, curve=[[step, 0.5, 1.0] for step in range(10_000)]), seconds=1.0, attempts=1)
        one_line(error, path, "full")
        assert store.rows() == before


@pytest.mark.parametrize("code", ["SQLITE_IOERR_WRITE", "SQLITE_BUSY_SNAPSHOT", "SQLITE_CANTOPEN_FULLPATH"])
def test_extended_codes_of_sqlite_are_told_apart(path: Path, code: str) -> None:
    error = sqlite3.OperationalError("no luck")
    error.sqlite_errorcode = getattr(sqlite3, code)
    with Store(path) as store, pytest.raises(StoreUnavailable) as refused, store._database.in_one_line():
        raise error
    one_line(refused, path, "no luck")


def test_the_export_depends_on_the_finished_rows_only(path: Path, tmp_path: Path) -> None:
    with Store(tmp_path / "later.db") as store, store.driving():
        store.record(FAILED, seconds=9.0, attempts=3)
        for made in (row(1, "another"), row(1, accuracy=0.9, best_accuracy=0.9), row(1), row(2)):
            store.record(made, seconds=7.25, attempts=2)
        assert store.export(tmp_path / "later.jsonl") == 3
    with Store(path) as store:
        assert store.export(tmp_path / "rows.jsonl") == 3
        assert store.export(tmp_path / "trial.jsonl", "trial") == 2
    text = (tmp_path / "rows.jsonl").read_text()
    assert text == (tmp_path / "later.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["experiment"], line["key"]) for line in lines] == sorted((line["experiment"], line["key"]) for line in lines)
    assert set(lines[0]) == {"experiment", "key", "run", "result", "environment"}
    assert lines[0]["environment"].keys() - {"products"} == {"torch", "device", "threads", "processor"}
    assert lines[0]["run"] == row(1).configuration
    assert read_rows(tmp_path / "trial.jsonl") == sorted([row(1), row(2)], key=lambda row: row.key)
    assert [made.run.seed for made in read_rows(tmp_path / "trial.jsonl")] == [made["run"]["seed"] for made in lines[1:]]
