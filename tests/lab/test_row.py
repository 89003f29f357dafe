"""Rows as JSON lines: canonical, written whole, and a bad line is named."""

import os
from pathlib import Path

import pytest

from seqsep.lab.device import environment
from seqsep.lab.row import Row, read_rows, write_rows
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup


def row(seed: int = 0, **result: object) -> Row:
    run = Run(task=IndexLookup(length=5, alphabet=4), layers=("lstm",), width=8, seed=seed)
    outcome = {"status": "finished", "steps": 20, "accuracy": 0.3, "best_accuracy": 0.4, "parameters": 684}
    outcome |= {"curve": [[10, 0.1 + 0.2, 1.4], [20, 0.3, 1.3]], "state_bits": [512, 0]} | result
    return Row("trial", run.key(), run.configuration(), outcome, environment())


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"{", "as JSON"),
        (b"\xff", "as JSON"),
        (b"[" * 100_000, "as JSON"),
        (b"[]", "expected an object with experiment, key, run, result, environment"),
        (row().to_json().replace('"key"', '"name"').encode(), "expected an object with"),
        (row().to_json().replace('"curve"', '"line"').encode(), "without curve"),
        (row().to_json().replace('"threads"', '"cores"').encode(), "without threads"),
        (row().to_json().replace('"lstm"', '"gru"').encode(), "layers are one or more of"),
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
