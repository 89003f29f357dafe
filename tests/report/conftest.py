"""Synthetic runs: numbers that no two cells share, so that a test can find each on the page."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from seqsep.report.measured import RunSummary
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import BoundedDyck, IndexLookup, Task

ARCHITECTURES = ("attention", "lstm", "linear-attention", "retention", "dss", "mamba")
LOOKUP = {20: IndexLookup(20), 50: IndexLookup(50)}
DYCK = BoundedDyck(30)


def measured(task: Task, architecture: str, accuracy: float, **changes: Any) -> RunSummary:
    """A run that climbs to `accuracy` in four evaluations."""
    curve = tuple((250 * step, accuracy * step / 4, 4.0 - step / 2) for step in range(1, 5))
    growing = architecture == "attention"
    chosen: dict[str, Any] = {
        "task": task,
        "model": SizedModel((architecture,), 64),
        "learning_rate": 0.001,
        "seed": 0,
        "steps_allowed": 1000,
        "steps": 1000,
        "accuracy": accuracy,
        "curve": curve,
        "state_bits": (0, 4096) if growing else (4096, 0),
        "parameters": 44_736,
        "batch": 64,
        "evaluation": 5000,
        "environment": {"torch": "2.13.0", "device": "cpu", "threads": 1},
    }
    return RunSummary(**(chosen | changes))


def cell_accuracy(length: int, architecture: str) -> float:
    """Attention 0.991 and above; the others between 0.13 and 0.9."""
    place = ARCHITECTURES.index(architecture)
    if place == 0:
        return 0.9956 if length == 20 else 0.9912
    return round(0.9 - 0.13 * place - (0.013 if length == 50 else 0.0), 4)


@pytest.fixture(name="measured")
def measured_fixture() -> Callable[..., RunSummary]:
    return measured


@pytest.fixture(name="cell_accuracy")
def cell_accuracy_fixture() -> Callable[[int, str], float]:
    return cell_accuracy


@pytest.fixture
def fresh() -> list[RunSummary]:
    runs = [
        measured(task, architecture, cell_accuracy(length, architecture) - lower, learning_rate=rate)
        for length, task in LOOKUP.items()
        for architecture in ARCHITECTURES
        for rate, lower in ((0.0005, 0.0211), (0.001, 0.0), (0.002, 0.0322))
    ]
    curve = ((250, 0.7, 1.0), (500, 0.9934, 0.1))
    runs.append(measured(DYCK, "lstm", 0.9934, curve=curve, steps=500))
    runs.append(
        measured(DYCK, "attention", 0.9921, curve=tuple((step, 0.9921 * step / 1000, 0.5) for step in range(250, 1001, 250)))
    )
    return runs


@pytest.fixture
def committed(fresh: list[RunSummary]) -> list[RunSummary]:
    return [
        measured(
            run.task,
            run.model.architecture,
            run.accuracy - 0.0024 * seed,
            seed=seed,
            learning_rate=run.learning_rate,
            curve=run.curve,
        )
        for run in fresh
        for seed in (0, 1, 2)
    ]


@pytest.fixture
def theorems() -> list[dict[str, Any]]:
    return [
        {
            "theorem": "index-lookup-attention",
            "source": "Bhattamishra et al. 2024, Theorem 1",
            "side": "upper",
            "statement": "One attention layer solves index lookup.",
            "holds": True,
            "length": 1000,
            "exhaustive": False,
            "inputs": 6144,
            "measured": {"width": 12, "core": 7413, "weight": math.nan},
            "bound": {"width": 14, "core": 9017, "weight": 0.75},
            "as_printed": {"width": 976},
        },
        {
            "theorem": "index-lookup-state",
            "source": "Bhattamishra et al. 2024, Theorem 3",
            "side": "lower",
            "statement": "An exact recurrent model has N log2 S bits of state.",
            "holds": False,
            "length": 8,
            "exhaustive": True,
            "inputs": 65_536,
            "measured": {"state_bits": 47},
            "bound": {"state_bits": 48},
            "as_printed": None,
        },
    ]
