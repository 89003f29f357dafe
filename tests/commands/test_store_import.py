"""`seqsep store import`: exported rows come back into a store, and nothing that it holds finished is replaced."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab.row import Row, read_rows, write_rows
from seqsep.lab.store.store import Store

ROWS = read_rows(Path(__file__).parents[2] / "results" / "demo.jsonl")[:4]


def imported(path: Path, *files: Path) -> dict[str, object]:
    assert main(["store", "import", str(path), *map(str, files), "--json"]) == 0
    return {"in store": held(path)}


def held(path: Path) -> list[Row]:
    with Store(path, create=False) as store:
        return store.rows()


def test_exported_rows_come_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "store.db"
    write_rows(tmp_path / "rows.jsonl", ROWS)
    assert imported(path, tmp_path / "rows.jsonl") == {"in store": ROWS}
    assert json.loads(capsys.readouterr().out) == {"store": str(path), "rows": 4, "new": 4}
    assert main(["export", "--store", str(path), "-o", str(tmp_path / "again.jsonl")]) == 0
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "rows.jsonl").read_bytes()


def test_a_finished_row_of_the_store_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "store.db"
    other = replace(ROWS[0], result=ROWS[0].result | {"accuracy": 0.5, "best_accuracy": 0.5})
    with Store(path) as store, store.driving():
        store.record(other, seconds=1.0, attempts=1)
        store.record(replace(ROWS[1], result={"status": "failed: worker died"}), seconds=1.0, attempts=1)
    write_rows(tmp_path / "rows.jsonl", ROWS)
    imported(path, tmp_path / "rows.jsonl", tmp_path / "rows.jsonl")
    assert held(path) == [other, *ROWS[1:]]
    assert json.loads(capsys.readouterr().out) == {"store": str(path), "rows": 4, "new": 3}


def test_a_line_that_is_no_row_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.jsonl"
    write_rows(file, ROWS)
    file.write_text(file.read_text() + "{}\n")
    assert main(["store", "import", str(tmp_path / "store.db"), str(file)]) == 2
    assert f"{file}, line 5: " in capsys.readouterr().err
    assert not (tmp_path / "store.db").exists()


def test_a_processor_is_shown_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "store.sqlite"
    forged = replace(ROWS[1], environment=ROWS[1].environment | {"processor": "one\n\x1b[2J0 failed"})
    with Store(store) as opened, opened.driving():
        for row in (ROWS[0], forged):
            opened.record(row, seconds=1.0, attempts=1)
    assert main(["store", "show", str(store)]) == 0
    assert "one\\u000a\\u001b[2J0 failed" in capsys.readouterr().out.splitlines()[-1]


def test_a_store_of_several_processors_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "store.db"
    elsewhere = replace(ROWS[1], environment=ROWS[1].environment | {"processor": "Vendor 1.2, AVX2"})
    recorded = {name: value for name, value in ROWS[0].environment.items() if name != "processor"}
    said = []
    for rows in ([replace(ROWS[0], environment=recorded)], [elsewhere]):
        write_rows(tmp_path / "rows.jsonl", rows)
        imported(path, tmp_path / "rows.jsonl")
        capsys.readouterr()
        assert main(["store", "show", str(path)]) == 0
        said.append(capsys.readouterr().out)
    assert "processors" not in said[0]
    assert "trained on several processors, which round otherwise: Vendor 1.2, AVX2; one that was not recorded" in said[1]
