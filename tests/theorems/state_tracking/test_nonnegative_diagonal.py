"""Parity by non-negative diagonal channels: the exact greatest length, the longest runs, and a spoiled layer."""

from fractions import Fraction

import pytest

from seqsep.theorems.base import TheoremFails
from seqsep.theorems.state_tracking import nonnegative_diagonal
from seqsep.theorems.state_tracking._recurrences import diagonal_step, ending


@pytest.mark.parametrize(("end", "most"), [(1, 2), (2, 8), (3, 18), (4, 32), (6, 72), (8, 128)])
def test_the_greatest_length_is_exact(end, most):
    upper, lower = nonnegative_diagonal.check(end, layers=10)
    assert upper.measured == lower.measured == {"ones": most}


@pytest.mark.parametrize(("end", "longest"), [(1, 1), (2, 4), (3, 7), (4, 10), (6, 18), (8, 26)])
def test_the_longest_run_of_a_factor_below_one(end, longest):
    limit = end * end
    starts = [
        ending(diagonal_step([Fraction(factor, end)], [summand], end, "floor"), (first,)).start
        for factor in range(end)
        for summand in range(-limit, limit + 1)
        for first in (-limit, limit)
    ]
    assert max(starts) == longest


def test_a_counter_of_steps_of_two_is_refused(monkeypatch):
    spoiled = diagonal_step
    monkeypatch.setattr(
        nonnegative_diagonal, "diagonal_step", lambda a, b, end, rounding: spoiled(a, [2 * x for x in b], end, rounding)
    )
    with pytest.raises(TheoremFails, match="ones = 1"):
        nonnegative_diagonal.check(2, layers=0)


def test_a_negative_factor_is_refused(monkeypatch):
    """A layer with the factor -1 has period 2, which the check of the lower bound finds."""
    honest = diagonal_step
    monkeypatch.setattr(
        nonnegative_diagonal,
        "diagonal_step",
        lambda a, b, end, rounding: honest(a if len(a) == 1 else [-1] * len(a), b, end, rounding),
    )
    with pytest.raises(TheoremFails, match="period=2"):
        nonnegative_diagonal.check(2, layers=10)
