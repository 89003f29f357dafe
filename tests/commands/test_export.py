"""`seqsep export` says what it leaves out, and writes a table as CSV; `seqsep store show` lists it all."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from seqsep.lab.row import Row, read_rows
from seqsep.lab.store.store import Store
from support.command_line import call
from support.reply import REPLY

ROWS = read_rows(Path(__file__).parents[2] / "results/demo.jsonl")[:5]
FAILED = {"status": "failed: worker died"}


@pytest.fixture
def path(tmp_path):
    """A store with three finished runs, and two that failed, one of them in another experiment."""
    path = tmp_path / "s.sqlite"
    with Store(path) as store, store.driving():
        for row in ROWS[:3]:
            store.record(row, seconds=1.0, attempts=1)
        store.record(replace(ROWS[3], result=FAILED), seconds=1.0, attempts=3)
        store.record(replace(ROWS[4], experiment="other", result=FAILED), seconds=1.0, attempts=3)
    return path


def test_it_says_how_many_failed_runs_it_leaves_out(path, tmp_path, capsys):
    rows = tmp_path / "rows.jsonl"
    _, out, _ = call(capsys, "export", "--store", str(path), "-o", str(rows))
    assert out == f"3 rows to {rows}; 2 failed runs have no result and are left out\n"
    assert read_rows(rows) == sorted(ROWS[:3], key=lambda row: row.key)
    _, out, _ = call(capsys, "export", "--store", str(path), "--experiment", "demo", "-o", str(rows))
    assert out == f"3 rows to {rows}; 1 failed run has no result and is left out\n"


def test_nothing_is_said_where_none_failed(path, tmp_path, capsys):
    with Store(path) as store, store.driving():
        store.record(ROWS[3], seconds=1.0, attempts=1)
    _, out, _ = call(capsys, "export", "--store", str(path), "--experiment", "demo", "-o", str(tmp_path / "rows.jsonl"))
    assert out == f"4 rows to {tmp_path / 'rows.jsonl'}\n"


@pytest.mark.parametrize("name", ["rows.csv", "rows.CSV"])
def test_a_table_for_a_spreadsheet(path, tmp_path, capsys, name):
    assert call(capsys, "export", "--store", str(path), "-o", str(tmp_path / name))[0] == 0
    with (tmp_path / name).open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    found = {(line["layers"], line["task"], int(line["length"]), float(line["accuracy"])) for line in lines}
    shown = [("+".join(row.run.layers), row.run.task.name, row.run.task.length, row.result["accuracy"]) for row in ROWS[:3]]
    assert found == set(shown)


def test_replies_export_as_a_table(tmp_path, capsys):
    """A reply has one number of bits of state, or none, and a run has two."""
    path = tmp_path / "replies.sqlite"
    with Store(path) as store, store.driving():
        for number, bits in enumerate((None, 32_768)):
            reply = Row("text-index", f"{number:064}", {"question": {}}, REPLY | {"state_bits": bits}, ROWS[0].environment)
            store.record(reply, seconds=1.0, attempts=1)
    status, out, err = call(capsys, "export", "--store", str(path), "-o", str(tmp_path / "rows.csv"))
    assert (status, out, err) == (0, f"2 rows to {tmp_path / 'rows.csv'}\n", "")
    with (tmp_path / "rows.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [(line["state_bits"], line["state_bits_per_token"]) for line in lines] == [("", ""), ("32768", "")]


def test_a_table_is_never_written_over_the_store(path, tmp_path, capsys):
    before = path.read_bytes()
    table = path.rename(tmp_path / "store.csv")
    status, _, err = call(capsys, "export", "--store", str(table), "-o", str(table))
    assert (status, err.count("\n")) == (2, 1)
    assert table.read_bytes() == before


def test_show_lists_accuracies_and_failures(path, capsys):
    _, out, _ = call(capsys, "store", "show", str(path))
    lines = out.splitlines()[1:]
    assert lines[0] == "  demo: 3 finished, 1 failed"
    label = ROWS[3].run.label()
    assert f"    {ROWS[3].key[:12]} {label}: failed: worker died" in lines
    assert sum(": accuracy 0." in line for line in lines) == len({(row.run.layers, row.run.task) for row in ROWS[:3]})
    assert "weights kept" not in out


def test_show_names_the_runs_that_can_be_asked(path, capsys):
    folder = path.with_name("s.sqlite.weights")
    folder.mkdir()
    (folder / f"{ROWS[0].key}.safetensors").touch()
    _, out, _ = call(capsys, "store", "show", str(path))
    assert [line for line in out.splitlines() if "weights kept" in line] == [
        f"    {ROWS[0].key[:12]} {ROWS[0].run.label()}: weights kept"
    ]
    _, out, _ = call(capsys, "store", "show", str(path), "--json")
    assert json.loads(out)["experiments"]["demo"]["kept"] == [{"key": ROWS[0].key, "run": ROWS[0].run.label()}]
    record = json.loads(call(capsys, "store", "show", str(path), "--json")[1])["experiments"]
    assert record["other"]["failures"] == [{"key": ROWS[4].key, "run": ROWS[4].run.label(), "status": "failed: worker died"}]
    assert sum(span["runs"] for span in record["demo"]["accuracies"].values()) == 3
    assert {span["least"] for span in record["demo"]["accuracies"].values()} <= {row.result["accuracy"] for row in ROWS[:3]}


def test_a_long_list_of_failures_is_cut(path, capsys):
    with Store(path) as store, store.driving():
        for number in range(25):
            store.record(replace(ROWS[3], key=f"{number:064x}", result=FAILED), seconds=1.0, attempts=3)
    _, out, _ = call(capsys, "store", "show", str(path))
    assert "    and 6 more, which --json has" in out
    assert out.count("worker died") == 21


def test_an_experiment_that_the_store_lacks_is_named(path, tmp_path, capsys):
    """Else a file that is there would be replaced by an empty one."""
    output = tmp_path / "rows.jsonl"
    status, _, error = call(capsys, "export", "--store", str(path), "-o", str(output), "--experiment", "typo")
    assert status == 2
    assert f"--experiment typo: expected one of {ROWS[0].experiment}, other, which {path} holds" in error
    assert not output.exists()
