"""`--compare`: the reader's rows beside the committed ones of the same task and length."""

import sqlite3
from dataclasses import replace

import pytest

from seqsep.commands.comparison import beside, committed_rows, sentence
from seqsep.core.names import BadInput
from seqsep.lab.row import Row, write_rows
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup
from support.command_line import TWO_SHORT_RUNS, call

RUN = Run(IndexLookup(5, alphabet=4), ("lstm",), width=8, steps=10)


def row(run, accuracy, steps=10, status="finished", experiment="theirs"):
    result = {"status": status, "accuracy": accuracy, "best_accuracy": accuracy, "steps": steps, "parameters": 9}
    result |= {"curve": [[steps, accuracy, 1.0]], "state_bits": [512, 0]}
    return Row(experiment, run.key(), run.configuration(), result, {"torch": "2", "device": "cpu", "threads": 1})


def shown(table):
    return [(one["experiment"], one["layers"], one["accuracy"], one["steps"]) for one in table.records()]


def test_the_best_of_each_architecture_stands_first():
    """The best has the highest accuracy, then the fewest steps; a run that diverged is no best, another length no company."""
    attention = replace(RUN, layers=("attention",))
    committed = [
        row(RUN, 0.5),
        row(replace(RUN, seed=1), 0.5, steps=6),
        row(replace(RUN, seed=2), 0.9, status="failed: loss is not finite"),
        row(attention, 0.75),
        row(replace(RUN, width=16), 0.25),
        row(replace(RUN, task=IndexLookup(6, alphabet=4)), 1.0),
    ]
    mine = [row(replace(RUN, learning_rate=1e-2), 0.1), row(replace(RUN, layers=("mamba",)), 0.3)]
    assert shown(beside(mine, committed)) == [
        ("theirs, best of 1", "attention", 0.75, 10),
        ("theirs, best of 3", "lstm", 0.5, 6),
        ("theirs, best of 1", "lstm", 0.25, 10),
        ("yours", "mamba", 0.3, 10),
        ("yours", "lstm", 0.1, 10),
    ]
    assert sentence(mine, committed).endswith("which may have other widths, rates and steps")


def test_learned_positions_are_one_group_asked_for_or_not():
    """Attention has learned positions by default; an LSTM has none."""
    attention = replace(RUN, layers=("attention",))
    runs = [replace(run, positions=positions) for run in (attention, RUN) for positions in ("default", "learned")]
    table = beside([row(RUN, 0.1)], [row(run, 0.5) for run in runs])
    assert [(one["experiment"], one["layers"], one["positions"]) for one in table.records()[:-1]] == [
        ("theirs, best of 2", "attention", "learned"),
        ("theirs, best of 1", "lstm", "none"),
        ("theirs, best of 1", "lstm", "learned"),
    ]


def test_what_has_no_company_is_named():
    mine = [row(RUN, 0.1)]
    assert shown(beside(mine, [])) == [("yours", "lstm", 0.1, 10)]
    assert sentence(mine, []).endswith("; no other row has index-lookup N=5")


def test_a_folder_without_rows_is_refused_before_training(tmp_path, capsys):
    with pytest.raises(BadInput, match=r"expected a store, a file of rows, or a folder with NAME\.jsonl, found none in /"):
        committed_rows(tmp_path)
    with pytest.raises(BadInput, match=r"--compare .*absent: expected a store, a file of rows"):
        committed_rows(tmp_path / "absent")
    store = tmp_path / "s.sqlite"
    words = ("train", "index-lookup", "--length", "5", "--layers", "lstm", "--store", str(store), "--compare", str(tmp_path))
    status, _, error = call(capsys, *words)
    assert status == 2
    assert "--compare" in error
    assert not store.exists()


def test_a_store_is_compared_with_what_it_held_before(tmp_path, capsys):
    """And a database that is no store is refused by what it is."""
    file, store, other = tmp_path / "mine.py", tmp_path / "s.sqlite", tmp_path / "other.sqlite"
    file.write_text(TWO_SHORT_RUNS)
    words = ("run", str(file), "--preset", "tiny", "--store", str(store), "--workers", "1", "--compare")
    call(capsys, *words[:-1])
    _, out, _ = call(capsys, *words, str(store))
    assert "best of" not in out
    assert out.count("\nyours") == 2
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE t (x)")
    status, _, error = call(capsys, *words, str(other))
    assert status == 2
    assert "other.sqlite: expected a store of seqsep" in error


def test_run_prints_the_table_at_its_end(tmp_path, capsys):
    file, store, rows = tmp_path / "mine.py", tmp_path / "s.sqlite", tmp_path / "rows.jsonl"
    file.write_text(TWO_SHORT_RUNS)
    call(capsys, "run", str(file), "--preset", "tiny", "--store", str(store), "--workers", "1")
    call(capsys, "export", "--store", str(store), "-o", str(rows))
    words = ("run", str(file), "--preset", "tiny", "--store", str(store), "--workers", "1", "--compare", str(rows))
    status, out, _ = call(capsys, *words)
    assert status == 0
    first, second, _, *lines = out.splitlines()
    assert first == f"2 runs in {store}, 0 failed"
    assert second.startswith("These runs next to rows of the same task and length")
    assert [line.split("  ")[0] for line in lines] == ["mine, best of 2", "yours", "yours"]
    written = committed_rows(rows)
    write_rows(tmp_path / "folder" / "some.jsonl", written)
    assert committed_rows(tmp_path / "folder") == written
    assert sorted(committed_rows(store), key=lambda row: row.key) == written
