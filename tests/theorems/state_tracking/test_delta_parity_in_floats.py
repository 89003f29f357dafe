"""A delta rule with positive eigenvalues decides parity in three formats; without rounding inside it does not."""

import pytest

from seqsep.theorems.base import TheoremFails
from seqsep.theorems.state_tracking import delta_parity_in_floats
from seqsep.theorems.state_tracking.delta_parity_in_floats import SETTINGS, build, exact_answers_end, least_eigenvalue


@pytest.mark.parametrize("dtype", SETTINGS)
def test_parity_is_decided(dtype):
    (outcome,) = delta_parity_in_floats.check(100, dtype)
    assert outcome.measured["states"] == 2
    assert outcome.witness["least_eigenvalue"] > 0.36


@pytest.mark.parametrize("dtype", SETTINGS)
def test_betas_and_eigenvalues_are_positive(dtype):
    layer = build(dtype)
    assert 0 < layer.first.beta < 1
    assert 0 < layer.letters[1].beta < 1
    assert all(least_eigenvalue(token) > 0 for token in (layer.first, *layer.letters))


@pytest.mark.parametrize("dtype", SETTINGS)
def test_exact_arithmetic_does_not_decide_parity(dtype):
    """Two runs of ones of different parity have one state after rounding at the read-out."""
    assert exact_answers_end(dtype) < 20


def test_another_beta_is_refused(monkeypatch):
    setting = SETTINGS["bfloat16"]
    monkeypatch.setitem(SETTINGS, "bfloat16", setting._replace(one=setting.one._replace(beta=0.5)))
    with pytest.raises(TheoremFails, match="states"):
        delta_parity_in_floats.check(10, "bfloat16")


def test_rounding_only_the_new_state_has_no_cycle(monkeypatch):
    """If only the last operation rounds, the two states are equal."""
    calls = []
    honest = delta_parity_in_floats.in_format

    def last_of_seven(number, dtype):
        if getattr(number, "size", 1) > 1:
            return honest(number, dtype)
        calls.append(number)
        return honest(number, dtype) if len(calls) % 9 in (7, 0) else number

    monkeypatch.setattr(delta_parity_in_floats, "in_format", last_of_seven)
    with pytest.raises(TheoremFails, match="states"):
        delta_parity_in_floats.check(10, "bfloat16")
