"""A delta rule with positive eigenvalues decides parity in three formats; without rounding inside it does not."""

import numpy as np
import pytest

from seqsep.theorems.base import TheoremFails
from seqsep.theorems.state_tracking import delta_parity_in_floats
from seqsep.theorems.state_tracking._float_formats import in_format
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


def test_the_states_of_the_bfloat16_setting():
    layer = build("bfloat16")
    assert layer.states([1])[:2] == [(0.890625, 1.7421875), (0.89453125, 1.7421875)]


@pytest.mark.parametrize("dtype", SETTINGS)
def test_random_settings_have_cycles_of_two_states(dtype):
    """One letter, repeated: from 300 steps on, 1 to 5 percent of random settings alternate between two states."""
    random = np.random.default_rng(0)
    count = 20_000
    turns = random.uniform(0, 2 * np.pi, count)
    key, beta = in_format(np.stack([np.cos(turns), np.sin(turns)]), dtype), in_format(random.uniform(0, 1, count), dtype)
    value, state = in_format(random.normal(size=count), dtype), in_format(random.normal(size=(2, count)), dtype)

    def step(state):
        shares = in_format(state * key, dtype)
        error = in_format(value - in_format(shares[0] + shares[1], dtype), dtype)
        return in_format(state + in_format(in_format(beta * error, dtype) * key, dtype), dtype)

    for _ in range(300):
        state = step(state)
    once = step(state)
    alternate = (once != state).any(axis=0) & (step(once) == state).all(axis=0)
    assert 0.01 < alternate.mean() < 0.05
