"""What docs/reproduction.md says of the experiment `is-tree` is what its committed rows say."""

from pathlib import Path

import pytest

from seqsep.experiments.is_tree import EXPERIMENT
from seqsep.lab.row import Row, read_rows

ROWS = read_rows(EXPERIMENT.rows_file(Path(__file__).parents[2] / "results"))
TRANSFORMER, MAMBA, HYBRID = ("attention",) * 2, ("mamba",) * 2, ("mamba", "attention")


def row(layers: tuple[str, ...], trace: str) -> Row:
    (found,) = [one for one in ROWS if (one.run.layers, one.run.task.trace, one.run.task.length) == (layers, trace, 8)]
    return found


def test_the_rows_are_of_eight_vertices():
    assert {one.run.task.length for one in ROWS} == {8}
    assert {(one.run.seed, one.run.learning_rate, one.run.live) for one in ROWS} == {(0, 3e-3, 500)}


@pytest.mark.parametrize("layers", [TRANSFORMER, MAMBA, HYBRID])
def test_nobody_answers_without_a_thought(layers):
    assert row(layers, "vanilla").result["best_accuracy"] < 0.54
    assert row(layers, "vanilla").run.steps == 600


@pytest.mark.parametrize(("layers", "cot"), [(TRANSFORMER, 0.72), (HYBRID, 0.73)])
def test_a_local_thought_is_learned_sooner(layers, cot):
    assert row(layers, "walk").result["live_accuracy"] == row(layers, "walk").result["accuracy"] == 1
    assert row(layers, "walk").result["steps"] <= 300
    assert row(layers, "peel").result["accuracy"] > 0.99
    assert row(layers, "peel").result["steps"] < row(layers, "cot").result["steps"] == 5000
    assert row(layers, "cot").result["accuracy"] == pytest.approx(cot, abs=0.005)


@pytest.mark.parametrize(("trace", "right"), [("cot", 0.25), ("peel", 0.32)])
def test_mamba_alone_is_behind(trace, right):
    assert row(MAMBA, trace).result["accuracy"] == pytest.approx(right, abs=0.005)
