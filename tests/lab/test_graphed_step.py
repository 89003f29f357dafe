"""Steps as CUDA graphs: one graph a shape, what is not finite makes no update, and a run is the run without graphs.

Without a GPU a stand-in for a graph computes again what was recorded and writes it where the recording wrote it.
"""

import math
import os
import re
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from seqsep.lab import graphed_step
from seqsep.lab.device import prepare, variables
from seqsep.lab.graphed_step import MOST_GRAPHS, WARM_UP, Graph, GraphedStep
from seqsep.lab.run import Run
from seqsep.lab.step import questions_of, step_once
from seqsep.lab.train import train, training_batches
from seqsep.models.mixers import BY_NAME as MIXERS
from seqsep.models.plugins.layer import UserLayer
from seqsep.tasks import BoundedDyck, Equality, IndexLookup, IsTree

GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU that torch can use")
TASKS = (IndexLookup(12, 8), BoundedDyck(12), Equality(12, variant="next"), IsTree(4, trace="cot"))


REAL_RECORD = graphed_step.record


def model_of(played: "Played") -> Any:
    return played.steps[-1].model


def run_of(layer: str = "attention", task: Any = TASKS[0], **fields: Any) -> Run:
    chosen = {"width": 16, "steps": 12, "batch": 8, "evaluate_every": 6, "evaluation": 16, "learning_rate": 1e-3} | fields
    return Run(task, (layer, layer), **chosen)


@dataclass
class Played:
    """The number of times that each graph of the stand-in was replayed, and the steps that were made."""

    replays: Counter[int]
    steps: list[GraphedStep]
    recorded: int = 0


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Played:
    """Graphs, streams and the choice of the device, on the processor."""
    kept = Played(Counter(), [])

    def record(compute: Any, reads: Any, pool: Any) -> Graph:
        weights = kept.steps[-1].weights
        assert all(weight.grad is None for weight in weights)  # else the recorded gradients would be sums
        found, gradients = compute()
        for each in (found, *gradients):
            if each is not None:
                each.fill_(math.nan)  # a recording computes nothing
        number = kept.recorded
        kept.recorded += 1

        def replay() -> None:
            """Write what is computed to where the recording wrote it; no weight's gradient becomes another tensor."""
            kept.replays[number] += 1
            before = [weight.grad for weight in weights]
            for weight in weights:
                weight.grad = None
            again, new = compute()
            found.copy_(again)
            for weight, gradient, other, old in zip(weights, gradients, new, before, strict=True):
                weight.grad = old
                assert (gradient is None) == (other is None)
                if gradient is not None:
                    gradient.copy_(other)

        return Graph(replay, reads, (found, gradients))

    def noted(self: GraphedStep, *given: Any) -> None:
        made(self, *given)
        kept.steps.append(self)

    made = GraphedStep.__init__
    monkeypatch.setattr(GraphedStep, "__init__", noted)
    monkeypatch.setattr(GraphedStep, "is_recording", True)
    monkeypatch.setattr(graphed_step, "record", record)
    monkeypatch.setattr(graphed_step, "in_use", lambda run, device: True)
    stream = SimpleNamespace(wait_stream=lambda other: None)
    monkeypatch.setattr(torch.cuda, "Stream", lambda: stream)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: None)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: stream)
    monkeypatch.setattr(torch.cuda, "stream", lambda given: nullcontext())
    return kept


@pytest.mark.slow
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
    plain = run.model()
    plain.load_state_dict(model.state_dict())
    other = partial(step_once, run, plain, torch.optim.Adam(plain.parameters(), fused=True))
    for _ in range(WARM_UP + 2):
        for batch in batches:
            assert step(batch, 1) == other(batch=batch, step=1)
    assert played.replays == dict.fromkeys(range(MOST_GRAPHS), 2)


def test_steps_that_are_no_graphs_are_padded_too(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a run that goes on, whose first steps are no graphs again, computes what it would have."""
    real, questions = graphed_step.update, []

    def update(run: Any, model: Any, optimizer: Any, **given: Any) -> float:
        questions.append(given["questions"])
        return real(run, model, optimizer, **given)

    monkeypatch.setattr(graphed_step, "update", update)
    train(run_of(task=TASKS[3], batch=64))
    assert len(questions) >= WARM_UP
    sizes = [(len(each.at), each.inputs.numel() // 8, int(each.count)) for each in questions]
    assert all(asked % eighth == 0 and asked > count for asked, eighth, count in sizes)


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
    """A rate of zero leaves the weights, and another one does not."""
    run = run_of(steps=10, decay="linear")
    model = run.model()
    step = GraphedStep(run, model, torch.optim.Adam(model.parameters(), fused=True))
    batch = next(iter(training_batches(run, 0)))
    for at in range(WARM_UP + 1):
        step(batch, at)
    assert run.rate_at(10) == 0 < run.rate_at(9)
    for at, moves in ((10, False), (9, True)):
        before = model.readout.weight.clone()
        step(batch, at)
        assert torch.equal(before, model.readout.weight) != moves
    assert played.replays == {0: 3}


def test_what_cannot_be_recorded_is_said_once(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the error that PyTorch ends such a recording with is not what is said, and its stream is left."""

    class Recording:
        """As torch.cuda.graph does, it raises another error at its end."""

        def __init__(self, graph: Any, pool: Any) -> None:
            pass

        def __enter__(self) -> None:
            raise_at_first_product(model_of(played))

        def __exit__(self, *given: Any) -> None:
            raise RuntimeError("capture_end failed")

    def raise_at_first_product(model: Any) -> None:
        def fails(*given: Any) -> None:
            raise RuntimeError("CUDA error: operation not permitted when stream is capturing\nmore lines")

        removed.append(model.register_forward_pre_hook(fails))

    removed, streams = [], []
    monkeypatch.setattr(graphed_step, "record", REAL_RECORD)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", lambda: SimpleNamespace(replay=None))
    monkeypatch.setattr(torch.cuda, "graph", Recording)
    monkeypatch.setattr(torch.cuda, "set_stream", lambda stream: (streams.append(stream), removed.pop().remove()))
    run = run_of()
    reason = "no CUDA graph of its steps, which take longer so: CUDA error: operation not permitted when stream is capturing"
    with pytest.warns(UserWarning, match=rf"^{re.escape(f'{run.label()}: {reason}')}$") as said:
        _, result = train(run)
    assert (len(said), len(streams)) == (1, 1)
    assert not GraphedStep.is_recording
    monkeypatch.setattr(graphed_step, "in_use", lambda run, device: False)
    assert result == train(run)[1]


def test_where_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(graphed_step.SWITCH, raising=False)
    path = Path(__file__).parents[2] / "examples" / "own_layer.py"
    own = replace(run_of(), layers=(UserLayer.parse(f"{path}:MovingAverage"),))
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
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.filterwarnings("error:.*no CUDA graph")
def test_on_a_gpu_a_graph_computes_what_its_steps_do(dtype: Any, name: str, task: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in variables("cuda", []).items():
        monkeypatch.setenv(variable, os.environ.get(variable, value))
    monkeypatch.setenv("SEQSEP_KERNELS", "off")
    prepare("cuda")
    run = run_of(name, task, steps=60, evaluate_every=20, dtype=dtype)
    _, graphs = train(run, device="cuda")
    monkeypatch.setenv(graphed_step.SWITCH, "off")
    _, steps = train(run, device="cuda")
    for one, other in zip(graphs.curve, steps.curve, strict=True):
        assert one.loss_nats == pytest.approx(other.loss_nats, rel=1e-4 if dtype == "float32" else 1e-2)


@GPU
def test_on_a_gpu_a_run_goes_on_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where graphs are recorded anew, and questions are padded."""
    for variable, value in variables("cuda", []).items():
        monkeypatch.setenv(variable, os.environ.get(variable, value))
    monkeypatch.setenv("SEQSEP_KERNELS", "off")
    prepare("cuda")
    run = run_of("attention", TASKS[3], steps=60, evaluate_every=20)
    digests = dict[int, str]()
    whole, result = train(run, tmp_path / "one", on_checkpoint=digests.__setitem__, device="cuda")
    again, resumed = train(run, tmp_path / "one", resume_digest=digests[20], device="cuda")
    assert resumed == result
    assert all(torch.equal(one, two) for one, two in zip(whole.parameters(), again.parameters(), strict=True))
