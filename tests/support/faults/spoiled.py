"""Changed bits and missing ends: of a store, of the log of a killed one, of a checkpoint.

Which rows are intact is told apart by a walk through the tree of SQLite's file, from its root, which knows nothing of how
`seqsep.lab.store.salvage` finds rows: a row is intact where no byte of its cell and of its overflow pages has changed.
"""

import contextlib
import io
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.device import environment
from seqsep.lab.engines import worker
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.place import StoreError, StoreUnavailable
from seqsep.lab.store.repair import repair
from seqsep.lab.store.store import Store
from seqsep.lab.train import train
from seqsep.tasks import IndexLookup
from support.faults.kills import scratch

ROWS = 24


def row(seed: int) -> Row:
    run = Run(IndexLookup(5, 4), ("lstm",), 8, seed=seed)
    points = (4, 40, 200 + 17 * seed)[seed % 3]  # some rows fill a page and some overflow it, by more or less
    curve = [[10 * step, step / 1000, 1.5 - step / 1000] for step in range(1, points)]
    outcome = {"status": "finished", "steps": 10 * points, "accuracy": 0.5, "best_accuracy": 0.5, "parameters": 684}
    outcome |= {"curve": curve, "state_bits": [512, 0]}
    return Row(f"trial-{seed % 2}", run.key(), run.configuration(), outcome, environment())


def fill(path: Path) -> tuple[bytes, bytes]:
    """Make a store with rows of three sizes in two experiments, some written twice, and checkpoints; returns the bytes of its
    file and of its log as a driver leaves them that is killed now."""
    with Store(path) as store, store.driving():
        for seed in range(ROWS):
            if seed % 5 == 0:
                failed = Row(f"trial-{seed % 2}", row(seed).key, {}, {"status": "failed: ValueError: no"}, environment())
                store.record(failed, seconds=1.0, attempts=3)
            store.record(row(seed), seconds=seed / 4, attempts=1)
            key = row(1000 + seed).key
            place = checkpoint_file(store.checkpoint_path(key), "a" * 64)
            place.parent.mkdir(exist_ok=True)
            place.touch()
            store.record_checkpoint(key, seed, ("a" * 64,), environment())
        return path.read_bytes(), Path(f"{path}-wal").read_bytes()


def changes(data: bytes, flips: int, cuts: int, drawn: random.Random) -> Iterator[tuple[bytes, range]]:
    """The data with one bit changed, or without its end; and which bytes are not as they were."""
    for _ in range(flips):
        place = drawn.randrange(len(data))
        changed = bytearray(data)
        changed[place] ^= 1 << drawn.randrange(8)
        yield bytes(changed), range(place, place + 1)
    for _ in range(cuts):
        end = drawn.randrange(1, len(data))
        yield data[:end], range(end, len(data))


def spans(data: bytes) -> dict[tuple[str, Any], list[range]]:
    """The place of each row: (table, row number) -> its cell and its overflow pages."""
    size = int.from_bytes(data[16:18], "big")
    places_of: dict[tuple[str, Any], list[range]] = {}

    def number(at: int, width: int) -> int:
        return int.from_bytes(data[at : at + width], "big")

    def varint(at: int) -> tuple[int, int]:
        value = 0
        while True:
            value = value << 7 | data[at] & 0x7F
            at += 1
            if not data[at - 1] & 0x80:
                return value, at

    def walk(table: str, page: int) -> None:
        base = (page - 1) * size
        head = base + (100 if page == 1 else 0)
        inner = data[head] == 5
        assert data[head] in (5, 13)
        for index in range(number(head + 3, 2)):
            cell = base + number(head + (12 if inner else 8) + 2 * index, 2)
            if inner:
                walk(table, number(cell, 4))
                continue
            length, at = varint(cell)
            rowid, at = varint(at)
            least = (size - 12) * 32 // 255 - 23
            local = least + (length - least) % (size - 4)
            local = length if length <= size - 35 else local if local <= size - 35 else least
            places = [range(cell, at + local + (4 if local < length else 0))]
            overflow = number(at + local, 4) if local < length else 0
            while overflow:
                places.append(range((overflow - 1) * size, overflow * size))
                overflow = number((overflow - 1) * size, 4)
            places_of[table, rowid] = places
        if inner:
            walk(table, number(head + 8, 4))

    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(data[:18] + b"\1\1" + data[20:])
        roots = dict(database.execute("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'").fetchall())
        names: dict[tuple[str, int], Any] = {}
        for rowid, experiment, key in database.execute("SELECT rowid, experiment, key FROM runs"):
            names["runs", rowid] = experiment, key
        for rowid, key in database.execute("SELECT rowid, key FROM checkpoints"):
            names["checkpoints", rowid] = key
    for table, root in roots.items():
        walk(table, root)
    assert places_of.keys() == names.keys()
    return {(table, names[table, rowid]): places for (table, rowid), places in places_of.items()}


def held(path: Path) -> dict[tuple[str, Any], tuple[Any, ...]]:
    """Every row that a store reports as good."""
    with Store(path, create=False) as store:
        runs, checkpoints = store.contents()
        assert len(store.rows()) == len(runs)
    return {("runs", (row[0], row[1])): tuple(row) for row in runs} | {
        ("checkpoints", row[0]): tuple(row) for row in checkpoints
    }


def stores(flips: int, cuts: int, seed: int = 0) -> dict[str, Any]:
    """A store that was closed, with one bit changed or cut short."""
    with scratch() as folder:
        path = folder / "store.db"
        fill(path)
        data, before, places = path.read_bytes(), held(path), spans(path.read_bytes())
        failures, repaired, refused, missed = [], 0, 0, 0
        for trial, (changed, where) in enumerate(changes(data, flips, cuts, random.Random(seed))):
            path.write_bytes(changed)
            try:
                reported = held(path)
                if reported != before:
                    failures.append(f"{trial}: {where}: other rows are reported as good")
            except (StoreError, StoreUnavailable):
                refused += 1
            path.write_bytes(changed)
            touched = {
                name
                for name, spots in places.items()
                if any(max(s.start, where.start) < min(s.stop, where.stop) for s in spots)
            }
            try:
                repaired_store = repair(path)
            except StoreError as error:
                if touched != places.keys():
                    failures.append(f"{trial}: {where}: not repaired: {error}")
                continue
            after = held(path)
            if any(before[name] != value for name, value in after.items()):
                failures.append(f"{trial}: {where}: repair changed a row")
            if before.keys() - after.keys() - touched:
                failures.append(f"{trial}: {where}: repair lost an intact row")
            gone = {name[1] for name in before.keys() - after.keys() if name[0] == "runs"}
            said = {name for name in gone if f"run {name[1]} of experiment {name[0]!r}" in repaired_store.lost}
            missed += len(gone - said)
            if len(where) == 1 and (gone != said or sum(line.startswith("run ") for line in repaired_store.lost) != len(gone)):
                failures.append(f"{trial}: {where}: lost {gone}, said {repaired_store.lost}")
            if repaired_store.damaged is not None:
                repaired += 1
                if repaired_store.damaged.read_bytes() != changed:
                    failures.append(f"{trial}: {where}: the damaged file is not kept")
                repaired_store.damaged.unlink()
    return {
        "trials": flips + cuts,
        "failures": failures,
        "refused": refused,
        "repaired": repaired,
        "rows": len(before),
        "losses_not_named": missed,
    }


def logs(flips: int, cuts: int, seed: int = 0) -> dict[str, Any]:
    """The log of a store whose driver was killed, with every row in it. SQLite drops what is after the damage without a word,
    so fewer rows may be reported; `repair` brings back all but at most the one that a changed bit is in."""
    with scratch() as folder:
        path, behind = folder / "store.db", folder / "store.db-wal"
        data, log = fill(path)
        before = held(path)
        failures, dropped, brought_back = [], 0, 0
        for trial, (changed, where) in enumerate(changes(log, flips, cuts, random.Random(seed))):
            for left in folder.glob("store.db*"):
                if left.is_file():
                    left.unlink()
            path.write_bytes(data)
            behind.write_bytes(changed)
            repaired_store = repair(path)
            after = held(path)
            path.unlink()
            path.write_bytes(data)
            behind.write_bytes(changed)
            reported = held(path)
            dropped += len(before.keys() - reported.keys())
            brought_back += len(after.keys() - reported.keys())
            # What SQLite has dropped may leave an earlier row of the same run: that it had failed once.
            if any(before[name] != value and value[4] is not None for name, value in [*after.items(), *reported.items()]):
                failures.append(f"{trial}: {where}: a changed row")
            gone = {name for name, value in before.items() if after.get(name) != value}
            if gone & {name for name, value in reported.items() if value == before[name]}:
                failures.append(f"{trial}: {where}: repair lost a row that was reported")
            if len(where) == 1 and (len(gone) > 1 or (gone and not repaired_store.lost)):
                failures.append(f"{trial}: {where}: repair lost {gone}, said {repaired_store.lost}")
    return {"trials": flips + cuts, "failures": failures, "rows_dropped": dropped, "rows_brought_back": brought_back}


class Silent(worker.Reporter):
    """A worker's reports, dropped."""

    def __init__(self) -> None:
        self.kinds: list[str] = []

    def send(self, kind: str, **content: Any) -> None:
        self.kinds.append(kind)


def checkpoints(flips: int, cuts: int, seed: int = 0) -> dict[str, Any]:
    """The last checkpoint of a run, with one bit changed or cut short: the run goes on from the one before, and says so."""
    run = Run(IndexLookup(5, 4), ("lstm",), 8, steps=6, batch=8, evaluate_every=2, evaluation=20)
    with scratch() as folder:
        path, digests = folder / "one.safetensors", {}
        _, expected = train(run, path, on_checkpoint=digests.__setitem__)
        last = checkpoint_file(path, digests[4])
        message = {"run": run.configuration(), "checkpoint": str(path), "digests": [digests[4], digests[2]]}
        data, failures = last.read_bytes(), []
        for trial, (changed, where) in enumerate(changes(data, flips, cuts, random.Random(seed))):
            last.write_bytes(changed)
            said, heard = io.StringIO(), Silent()
            with contextlib.redirect_stderr(said):
                result = worker.work(message, {}, heard)
            if result != expected.record():
                failures.append(f"{trial}: {where}: another result")
            lines = said.getvalue().splitlines()
            if len(lines) != 1 or not lines[0].startswith(f"{last}: ") or not lines[0].endswith("the checkpoint before it"):
                failures.append(f"{trial}: {where}: said {lines}")
            if heard.kinds.count("checkpoint") != 1:  # that of step 4 again: from step 0 there would be two, from 4 none
                failures.append(f"{trial}: {where}: {heard.kinds}")
    return {"trials": flips + cuts, "failures": failures}
