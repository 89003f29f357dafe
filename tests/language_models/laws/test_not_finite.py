"""Logits that are NaN or infinite break the law of finite numbers, and make no other law hold."""

from collections.abc import Iterator

import pytest
import torch

from seqsep.language_models.laws.check import try_law
from seqsep.language_models.laws.receiver import Receiver
from seqsep.language_models.laws.trial import LawTrial
from seqsep.language_models.loader.source import ModelSource
from support.faulty_readers import FAMILIES

NAME = "mistral"
SOURCE = ModelSource(NAME, {"model_type": NAME, **FAMILIES[NAME]})


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as process:
        yield process


def test_logits_that_are_not_finite_break_a_law(receiver: Receiver) -> None:
    """NaN differs from itself, so a setting seemed to change the function."""
    trial = LawTrial(SOURCE, time=12, batch=2, seed=3, dtype=torch.float64, receiver=receiver)
    with torch.no_grad():
        trial.exact.model.get_output_embeddings().weight[0, 0] = float("nan")
    assert (
        try_law("finite numbers", trial).line()
        == "FAILS  finite numbers: one pass gives NaN or an infinite logit, first at token 0"
    )
    assert try_law("settings change the function", trial).holds is None


def test_logits_not_finite_in_fewer_bits_break_a_law(receiver: Receiver) -> None:
    """In float64 they are finite."""
    half = LawTrial(SOURCE, time=12, batch=2, seed=3, dtype=torch.bfloat16, receiver=receiver)
    assert try_law("finite numbers", half).holds
    with torch.no_grad():
        half.reader.model.get_output_embeddings().weight[0, 0] = float("inf")
    assert (
        try_law("finite numbers", half).where == "one pass in torch.bfloat16 gives NaN or an infinite logit, first at token 0"
    )
