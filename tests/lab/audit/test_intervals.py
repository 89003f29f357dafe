"""Clopper and Pearson's limits: against the exact binomial tails, and how often they are wrong."""

from fractions import Fraction
from math import comb

import pytest

from seqsep.lab.audit.intervals import lower_limit, upper_limit


def tail(least, trials, share):
    """P(at least so many of the trials), exactly."""
    share = Fraction(share)
    return sum(comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(least, trials + 1))


@pytest.mark.parametrize("error", [0.05, 1e-6])
@pytest.mark.parametrize(("successes", "trials"), [(1, 1), (3, 10), (10, 10), (119, 120), (57, 200)])
def test_the_lower_limit_has_its_tail(successes, trials, error):
    limit = lower_limit(successes, trials, error)
    assert tail(successes, trials, limit) == pytest.approx(error, rel=1e-6)
    assert upper_limit(trials - successes, trials, error) == pytest.approx(1 - limit)


def test_it_is_wrong_as_seldom_as_it_says():
    """Over all outcomes of 60 trials, each with its exact probability."""
    for share in (0.02, 0.3, 0.5, 0.97):
        wrong = [k for k in range(61) if lower_limit(k, 60, 0.05) > share]
        assert sum(tail(k, 60, share) - tail(k + 1, 60, share) for k in wrong) <= 0.05


@pytest.mark.parametrize("given", [(-1, 5, 0.1), (6, 5, 0.1), (0, 0, 0.1), (1, 2, 0.0), (1, 2, 1.0)])
def test_what_is_no_share_is_refused(given):
    with pytest.raises(ValueError, match="lower_limit"):
        lower_limit(given[0], given[1], error=given[2])
