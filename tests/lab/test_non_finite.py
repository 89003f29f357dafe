"""NaN or infinity in the loss, in a gradient or in a weight ends a run at the next step, and the sweep goes on."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from seqsep.lab import graphed_step
from seqsep.lab import step as one_step
from seqsep.lab.run import Run
from seqsep.lab.step import finite
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.lab.train import train
from seqsep.models.model import Model
from seqsep.tasks import IndexLookup

SPOILED_AFTER = 7


def run_of(**fields: Any) -> Run:
    chosen = {"width": 8, "steps": 40, "batch": 8, "evaluate_every": 20, "evaluation": 50} | fields
    return Run(IndexLookup(length=5, alphabet=4), ("lstm",), **chosen)


def spoil_after(monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Model], None], updates: int = SPOILED_AFTER) -> None:
    """Call `spoil` on the model once it has had so many updates."""
    kept = graphed_step.step_once

    def step_once(run: Run, model: Model, optimizer: Any, *, batch: Any, step: int) -> float:
        loss = kept(run, model, optimizer, batch=batch, step=step)
        if step + 1 == updates:
            spoil(model)
        return loss

    monkeypatch.setattr(graphed_step, "step_once", step_once)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_not_finite_ends_the_run_at_that_step(monkeypatch: pytest.MonkeyPatch, value: float) -> None:
    kept, calls = one_step.total_loss, []

    def total_loss(*arguments: Any) -> Tensor:
        calls.append(None)
        return kept(*arguments) + (value if len(calls) == SPOILED_AFTER else 0.0)

    monkeypatch.setattr(one_step, "total_loss", total_loss)
    _, result = train(run_of())
    assert (result.status, result.steps) == ("failed: non-finite", SPOILED_AFTER)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_gradient_that_is_not_finite_is_not_used(monkeypatch: pytest.MonkeyPatch, value: float) -> None:
    """A gradient that is not finite ends the run before it is used."""

    def spoil(model: Model) -> None:
        # Of one weight alone, and its loss stays as it is.
        model.readout.weight.register_hook(lambda gradient: gradient.index_fill(0, torch.tensor([2]), value))

    spoil_after(monkeypatch, spoil)
    model, result = train(run_of())
    assert (result.status, result.steps) == ("failed: non-finite", SPOILED_AFTER + 1)
    assert all(part.isfinite().all() for part in model.parameters())


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("used", [True, False], ids=["used", "unused"])
def test_a_weight_that_is_not_finite_ends_the_run(monkeypatch: pytest.MonkeyPatch, value: float, used: bool) -> None:
    """A weight that is not finite ends the run at the next step.

    Unused: of a token that no example holds, so that neither loss nor gradients see it.
    """
    spoil_after(monkeypatch, lambda model: model.tokens.weight.data[0 if used else -1, 3:4].fill_(value))
    if not used:
        monkeypatch.setattr(IndexLookup, "vocabulary", IndexLookup(length=5, alphabet=4).vocabulary + 1)
    _, result = train(run_of())
    assert (result.status, result.steps) == ("failed: non-finite", SPOILED_AFTER + 1)


@pytest.mark.parametrize("step", [20, 40])
def test_no_checkpoint_has_a_weight_that_is_not_finite(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, step: int) -> None:
    """There is no checkpoint and no outcome with a weight that is not finite.

    It is spoiled by the last update before an evaluation, and the loss does not use it.
    """
    spoil_after(monkeypatch, lambda model: model.tokens.weight.data[-1].fill_(math.nan), step)
    monkeypatch.setattr(IndexLookup, "vocabulary", IndexLookup(length=5, alphabet=4).vocabulary + 1)
    saved: list[int] = []
    _, result = train(run_of(), tmp_path / "checkpoint", on_checkpoint=lambda step, _: saved.append(step))
    assert (result.status, result.steps) == ("failed: non-finite", step)
    assert saved == [20][: step // 20 - 1]
    assert [point.step for point in result.curve] == saved


def test_finite_sees_every_number_of_every_type() -> None:
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.complex64):
        parts = [torch.ones(3), torch.ones(2, 2, dtype=dtype), torch.ones(0)]
        assert finite(parts)
        for value in (math.nan, math.inf, -math.inf):
            for index in ((0, 0), (1, 1)):
                spoiled = parts[1].clone()
                spoiled[index] = value
                assert not finite([parts[0], spoiled, parts[2]]), (dtype, value)
    assert not finite([torch.tensor([math.inf, -math.inf])])


@pytest.mark.slow
def test_a_sweep_goes_on_and_keeps_the_outcome(tmp_path: Path) -> None:
    infinite = replace(run_of(embedding_scale=1e30), layers=("attention",))
    fine = run_of(steps=2)
    with Store(tmp_path / "store.db") as store:
        rows = sweep([infinite, fine], store, "trial", workers=1)
        assert [(row.status, row.finished) for row in rows] == [("failed: non-finite", True), ("finished", True)]
        assert len(store.finished()) == 2
