"""Symmetric positive steps have no cycle; a negative eigenvalue and two delta steps have one."""

from fractions import Fraction

import pytest

from seqsep.theorems.base import TheoremFails
from seqsep.theorems.state_tracking import symmetric_steps


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_no_cycle(rounding, size):
    (outcome,) = symmetric_steps.check(2, size, 40, rounding)
    assert outcome.measured == {"period": 1, "states": outcome.length}


def test_two_delta_steps_have_a_cycle():
    """The product has the eigenvalues 0 and 49/625: its determinant is 0, and its trace is 49/625."""
    matrix = symmetric_steps.two_delta_steps(symmetric_steps.CYCLE[0])
    assert matrix[0][0] * matrix[1][1] == matrix[0][1] * matrix[1][0]
    assert matrix[0][0] + matrix[1][1] == Fraction(49, 625)
    assert symmetric_steps.run_of_two_delta_steps().period == 2


def test_a_negative_eigenvalue_is_refused(monkeypatch):
    monkeypatch.setattr(symmetric_steps, "drawn", lambda *_: [[0, 1], [1, 0]])
    with pytest.raises(TheoremFails, match="period=2"):
        symmetric_steps.check(2, 2, 20)
