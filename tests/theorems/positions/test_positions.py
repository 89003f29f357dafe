"""Positions of stock models: rotary heads and ALiBi."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

import seqsep_check
from seqsep.theorems import TheoremFails, check
from seqsep.theorems.certificate import certify
from seqsep.theorems.positions import _rotary_gap, alibi_window, rotary_previous_token, rotary_width
from seqsep.theorems.positions._rotary_gap import UNIT, angle, error, gaps, least_gap


def heads(pairs: int, base: int) -> tuple[int, ...]:
    return tuple(angle(base, pairs, pair) for pair in range(pairs))


@pytest.mark.parametrize(("pairs", "base"), [(1, 10_000), (5, 500_000), (16, 10_000)])
def test_gaps_equal_those_of_a_library(pairs, base):
    places = np.arange(1, 5001)
    theta = float(base) ** (-np.arange(pairs) / pairs)
    expected = (1 - np.cos(np.outer(places, theta))).sum(axis=1)
    assert np.abs(gaps(heads(pairs, base), 5000) - expected).max() < error(pairs) + pairs * 5000 * 2**-50


def test_an_angle_is_a_root_to_its_last_bit():
    theta = angle(500_000, 7, 3)
    assert Fraction(theta, UNIT) ** 7 * 500_000**3 <= 1 < Fraction(theta + 1, UNIT) ** 7 * 500_000**3


def test_the_gap_by_width_at_every_distance_to_131072():
    found = {pairs: least_gap(heads(pairs, 10_000), (1 << 17) - 1) for pairs in (1, 2, 4, 8)}
    assert found[8][0] == pytest.approx(0.515, abs=1e-3)
    assert found[4][0] == pytest.approx(6.2e-4, rel=0.02)
    assert found[2][0] == pytest.approx(1.4e-6, rel=0.05)
    assert found[1] == (pytest.approx(1.8e-10, rel=0.05), 103_993)


STOCK_GAPS = {
    (64, 500_000): 1.41,
    (32, 500_000): 0.84,
    (64, 10_000): 1.91,
    (32, 10_000): 1.08,
    (16, 10_000): 0.69,
    (8, 10_000): 0.515,
    (4, 10_000): 0.21,
}


@pytest.mark.parametrize(("pairs", "base"), STOCK_GAPS)
def test_gaps_of_stock_heads(pairs, base):
    """To 4,096 tokens; if the head has 16 pairs or more, the closest other token is the neighbour."""
    gap, distance = least_gap(heads(pairs, base), 4095)
    assert gap == pytest.approx(STOCK_GAPS[pairs, base], abs=0.01)
    assert distance == 1 or pairs < 16


def test_the_gap_of_8_pairs_at_every_distance_to_a_million():
    assert least_gap(heads(8, 10_000), 10**6 - 1)[0] == pytest.approx(0.388, abs=1e-3)


def test_the_fastest_pairs_carry_the_gap():
    """Of 64 pairs at base 500,000, the fastest 16 have 93 percent of the gap of all."""
    angles = heads(64, 500_000)
    assert least_gap(angles[:16], 4095)[0] > 0.9 * least_gap(angles, 4095)[0]


@pytest.mark.parametrize(("dtype", "gap"), [(torch.bfloat16, 1.40), (torch.float16, 1.41)])
def test_the_gap_of_a_rounded_table_of_angles(dtype, gap):
    """64 pairs at base 500,000; cosines, sines and the query are rounded, and the query is the last of 65,536 tokens."""
    theta = 500_000.0 ** (-np.arange(64) / 64)
    turns = np.outer(np.arange(65_536), theta)
    cosine, sine, one, other = (
        torch.from_numpy(x).to(dtype) for x in (np.cos(turns), np.sin(turns), np.cos(theta), -np.sin(theta))
    )
    query = torch.cat([one * cosine[-1] - other * sine[-1], one * sine[-1] + other * cosine[-1]])
    scores = torch.cat([cosine, sine], dim=1).float() @ query.float()
    others = torch.cat([scores[:-2], scores[-1:]])
    assert float(scores[-2] - others.max()) == pytest.approx(gap, abs=0.02)


def test_a_head_reads_the_token_before():
    (outcome,) = check("rotary-previous-token", length=120, sequences=5)
    assert outcome.measured == {"width": 32, "heads": 1, "layers": 1}
    assert outcome.margin.least >= outcome.margin.proved > 0.68


def test_a_head_aligned_to_another_distance_is_found_out(monkeypatch):
    built = rotary_previous_token.RotaryHead.__init__

    def spoiled(self, length, pairs, base):
        built(self, length, pairs, base)
        self.query = (np.cos(2 * self.theta), -np.sin(2 * self.theta))

    monkeypatch.setattr(rotary_previous_token.RotaryHead, "__init__", spoiled)
    with pytest.raises(TheoremFails, match="place"):
        rotary_previous_token.check(length=60, sequences=2)


def test_a_users_tokens_and_a_gap_that_is_too_small():
    assert rotary_previous_token.predictor(8)({"symbols": [0, 3, 3, 1]}) == [0, 3, 3]
    with pytest.raises(ValueError, match="1 to 8 of them, found 9"):
        rotary_previous_token.predictor(8)({"symbols": [1] * 9})


def test_no_angles_beat_dirichlet():
    for outcome in check("rotary-width", length=2000, pairs=5, draws=3):
        assert outcome.measured["gap"] <= outcome.bound["gap"]


def test_a_greater_gap_than_dirichlets_is_found_out(monkeypatch):
    monkeypatch.setattr(rotary_width, "least_gap", lambda angles, longest: (least_gap(angles, 1)[0], 1))
    with pytest.raises(TheoremFails, match="distance = 1"):
        rotary_width.check(length=2000, pairs=1, draws=1)


@pytest.mark.parametrize("dtype", alibi_window.LEAST_EXPONENT)
def test_alibi_is_a_window_of_exactly_this_width(dtype):
    (outcome,) = alibi_window.check(slope=6, spread=0, dtype=dtype, inputs=2)
    assert outcome.measured == outcome.bound
    (outcome,) = alibi_window.check(slope=3, spread=8, dtype=dtype, inputs=2)
    assert outcome.measured["distance"] <= outcome.bound["distance"]


@pytest.mark.parametrize(("dtype", "distance"), [("float16", 4437), ("bfloat16", 23_778), ("float32", 26_617)])
def test_the_window_of_slope_1_256(dtype, distance):
    """The last token with a weight is the one before, also in float32."""
    powers = alibi_window.exponentials(np.zeros(distance + 2), 8, dtype)
    assert powers[distance - 1] > 0
    assert powers[distance] == powers[distance + 1] == 0


def written(word, slope, dtype):
    """Return what a head writes at an end token: the share of the letter 1, with equal contents."""
    letters = [*word, 0][::-1]
    powers = alibi_window.exponentials(np.zeros(len(letters)), slope, dtype).double()
    return float((powers * torch.tensor(letters)).sum() / powers.sum())


@pytest.mark.parametrize(("slope", "dtype"), [(0, "float16"), (3, "bfloat16"), (2, "float32")])
def test_the_head_writes_the_same_after_the_certified_words(slope, dtype):
    """And not after words that are one letter shorter: the window has exactly this width."""
    data = json.loads(certify("alibi-window", slope=slope, spread=0, dtype=dtype))
    first, second = ([letter for letter, count in runs for _ in range(count)] for runs in data["witness"]["words"])
    assert (sum(first), sum(second), len(first)) == (1, 0, len(second)) == (1, 0, alibi_window.window(slope, 0, dtype))
    assert written(first, slope, dtype) == written(second, slope, dtype) == 0
    assert written(first[:-1], slope, dtype) > 0 == written(second[:-1], slope, dtype)


@pytest.mark.parametrize(("slope", "dtype"), [(4, "bfloat16"), (0, "float16"), (8, "float32")])
def test_the_certified_words_end_in_one_state(slope, dtype):
    """With one 0 less, the 1 is still seen: the words end in two states."""
    data = certify("alibi-window", slope=slope, dtype=dtype)
    distance = alibi_window.window(slope, 8, dtype)
    status, line = seqsep_check.check(data)
    assert status == 0
    assert f"ones-modulo: modulus 2, longer {distance}, shorter {distance}, width 1" in line
    earlier = json.loads(data)
    earlier["witness"]["words"][0][1][1] -= 1
    earlier["claims"]["shorter"] -= 1
    earlier["digest"] = seqsep_check.digest(earlier)
    assert seqsep_check.check(seqsep_check.canonical(earlier)) == (1, "rejected: the words end in two states")


def test_a_slope_that_is_too_flat_is_found_out(monkeypatch):
    built = alibi_window.exponentials
    monkeypatch.setattr(alibi_window, "exponentials", lambda contents, slope, dtype: built(contents, slope + 1, dtype))
    with pytest.raises(TheoremFails, match="window"):
        alibi_window.check()


def test_an_enclosure_holds_a_known_near_miss_of_pi():
    lower, distance = least_gap((UNIT,), _rotary_gap.TABLE)
    assert distance == 710
    assert lower <= 1 - math.cos(710) <= lower + 2 * error(1)
