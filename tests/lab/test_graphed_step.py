"""Steps as CUDA graphs: one graph a shape, what is not finite makes no update, and a run is the run without graphs.

Without a GPU a stand-in for a graph computes again what was recorded and writes it where the recording wrote it.
"""

import math
import os
import re
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from seqsep.lab import graphed_step
from seqsep.lab.device import prepare, variables
from seqsep.lab.graphed_step import MOST_GRAPHS, WARM_UP, Graph, GraphedStep
from seqsep.lab.run import Run
from seqsep.lab.step import questions_of
from seqsep.lab.train import train, training_batches
from seqsep.mixers import BY_NAME as MIXERS
from seqsep.plugins.layer import OwnLayer
from seqsep.tasks import BoundedDyck, Equality, IndexLookup, IsTree

GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU that torch can use")
TASKS = (IndexLookup(12, 8), BoundedDyck(12), Equality(12, variant="next"), IsTree(4, trace="cot"))


def run_of(layer: str = "attention", task: Any = TASKS[0], **fields: Any) -> Run:
    chosen = {"width": 16, "steps": 12, "batch": 8, "evaluate_every": 6, "evaluation": 16, "learning_rate": 1e-3} | fields
    return Run(task, (layer, layer), **chosen)


@dataclass
class Played:
    """How often each graph of the stand-in was replayed."""

    replays: Counter[int]
    recorded: int = 0


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Played:
    """Graphs, streams and the choice of the device, on the processor."""
    kept = Played(Counter())

    def record(compute: Any, reads: Any) -> Graph:
        found, gradients = compute()
        number = kept.recorded
        kept.recorded += 1

        def replay() -> None:
            kept.replays[number] += 1
            for weight in weights:
                weight.grad = None
            again, new = compute()
            found.copy_(again)
            for gradient, other in zip(gradients, new, strict=True):
                assert (gradient is None) == (other is None)
                if gradient is not None:
                    gradient.copy_(other)

        weights = compute.__closure__[1].cell_contents.weights
        found.fill_(math.nan)  # a recording computes nothing
        return Graph(replay, reads, (found, gradients))

    monkeypatch.setattr(graphed_step, "record", record)
    monkeypatch.setattr(graphed_step, "in_use", lambda run, device: True)
    stream = SimpleNamespace(wait_stream=lambda other: None)
    monkeypatch.setattr(torch.cuda, "Stream", lambda: stream)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: stream)
    monkeypatch.setattr(torch.cuda, "stream", lambda given: nullcontext())
    return kept


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_run_of_graphs_is_the_run_without(task: Any, played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the first steps of a shape are graphs, also where batches differ in their questions."""
    run = run_of(task=task, steps=24, batch=64)
    model, result = train(run)
    assert played.recorded <= 3
    assert sum(played.replays.values()) >= run.steps - 4 * WARM_UP
    monkeypatch.setattr(graphed_step, "in_use", lambda run, device: False)
    other, expected = train(run)
    assert [point.loss_nats for point in result.curve] == pytest.approx([point.loss_nats for point in expected.curve], rel=1e-5)
    assert result.steps == expected.steps
    for one, two in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.allclose(one, two, rtol=1e-4, atol=1e-6)


def test_a_graph_for_each_shape_and_no_more_than_some(played: Played) -> None:
    """Batches of 1 to 6 examples are of six shapes."""
    run = run_of()
    model = run.model()
    step = GraphedStep(run, model, torch.optim.Adam(model.parameters(), fused=True))
    batches = [next(iter(training_batches(replace(run, batch=size), 0))) for size in range(1, MOST_GRAPHS + 3)]
    assert len({questions_of(batch).shape for batch in batches}) == MOST_GRAPHS + 2
    for _ in range(WARM_UP + 2):
        assert all(math.isfinite(step(batch, 1)) for batch in batches)
    assert played.replays == dict.fromkeys(range(MOST_GRAPHS), 2)


def test_what_is_not_finite_makes_no_update(played: Played) -> None:
    run = run_of()
    model = run.model()
    step = GraphedStep(run, model, torch.optim.Adam(model.parameters(), fused=True))
    batch = next(iter(training_batches(run, 0)))
    for at in range(WARM_UP + 1):
        step(batch, at)
    assert played.replays == {0: 1}
    with torch.no_grad():
        model.readout.bias[0] = math.inf
    before = [weight.clone() for weight in model.parameters()]
    assert math.isnan(step(batch, 4))
    assert all(torch.equal(one, two) for one, two in zip(before, model.parameters(), strict=True))


def test_the_rate_of_learning_is_that_of_the_step(played: Played) -> None:
    """A rate that is zero from a step on leaves the weights."""
    run = run_of(steps=WARM_UP + 2, decay="linear")
    model = run.model()
    step = GraphedStep(run, model, torch.optim.Adam(model.parameters(), fused=True))
    batch = next(iter(training_batches(run, 0)))
    for at in range(WARM_UP + 1):
        step(batch, at)
    assert step.optimizer.param_groups[0]["lr"] == run.rate_at(WARM_UP)
    step(batch, 1)
    assert step.optimizer.param_groups[0]["lr"] == run.rate_at(1) != run.rate_at(WARM_UP)


def test_what_cannot_be_recorded_is_said_once(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(compute: Any, reads: Any) -> Graph:
        raise RuntimeError("CUDA error: operation not permitted when stream is capturing\nmore lines")

    monkeypatch.setattr(graphed_step, "record", fails)
    run = run_of()
    reason = "no CUDA graph of its steps, which take longer so: CUDA error: operation not permitted when stream is capturing"
    with pytest.warns(UserWarning, match=rf"^{re.escape(f'{run.label()}: {reason}')}$") as said:
        _, result = train(run)
    assert len(said) == 1
    monkeypatch.setattr(graphed_step, "in_use", lambda run, device: False)
    assert result == train(run)[1]


def test_where_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(graphed_step.SWITCH, raising=False)
    path = Path(__file__).parents[2] / "examples" / "own_layer.py"
    own = replace(run_of(), layers=(OwnLayer.parse(f"{path}:MovingAverage"),))
    found = [graphed_step.in_use(run_of(), where) for where in ("cpu", "cuda", "cuda:1")]
    assert (found, graphed_step.in_use(own, "cuda")) == ([False, True, True], False)
    monkeypatch.setenv(graphed_step.SWITCH, "off")
    assert not graphed_step.in_use(run_of(), "cuda")
    monkeypatch.setenv(graphed_step.SWITCH, "on")
    with pytest.raises(ValueError, match="SEQSEP_GRAPHS=on: off, or not set"):
        graphed_step.in_use(run_of(), "cuda")


@GPU
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
@pytest.mark.parametrize("name", MIXERS)
@pytest.mark.filterwarnings("error:.*no CUDA graph")
def test_on_a_gpu_a_graph_computes_what_its_steps_do(name: str, task: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in variables("cuda", []).items():
        monkeypatch.setenv(variable, os.environ.get(variable, value))
    monkeypatch.setenv("SEQSEP_KERNELS", "off")
    prepare("cuda")
    run = run_of(name, task, steps=60, evaluate_every=20)
    _, graphs = train(run, device="cuda")
    monkeypatch.setenv(graphed_step.SWITCH, "off")
    _, steps = train(run, device="cuda")
    for one, other in zip(graphs.curve, steps.curve, strict=True):
        assert one.loss_nats == pytest.approx(other.loss_nats, rel=1e-4)
