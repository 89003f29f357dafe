"""Counting modulo m by two attention layers: sizes, the least scale, and places that a smaller grid would cut off."""

import numpy as np
import pytest

from seqsep.maths.networks.executor import run
from seqsep.theorems import TheoremFails
from seqsep.theorems.blocks.hard_maximum import uniform_weight
from seqsep.theorems.state_tracking import modular_count_attention
from seqsep.theorems.state_tracking.modular_count_attention import BOS, bound, build, check

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
def test_precision_grows_with_the_logarithm_of_the_length(rounding):
    sizes = [bound(length, 2, rounding)["precision"] for length in (16, 256, 4096)]
    assert sizes[2] - sizes[1] <= sizes[1] - sizes[0] + 8
    assert sizes[2] <= 7 * np.log2(4096)


def test_a_word_of_the_greatest_length():
    network = build(40, modulus=5)
    word = np.array([[BOS, *([1] * 40)]])
    assert run(network, word).answers[0].tolist() == [time % 5 for time in range(41)]


@pytest.mark.parametrize("length", [1, 2, 3])
def test_short_lengths(length):
    assert [outcome.exhaustive for outcome in check(length, modulus=2)] == [True, True]


def test_a_scale_that_is_too_small_is_found_out(monkeypatch):
    honest = modular_count_attention.build
    monkeypatch.setattr(modular_count_attention, "build", lambda *sizes: honest(*sizes, eta=1))
    with pytest.raises(TheoremFails, match="bits"):
        check(9, modulus=3, rounding="floor")


def test_a_position_with_another_residue_is_found_out(monkeypatch):
    monkeypatch.setattr(modular_count_attention, "with_squares", lambda times: np.stack([times, times * times + 1], axis=1))
    assert check(4, rounding="floor")  # all scores of a query move alike
    monkeypatch.setattr(modular_count_attention, "with_squares", lambda times: np.stack([times, times * times + times], axis=1))
    with pytest.raises(TheoremFails):
        check(4, rounding="floor")


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
@pytest.mark.parametrize("length", [1, 2, 7, 30])
def test_no_score_of_a_key_that_is_seen_is_cut_off(length, rounding):
    network = build(length, rounding=rounding)
    scale = -int(network.layers[1][0].heads[0].query.integers.min())
    steps = network.grid.steps
    greatest = 0
    for time in range(length + 1):
        weight = uniform_weight(network.grid, time + 1)
        scores = [scale * weight * (2 * ones * key - key * key) for ones in range(time + 1) for key in range(time + 1)]
        greatest = max(greatest, *map(abs, scores))
    assert greatest <= scale * length <= steps
