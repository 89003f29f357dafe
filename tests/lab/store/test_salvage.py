"""Salvage of forged bytes: the work is bounded, and only intact rows come out."""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from seqsep.lab.device import environment
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store import pages as pages_module
from seqsep.lab.store.columns import columns_of
from seqsep.lab.store.pages import MOST_WORK, CopyBudget, Forged, records
from seqsep.lab.store.place import StoreError
from seqsep.lab.store.repair import repair
from seqsep.lab.store.salvage import salvage
from seqsep.lab.store.store import Store
from seqsep.tasks import IndexLookup

PAGE = 4096
SMALLEST_LOCAL_BYTES = (PAGE - 12) * 32 // 255 - 23
"""Bytes of a long record that are on its own page at least (sqlite.org/fileformat2.html, section 1.6)."""


def row(seed: int, points: int) -> Row:
    run = Run(IndexLookup(5, 4), ("lstm",), 8, seed=seed)
    outcome = {"status": "finished", "steps": points, "accuracy": 0.3, "best_accuracy": 0.4, "parameters": 684}
    outcome |= {"curve": [[step, 0.25, 1.5] for step in range(points)], "state_bits": [512, 0]}
    return Row("trial", run.key(), run.configuration(), outcome, environment())


def varint(value: int) -> bytes:
    digits = [value & 0x7F]
    while value := value >> 7:
        digits.append(value & 0x7F | 0x80)
    return bytes(reversed(digits))


def beginning(length: int) -> bytes:
    """The beginning of a record of `runs`, in an endless page of which the next four bytes are the page that follows."""
    for longer in count(length):
        codes = b"\x0d\x81\x0d\x0d\x0d" + varint(13 + 2 * longer) + b"\x0d\x01\x01\x81\x0d"
        local = SMALLEST_LOCAL_BYTES + (1 + len(codes) + 64 + 64 + 2 + longer - SMALLEST_LOCAL_BYTES) % (PAGE - 4)
        if local < 2000 and local % (1 + len(codes) + 4) == 1 + len(codes):
            return bytes([1 + len(codes)]) + codes
    raise AssertionError


def forged(pages: int, following: Callable[[int], int]) -> bytes:
    """Pages full of beginnings of records that are nearly as long as the file, each with a page that follows."""
    begins = beginning((pages - 3) * (PAGE - 4))
    data = b""
    for number in range(1, pages + 1):
        cell = begins + following(number).to_bytes(4, "big")
        data += (following(number).to_bytes(4, "big") + cell * (PAGE // len(cell)))[:PAGE].ljust(PAGE, b"\0")
    return data


PAGES = 16
CHAINS: dict[str, Callable[[int], int]] = {
    "to itself": lambda number: number,
    "in a circle": lambda number: number % PAGES + 1,
    "in a line": lambda number: number + 1,
    "at random": lambda number: random.Random(number).randrange(1, PAGES + 1),
}


@pytest.mark.parametrize("how", CHAINS)
def test_the_work_on_forged_chains_is_bounded(tmp_path: Path, how: str) -> None:
    """Each page has 200 beginnings of records, and each could be followed without an end."""
    data = forged(PAGES, CHAINS[how])
    work = CopyBudget(len(data))
    with suppress(Forged):
        assert list(records(data, b"", work)) == []
    assert 0 < work.done <= (MOST_WORK + 1) * len(data)
    path = tmp_path / "store.db"
    path.write_bytes(data)
    with pytest.raises(StoreError, match=f"^{path}: .*; the file is as it was$"):
        repair(path)
    assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


def test_bytes_that_need_too_much_work_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages_module, "MOST_WORK", 1)
    path = tmp_path / "store.db"
    path.write_bytes(forged(PAGES, CHAINS["in a circle"]))
    with pytest.raises(StoreError, match=f"^{path}: expected records .* found a forged file that needs more"):
        repair(path)


def test_a_type_that_sqlite_reserves_is_no_value() -> None:
    """The types 10 and 11 are reserved: a record with one has no value there, and is not ours."""
    record = b"\x0d" + b"\x0a\x81\x0d\x0a\x0b\x0a\x0b\x01\x01\x81\x0d" + b"a" * 64 + b"\1\1" + b"b" * 64
    found = [values for _, _, values in records((b"\0" * 99 + b"\x0c" + record[1:]).ljust(PAGE, b"\0"), b"", CopyBudget(PAGE))]
    assert [None, "a" * 64, None, None, None, None, 1.0, 1, "b" * 64] in found
    assert salvage((b"\0" * 99 + b"\x0c" + record[1:]).ljust(PAGE, b"\0"), b"").runs == {}


def written(path: Path, rows: int) -> Iterator[bytes]:
    """The files of a store of long rows, then its log after each of many short rows next to them."""
    with Store(path) as store, store.driving():
        for seed in range(7):
            store.record(row(seed, 1_000), seconds=1.0, attempts=1)
        store._database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        yield path.read_bytes()
        for seed in range(100, 100 + rows):
            failed = Row("trial", row(seed, 1).key, {}, {"status": "failed: ValueError: no"}, environment())
            store.record(failed, seconds=1.0, attempts=3)
        yield Path(f"{path}-wal").read_bytes()


def test_long_rows_and_a_long_log_are_within_the_bound(tmp_path: Path) -> None:
    """Each transaction writes the page with the beginnings of the long rows again; they are copied once."""
    data, log = written(tmp_path / "store.db", 12)
    work = CopyBudget(len(data) + len(log))
    found = [values for table, _, values in records(data, log, work) if table == "runs"]
    assert sum(len(values[4] or "") > 10_000 for values in found) < 12
    assert work.done < 3 * (len(data) + len(log))
    salvaged = salvage(data, log)
    assert len(salvaged.runs) == 19
    assert salvaged.runs["trial", row(3, 1).key] == columns_of(row(3, 1_000), 1.0, 1)
