"""The lock of a store: a file that is not ours is neither written to nor emptied, and a killed driver's lock is free."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab.row import read_rows, write_rows
from seqsep.lab.store.driver_lock import only_driver
from seqsep.lab.store.place import StoreError, StoreUnavailable
from seqsep.lab.store.repair import repair
from seqsep.lab.store.store import Store

ROWS = read_rows(Path(__file__).parents[3] / "results" / "demo.jsonl")[:2]
EXPECTED = "expected the lock file of a store, which holds a process number, found"


def import_into(folder: Path, name: str) -> int:
    write_rows(folder / "rows.jsonl", ROWS)
    return main(["store", "import", str(folder / name), str(folder / "rows.jsonl")])


def test_the_lock_file_of_another_program_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`store import uv rows.jsonl` leaves a user's `uv.lock` as it is, and makes no store."""
    (tmp_path / "uv.lock").write_text("version = 1\n")
    assert import_into(tmp_path, "uv") == 2
    error = capsys.readouterr().err
    assert f"{tmp_path / 'uv.lock'}: {EXPECTED} a file that begins with b'version = 1\\n'" in error
    assert error.count("\n") == 1
    assert (tmp_path / "uv.lock").read_text() == "version = 1\n"
    assert not (tmp_path / "uv").exists()


@pytest.mark.parametrize("kind", ["link", "hard link", "pipe", "folder"])
def test_nothing_is_written_through_a_lock_that_is_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """A link is not followed, not even to a file that holds a number."""
    mine = tmp_path / "mine"
    mine.write_text("42")
    lock = tmp_path / "store.db.lock"
    make = {"link": lock.symlink_to, "hard link": lock.hardlink_to}
    make.get(kind, lambda mine: os.mkfifo(lock) if kind == "pipe" else lock.mkdir())(mine)
    assert import_into(tmp_path, "store.db") == 2
    found = {"link": "a symbolic link", "hard link": "a file with several names", "pipe": "a pipe", "folder": "a folder"}
    assert f"{lock}: {EXPECTED} {found[kind]}" in capsys.readouterr().err
    assert mine.read_text() == "42"


@pytest.mark.parametrize("name", ["notes.txt", "other.db", "log"])
def test_a_refused_store_leaves_no_lock_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"SQLite format 3\0" + bytes(84) if name == "other.db" else b"not a store")
    lock = tmp_path / f"{name}.lock"
    for attempt in (lambda: Store(path), lambda: repair(path)):
        with pytest.raises(StoreError):
            attempt()
        assert not lock.exists()
    lock.write_text("123")
    for attempt in (lambda: Store(path), lambda: repair(path)):
        with pytest.raises(StoreError):
            attempt()
        assert lock.read_text() == "123"


@pytest.mark.parametrize("left", ["", "99999999", "1"])
def test_the_lock_of_a_killed_driver_is_free(tmp_path: Path, left: str) -> None:
    """Also one of another version, or of a driver that was killed before it wrote its number."""
    lock = tmp_path / "store.db.lock"
    lock.write_text(left)
    with only_driver(tmp_path / "store.db"):
        assert lock.read_text() == str(os.getpid())


def test_a_driver_that_is_killed_leaves_its_lock_free(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    hold = "import sys, time; from pathlib import Path; from seqsep.lab.store.driver_lock import only_driver\n"
    hold += "with only_driver(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", hold, str(path)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with (
            pytest.raises(StoreUnavailable, match=rf"another sweep writes to this store \(process {holder.pid}\)"),
            only_driver(path),
        ):
            pass
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    with only_driver(path):
        assert Path(f"{path}.lock").read_text() == str(os.getpid())
