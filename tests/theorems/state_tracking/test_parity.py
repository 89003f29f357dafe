"""Parity by one unit or one number: all short words, and weights that are spoiled."""

from itertools import product

import numpy as np
import pytest

from seqsep.theorems import TheoremFails, apply
from seqsep.theorems.state_tracking import parity
from seqsep.theorems.state_tracking.parity import VARIANTS, check, follow

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize("variant", VARIANTS)
def test_all_words_of_six_bits(variant):
    for word in product((0, 1), repeat=6):
        assert follow(variant, word)[0] == (np.cumsum(word) % 2).tolist()


def test_the_state_takes_two_values():
    assert [outcome.measured["values"] for outcome in check(20)] == [2, 2]


@pytest.mark.parametrize(("name", "spoiled"), [("WIDE", 2.0), ("SATURATED", 0.5)])
def test_an_lstm_that_does_not_saturate_is_found_out(monkeypatch, name, spoiled):
    monkeypatch.setattr(parity, name, spoiled)
    with pytest.raises(TheoremFails):
        check(40, "lstm")


def test_a_delta_rule_without_a_negative_eigenvalue_is_found_out(monkeypatch):
    honest = parity.gated_delta

    def positive():
        layer = honest()
        layer.negative = False
        return layer

    monkeypatch.setattr(parity, "gated_delta", positive)
    with pytest.raises(TheoremFails, match="bits"):
        check(40, "gated-delta")


def test_answers_to_a_user():
    assert list(apply("parity-recurrent", ['{"bits": [1, 1, 1]}'], length=4, variant="gated-delta")) == [1]
    with pytest.raises(ValueError, match="bits: expected 0 to 1"):
        list(apply("parity-recurrent", ['{"bits": [2]}'], length=4))
