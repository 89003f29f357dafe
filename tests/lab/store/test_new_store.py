"""A store is created in one step: at no instant can another process see half of one."""

import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from seqsep.lab.store.place import StoreError, StoreUnavailable
from seqsep.lab.store.schema import APPLICATION_ID
from seqsep.lab.store.store import Store


def test_a_new_store_appears_whole_and_in_wal_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, seen = tmp_path / "new.db", set()

    class Watched(sqlite3.Connection):
        def look(self) -> None:
            header = path.read_bytes()[:100] if path.exists() else b""
            seen.add((int.from_bytes(header[68:72], "big"), *header[18:20]))

        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            self.look()
            cursor = super().execute(*arguments)
            self.look()
            return cursor

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Watched))
    with Store(path):
        assert {file.name for file in tmp_path.iterdir()} == {f"new.db{end}" for end in ("", ".lock", "-wal", "-shm")}
    assert seen == {(0,), (APPLICATION_ID, 2, 2)}  # not there; whole, and 2 stands for the write-ahead log


def test_an_empty_file_becomes_a_store_for_a_sweep_only(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with pytest.raises(StoreError) as error:
        Store(path, create=False)
    assert str(error.value) == f"{path}: expected a store of seqsep, found an empty file"
    assert path.read_bytes() == b""
    with Store(path), Store(path, create=False) as store:
        assert store.rows() == []


def test_a_store_that_cannot_be_put_in_place_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    path = tmp_path / "new.db"
    with pytest.raises(StoreUnavailable) as error:
        Store(path)
    assert str(error.value) == f"{path}: cannot be made: No space left on device"
    assert [file.name for file in tmp_path.iterdir()] == ["new.db.lock"]
