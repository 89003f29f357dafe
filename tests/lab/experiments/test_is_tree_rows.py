"""The committed rows of the experiment `is-tree` are those of its presets."""

from pathlib import Path

import pytest

from seqsep.lab.experiments.is_tree import EXPERIMENT, STATE_BY_HEADS
from seqsep.lab.row import read_rows
from seqsep.report.formatting import percent_at_most
from seqsep.report.is_tree_table import is_tree_cells
from seqsep.tasks.ceilings import ceiling

RESULTS = Path(__file__).parents[3] / "results"
TRANSFORMER, MAMBA, HYBRID = ("attention",) * 2, ("mamba",) * 2, ("mamba", "attention")


def rows_of(preset):
    return read_rows(EXPERIMENT.rows_file(RESULTS, preset))


@pytest.mark.parametrize("preset", ["quick", "length", "state", "length-scaling", "uniform"])
def test_the_rows_are_the_whole_preset(preset):
    assert {one.key for one in rows_of(preset)} == {run.key() for run in EXPERIMENT.runs(preset)}
    assert {(one.run.seed, one.run.learning_rate, one.run.live) for one in rows_of(preset)} == {(0, 3e-3, 500)}


def test_which_rows_there_are():
    found = {(one.run.layers, one.run.task.trace, one.run.task.length) for one in rows_of("quick")}
    traces = ("vanilla", "cot", "peel", "walk", "retrieval")
    models = (TRANSFORMER, MAMBA, HYBRID)
    assert found == {(layers, trace, length) for layers in models for trace in traces for length in (8, 16)}


@pytest.mark.parametrize("preset", ["quick", "length", "state", "length-scaling", "uniform"])
def test_no_state_is_too_small(preset):
    assert {cell.ceiling for cell in is_tree_cells(rows_of(preset)).values()} <= {1, None}


def test_what_uniform_graphs_allow_without_a_state():
    """The page has these as the best accuracy without any state."""
    tasks = [one.run.task for one in rows_of("uniform") if one.run.task.trace == "vanilla"]
    assert {task.length: percent_at_most(ceiling(task, state_bits=0)) for task in tasks} == {8: "78.9", 16: "77.1"}
    page = (RESULTS.parent / "docs/reproduction/is-tree-uniform.md").read_text(encoding="utf-8")
    assert "| Upper limit of the accuracy of a model without any state | 77.1 to 78.9 %, depending on task and N |" in page


def test_heads_change_the_state_and_hardly_the_parameters():
    by_heads = {(one.run.layers[0], one.run.heads): one.result for one in rows_of("state") if one.run.width == 64}
    for name in STATE_BY_HEADS:
        found = [by_heads[name, heads] for heads in (1, 2, 4, 8, 16)]
        parameters = [one["parameters"] for one in found]
        bits = [one["state_bits"] for one in found]
        assert max(parameters) < 1.03 * min(parameters)
        assert bits == sorted(bits, reverse=True)
