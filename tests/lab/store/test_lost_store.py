"""A store whose file, lock or rows go away while a driver writes: it is noticed, and the rows are saved."""

import os
import shutil
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab.device import environment
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import Run
from seqsep.lab.store.place import StoreError, StoreRemoved, StoreUnavailable
from seqsep.lab.store.store import Store
from seqsep.tasks import IndexLookup


def row(seed: int) -> Row:
    run = Run(IndexLookup(5, 4), ("lstm",), 8, seed=seed)
    outcome = {"status": "finished", "steps": 20, "accuracy": 0.3, "best_accuracy": 0.4, "parameters": 684}
    outcome |= {"curve": [[20, 0.25, 1.5]], "state_bits": [512, 0]}
    return Row("trial", run.key(), run.configuration(), outcome, environment())


def made(path: Path, rows: int = 2) -> Path:
    with Store(path) as store, store.driving():
        for seed in range(rows):
            store.record(row(seed), seconds=1.0, attempts=1)
    return path


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_store_that_goes_away_is_noticed_and_saved(tmp_path, how):
    path = tmp_path / "store.db"
    with Store(path) as store, store.driving():
        store.record(row(0), seconds=1.0, attempts=1)
        store.record(row(1), seconds=1.0, attempts=1)
        path.unlink()
        if how == "replaced":
            shutil.copy(made(tmp_path / "other.db", rows=1), path)
        with pytest.raises(StoreRemoved) as error:
            store.record(row(2), seconds=1.0, attempts=1)
    saved = tmp_path / "store.db.rescued-1.jsonl"
    assert str(error.value).startswith(f"{path}: the file of this store was deleted or replaced while a sweep wrote to it")
    assert f"its 3 rows are in {saved.name}" in str(error.value)
    assert sorted(read_rows(saved), key=lambda one: one.run.seed) == [row(seed) for seed in range(3)]


def logs(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.glob(f"{path.name}-*"))


def drive(store: Store, path: Path, other: Path, how: str) -> None:
    """Write a row, then put another store in place of the file; `how` says when that is noticed."""
    with store.driving():
        store.record(row(0), seconds=1.0, attempts=1)
        path.rename(path.with_name("moved.db"))
        shutil.copy(other, path)
        if how == "at a write":
            store.record(row(2), seconds=1.0, attempts=1)
        if how == "at an interrupt":
            raise KeyboardInterrupt


@pytest.mark.parametrize("how", ["at a write", "at the end", "at an interrupt"])
def test_a_driver_leaves_no_log_next_to_another_file(tmp_path: Path, how: str) -> None:
    """SQLite would write the pages of the log over the rows of the other file, at the next reading command."""
    path = tmp_path / "store.db"
    other = made(tmp_path / "other.db", rows=3)
    with Store(path) as store, pytest.raises(StoreRemoved, match=r"store[.]db[.]rescued-1[.]jsonl"):
        drive(store, path, other, how)
    assert logs(path) == []
    for _ in range(2):
        assert main(["store", "show", str(path)]) == 0
        with Store(path, create=False) as store:
            assert {one.run.seed for one in store.rows()} == {0, 1, 2}
    with Store(tmp_path / "moved.db", create=False) as store:
        assert store.rows() == [row(0)]


def test_a_driver_removes_only_the_log_that_it_opened(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store(path) as store, store.driving():
        store.record(row(0), seconds=1.0, attempts=1)
        for file in (path, *(tmp_path / name for name in logs(path))):
            file.rename(tmp_path / f"moved{file.name}")
        shutil.copy(made(tmp_path / "other.db"), path)
        Path(f"{path}-wal").write_bytes(b"of another program")
        with pytest.raises(StoreRemoved):
            store.record(row(1), seconds=1.0, attempts=1)
    assert Path(f"{path}-wal").read_bytes() == b"of another program"


def left_by_a_killed_driver(folder: Path) -> Path:
    """A store whose second row is in its log only."""
    path = made(folder / "killed.db", rows=1)
    kept = folder / "left.db"
    with Store(path) as store, store.driving():
        store.record(row(1), seconds=1.0, attempts=1)
        for ending in ("", "-wal"):
            shutil.copy(f"{path}{ending}", f"{kept}{ending}")
    return kept


@pytest.mark.parametrize("is_writable", [True, False])
def test_the_log_of_another_store_is_not_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_writable: bool
) -> None:
    """A driver that was killed leaves its log. What is there stays, and a repair keeps the rows of both files."""
    path = left_by_a_killed_driver(tmp_path)
    theirs = tmp_path / "theirs.db"
    with Store(theirs) as store, store.driving():
        for seed in (7, 8, 9):
            store.record(row(seed), seconds=1.0, attempts=1)
    path.write_bytes(theirs.read_bytes())
    before = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("seqsep.lab.store.store.is_writable", lambda path: is_writable)
        for _ in range(2):
            assert main(["store", "show", str(path)]) == 2
            said = capsys.readouterr().err
            assert said.count("\n") == 1
            assert f"{path}: expected the log of this store, found left.db-wal, with which " in said
    with pytest.raises(StoreError, match="expected the log of this store"):
        Store(path)
    assert (path.read_bytes(), Path(f"{path}-wal").read_bytes()) == before
    assert main(["store", "repair", str(path)]) == 0
    with Store(path, create=False) as store:
        assert {one.run.seed for one in store.rows()} >= {7, 8, 9}


def test_the_log_of_another_store_removes_no_checkpoint(tmp_path: Path) -> None:
    """The log changes the table of checkpoints only, so that all rows of runs stay."""
    path, theirs = tmp_path / "store.db", tmp_path / "theirs.db"
    for place, key in ((path, "0" * 64), (theirs, "1" * 64)):
        with Store(place) as store, store.driving():
            store.record_checkpoint(key, 10, ("a" * 64,), environment())
            shutil.copy(f"{place}-wal", f"{place}.kept")
    Path(f"{path}.kept").rename(f"{theirs}-wal")
    with pytest.raises(StoreError, match=r"found theirs[.]db-wal, with which 1 row of the store is gone"):
        Store(theirs)
    Path(f"{theirs}-wal").unlink()
    with Store(theirs) as store:
        assert len(store.steps()) == 1


def test_a_checkpoint_that_its_run_ends_is_not_missed(tmp_path: Path) -> None:
    path, kept = tmp_path / "store.db", tmp_path / "kept.db"
    made(path, rows=1)
    with Store(path) as store, store.driving():
        store.record_checkpoint(row(1).key, 10, ("a" * 64,), environment())
    with Store(path) as store, store.driving():
        store.record(row(1), seconds=1.0, attempts=1)
        for ending in ("", "-wal"):
            shutil.copy(f"{path}{ending}", f"{kept}{ending}")
    with Store(kept, create=False) as store:
        assert (len(store.rows()), len(store.steps())) == (2, 0)


def test_the_log_of_the_store_itself_is_applied(tmp_path: Path) -> None:
    path = left_by_a_killed_driver(tmp_path)
    with Store(path, create=False) as store:
        assert {one.run.seed for one in store.rows()} == {0, 1}
    assert logs(path) == []


def test_a_checkpoint_of_a_store_that_went_away_is_refused(tmp_path):
    path = tmp_path / "store.db"
    with Store(path) as store, store.driving():
        store.record(row(0), seconds=1.0, attempts=1)
        path.unlink()
        with pytest.raises(StoreRemoved):
            store.record_checkpoint("0" * 64, 10, ("a" * 64,), environment())


def test_a_lock_that_is_removed_is_taken_again(tmp_path):
    path = tmp_path / "store.db"
    with Store(path) as store, store.driving():
        store.lock.unlink()
        store.record(row(0), seconds=1.0, attempts=1)
        with Store(path) as other, pytest.raises(StoreUnavailable, match="another sweep writes"), other.driving():
            raise AssertionError("two drivers")


def test_two_drivers_are_noticed_if_the_lock_was_removed(tmp_path):
    path = tmp_path / "store.db"
    with Store(path) as store, store.driving():
        store.lock.unlink()
        with Store(path) as other, other.driving():
            with pytest.raises(StoreUnavailable, match="another sweep writes to this store"):
                store.record(row(0), seconds=1.0, attempts=1)
            other.record(row(1), seconds=1.0, attempts=1)


def copied_onto(other: Path, path: Path) -> None:
    """Copy a file as `cp` does: the file at `path` stays the same, with other content."""
    path.write_bytes(other.read_bytes())


def drive_and_copy(store: Store, other: Path) -> None:
    """Write two rows, then copy another store onto the file."""
    with store.driving():
        store.record(row(5), seconds=1.0, attempts=1)
        store.record(row(6), seconds=1.0, attempts=1)
        store._database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        copied_onto(other, store.path)


def test_a_driver_notices_that_its_rows_are_gone(tmp_path):
    """Another program wrote over the file of a store, which is still the file that was opened."""
    path = tmp_path / "store.db"
    other = made(tmp_path / "other.db", rows=1)
    with Store(path) as store, pytest.raises(StoreRemoved, match=r"rows are in store.db.rescued-1.jsonl"):
        drive_and_copy(store, other)
    saved = read_rows(tmp_path / "store.db.rescued-1.jsonl")
    assert {one.run.seed for one in saved} >= {5, 6}


def test_a_row_that_is_not_there_after_its_commit_is_noticed(tmp_path, monkeypatch):
    with Store(tmp_path / "store.db") as store, store.driving():
        with monkeypatch.context() as patch:
            patch.setattr(store._database, "write", lambda table, row: None)
            with pytest.raises(StoreRemoved, match="its 1 row is in"):
                store.record(row(0), seconds=1.0, attempts=1)
        store.record(row(0), seconds=1.0, attempts=1)


def test_two_names_of_one_store_have_no_two_drivers(tmp_path, capsys):
    """SQLite names its log after the database: under two names, the rows of one driver would be lost."""
    path = made(tmp_path / "store.db", rows=1)
    with Store(path) as store:
        os.link(path, tmp_path / "same.db")
        with pytest.raises(StoreError, match=r"found a file with 2 names \(hard links\), one of them same.db"), store.driving():
            raise AssertionError("a driver of one of two names")
    for create in (True, False):
        with pytest.raises(StoreError, match=r"one of them store.db; remove the other names, or use a copy"):
            Store(tmp_path / "same.db", create=create)
    assert main(["store", "show", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    (tmp_path / "same.db").unlink()
    with Store(path) as store, store.driving():
        assert len(store.rows()) == 1
