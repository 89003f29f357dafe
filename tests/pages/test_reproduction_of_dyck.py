"""What docs/reproduction.md says of bounded Dyck languages is what the committed rows have."""

from pathlib import Path

from seqsep.experiments import BY_NAME
from seqsep.lab.row import read_rows
from seqsep.report.experiment_table import experiment_table
from seqsep.tasks import BoundedDyck

QUICK_RATES = (1e-3, 3e-3, 1e-2)
RESULTS = Path(__file__).parents[2] / "results"


def test_what_is_said_of_dyck():
    table = experiment_table(BY_NAME["dyck-architectures"], read_rows(RESULTS / "dyck-architectures.jsonl"))
    cells = {(one.architecture, len(one.layers), task.length): cell for (one, task), cell in table.cells.items()}
    assert len(cells) == 8
    for name, depth, least in (("lstm", 1, 0.98), ("mamba", 1, 0.98), ("attention", 2, 0.98), ("attention", 1, 0.96)):
        assert min(cells[name, depth, 20].seeds) > least
    assert min(cells["mamba", 1, 60].seeds) > 0.98
    assert sorted(round(1000 * seed) for seed in cells["lstm", 1, 60].seeds) == [760, 992, 999]
    assert max(run.accuracy for run in cells["attention", 1, 60].runs) < 0.54
    assert [round(100 * end(cells["attention", 2, 60].seeds)) for end in (min, max)] == [49, 81]
    for length in (20, 60):
        best = {(name, depth): cell.best.accuracy for (name, depth, at), cell in cells.items() if at == length}
        assert min(best, key=best.__getitem__) == ("attention", 1)
    assert 0 < cells["mamba", 1, 20].best.accuracy - cells["mamba", 1, 60].best.accuracy < 0.01
    attention = [run for (name, _, _), cell in cells.items() if name == "attention" for run in cell.runs]
    assert {run.learning_rate for run in attention} == set(QUICK_RATES)
    assert max(run.accuracy for run in attention if run.learning_rate > min(QUICK_RATES)) < 0.86
    above = {run.task.length for run in attention if run.accuracy > 0.86}
    assert above == {20}


def test_what_is_said_of_dyck_in_the_demo():
    """The best rate of an architecture is that of seed 0, and the other seeds ran at it alone."""
    rows = [row for row in read_rows(RESULTS / "demo.jsonl") if row.run.task == BoundedDyck(30)]
    found = {}
    for row in rows:
        by_rate = found.setdefault(row.run.layers, {}).setdefault(row.run.learning_rate, {})
        by_rate[row.run.seed] = row.result
        learned = row.run.layers[0] in ("attention", "linear-attention")
        assert (row.run.width, row.run.positions_told()) == (64, "learned" if learned else "none")
        assert row.run.steps == (2000 if row.run.layers == ("attention",) else 1200)
    shown = {}
    for (architecture,), by_rate in found.items():
        assert len(by_rate) == 3
        [seeds] = [seeds for seeds in by_rate.values() if len(seeds) == 3]
        assert seeds[0]["accuracy"] == max(seeds[0]["accuracy"] for seeds in by_rate.values())
        accuracies = [result["accuracy"] for result in seeds.values()]
        shown[architecture] = (round(100 * min(accuracies), 1), round(100 * max(accuracies), 1))
    assert shown == {
        "lstm": (99.9, 99.9),
        "mamba": (97.6, 97.9),
        "linear-attention": (93.9, 97.0),
        "retention": (84.6, 97.0),
        "dss": (83.0, 88.1),
        "attention": (96.4, 96.8),
    }
    passed = [(row.run, step) for row in rows for step, accuracy, _ in row.result["curve"] if accuracy >= 0.99]
    assert {run.layers for run, _ in passed} == {("lstm",)}
    first = {run.seed: min(step for other, step in passed if other == run) for run, _ in passed if run.learning_rate == 3e-3}
    assert sorted(first.values()) == [300, 500, 500]


def test_what_is_said_of_reach():
    """The first stage at one scale, both choices of positions, the better of two rates."""
    rows = read_rows(RESULTS / "dyck-architectures-reach.jsonl")
    assert {(row.run.steps, row.run.seed, row.run.width, row.run.embedding_scale) for row in rows} == {(2000, 0, 64, 0.3)}
    assert {(row.run.task, row.run.learning_rate) for row in rows} == {(BoundedDyck(100), rate) for rate in (1e-3, 3e-3)}
    assert len(rows) == 2 * 17
    best: dict[str, dict[str, float]] = {"learned": {}, "none": {}}
    for row in rows:
        found = best[row.run.positions_told()]
        name = row.run.layers[0]
        found[name] = max(found.get(name, 0), round(100 * row.result["accuracy"], 2))
    low = {name: best["learned"].pop(name) for name in ("attention", "linear-attention", "retention")}
    assert {end(round(accuracy, 1) for accuracy in low.values()) for end in (min, max)} == {50.7, 52.8}
    assert best["learned"].pop("gated-delta") == 98.96
    assert {name: round(accuracy, 1) for name, accuracy in best["learned"].items()} == {
        "lstm": 99.9,
        "rwkv7": 99.6,
        "mamba": 99.5,
        "mamba2": 98.2,
        "dss": 94.3,
        "sliding-attention": 73.8,
    }
    assert {name: round(accuracy, 1) for name, accuracy in best["none"].items()} == {
        "lstm": 99.4,
        "mamba": 99.0,
        "gated-delta": 99.1,
        "mamba2": 98.4,
        "rwkv7": 97.9,
        "dss": 83.4,
        "retention": 50.7,
    }
