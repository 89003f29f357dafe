"""What docs/reproduction.md says of Mamba's width, of the preset `reach`, is what the committed rows have."""

from pathlib import Path

from seqsep.experiments.claims.papers import paper_models
from seqsep.lab.row import read_rows
from seqsep.tasks import IndexLookup

ROWS = read_rows(Path(__file__).parents[2] / "results/mamba-width-reach.jsonl")


def test_which_runs_there_are():
    assert {(row.run.task, row.run.layers, row.run.steps, row.run.seed) for row in ROWS} == {
        (IndexLookup(20), ("mamba", "mamba"), 4000, 0)
    }
    assert {row.run.embedding_scale for row in ROWS} == {0.3}
    made = {(row.run.width, row.run.positions_told(), row.run.learning_rate) for row in ROWS}
    assert made == {(width, told, rate) for width in (32, 64, 128) for told in ("learned", "none") for rate in (1e-3, 3e-3)}
    assert len(ROWS) == 12


def test_what_width_and_positions_do():
    best = {}
    for row in sorted(ROWS, key=lambda row: row.result["accuracy"]):
        best[row.run.positions_told(), row.run.width] = row
    assert {place: round(100 * row.result["accuracy"], 1) for place, row in best.items()} == {
        ("learned", 32): 83.5,
        ("learned", 64): 99.7,
        ("learned", 128): 99.9,
        ("none", 32): 49.0,
        ("none", 64): 64.0,
        ("none", 128): 38.3,
    }
    assert best["learned", 128].result["steps"] == 1750
    without = {width: row for (told, width), row in best.items() if told == "none"}
    assert {width: row.run.learning_rate for width, row in without.items()} == {32: 3e-3, 64: 3e-3, 128: 1e-3}
    for row in without.values():
        assert row.result["accuracy"] == row.result["best_accuracy"]
    printed = {one.width: one.accuracy[20] for one in paper_models("figure3_mamba_width_index_lookup")}
    assert (printed[32], printed[64]) == (0.977, 0.996)
