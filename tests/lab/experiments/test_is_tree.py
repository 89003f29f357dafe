"""The experiment `is-tree`: the paper's sizes and training, presets that are planned, a run of each kind."""

from dataclasses import replace

import pytest

from seqsep.lab.experiments import BY_NAME, is_tree
from seqsep.lab.experiments.is_tree import PAPER_SIZES, PAPER_TRACES, TRACES, make
from seqsep.lab.train import train
from seqsep.tasks import IsTree

EXPERIMENT = BY_NAME["is-tree"]
MILLIONS = {
    ("transformer", "0.5M"): 0.53,
    ("transformer", "1M"): 1.05,
    ("transformer", "2M"): 1.97,
    ("mamba", "0.5M"): 0.52,
    ("mamba", "1M"): 1.17,
    ("mamba", "2M"): 2.10,
    ("hybrid", "0.5M"): 0.46,
    ("hybrid", "1M"): 0.98,
    ("hybrid", "2M"): 1.80,
}


def trained(model):
    return sum(weight.numel() for weight in model.parameters() if weight.requires_grad)


def test_the_papers_sizes_have_its_parameters():
    for size in PAPER_SIZES:
        model = make(size.layers, size.width, 16, "cot").model()
        assert round(trained(model) / 1e6, 2) == MILLIONS.pop((size.model, size.size))
    assert not MILLIONS


def test_parameters_and_state_do_not_grow_with_the_graph():
    small, large = (make(("mamba", "attention"), 64, length, "cot").model() for length in (16, 128))
    assert trained(small) == trained(large)
    assert small.state_bits() == large.state_bits()


def test_the_papers_training():
    runs = EXPERIMENT.runs("paper")
    assert len(set(runs)) == 4 * 3 * 9
    assert {run.task.length for run in runs} == {16, 32, 64, 128}
    for run in runs:
        assert run.learning_rate == (1e-3 if set(run.layers) == {"attention"} else 3e-4)
        assert (run.batch, run.steps, run.decay, run.warm_up, run.live) == (64, 78_125, "cosine", 156, 5000)
        assert run.positions == ("rope" if "attention" in run.layers else "default")
        assert run.task.distribution == "double-star"


@pytest.mark.parametrize("preset", EXPERIMENT.presets)
def test_every_run_of_a_preset_is_named_once(preset):
    runs = EXPERIMENT.runs(preset)
    assert len({run.key() for run in runs}) == len(runs) > 0
    assert all(isinstance(run.task, IsTree) for run in runs)


def test_quick_has_every_trace_at_both_lengths():
    places = {
        (run.task.length, run.task.trace, run.layers[-1] if len(set(run.layers)) == 1 else "hybrid")
        for run in EXPERIMENT.runs("quick")
    }
    for length in (8, 16):
        for trace in ("vanilla", "cot", "peel", "walk", "retrieval"):
            assert {model for at, of, model in places if (at, of) == (length, trace)} == {"attention", "mamba", "hybrid"}


def test_the_paper_has_none_of_our_thoughts():
    assert {run.task.trace for run in EXPERIMENT.runs("paper")} == set(PAPER_TRACES)
    assert set(TRACES) - set(PAPER_TRACES) == {"peel", "walk"}
    assert "peel\nand walk are not the paper's, so it lacks them" in is_tree.__doc__


SECONDS = {"quick": 2 * 25 * 60, "length-scaling": 12 * 60 * 60}
"""Of one core, each run to its last step: 25 minutes of two workers by --dry-run, and what twelve hours of one core gave."""
TIMED = {"quick": 186_393_600, "length-scaling": 2_488_358_400}
"""Work of the preset that took so long."""
BUDGET = {"quick": 2 * 30 * 60, "length-scaling": 12 * 60 * 60}


def work(runs):
    """Tokens that layers read in training: steps, times examples, tokens and layers."""
    return sum(run.steps * run.batch * run.task.longest * len(run.layers) for run in runs)


@pytest.mark.parametrize("preset", BUDGET)
def test_a_preset_keeps_to_its_budget(preset):
    """By its planned work, at the rate at which it was timed; a longer preset is to be timed again."""
    planned = work(EXPERIMENT.runs(preset))
    assert planned * SECONDS[preset] <= BUDGET[preset] * TIMED[preset]
    rates = [TIMED[one] / SECONDS[one] for one in BUDGET]
    assert max(rates) < 1.1 * min(rates)


def test_the_docstring_states_the_budgets():
    assert "on two cores, in 30 minutes" in is_tree.__doc__
    assert "step it takes about 25 minutes there, by `--dry-run` with two workers" in is_tree.__doc__
    assert "in 12 hours of one core" in is_tree.__doc__


def test_uniform_is_a_part_of_quick_on_other_graphs():
    runs = EXPERIMENT.runs("uniform")
    assert {run.task.distribution for run in runs} == {"uniform"}
    on_double_stars = [replace(run, task=replace(run.task, distribution="double-star")) for run in runs]
    assert on_double_stars == [run for run in EXPERIMENT.runs("quick") if run.task.trace in ("vanilla", "walk")]
    assert len(runs) == 2 * 2 * 3
    others = [run for preset in EXPERIMENT.presets if preset != "uniform" for run in EXPERIMENT.runs(preset)]
    assert {run.task.distribution for run in others} == {"double-star"}


def test_reach_goes_on_where_quick_ends():
    """Every trace with a thought at the greatest length of `quick` or beyond, or with more layers, steps or examples there."""
    before = {(run.task, run.layers): run for run in EXPERIMENT.runs("quick")}
    runs = EXPERIMENT.runs("length-scaling")
    assert {run.task.trace for run in runs} == {"peel", "cot", "walk", "retrieval"}
    for run in runs:
        known = before.get((run.task, run.layers))
        assert run.task.length >= 16
        assert known is None or run.steps * run.batch > known.steps * known.batch
    same = {replace(run, task=runs[0].task, layers=runs[0].layers, steps=1, batch=1, positions="rope") for run in runs}
    assert len(same) == 1


def test_the_sweeps_keep_what_they_say():
    """At a fixed state only the length differs; at a fixed length only the state."""
    by_length = EXPERIMENT.runs("length")
    for layers in {run.layers for run in by_length}:
        runs = [run for run in by_length if run.layers == layers]
        assert len({run.task.length for run in runs}) == len(runs) >= 4
        assert len({replace(run, task=runs[0].task) for run in runs}) == 1
    by_state = EXPERIMENT.runs("state")
    assert {run.task for run in by_state} == {by_state[0].task}
    assert len({run.model().state_bits() for run in by_state if run.layers[0] == "mamba"}) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("trace", ["cot", "retrieval"])
def test_a_short_run_leaves_both_accuracies(trace):
    run = replace(
        make(("mamba", "attention"), 16, 4, trace), steps=2, batch=4, evaluate_every=2, evaluation=8, live=6, hidden=16
    )
    _, result = train(run)
    assert result.status == "finished"
    assert 0 <= result.live_accuracy <= 1
    assert result.parameters == trained(run.model())
