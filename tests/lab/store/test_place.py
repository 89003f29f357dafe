"""A store's place: the files that can be one, their logs, and stores that can only be read."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab.device import environment
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.place import StoreError, StoreUnavailable, copy_of
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
    before = path.read_bytes()
    assert main(["export", "--store", str(path), "-o", str(path)]) == 2
    assert "found a file that this command reads" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", [":memory:", "-"])
def test_a_store_without_a_file_is_refused(tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    dry = ["train", "index-lookup", "--length", "4", "--layers", "lstm", "--width", "8", "--steps", "2", "--dry-run"]
    for words in (["store", "show", name], ["export", "--store", name, "-o", "rows.jsonl"], [*dry, "--store", name]):
        assert main(words) == 2
    with pytest.raises(StoreError, match=f"^{name}: expected a file for the store, found "):
        Store(Path(name))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["file:x?mode=memory", "a?b%41#c", "file::memory:", "x y"])
def test_a_name_means_a_file_whatever_sqlite_reads_in_it(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    made(Path(name), rows=1)
    assert {file.name for file in tmp_path.iterdir()} == {name, f"{name}.lock"}
    with Store(Path(name), create=False) as store:
        assert len(store.rows()) == 1


def forged_journal(path: Path, victim: Path) -> None:
    """A journal that names `victim` as the file that SQLite deletes once the journal was obeyed."""
    magic = bytes.fromhex("d9d505f920a163d7")
    numbers = (0, 1, path.stat().st_size // 4096, 512, 4096)
    head = magic + b"".join(number.to_bytes(4, "big") for number in numbers)
    name = str(victim).encode()
    tail = (2**30 // 4096 + 1).to_bytes(4, "big") + name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + magic
    Path(f"{path}-journal").write_bytes(head.ljust(512, b"\0") + tail)


@pytest.mark.parametrize("writable", [True, False])
def test_a_forged_journal_deletes_no_file(tmp_path, capsys, monkeypatch, writable):
    """SQLite deletes the file that a rollback journal names. A store has none, so SQLite does not come to read it."""
    monkeypatch.setattr("seqsep.lab.store.store.is_writable", lambda path: writable)
    path = made(tmp_path / "store.db")
    victim = tmp_path / "diary"
    victim.write_text("mine")
    forged_journal(path, victim)
    for words in (["store", "show", path], ["export", "--store", path, "-o", tmp_path / "rows.jsonl"]):
        assert main(list(map(str, words))) == 2
        assert "found the rollback journal store.db-journal" in capsys.readouterr().err
    assert victim.read_text() == "mine"
    repaired = repair(path)
    assert (repaired.runs, repaired.lost, victim.read_text()) == (2, (), "mine")
    assert Path(f"{repaired.damaged}-journal").exists()
    with Store(path, create=False) as store:
        assert len(store.rows()) == 2


@pytest.mark.parametrize("log", ["-wal", "-shm"])
@pytest.mark.parametrize("kind", ["link", "hard link", "pipe"])
def test_a_log_that_is_no_file_of_its_own_is_refused(tmp_path, log, kind):
    path = made(tmp_path / "store.db")
    mine = tmp_path / "mine"
    mine.write_text("mine")
    place = Path(f"{path}{log}")
    {"link": place.symlink_to, "hard link": place.hardlink_to, "pipe": lambda mine: os.mkfifo(place)}[kind](mine)
    for create in (True, False):
        with pytest.raises(StoreError, match=f"{place}: expected the log of a store, found "):
            Store(path, create=create)
    assert mine.read_text() == "mine"


def test_a_copy_is_made_of_the_file_that_a_link_leads_to(tmp_path, monkeypatch):
    """With its log: a link has none next to it."""
    path = tmp_path / "store.db"
    (tmp_path / "link.db").symlink_to(path)
    monkeypatch.setattr("seqsep.lab.store.store.is_writable", lambda path: False)
    with Store(path) as store, store.driving():
        store.record(row(0), seconds=1.0, attempts=1)
        with Store(tmp_path / "link.db", create=False) as read:
            assert read.rows() == [row(0)]


def test_a_store_without_a_log_gets_one_from_its_driver(tmp_path):
    """Such as a copy that `VACUUM INTO` makes: without a log, a killed driver would leave a journal."""
    path = made(tmp_path / "store.db")
    with Store(path) as store:
        store._database.connection.execute("VACUUM INTO ?", (str(tmp_path / "copy.db"),))
    assert (tmp_path / "copy.db").read_bytes()[18:20] == b"\1\1"
    with Store(tmp_path / "copy.db") as store, store.driving():
        assert len(store.rows()) == 2
    assert (tmp_path / "copy.db").read_bytes()[18:20] == b"\2\2"


def test_a_second_opening_does_not_end_the_locks_of_the_first(tmp_path):
    """A process loses SQLite's locks on a file if it closes any descriptor of it."""
    path = made(tmp_path / "store.db")
    with Store(path) as store:
        store._database.connection.execute("BEGIN IMMEDIATE")
        before = Path("/proc/locks").read_text().count(f":{path.stat().st_ino} ")
        with Store(path, create=False):
            pass
        assert Path("/proc/locks").read_text().count(f":{path.stat().st_ino} ") == before > 0
        store._database.connection.execute("ROLLBACK")


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
    """Copies from before and after a checkpoint of SQLite would not belong together."""
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
