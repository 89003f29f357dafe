"""A store's place: what can be one, what happens if its file or its lock goes away, and stores that can only be read."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from seqsep.cli import main
from seqsep.lab.device import environment
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import Run
from seqsep.lab.store.place import StoreError, StoreRemoved, StoreUnavailable, copy_of
from seqsep.lab.store.repair import repair
from seqsep.lab.store.store import Store
from seqsep.tasks import IndexLookup

NOBODY = 65534


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


@pytest.mark.parametrize("create", [True, False])
def test_a_pipe_or_a_folder_is_no_store(tmp_path, create):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, found in (("pipe", "a pipe"), ("folder", "a folder")):
        with pytest.raises(StoreError, match=f"expected a store of seqsep, found {found}"):
            Store(tmp_path / name, create=create)


def test_a_link_to_a_store_is_that_store(tmp_path):
    (tmp_path / "link.db").symlink_to(made(tmp_path / "store.db"))
    made(tmp_path / "link.db", rows=3)
    assert (tmp_path / "link.db").is_symlink()
    with Store(tmp_path / "store.db", create=False) as store:
        assert len(store.rows()) == 3


def test_a_link_to_an_empty_file_stays_a_link(tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "link.db").symlink_to("empty")
    made(tmp_path / "link.db")
    assert (tmp_path / "link.db").is_symlink()
    with Store(tmp_path / "empty", create=False) as store:
        assert len(store.rows()) == 2


def test_a_link_that_leads_nowhere_is_no_store(tmp_path):
    (tmp_path / "link.db").symlink_to("absent")
    with pytest.raises(StoreError, match="a link that leads to no file"):
        Store(tmp_path / "link.db")


def test_export_does_not_write_over_its_store(tmp_path, capsys):
    path = made(tmp_path / "store.jsonl")
    os.link(path, tmp_path / "same.csv")
    before = path.read_bytes()
    for output in (path, tmp_path / "same.csv"):
        assert main(["export", "--store", str(path), "-o", str(output)]) == 2
        assert "found a file that this command reads" in capsys.readouterr().err
    assert path.read_bytes() == before


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


def left_log(path: Path) -> None:
    """A store of two rows, of which a killed process left the log alone."""
    with Store(path) as store, store.driving():
        for seed in range(2):
            store.record(row(seed), seconds=1.0, attempts=1)
        shutil.copy(f"{path}-wal", path.parent / "log")
    path.unlink()
    (path.parent / "log").rename(f"{path}-wal")


def test_a_log_without_its_store_is_refused_and_repaired(tmp_path):
    path = tmp_path / "store.db"
    left_log(path)
    expected = f"found none but its log store.db-wal; seqsep store repair {path} keeps what is intact"
    for create in (True, False):
        with pytest.raises(StoreError, match=expected):
            Store(path, create=create)
    repaired = repair(path)
    assert (repaired.runs, repaired.lost) == (2, ())
    with Store(path, create=False) as store:
        assert store.rows() == sorted((row(seed) for seed in range(2)), key=lambda one: one.key)
    assert Path(f"{repaired.damaged}-wal").exists()


@contextmanager
def without_rights(folder: Path) -> Iterator[None]:
    """Be a user who can read the folder only; to the superuser every folder is writable."""
    for path in (folder, *folder.parents):
        if path.stat().st_uid == os.geteuid():
            path.chmod(path.stat().st_mode | 0o055)
    folder.chmod(0o555)
    is_superuser = os.geteuid() == 0
    try:
        if is_superuser:
            os.seteuid(NOBODY)
        yield
    finally:
        if is_superuser:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.mark.parametrize("has_log", [False, True])
def test_a_store_in_a_folder_without_rights_is_read(tmp_path, has_log):
    folder = tmp_path / "kept"
    folder.mkdir()
    path = made(folder / "store.db", rows=1)
    with Store(path) as store, store.driving():
        store.record(row(5), seconds=1.0, attempts=1)
        if has_log:
            shutil.copy(f"{path}-wal", tmp_path / "log")
            shutil.copy(path, tmp_path / "early")
    if has_log:
        (tmp_path / "early").rename(path)
        (tmp_path / "log").rename(f"{path}-wal")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with without_rights(folder), Store(path, create=False) as store:
        assert sorted(one.run.seed for one in store.rows()) == [0, 5]
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_a_store_that_can_only_be_read_has_no_driver(tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    path = made(folder / "store.db")
    with without_rights(folder), Store(path, create=False) as store, pytest.raises(StoreUnavailable), store.driving():
        raise AssertionError("a driver that cannot write")


@pytest.mark.parametrize("times", [1, 100])
def test_a_copy_of_a_store_that_is_written_to_is_made_again(tmp_path, monkeypatch, times):
    """What is copied before and after a checkpoint of SQLite would not belong together."""
    path = made(tmp_path / "store.db")
    copies = []

    def copied(source, target):
        copies.append(target)
        if len(copies) <= times:
            os.utime(path, ns=(0, len(copies)))
        return Path(target).write_bytes(Path(source).read_bytes())

    monkeypatch.setattr(shutil, "copyfile", copied)
    if times == 100:
        with pytest.raises(StoreUnavailable, match="is being written to all the time; try again"):
            copy_of(path)
        return
    with copy_of(path) as folder:
        assert (Path(folder) / "store.db").read_bytes() == path.read_bytes()
        assert len(copies) == 2
