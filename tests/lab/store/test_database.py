"""The database of a store: a file is accepted with exactly our schema, and a long statement ends at a signal."""

import os
import signal
import sqlite3
import threading
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab.device import environment
from seqsep.lab.row import Row, read_rows, write_rows
from seqsep.lab.store.place import StoreError
from seqsep.lab.store.repair import repair
from seqsep.lab.store.schema import foreign_object
from seqsep.lab.store.store import Store

ROWS = read_rows(Path(__file__).parents[3] / "results" / "demo.jsonl")[:2]
FAILED = Row("trial", "f" * 64, {}, {"status": "failed: worker died"}, environment())
SWALLOW = "CREATE TRIGGER {} BEFORE INSERT ON runs BEGIN SELECT RAISE(IGNORE); END"
ENDLESS = (
    "CREATE TRIGGER {} AFTER INSERT ON runs BEGIN "
    "DELETE FROM checkpoints WHERE step = "
    "(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c); END"
)
FOREIGN = {
    "trigger": SWALLOW,
    "endless trigger": ENDLESS,
    "view": "CREATE VIEW {} AS SELECT 1",
    "index": "CREATE INDEX {} ON runs (status)",
    "table": "CREATE TABLE {} (x)",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with one failed run."""
    path = tmp_path / "store.db"
    with Store(path) as store, store.driving():
        store.record(FAILED, seconds=1.0, attempts=1)
    return path


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("name", ["sqliteXswallow", "mine"])
def test_a_schema_with_more_than_ours_is_refused(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, name: str
) -> None:
    """On every way to the store: nothing is swallowed, and nothing that the file brings along runs."""
    change(path, FOREIGN[kind].format(name))
    write_rows(tmp_path / "rows.jsonl", ROWS)
    for words in (
        ["store", "show", path],
        ["store", "import", path, tmp_path / "rows.jsonl"],
        ["export", "--store", path, "-o", tmp_path / "out.jsonl"],
    ):
        assert main(list(map(str, words))) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert f"expected the tables runs, checkpoints of schema version 1 only, found the {kind.split()[-1]} '{name}'" in error
    with Store(tmp_path / "again.db") as again, again.driving():
        again.record(FAILED, seconds=1.0, attempts=1)
    repaired = repair(path)
    assert (repaired.runs, repaired.lost) == (1, ())
    with Store(path, create=False) as store, store.driving():
        store.record(ROWS[0], seconds=1.0, attempts=1)
        assert len(store.rows()) == 2


def test_a_copy_of_a_store_is_compared_as_well(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(path, SWALLOW.format("sqliteXswallow"))
    monkeypatch.setattr("seqsep.lab.store.store.is_writable", lambda path: False)
    with pytest.raises(StoreError, match="found the trigger 'sqliteXswallow'"):
        Store(path, create=False)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("DROP TABLE checkpoints", "no table 'checkpoints'"),
        ("CREATE TABLE runs (x)", "the table 'runs'"),
        ("PRAGMA user_version", None),
    ],
)
def test_what_differs_in_a_schema_is_named(path: Path, statement: str, found: str | None) -> None:
    connection = sqlite3.connect(path)
    if statement.startswith("CREATE"):
        connection.execute("DROP TABLE runs")
    connection.execute(statement)
    assert foreign_object(connection) == found
    connection.close()


COUNT = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT {}) SELECT max(n) FROM c"


def execute_while(store: Store, sender: threading.Timer) -> None:
    """Start the sender of a signal, then a statement of half a minute."""
    with store._database.in_one_line():
        sender.start()
        store._database.connection.execute(COUNT.format(200_000_000)).fetchall()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_long_statement(path: Path, number: signal.Signals) -> None:
    """SQLite calls Python now and then, and what the handler raises there is an interrupt, not a damaged store."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, interrupt)
    sender = threading.Timer(0.2, os.kill, (os.getpid(), number))
    try:
        with Store(path) as store, pytest.raises(KeyboardInterrupt):
            execute_while(store, sender)
    finally:
        sender.cancel()
        signal.signal(number, before)


PAGE = 4096


def page(kind: int, cells: list[bytes], right: int = 0, base: int = 0) -> bytes:
    """A page of a tree from byte `base` on: 13 is a leaf with rows, 5 an inner page whose last child is `right`."""
    starts = [PAGE - sum(map(len, cells[at:])) for at in range(len(cells) + 1)]
    head = bytes([kind, 0, 0]) + len(cells).to_bytes(2, "big") + starts[0].to_bytes(2, "big") + b"\0"
    head += right.to_bytes(4, "big") if kind == 5 else b""
    head += b"".join(start.to_bytes(2, "big") for start in starts[:-1])
    return head.ljust(starts[0] - base, b"\0") + b"".join(cells)


def test_a_schema_without_an_end_is_refused(path: Path) -> None:
    """Seventeen pages with the next one as child thirty times give 30^17 times the same row of the schema."""
    data = bytearray(path.read_bytes())
    starts = sorted(int.from_bytes(data[108 + 2 * at : 110 + 2 * at], "big") for at in range(4))
    ours = [bytes(data[start:end]) for start, end in zip(starts, [*starts[1:], PAGE], strict=True)]
    texts = [b"index", b"sqlite_autoindex_runs_1", b"runs"]
    again = bytes([6, *(13 + 2 * len(text) for text in texts), 1, 0]) + b"".join(texts) + b"\3"
    first = len(data) // PAGE + 1
    pages = [page(13, sorted(ours, key=lambda cell: cell[1])), page(13, [bytes([len(again), 9]) + again])]
    for below in range(first + 1, first + 18):
        pages.append(page(5, [below.to_bytes(4, "big") + b"\x09"] * 30, below))
    data[100:PAGE] = page(5, [first.to_bytes(4, "big") + b"\5"], first + 18, base=100)
    data += b"".join(pages)
    data[28:32] = (len(data) // PAGE).to_bytes(4, "big")
    path.write_bytes(data)
    with pytest.raises(StoreError, match="checkpoints of schema version 1 only, found a schema that does not fit in one page"):
        Store(path, create=False)


def test_a_long_statement_of_a_store_runs_to_its_end(path: Path) -> None:
    """The steps are bounded while the schema is read, and not afterwards."""
    with Store(path) as store, store._database.in_one_line():
        assert store._database.connection.execute(COUNT.format(1_000_000)).fetchone() == (1_000_000,)
