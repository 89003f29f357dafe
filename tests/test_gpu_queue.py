"""The queue for a GPU, rehearsed on the processor: what is tried first, the order of runs, rows, and that it continues."""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from seqsep.lab.experiments.claims import CLAIMS
from seqsep.lab.experiments.claims.known import Found, committed, gpu_hours
from seqsep.lab.row import read_rows
from seqsep.lab.run import Run
from seqsep.models.mixers import MIXERS
from seqsep.tasks import IndexLookup

FILE = Path(__file__).parents[1] / "benchmarks/gpu_queue.py"
ALL = [*(mixer.name for mixer in MIXERS), "stacked"]
RUNS = [Run(IndexLookup(3, alphabet=4), ("attention",), width=8, steps=40, evaluate_every=20, seed=seed) for seed in range(3)]


@pytest.fixture(scope="module")
def script():
    spec = spec_from_file_location("gpu_queue", FILE)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_rehearsal_leaves_rows_and_continues(script, tmp_path, capsys):
    words = ["--device", "cpu", "--minutes", "1", "--folder", str(tmp_path)]
    (tmp_path / "first.json").write_text(json.dumps({name: {} for name in ALL}))
    assert script.main(words, choose=lambda found: RUNS[:2]) == 0
    assert sorted(row.key for row in read_rows(tmp_path / "claims-all.jsonl")) == sorted(run.key() for run in RUNS[:2])
    before = read_rows(tmp_path / "claims-all.jsonl")
    assert script.main(words, choose=lambda found: RUNS) == 0
    after = {row.key: row for row in read_rows(tmp_path / "claims-all.jsonl")}
    assert len(after) == 3
    assert all(after[row.key] == row for row in before)
    assert "3 rows in" in capsys.readouterr().out


def test_it_stops_when_the_time_is_over(script, tmp_path, capsys):
    endless = Run(IndexLookup(20), ("lstm",) * 2, width=64, steps=250_000, evaluate_every=250_000)
    assert script.train(tmp_path, "cpu", 1.0, 1, [endless]) == 0
    assert "the next call continues here" in capsys.readouterr().out


@pytest.mark.slow
def test_what_is_tried_first_is_kept_and_not_repeated(script, tmp_path, capsys):
    others = {name: {"graph": 0.0} for name in ALL if name != "attention"}
    (tmp_path / "first.json").write_text(json.dumps(others))
    script.first(tmp_path, "cpu", script.time.monotonic() + 90)
    found = json.loads((tmp_path / "first.json").read_text())
    assert found.pop("attention")["graph"] == 0.0
    assert found == others
    script.first(tmp_path, "cpu", script.time.monotonic() + 90, command=["no-such-program"])
    script.first(tmp_path / "none", "cpu", script.time.monotonic() - 1, command=["no-such-program"])
    assert not (tmp_path / "none").exists()


def test_the_runs_that_decide_most_claims_a_minute_come_first(script):
    runs = script.queue(committed(CLAIMS))
    found = committed(CLAIMS)
    assert set(runs) == {run for claim in CLAIMS for run in found.missing(claim)}
    value = [sum(run in found.missing(claim) for claim in CLAIMS) / gpu_hours(run) for run in (runs[0], runs[-1])]
    assert value[0] > 100 * value[1]
    assert script.queue(Found.of_rows([], CLAIMS))[0].steps <= 2000
