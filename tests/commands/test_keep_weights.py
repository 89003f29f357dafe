"""`seqsep run --keep-weights`: each model beside the store, as its row says."""

import pytest

import seqsep
from seqsep.lab.row import PRUNED
from seqsep.lab.store.store import Store
from seqsep.lab.train import evaluate
from support.command_line import OWN_LAYER, TWO_SHORT_RUNS, call

RUNS_OF_OWN = """
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup


def runs(preset):
    return [Run(IndexLookup(5), (f"{__file__}:Own",), width=8, steps=4, batch=4, evaluate_every=2, evaluation=20)]
"""


def trained(capsys, file, store, *flags):
    status, _, err = call(capsys, "run", str(file), "--store", str(store), "--workers", "1", "--keep-weights", *flags)
    assert status == 0, err
    with Store(store) as opened:
        return opened.rows()


@pytest.mark.parametrize("flags", [(), ("--prune",)], ids=["whole", "pruned"])
def test_each_model_is_kept_and_has_its_row_s_accuracy(capsys, tmp_path, flags):
    file, store = tmp_path / "mine.py", tmp_path / "s.sqlite"
    three_rates = "learning_rate=rate) for rate in (1e-2, 1e-6, 1e-5)"
    file.write_text(TWO_SHORT_RUNS.replace("seed=seed) for seed in (0, 1)", three_rates))
    rows = [row for row in trained(capsys, file, store, "--preset", "tiny", *flags) if row.status != PRUNED]
    weights = {path.stem: path for path in (tmp_path / "s.sqlite.weights").iterdir()}
    assert weights.keys() == {row.key for row in rows}
    assert len(rows) == (2 if flags else 3)
    for row in rows:
        model, run = seqsep.load(weights[row.key])
        assert run.key() == row.key
        assert evaluate(run, model, run.steps).accuracy == pytest.approx(row.result["accuracy"], abs=1e-9)


def test_only_what_is_not_kept_is_trained_again(capsys, tmp_path):
    file, store = tmp_path / "mine.py", tmp_path / "s.sqlite"
    file.write_text(TWO_SHORT_RUNS)
    status, _, _ = call(capsys, "run", str(file), "--preset", "tiny", "--store", str(store), "--workers", "1")
    assert status == 0
    assert not (tmp_path / "s.sqlite.weights").exists()
    rows = trained(capsys, file, store, "--preset", "tiny")
    first, second = (tmp_path / "s.sqlite.weights" / f"{row.key}.safetensors" for row in rows)
    before = second.stat().st_mtime_ns
    first.unlink()
    assert trained(capsys, file, store, "--preset", "tiny") == rows
    assert first.exists()
    assert second.stat().st_mtime_ns == before


@pytest.mark.slow
def test_a_model_with_an_own_layer_is_kept(capsys, tmp_path):
    file, store = tmp_path / "mine.py", tmp_path / "s.sqlite"
    file.write_text(OWN_LAYER + RUNS_OF_OWN)
    [row] = trained(capsys, file, store)
    model, run = seqsep.load(tmp_path / "s.sqlite.weights" / f"{row.key}.safetensors", files=[file])
    assert evaluate(run, model, run.steps).accuracy == pytest.approx(row.result["accuracy"], abs=1e-9)


def exchanged(store, row, other):
    """Put a copy of the other row's model in place of that of the row; return its file."""
    folder = store.with_name(f"{store.name}.weights")
    file = folder / f"{row.key}.safetensors"
    file.write_bytes((folder / f"{other.key}.safetensors").read_bytes())
    return file


@pytest.mark.parametrize("how", ["ask", "audit", "audit --json", "run", "file", "load"])
def test_the_model_of_another_run_is_refused_with_both_keys(capsys, tmp_path, how):
    file, store, questions = tmp_path / "mine.py", tmp_path / "s.sqlite", tmp_path / "questions.jsonl"
    file.write_text(TWO_SHORT_RUNS)
    questions.write_text("")
    row, other = trained(capsys, file, store, "--preset", "tiny")
    weights = exchanged(store, row, other)
    before = weights.read_bytes()
    expected = f"{weights}: expected the model of run {row.key}, found that of run {other.key}"
    if how == "load":
        with pytest.raises(ValueError, match=expected):
            seqsep.load(weights)
        assert seqsep.load(weights.rename(tmp_path / "copy.safetensors"))[1] == other.run
        return
    words = {
        "ask": ("ask", store, row.key[:12], "--input", questions),
        "file": ("ask", weights, "--input", questions),
        "audit": ("audit", store, row.key),
        "audit --json": ("audit", store, row.key, "--json"),
        "run": ("run", file, "--preset", "tiny", "--store", store, "--workers", "1", "--keep-weights"),
    }
    status, _, err = call(capsys, *map(str, words[how]))
    assert status == 2
    assert expected in err
    assert weights.read_bytes() == before


def test_a_file_without_a_key_as_its_name_is_not_of_a_run(capsys, tmp_path):
    store = tmp_path / "s.sqlite"
    (tmp_path / "s.sqlite.weights").mkdir()
    (tmp_path / "s.sqlite.weights" / "abc.safetensors").touch()
    status, _, err = call(capsys, "audit", str(store), "abc")
    assert status == 2
    assert "found none that begins so; there are none" in err


def test_a_cluster_keeps_no_weights(capsys, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(TWO_SHORT_RUNS)
    status, _, err = call(capsys, "run", str(file), "--keep-weights", "--engine", "ray", "--store", str(tmp_path / "s"))
    assert status == 2
    assert "--keep-weights: expected --engine local" in err
