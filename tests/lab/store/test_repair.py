"""`seqsep store`: what a damaged store still holds is kept, what is gone is named, and nothing is written over."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from seqsep.commands.cli import main
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.device import environment
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store import repair as repair_module
from seqsep.lab.store.place import StoreError, StoreUnavailable
from seqsep.lab.store.repair import repair
from seqsep.lab.store.store import Store
from seqsep.tasks import IndexLookup


def row(seed: int) -> Row:
    run = Run(IndexLookup(5, 4), ("lstm",), 8, seed=seed)
    outcome = {"status": "finished", "steps": 100, "accuracy": 0.3, "best_accuracy": 0.4, "parameters": 684}
    outcome |= {"curve": [[step, 0.25, 1.5] for step in range(100)], "state_bits": [512, 0]}
    return Row("trial", run.key(), run.configuration(), outcome, environment())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with eight finished rows, one failed one and one checkpoint."""
    path = tmp_path / "store.db"
    with Store(path) as store, store.driving():
        for seed in range(8):
            store.record(row(seed), seconds=1.0, attempts=1)
        store.record(Row("other", "f" * 64, {}, {"status": "failed: ValueError: no"}, environment()), seconds=1.0, attempts=3)
        store.checkpoints.mkdir()
        checkpoint_file(store.checkpoint_path(row(9).key), "a" * 64).touch()
        store.record_checkpoint(row(9).key, 10, ("a" * 64,), environment())
    return path


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main(["store", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def overwrite(path: Path, start: int, data: bytes) -> bytes:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)
    return path.read_bytes()


def rows(path: Path) -> list[Row]:
    with Store(path, create=False) as store:
        return store.rows()


def test_show(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = command(capsys, "show", path)
    first = f"{path}: sound; 9 rows, 1 checkpoint of unfinished runs"
    assert status == 0
    assert out.splitlines() == [
        first,
        "  other: 0 finished, 1 failed",
        "    ffffffffffff a run of another version: failed: ValueError: no",
        "  trial: 8 finished, 0 failed",
        "    lstm (1, 8), index-lookup N=5: accuracy 0.3000 of 8 runs",
    ]
    _, out, _ = command(capsys, "show", path, "--json")
    failure = {"key": "f" * 64, "run": "a run of another version", "status": "failed: ValueError: no"}
    other = {"finished": 0, "pruned": 0, "failed": 1, "accuracies": {}, "failures": [failure], "kept": []}
    span = {"runs": 8, "least": 0.3, "greatest": 0.3}
    accuracies = {"lstm (1, 8), index-lookup N=5": span}
    trial = {"finished": 8, "pruned": 0, "failed": 0, "accuracies": accuracies, "failures": [], "kept": []}
    experiments = {"other": other, "trial": trial}
    assert json.loads(out) == {
        "store": str(path),
        "rows": 9,
        "checkpoints": 1,
        "experiments": experiments,
        "processors": [environment()["processor"]],
    }
    status, _, err = command(capsys, "show", path.with_name("none.db"))
    assert (status, err.count("\n")) == (2, 1)
    assert not path.with_name("none.db").exists()


def test_a_sound_store_is_left_as_it_is(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = path.read_bytes()
    status, out, _ = command(capsys, "repair", path)
    assert (status, out) == (0, f"{path}: sound; 9 rows, 1 checkpoint; nothing to repair\n")
    assert path.read_bytes() == before
    assert not list(path.parent.glob("*damaged*"))


def test_a_bad_header_costs_nothing(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = rows(path)
    damaged = overwrite(path, 0, bytes(100))
    status, _, err = command(capsys, "show", path)
    assert (status, err.count("\n")) == (2, 1)
    assert err.endswith(f"if it was a store, seqsep store repair {path} keeps what is intact\n")
    status, out, err = command(capsys, "repair", path)
    assert (status, err) == (0, "")
    assert out == f"{path}: 9 rows and 1 checkpoint kept, 0 lost; the damaged file is {path}.damaged-1\n"
    assert rows(path) == before
    assert Path(f"{path}.damaged-1").read_bytes() == damaged


def test_what_is_lost_is_named_by_a_repair(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lost rows are reported, and a second repair overwrites nothing."""
    before, key = rows(path), row(3).key
    first = path.read_bytes().replace(f"{key}{{".encode(), f"{key}!".encode())  # its configuration begins there
    path.write_bytes(first)
    status, out, err = command(capsys, "repair", path)
    assert status == 1
    assert err == f"lost: run {key} of experiment 'trial'; it is trained again by its sweep\n"
    assert out == f"{path}: 8 rows and 1 checkpoint kept, 1 lost; the damaged file is {path}.damaged-1\n"
    assert rows(path) == [one for one in before if one.key != key]
    second = overwrite(path, 16, b"\0\0")
    status, out, _ = command(capsys, "repair", path, "--json")
    assert status == 0
    assert json.loads(out) == {"store": str(path), "rows": 8, "checkpoints": 1, "lost": [], "damaged": f"{path}.damaged-2"}
    assert [Path(f"{path}.damaged-{number}").read_bytes() for number in (1, 2)] == [first, second]


@pytest.mark.parametrize("data", [b"not a database", b"", bytes(9000)])
def test_a_file_without_an_intact_row_is_left_as_it_is(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(data)
    with pytest.raises(StoreError, match="expected a store with an intact row, found none"):
        repair(path)
    assert path.read_bytes() == data


def test_the_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE runs (experiment, key, a, b, c, d, e, f, g)")
        connection.execute("INSERT INTO runs VALUES ('x', ?, 'a', 'b', 'c', 'd', 1.5, 1, ?)", ("0" * 64, "1" * 64))
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="found none"):
        repair(path)
    assert path.read_bytes() == before


def test_a_sweep_that_writes_keeps_the_repair_away(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store(path) as store, store.driving():
        status, _, err = command(capsys, "repair", path)
    assert status == 3
    assert "another sweep writes to this store" in err


@pytest.mark.parametrize("step", ["link", "replace", "copymode"])
def test_a_repair_that_fails_half_way_loses_nothing(path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    before = rows(path)
    damaged = overwrite(path, 0, bytes(100))
    with monkeypatch.context() as patch:
        patch.setattr({"link": repair_module.os, "replace": Path, "copymode": repair_module.shutil}[step], step, full)
        with pytest.raises(StoreUnavailable, match="No space left on device"):
            repair(path)
    assert path.read_bytes() == damaged
    assert not list(path.parent.glob("*.tmp*"))
    assert repair(path).runs == 9
    assert rows(path) == before


def test_the_log_of_the_damaged_file_goes_with_it(tmp_path: Path) -> None:
    path, source = tmp_path / "store.db", tmp_path / "source.db"
    with Store(source) as store, store.driving():
        store.record(row(1), seconds=1.0, attempts=1)
        path.write_bytes(b"\0" * 100 + source.read_bytes()[100:])
        log = Path(f"{source}-wal").read_bytes()
        Path(f"{path}-wal").write_bytes(log)
    repaired = repair(path)
    assert repaired.runs == 1
    assert not Path(f"{path}-wal").exists()
    assert Path(f"{repaired.damaged}-wal").read_bytes() == log
    assert rows(path) == [row(1)]
