"""What docs/reproduction.md says of the experiment `is-tree` is what its committed rows say."""

from pathlib import Path

import pytest

from seqsep.experiments.is_tree import EXPERIMENT
from seqsep.lab.row import Row, read_rows

ROWS = read_rows(EXPERIMENT.rows_file(Path(__file__).parents[2] / "results"))
TRANSFORMER, MAMBA, HYBRID = ("attention",) * 2, ("mamba",) * 2, ("mamba", "attention")


EVERYONE = (TRANSFORMER, MAMBA, HYBRID)


def row(layers: tuple[str, ...], trace: str, length: int = 8) -> Row:
    (found,) = [one for one in ROWS if (one.run.layers, one.run.task.trace, one.run.task.length) == (layers, trace, length)]
    return found


def test_which_rows_there_are():
    found = {(one.run.layers, one.run.task.trace, one.run.task.length) for one in ROWS}
    traces = ("vanilla", "cot", "peel", "walk", "retrieval")
    assert found == {
        (layers, trace, length)
        for layers in EVERYONE
        for trace in traces
        for length in (8, 16)
        if (trace, length) != ("retrieval", 16)
    }
    assert {(one.run.seed, one.run.learning_rate, one.run.live) for one in ROWS} == {(0, 3e-3, 500)}
    thoughts = [one.run for one in ROWS if one.run.task.trace in ("cot", "peel")]
    assert {(run.task.length, run.steps) for run in thoughts} == {(8, 5000), (16, 1200)}


@pytest.mark.parametrize("layers", EVERYONE)
@pytest.mark.parametrize("length", [8, 16])
def test_nobody_answers_without_a_thought(layers, length):
    assert row(layers, "vanilla", length).result["best_accuracy"] < 0.54
    assert row(layers, "vanilla", length).run.steps == 600


@pytest.mark.parametrize("layers", EVERYONE)
@pytest.mark.parametrize("length", [8, 16])
def test_everyone_walks_with_a_retriever(layers, length):
    assert row(layers, "walk", length).result["accuracy"] >= 0.98
    assert row(layers, "walk", length).result["live_accuracy"] >= 0.98
    assert row(layers, "walk", length).result["steps"] <= 800


@pytest.mark.parametrize("layers", EVERYONE)
def test_at_16_nobody_thinks_without_a_retriever_yet(layers):
    assert max(row(layers, trace, 16).result["accuracy"] for trace in ("cot", "peel")) < 0.095


def test_the_paper_s_retrieval_is_under_way():
    live = [round(100 * row(layers, "retrieval").result["live_accuracy"]) for layers in EVERYONE]
    assert (min(live), max(live)) == (61, 93)
    assert max(row(layers, "retrieval").result["accuracy"] for layers in EVERYONE) < 0.86
    assert {row(layers, "retrieval").run.steps for layers in EVERYONE} == {800}


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
