"""The estimated cost of a sweep: straight lines in length and depth from few measurements, and what is printed."""

from dataclasses import replace

import pytest

from seqsep.lab import estimate as module
from seqsep.lab import graphed_step
from seqsep.lab.estimate import estimate, show_cost, step_seconds
from seqsep.lab.pruning import steps_at_most
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup, IsTree

RUN = Run(IndexLookup(400), ("lstm",) * 6, 8, steps=1000, evaluate_every=100, evaluation=640)

BASIS = "Basis: training steps timed now at lengths of 40 or less; starting the workers is not in it"


def linear(run: Run) -> float:
    """Of a model whose step is exactly linear in length and depth."""
    return 0.5 + len(run.layers) * (0.25 + 0.125 * run.task.length)


def test_straight_lines_in_length_and_depth():
    asked = []

    def seconds(run: Run) -> float:
        asked.append((len(run.layers), run.task.length))
        return linear(run)

    assert step_seconds(RUN, seconds) == pytest.approx(linear(RUN))
    assert set(asked) == {(1, 20), (1, 40), (2, 20), (2, 40)}
    for depth, length in ((1, 400), (2, 30), (6, 20), (3, 10)):
        run = replace(RUN, layers=("lstm",) * depth, task=IndexLookup(length))
        assert step_seconds(run, linear) == pytest.approx(linear(run))
    hybrid = replace(RUN, layers=("lstm", "attention", "lstm"))
    assert step_seconds(hybrid, linear) == pytest.approx(linear(hybrid))


def test_noise_never_makes_a_longer_run_cheaper():
    assert step_seconds(RUN, lambda run: 1.0 / run.task.length) == pytest.approx(1 / 40)


def test_evaluations_are_counted(monkeypatch):
    """640 examples are 10 batches, at a third of a step each, every 100 steps."""
    monkeypatch.setattr(module, "measured", lambda run, where: linear(run))
    assert estimate([RUN, RUN]) == pytest.approx(2 * 1000 * (1 + 10 / 3 / 100) * linear(RUN))


def test_a_step_is_really_measured_once_for_each_shape(monkeypatch):
    calls, real = [], module.measured
    monkeypatch.setattr(module, "measured", lambda run, where: calls.append(run) or real(run, where))
    small = Run(IndexLookup(6), ("lstm",), 4, steps=10, evaluation=64)
    assert estimate([small, replace(small, seed=1), replace(small, learning_rate=0.1)]) > 0
    assert len(calls) == 1


def test_it_says_how_far_it_is(monkeypatch):
    """After each kind of step: at two lengths, of one and of two layers."""
    monkeypatch.setattr(module, "measured", lambda run, device: 1.0)
    said = []
    estimate([RUN, replace(RUN, seed=1)], say=said.append)
    assert said == [f"{done} of 4 kinds of step timed" for done in range(1, 5)]


def test_of_a_batch_of_long_thoughts_a_part_is_timed(monkeypatch):
    """An example takes a second here, the optimizer nothing: a batch takes as many seconds as it has examples."""
    now, timed = [0.0], []

    def step(run, model, optimizer, *, batch, step):
        timed.append(len(batch.lengths))
        now[0] += timed[-1]

    monkeypatch.setattr(graphed_step, "step_once", step)
    monkeypatch.setattr(module.time, "process_time", lambda: now[0])
    run = Run(IsTree(40, trace="walk"), ("lstm",), 4)
    tokens = run.task.sample(0, 1, 0).inputs.shape[1]
    assert module.measured(run, "cpu") == run.batch
    assert timed == [module.TIMED_TOKENS // tokens] * 2
    assert timed[0] < run.batch


def test_what_is_printed(monkeypatch, capsys):
    monkeypatch.setattr(module, "estimate", lambda runs, *given, **named: 3600.0 * len(runs))
    show_cost([replace(RUN, seed=seed) for seed in range(4)], 4, 2)
    *runs, total, further, hours = capsys.readouterr().out.splitlines()
    assert len(runs) == 4
    assert total == "4 runs, at most 4,000 steps"
    assert further == "then at most 4 more runs: rates around the best, and other seeds of the best"
    assert hours == f"estimate: about 4.0 h on 2 workers here, if each run takes all its steps. {BASIS}"


def test_pruned_runs_cost_what_their_bracket_lets_them(monkeypatch, capsys):
    """Of five: 5 x 200 steps to the first rung, 3 x 100, 2 x 200, 1 x 500; two further runs go to their end."""
    monkeypatch.setattr(module, "measured", lambda run, where: 3600.0)
    runs = [replace(RUN, learning_rate=rate, evaluation=1) for rate in (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)]
    pruned = steps_at_most([runs])
    assert estimate(runs, pruned) == pytest.approx(2200 * 3600, rel=1e-4)
    show_cost(runs, 2, 1, pruned)
    *_, total, _, hours = capsys.readouterr().out.splitlines()
    assert total == "5 runs, at most 2,200 steps of 5,000, as runs are pruned"
    assert hours == f"estimate: about 175.0 days on 1 workers here, with pruning. {BASIS}"
