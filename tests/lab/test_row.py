"""Rows as JSON lines: canonical, written whole, and a bad line is named."""

import json
import os
import re
from pathlib import Path

import pytest

from seqsep.lab.device import environment
from seqsep.lab.row import Row, Rows, read_rows, write_rows
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup
from support.reply import REPLY


def row(seed: int = 0, **result: object) -> Row:
    run = Run(task=IndexLookup(length=5, alphabet=4), layers=("lstm",), width=8, seed=seed, steps=20)
    outcome = {"status": "finished", "steps": 20, "accuracy": 0.3, "best_accuracy": 0.4, "parameters": 684}
    outcome |= {"curve": [[10, 0.1 + 0.2, 1.4], [20, 0.3, 1.3]], "state_bits": [512, 0]} | result
    return Row("trial", run.key(), run.configuration(), outcome, environment())


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"{", "as JSON"),
        (b"\xff", "text in UTF-8"),
        (b"[" * 100_000, "row: expected at most 100 lists and objects inside each other, found more"),
        (row().to_json().replace('"lstm"', "[" * 97 + "]" * 97).encode(), "layers: expected the names of mixers"),
        (row().to_json().replace('"lstm"', "[" * 99 + "]" * 99).encode(), "run: expected at most 100 lists and objects inside"),
        (row(status="banana").to_json().encode(), "result.status: expected that of a run that ended (converged, finished, "),
        (row(status="finished\n\x1b[2J: 0 failed").to_json().encode(), "found finished\\u000a\\u001b[2J: 0 failed"),
        (row(status="failed: much").to_json().encode(), "failed: non-finite), found failed: much"),
        (b"[]", "expected an object with experiment, key, run, result, environment"),
        (row().to_json().replace('"key"', '"name"').encode(), "expected an object with"),
        (row().to_json().replace('"curve"', '"line"').encode(), "without curve"),
        (row().to_json().replace('"threads"', '"cores"').encode(), "without threads"),
        (row().to_json().replace('"lstm"', '"gru"').encode(), "unknown mixer 'gru'"),
        (row().to_json().replace('"lstm"', '"/bin/layer.py:Layer"').encode(), "expected the name of a mixer, or CLASS@SHA-256"),
        (row().to_json().replace('"lstm"', "1e400").encode(), "layers: expected the names of mixers, found inf"),
        (row().to_json().replace('"lstm"', '"model:layer.py:Net"').encode(), "expected the name of a mixer, or CLASS@SHA-256"),
        (row().to_json().replace('"index-lookup"', '"task.py:Task"').encode(), "unknown or missing field 'task.py:Task'"),
        (row().to_json().replace('"width"', '"wide"').encode(), "unknown or missing field"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes, found: str) -> None:
    path = tmp_path / "rows.jsonl"
    write_rows(path, [row()])
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(ValueError, match="line 2") as error:
        read_rows(path)
    message = str(error.value)
    assert message.startswith(f"{path}, line 2: ")
    assert found in message
    assert "\n" not in message


def test_rows_are_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError("No space left on device")

    path = tmp_path / "rows.jsonl"
    write_rows(path, [row()])
    with pytest.raises(ValueError, match="Out of range float"):
        write_rows(path, [row(1), row(2, accuracy=float("nan"))])
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_rows(path, [row(1), row(2)])
    assert read_rows(path) == [row()]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        ("accuracy", 2.0, "result.accuracy: expected a number of 0 to 1, found 2.0"),
        ("accuracy", -1, "result.accuracy: expected a number of 0 to 1, found -1"),
        ("accuracy", True, "result.accuracy: expected a number of 0 to 1, found True"),
        ("accuracy", "0.3", "result.accuracy: expected a number of 0 to 1, found 0.3"),
        ("accuracy", float("nan"), "result.accuracy: expected a number of 0 to 1, found nan"),
        ("best_accuracy", 0.2, "result.best_accuracy: expected at least the accuracy 0.3, found 0.2"),
        ("live_accuracy", 1.5, "result.live_accuracy: expected a number of 0 to 1, found 1.5"),
        ("steps", -20, "result.steps: expected a whole number of 0 to 20, found -20"),
        ("steps", 21, "result.steps: expected a whole number of 0 to 20, found 21"),
        ("steps", 20.0, "result.steps: expected a whole number of 0 to 20, found 20.0"),
        ("parameters", None, "result.parameters: expected a whole number from 0, found None"),
        ("status", 3, "result.status: expected a text, found 3"),
        ("state_bits", [1], "result.state_bits: expected two whole numbers, found 1"),
        ("state_bits", [1, -1], "result.state_bits: expected a whole number from 0, found -1"),
        ("curve", {}, "result.curve: expected a list of points, found {}"),
        ("curve", [[10, 0.3]], "result.curve, point 0: expected a step, an accuracy and a loss, found [10, 0.3]"),
        ("curve", [[10, 1.3, 1.0]], "result.curve, point 0: accuracy: expected a number of 0 to 1, found 1.3"),
        ("curve", [[10, 0.3, float("inf")]], "result.curve, point 0: loss: expected a number of nats from 0, found inf"),
        ("curve", [[20, 0.3, 1.0], [10, 0.3, 1.0]], "result.curve, point 1: step: expected one above 20, found 10"),
        (
            "curve",
            [[10, 0.3, 1.0], [30, 0.3, 1.0]],
            "result.curve, point 1: step: expected a whole number of 0 to 20, found 30",
        ),
    ],
)
def test_an_impossible_result_is_named(tmp_path: Path, field: str, value: object, found: str) -> None:
    sound = row()
    line = json.dumps(
        {"run": sound.configuration}
        | {name: getattr(sound, name) for name in ("experiment", "key", "environment")}
        | {"result": sound.result | {field: value}}
    )
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{sound.to_json()}\n{line}\n")
    with pytest.raises(ValueError, match="line 2") as error:
        read_rows(path)
    assert str(error.value) == f"{path}, line 2: {found}"


def test_a_row_under_the_key_of_another_run_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(row(0).to_json().replace(row(0).key, row(1).key) + "\n")
    with pytest.raises(
        ValueError, match=f"line 1: key: expected {row(0).key}, that of its run in this version, found {row(1).key}"
    ):
        read_rows(path)


def test_lines_end_at_newlines_only(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(row().to_json().encode() + b"\r\n" + row(1).to_json().replace(",", ",\r", 1).encode() + b"\n")
    assert read_rows(path) == [row(), row(1)]
    path.write_bytes(b"")
    assert read_rows(path) == []


def test_a_row_opens_no_file_that_it_names(tmp_path: Path) -> None:
    """Not even a sound one."""
    layer, path = tmp_path / "layer.py", tmp_path / "rows.jsonl"
    layer.write_text(f"open({str(tmp_path / 'run')!r}, 'w')\nclass Layer:\n    pass\n")
    by_file = Run(task=IndexLookup(length=5, alphabet=4), layers=(f"{layer}:Layer",), width=8, steps=20)
    named = row().to_json().replace('"lstm"', json.dumps(f"{layer}:Layer")).replace(row().key, by_file.key())
    path.write_text(named + "\n")
    with pytest.raises(ValueError, match="line 1: expected the name of a mixer"):
        read_rows(path)
    by_digest = Row("trial", by_file.key(), by_file.configuration(), row().result, environment())
    write_rows(path, [by_digest])
    assert read_rows(path) == [by_digest]
    assert not (tmp_path / "run").exists()


def test_heads_are_shown_only_where_a_layer_has_them() -> None:
    """A run has a number of heads; an LSTM makes nothing of it, in a table no more than in a figure."""
    lstm = row()
    hybrid = Run(task=IndexLookup(length=5, alphabet=4), layers=("lstm", "attention"), width=8, heads=2, steps=20)
    rows = Rows([lstm, Row("trial", hybrid.key(), hybrid.configuration(), lstm.result, environment())])
    assert [one["heads"] for one in rows.records()] == [None, 2]
    assert [one["positions"] for one in rows.records()] == ["none", "learned"]
    headings, first, second = (line.split() for line in repr(rows).splitlines())
    assert [line[headings.index("heads")] for line in (first, second)] == ["-", "2"]


def test_a_table_has_live_accuracy_if_a_run_has_it() -> None:
    rows = [row(), row(live_accuracy=0.75)]
    assert "live_accuracy" not in Rows(rows[:1]).records()[0]
    assert [one["live_accuracy"] for one in Rows(rows).records()] == [None, 0.75]


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        ("right", 7, "result.right: expected true or false, found 7"),
        ("right", False, "result.accuracy: expected 0.0 of a reply that is False, found 1.0"),
        ("tokens_right", 3, "result.tokens_right: expected a whole number of 0 to 2, found 3"),
        ("state_bits", -5, "result.state_bits: expected a whole number from 0, found -5"),
        ("chance", 3.5, "result.chance: expected a number of 0 to 1, found 3.5"),
        ("written", 12, "result.written: expected a text, found 12"),
    ],
)
def test_a_forged_reply_is_refused(field, value, found):
    forged = Row("text-phonebook", "0" * 64, {"question": {}, "model": {}}, REPLY | {field: value}, environment())
    with pytest.raises(ValueError, match=re.escape(found)):
        Row.from_json(forged.to_json())
    del forged.result[field]
    with pytest.raises(ValueError, match=f"expected a finished row, found one without {field}"):
        Row.from_json(forged.to_json())
