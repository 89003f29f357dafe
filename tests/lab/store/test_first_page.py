"""A store is refused before SQLite parses its schema, if that is not as short as ours."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab.device import environment
from seqsep.lab.row import Row
from seqsep.lab.store.first_page import foreign_first_page, foreign_schema
from seqsep.lab.store.place import StoreError
from seqsep.lab.store.store import Store

FAILED = Row("trial", "f" * 64, {}, {"status": "failed: worker died"}, environment())
FORGED = "INSERT INTO sqlite_master VALUES ('table', 't' || ?, 't' || ?, 0, 'CREATE TABLE t' || ? || '(x)')"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with one failed run."""
    path = tmp_path / "store.db"
    with Store(path) as store, store.driving():
        store.record(FAILED, seconds=1.0, attempts=1)
    return path


def forge(path: Path, tables: int) -> sqlite3.Connection:
    """Give a store that many more tables, in its log as long as the connection is open."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema=ON")
    connection.executemany(FORGED, [(number,) * 3 for number in range(tables)])
    connection.commit()
    return connection


@pytest.mark.parametrize("place", ["file", "log"])
def test_a_schema_of_many_tables_is_refused_before_it_is_parsed(
    path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    """200,000 tables took more than a minute. A repair keeps the row."""
    connection = forge(path, 5_000)
    forged = path
    if place == "log":
        forged = path.with_name("copy.db")
        for ending in ("", "-wal"):
            shutil.copy(f"{path}{ending}", f"{forged}{ending}")
    connection.close()
    assert main(["store", "show", str(forged)]) == 2
    found = f"found a schema that does not fit in one page{', in its log' if place == 'log' else ''}"
    assert found in capsys.readouterr().err
    with pytest.raises(StoreError, match="tables runs, checkpoints of schema version 1 only"):
        Store(forged)
    assert main(["store", "repair", str(forged)]) == 0
    with Store(forged, create=False) as store:
        assert store.rows() == [FAILED]


def test_an_entry_that_continues_on_other_pages_is_refused() -> None:
    page = bytearray(512)
    page[100:105] = b"\x0d\0\0\0\1"
    page[108:110] = (200).to_bytes(2, "big")
    page[200:203] = b"\x81\x80\0"
    assert foreign_first_page(bytes(page)) == "an entry of the schema that does not fit in one page"


def test_a_page_of_many_entries_is_refused() -> None:
    assert foreign_first_page(bytes(100) + b"\x0d\0\0\xff\xff" + bytes(407)) == "a schema of 65,535 entries"


@pytest.mark.parametrize("size", [1024, 4096, 65536])
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_our_schema_fits_whatever_was_done_to_the_file(path: Path, size: int, journal: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute(f"PRAGMA page_size={size}")
    connection.execute("VACUUM")
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.execute("VACUUM")
    assert foreign_schema(path) is None
    connection.close()
    with Store(path, create=False) as store:
        assert store.rows() == [FAILED]
