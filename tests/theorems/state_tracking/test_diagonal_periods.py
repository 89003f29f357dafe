"""Periods of real diagonal channels, and a rotation, which is not diagonal and has another one."""

import pytest

from seqsep.theorems.base import TheoremFails
from seqsep.theorems.state_tracking import diagonal_periods


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
def test_periods_are_one_and_two(rounding):
    (outcome,) = diagonal_periods.check(2, 50, rounding)
    assert outcome.measured["period"] == 2
    assert outcome.measured["ones"] <= outcome.bound["ones"]


def test_a_step_that_mixes_channels_is_refused(monkeypatch):
    """A shift of three channels counts modulo 3."""
    monkeypatch.setattr(diagonal_periods, "diagonal_step", lambda *_: lambda state: (*state[1:], state[0]))
    with pytest.raises(TheoremFails, match="period=3"):
        diagonal_periods.check(2, 10)
