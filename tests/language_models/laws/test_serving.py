"""The laws of serving: each finds its injected fault on five types, and says what a library gets wrong."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import torch

from seqsep.language_models.laws.check import try_law
from seqsep.language_models.laws.receiver import Receiver
from seqsep.language_models.laws.trial import Trial
from seqsep.language_models.loader.source import Source
from support.faulty_serving import FAULTS, TYPES, FaultyServing
from support.law_models import fields_of

TIME = 12
KEPT = json.loads((Path(__file__).parents[3] / "results/model-laws.json").read_text(encoding="utf-8"))["models"]


@cache
def trial_of(name: str) -> Trial:
    return Trial(Source(name, fields_of(name)), time=TIME, batch=2, seed=3, dtype=torch.float64, receiver=Receiver())


@pytest.fixture
def healthy() -> Iterator[None]:
    """Every trial has its healthy reader again."""
    yield
    for name in {name for names in TYPES.values() for name in names.split()}:
        trial_of(name).reader = trial_of(name).exact


@pytest.mark.usefixtures("healthy")
@pytest.mark.parametrize(("law", "name"), [(law, name) for law, names in TYPES.items() for name in names.split()])
def test_the_fault_of_each_law_is_caught(law: str, name: str) -> None:
    """The law holds on the healthy type, by the kept verdicts of the long check."""
    assert {verdict["law"]: verdict["holds"] for verdict in KEPT[name]}[law] is True
    trial = trial_of(name)
    trial.reader = FaultyServing(trial.exact, law)
    verdict = try_law(law, trial)
    assert verdict.holds is False, FAULTS[law]
    assert verdict.difference is not None
    assert verdict.difference > 1000 * verdict.allowed
