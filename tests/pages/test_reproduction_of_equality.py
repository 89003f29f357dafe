"""What docs/reproduction.md says of equality as next-character prediction, of the preset `reach`, is what the rows have."""

from pathlib import Path

from seqsep.lab.row import read_rows
from seqsep.mixers import SlidingAttention
from seqsep.tasks import Equality

TASK = Equality(20, variant="next", alphabet=8)
ROWS = read_rows(Path(__file__).parents[2] / "results/equality-next-reach.jsonl")


def best_rows():
    """(positions, mixer) -> the row of the better of two rates: the higher accuracy, then the fewer steps."""
    found = {}
    for row in ROWS:
        found.setdefault((row.run.positions_told(), row.run.layers[0]), []).append(row)
    assert {len(rows) for rows in found.values()} == {2}
    return {key: max(rows, key=lambda row: (row.result["accuracy"], -row.result["steps"])) for key, rows in found.items()}


def test_which_runs_there_are():
    assert {(row.run.steps, row.run.seed, row.run.width, len(row.run.layers)) for row in ROWS} == {(1500, 0, 64, 2)}
    assert {(row.run.embedding_scale, row.run.weight_scale) for row in ROWS} == {(0.3, 0.09)}
    assert {(row.run.task, row.run.learning_rate) for row in ROWS} == {(TASK, rate) for rate in (1e-3, 3e-3)}
    assert len(ROWS) == 2 * 17


def test_who_copies_and_after_how_many_steps():
    best = best_rows()
    passed = {key: row.result["steps"] for key, row in best.items() if row.result["accuracy"] >= 0.999}
    assert passed == {
        ("learned", "gated-delta"): 250,
        ("learned", "sliding-attention"): 500,
        ("learned", "attention"): 750,
        ("learned", "mamba2"): 1000,
        ("learned", "retention"): 1250,
        ("learned", "rwkv7"): 1500,
    }
    assert TASK.length // 2 < SlidingAttention(width=8, heads=2).window == 16
    below = {key: row for key, row in best.items() if key not in passed}
    assert {key: round(100 * row.result["accuracy"], 1) for key, row in below.items()} == {
        ("learned", "mamba"): 98.7,
        ("learned", "linear-attention"): 92.1,
        ("learned", "dss"): 41.6,
        ("learned", "lstm"): 4.4,
        ("none", "gated-delta"): 92.4,
        ("none", "rwkv7"): 87.1,
        ("none", "mamba2"): 85.4,
        ("none", "retention"): 77.7,
        ("none", "mamba"): 38.9,
        ("none", "dss"): 33.7,
        ("none", "lstm"): 0.7,
    }
    for row in below.values():
        accuracies = [accuracy for _, accuracy, _ in row.result["curve"]]
        assert accuracies[-1] == max(accuracies) > max(accuracies[:-2])


def test_positions_help_whoever_may_do_without():
    best = best_rows()
    without = [name for positions, name in best if positions == "none"]
    assert len(without) == 7
    gains = [best["learned", name].result["accuracy"] - best["none", name].result["accuracy"] for name in without]
    assert min(gains) > 0
