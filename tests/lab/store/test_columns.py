"""Rows of a store pass the checks of rows of a file: a digest shows only that a row is as somebody wrote it."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seqsep.commands.cli import main
from seqsep.lab.device import environment
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import Run
from seqsep.lab.store.columns import digest_of
from seqsep.lab.store.place import StoreError
from seqsep.lab.store.store import Store
from seqsep.tasks import IndexLookup
from support.reply import REPLY


def row(seed: int, **result: object) -> Row:
    run = Run(task=IndexLookup(length=5, alphabet=4), layers=("lstm",), width=8, seed=seed)
    outcome = {"status": "finished", "steps": 20, "accuracy": 0.3, "best_accuracy": 0.4, "parameters": 684}
    outcome |= {"curve": [[20, 0.3, 1.3]], "state_bits": [512, 0]} | result
    return Row("trial", run.key(), run.configuration(), outcome, environment())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with two finished rows and a checkpoint."""
    path = tmp_path / "store.db"
    with Store(path) as store, store.driving():
        for seed in (1, 2):
            store.record(row(seed), seconds=1.5, attempts=1)
        store.record_checkpoint(row(3).key, 10, ("a" * 64,), environment())
    return path


def reseal(path: Path, table: str = "runs", **changed: Any) -> None:
    """Change columns of the row of seed 1, or of the checkpoint, and give it the digest that it then has."""
    key = row(1 if table == "runs" else 3).key
    connection = sqlite3.connect(path)
    for name, value in changed.items():
        connection.execute(f"UPDATE {table} SET {name} = ? WHERE key = ?", (value, key))
    key = changed.get("key", key)
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    [columns] = connection.execute(f"SELECT * FROM {table} WHERE key = ?", (key,)).fetchall()
    connection.execute(f"UPDATE {table} SET digest = ? WHERE key = ?", (digest_of(columns[:-1]), key))
    connection.commit()
    connection.close()


def result(**changed: object) -> str:
    return json.dumps(row(1).result | changed)


FORGED = "finished\n\x1b[2Jseqsep: 0 failed"
UNSOUND: dict[str, tuple[dict[str, Any], str]] = {
    "accuracy": ({"result": result(accuracy=7.5)}, "result.accuracy: expected a number of 0 to 1, found 7.5"),
    "no number": ({"result": result(accuracy=float("nan"))}, "result: expected JSON, found"),
    "infinite": ({"environment": '{"device":1e999,"threads":1,"torch":"2"}'}, "environment: expected JSON, found"),
    "curve": (
        {"result": result(curve=[[300_000, 0.3, 1.3]])},
        "result.curve, point 0: step: expected a whole number of 0 to 20",
    ),
    "missing": ({"result": json.dumps({"status": "finished", "accuracy": 1})}, "found one without steps, best_accuracy"),
    "broken": ({"result": '{"accuracy":'}, "result: expected JSON, found '{\"accuracy\":'"),
    "deep": ({"result": "[" * 100_000}, "result: expected at most 100 lists and objects inside each other, found more"),
    "deeper than most": (
        {"result": result(more=json.loads("[" * 500 + "]" * 500))},
        "result: expected at most 100 lists and objects inside each other, found more",
    ),
    "another status": (
        {"status": "banana", "result": result(status="banana")},
        "result.status: expected that of a run that ended (converged, finished, pruned, failed: non-finite), found banana",
    ),
    "a status for a terminal": (
        {"status": FORGED, "result": result(status=FORGED)},
        "found finished\\u000a\\u001b[2Jseqsep: 0 failed",
    ),
    "a failure for a terminal": (
        {"status": "failed: \x1b[2J", "result": None},
        "status: expected text without control characters, found failed: \\u001b[2J",
    ),
    "a failure without a reason": (
        {"status": "failed", "result": None},
        "status: expected a failure, since the result is missing",
    ),
    "a reply of another status": (
        {"status": "converged", "configuration": '{"question":1}', "result": json.dumps(REPLY | {"status": "converged"})},
        "result.status: expected that of a reply (finished), found converged",
    ),
    "a list": ({"configuration": "[]"}, "configuration: expected a JSON object, found '[]'"),
    "a blob": ({"environment": b"{}"}, "environment: expected a text, found b'{}'"),
    "no UTF-8": ({"experiment": sqlite3.Binary(b"")}, "experiment: expected a text"),
    "no key": ({"key": "../../home"}, "key: expected 64 hexadecimal digits, found '../../home'"),
    "status": ({"status": "converged"}, "status: expected that of the result, 'finished', found 'converged'"),
    "no result": ({"result": None}, "status: expected a failure, since the result is missing, found 'finished'"),
    "paused": ({"status": "paused", "result": result(status="paused")}, "result.status: expected that of a run that ended"),
    "a number as status": ({"result": result(status=3)}, "result.status: expected a text, found 3"),
    "seconds": ({"seconds": float("inf")}, "seconds: expected a number, found inf"),
    "attempts": ({"attempts": "many"}, "attempts: expected a whole number from 0, found many"),
    "a reply": (
        {"configuration": '{"question":1}', "result": json.dumps(REPLY | {"accuracy": 2})},
        "result.accuracy: expected a number of 0 to 1",
    ),
}


@pytest.mark.parametrize("kind", UNSOUND)
def test_a_resealed_row_is_refused_by_name(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    """On every read and on each way out, in one line; `store repair` drops it, names it, and keeps the rest."""
    changed, found = UNSOUND[kind]
    reseal(path, **changed)
    key = changed.get("key", row(1).key)
    for words in (
        ["store", "show", path],
        ["export", "--store", path, "-o", tmp_path / "rows.jsonl"],
        ["export", "--store", path, "-o", tmp_path / "rows.csv"],
    ):
        assert main(list(map(str, words))) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert f"{path}: table runs, row " in error
        assert f"'{key[:14]}" in error
        assert found in error
        assert f"seqsep store repair {path} keeps what is intact" in error
    with Store(path) as store, pytest.raises(StoreError):
        store.finished()
    assert sorted(file.name for file in tmp_path.iterdir() if "rows" in file.name) == []
    status = main(["store", "repair", str(path)])
    said = capsys.readouterr()
    assert "1 row and 0 checkpoints kept" in said.out
    if kind not in ("no key", "no UTF-8"):  # otherwise it has no name of ours
        assert status == 1
        assert f"lost: run {row(1).key} of experiment 'trial'" in said.err
    with Store(path, create=False) as store:
        assert store.rows() == [row(2)]


CHECKPOINTS: dict[str, tuple[dict[str, Any], str]] = {
    "digest": ({"sha256": "../../home/mine"}, "sha256: expected 64 hexadecimal digits, found '../../home/mine'"),
    "digests": ({"sha256": " ".join(["a" * 64] * 3)}, "sha256: expected one or two digests"),
    "none": ({"sha256": ""}, "sha256: expected one or two digests, found ''"),
    "step": ({"step": -1}, "step: expected a whole number from 0, found -1"),
    "environment": ({"environment": "{"}, "environment: expected JSON"),
    "key": ({"key": "../mine"}, "key: expected 64 hexadecimal digits, found '../mine'"),
}


@pytest.mark.parametrize("kind", CHECKPOINTS)
def test_a_resealed_checkpoint_is_refused_by_name(path: Path, kind: str) -> None:
    changed, found = CHECKPOINTS[kind]
    reseal(path, "checkpoints", **changed)
    with Store(path) as store, pytest.raises(StoreError) as error:
        store.steps()
    assert f"{path}: table checkpoints, row " in str(error.value)
    assert found in str(error.value)


def test_a_row_of_another_version_is_shown_and_not_exported(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has a key that its run does not have in this version, or a run that this version cannot make."""
    reseal(path, key="0" * 64)
    other = row(5).configuration | {"layers": ["no-such-mixer"]}
    with Store(path) as store, store.driving():
        store.record(replace(row(5), key="1" * 64, configuration=other), seconds=1.0, attempts=1)
        assert store.get("0" * 64) == store.get("1" * 64) == []
    assert main(["store", "show", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "a run of another version: accuracy 0.3000 of 2 runs" in shown
    for name in ("rows.jsonl", "rows.csv"):
        assert main(["export", "--store", str(path), "-o", str(tmp_path / name)]) == 0
        assert capsys.readouterr().out == f"1 row to {tmp_path / name}; 2 of another version left out\n"
    assert read_rows(tmp_path / "rows.jsonl") == [row(2)]


def called_deep(levels: int, path: Path) -> list[Row]:
    """Read a store with that many calls under way."""
    if levels:
        return called_deep(levels - 1, path)
    with Store(path, create=False) as store:
        return store.rows()


def test_the_depth_of_a_row_is_limited_whatever_calls_it(path: Path, tmp_path: Path) -> None:
    """100 levels are read, exported and repaired from everywhere; that a row has more was once seen by the repair only."""
    reseal(path, result=result(more=json.loads("[" * 99 + "]" * 99)))
    assert called_deep(500, path) == called_deep(0, path)
    assert main(["export", "--store", str(path), "-o", str(tmp_path / "rows.jsonl")]) == 0
    assert len(read_rows(tmp_path / "rows.jsonl")) == 2
    assert main(["store", "repair", str(path)]) == 0
    assert len(called_deep(0, path)) == 2


@pytest.mark.parametrize("accuracy", [7.5, -1.0, "much"])
def test_a_store_records_no_impossible_result(path: Path, accuracy: object) -> None:
    with Store(path) as store, store.driving():
        with pytest.raises(ValueError, match=r"^Store.record: run [0-9a-f]{64} of experiment 'trial': result.accuracy: "):
            store.record(row(4, accuracy=accuracy), seconds=1.0, attempts=1)
        assert store.get(row(4).key) == []
