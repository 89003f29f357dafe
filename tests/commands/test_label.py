"""`--label`: the reader's names of runs, from training to the legend."""

import json
from contextlib import redirect_stdout
from io import StringIO

import pytest

from seqsep.commands.cli import main
from seqsep.commands.comparison import beside
from seqsep.commands.report import layers_and_label
from seqsep.core.names import BadInput
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import Run
from seqsep.lab.run_labels import labels_file, read_labels, write_labels
from seqsep.lab.run_table import RunTable
from seqsep.report.experiment_table import report_tables
from seqsep.report.figures.panels import draw_curves
from seqsep.report.named_layers import labels_of_layers
from seqsep.tasks import IndexLookup
from support.command_line import call

SMALL = ("--width", "8", "--steps", "4", "--batch", "4", "--evaluate-every", "2", "--eval-examples", "20", "--workers", "1")
TRAIN = ("train", "index-lookup", "--length", "5", "--alphabet", "4", *SMALL)
LSTM = Run(IndexLookup(5, alphabet=4), ("lstm",), 8)
HYBRID = Run(IndexLookup(5, alphabet=4), ("mamba", "attention"), 8)


def finished_row(run=LSTM):
    result = {"status": "finished", "accuracy": 0.5, "best_accuracy": 0.5, "steps": 4, "parameters": 9}
    result |= {"curve": [[4, 0.5, 1.0]], "state_bits": [512, 0]}
    return Row("trial", run.key(), run.configuration(), result, {"torch": "2", "device": "cpu", "threads": 1})


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A store with two LSTMs that are called mine, and what the command printed."""
    store = tmp_path_factory.mktemp("label") / "s.sqlite"
    with redirect_stdout(StringIO()) as out:
        status = main([*TRAIN, "--layers", "lstm", "--store", str(store), "--seed", "0..1", "--label", "mine"])
    assert status == 0
    return store, out.getvalue()


@pytest.mark.slow
def test_a_label_stands_in_tables_and_legends(capsys, trained, tmp_path):
    store, out = trained
    assert out.splitlines()[1].split()[0] == "label"
    assert [line.split()[:2] for line in out.splitlines()[2:]] == [["mine", "train"]] * 2
    assert "    mine: lstm (1, 8), index-lookup N=5: accuracy" in call(capsys, "store", "show", str(store))[1]
    rows = tmp_path / "rows.jsonl"
    assert call(capsys, "export", "--store", str(store), "-o", str(rows))[0] == 0
    [table] = report_tables(rows, read_rows(rows), read_labels(rows))
    assert list(table.table.models.values()) == ["mine"]
    [legend] = draw_curves(table.table, "caption").legends
    assert [text.get_text() for text in legend.get_texts()] == ["mine"]
    assert call(capsys, "export", "--store", str(store), "-o", str(tmp_path / "rows.csv"))[0] == 0
    assert {line.split(",")[0] for line in (tmp_path / "rows.csv").read_text().splitlines()} == {"label", "mine"}
    assert call(capsys, "store", "import", str(tmp_path / "other.sqlite"), str(rows))[0] == 0
    assert read_labels(tmp_path / "other.sqlite") == read_labels(store) != {}


def test_a_label_is_in_no_row_and_may_come_later(capsys, trained, tmp_path):
    store, _ = trained
    copy = tmp_path / "s.sqlite"
    copy.write_bytes(store.read_bytes())
    rows = [tmp_path / f"{name}.jsonl" for name in ("with", "without")]
    for place, file in zip((store, copy), rows, strict=True):
        assert call(capsys, "export", "--store", str(place), "-o", str(file))[0] == 0
    assert rows[0].read_bytes() == rows[1].read_bytes()
    assert [labels_file(file).exists() for file in rows] == [True, False]
    assert all(row.key == row.run.key() for row in read_rows(rows[0]))
    words = (*TRAIN, "--layers", "lstm", "--store", str(copy), "--seed", "1", "--label", "later")
    assert call(capsys, *words)[0] == 0
    [(key, label)] = read_labels(copy).items()
    assert (label, {row.run.seed for row in read_rows(rows[0]) if row.key == key}) == ("later", {1})


def test_an_export_over_another_leaves_no_old_labels(capsys, trained, tmp_path):
    store, _ = trained
    rows = tmp_path / "rows.jsonl"
    write_labels(rows, {"f" * 64: "old"})
    call(capsys, "export", "--store", str(store), "-o", str(rows))
    assert set(read_labels(rows).values()) == {"mine"}


@pytest.mark.parametrize("name", ["", "_hidden", "two\nlines", "$x$", "a\x9bb", "a\u202eb", "x" * 41])
def test_what_is_no_label_is_refused(capsys, tmp_path, name):
    status, _, err = call(capsys, *TRAIN, "--layers", "lstm", "--store", str(tmp_path / "s"), f"--label={name}")
    assert status == 2
    assert "--label: expected at most 40 characters in one line" in err
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"key": "mine"}', json.dumps({"0" * 64: 1}), json.dumps({"0" * 64: "$"}), "[" * 9999]
)
def test_a_file_that_holds_no_labels_is_named(tmp_path, text):
    labels_file(tmp_path / "rows.jsonl").write_text(text)
    with pytest.raises(ValueError, match=r"rows\.jsonl\.labels\.json: "):
        read_labels(tmp_path / "rows.jsonl")


def test_layers_are_named_for_one_report():
    rows = [finished_row(), finished_row(HYBRID)]
    named = [layers_and_label(text) for text in ("mamba, attention=mine", "lstm=theirs")]
    assert labels_of_layers(named, rows) == {rows[0].key: "theirs", rows[1].key: "mine"}
    with pytest.raises(BadInput, match="--label mamba=x: expected layers of a row: lstm; mamba,attention"):
        labels_of_layers([("mamba", "x")], rows)


def test_a_table_has_labels_only_if_a_run_has_one():
    rows = [finished_row(), finished_row(HYBRID)]
    assert "label" not in RunTable(rows, {}).records()[0]
    assert [one["label"] for one in RunTable(rows, {rows[1].key: "mine"}).records()] == [None, "mine"]


def test_the_label_stands_for_yours_in_a_comparison():
    assert [one["experiment"] for one in beside([finished_row()], [], "mine").records()] == ["mine"]
