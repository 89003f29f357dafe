"""Horizons of rounded reflections: exact for dyadic keys, drifting for others, and wrong for a spoiled key."""

import numpy as np
import pytest

from seqsep.theorems.base import TheoremFails
from seqsep.theorems.state_tracking import horizon
from seqsep.theorems.state_tracking._rotations import NAMES, reflection, rotations


@pytest.mark.parametrize("name", NAMES)
def test_two_reflections_are_the_rotation(name):
    group = rotations(name)
    products = np.array([reflection(second) @ reflection(first) for first, second in group.keys])
    assert np.allclose(products, group.elements)


def test_dyadic_keys_are_exact():
    for outcome in horizon.check(100, 2, "dyadic"):
        assert outcome.witness["greatest_error"] == "0"


def test_the_pentagon_drifts_in_bfloat16():
    (outcome,) = horizon.check(600, 2, "pentagon", "bfloat16")
    assert outcome.measured["close_tokens"] < 600


def test_a_key_that_is_no_unit_vector_is_refused(monkeypatch):
    honest = horizon.build
    monkeypatch.setattr(horizon, "build", lambda *names: honest(*names) * 0.75)
    with pytest.raises(TheoremFails, match="error"):
        horizon.check(5, 1, "dyadic")
