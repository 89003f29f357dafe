"""The scales of Theorem 13's scores: they are what the proof needs, and one step less is not."""

import math
from fractions import Fraction

import pytest

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.codes.codes import position_code
from seqsep.theorems import TheoremFails
from seqsep.theorems.blocks import largest_entry, largest_score
from seqsep.theorems.protocols.one_layer_protocol import message_bits
from seqsep.theorems.sparse_threshold import disjointness_one_layer
from seqsep.theorems.sparse_threshold._slots import Scales
from seqsep.theorems.sparse_threshold.disjointness_one_layer import TOKENS, cost
from seqsep.theorems.sparse_threshold.two_layers import proved

SIZES = [(code, tokens, k) for code in ("parabola", "one-hot", "circle") for tokens in (2, 5, 40) for k in (1, 2, 3, 7)]


def fits(tokens: int, exponent: int, needed: Fraction, unit: Fraction) -> bool:
    """Return True if L = n^Kc steps reach `needed` and the multiples of `unit` are on the grid."""
    steps = Grid.of(tokens, exponent).steps
    return steps >= needed and (unit * steps).denominator == 1


@pytest.mark.parametrize(("code", "tokens", "k"), SIZES)
def test_scales_are_the_least_that_the_proof_allows(code, tokens, k):
    """e^c >= 12 k, e^Z >= 12 k n, leakage(eta) <= e^-c / 14 k, and L >= 12 k, Z, every entry and A + c."""
    chosen = position_code(code, tokens)
    scales = Scales.of(chosen, k)
    assert math.exp(scales.literal - 1) < 12 * k <= math.exp(scales.literal)
    assert math.exp(scales.nothing - 1) < 12 * k * tokens <= math.exp(scales.nothing)
    most = math.exp(-scales.literal) / (14 * k)
    assert chosen.leakage(scales.eta) <= most
    assert scales.eta == 1 or chosen.leakage(scales.eta - 1) > most
    reach = max(12 * k, scales.nothing, largest_entry(chosen, scales.eta), largest_score(chosen, scales.eta) + scales.literal)
    assert fits(tokens, scales.exponent, reach, chosen.unit)
    assert scales.exponent == 1 or not fits(tokens, scales.exponent - 1, reach, chosen.unit)


@pytest.mark.parametrize(("code", "tokens", "k"), SIZES)
def test_each_head_errs_by_three_twelfths_of_k_at_most(code, tokens, k):
    """e^-c + e^c R + D with a literal and n e^-Z + D without; R is the leakage, times e^D if scores are rounded."""
    chosen = position_code(code, tokens)
    scales = Scales.of(chosen, k)
    for steps in (12 * k, Grid.of(tokens, scales.exponent).steps):
        floor = 1 / steps
        leakage = chosen.leakage(scales.eta) * (math.exp(floor) if code == "circle" else 1)
        with_literal = math.exp(-scales.literal) + math.exp(scales.literal) * leakage + floor
        without = tokens * math.exp(-scales.nothing) + floor
        assert max(with_literal, without) <= 3 / (12 * k)
        assert proved(chosen, k, Grid(steps)) == pytest.approx(1 / 2 - k * max(with_literal, without), rel=1e-12)


@pytest.mark.parametrize("length", [2, 14, 62, 400])
def test_disjointness_sends_the_bits_of_one_token_more(length):
    """[BOS] is a token too: the cost at N is that of the protocol at N + 1, which for N = 2 is more than at N - 1."""
    sizes = {"width": 2, "embedding": 1, "heads": 1, "grid": Grid(64), "variant": "one-learns", "vocabulary": TOKENS}
    bits = [message_bits(length=tokens, **sizes)["total"] for tokens in (length - 1, length + 1)]
    assert cost(length, 2, 1, Grid(64)) == bits[1]
    assert bits[0] < bits[1] or length > 2


@pytest.mark.parametrize(
    "change", [lambda bob, bits: (bob._replace(answer=1 - bob.answer), bits), lambda bob, bits: (bob, bits + 1)]
)
def test_a_wrong_answer_and_other_bits_are_found_out(monkeypatch, change):
    talk = disjointness_one_layer.one_layer_protocol.talk

    def spoiled(*arguments, **named):
        alice, bob, bits = talk(*arguments, **named)
        return alice, *change(bob, bits)

    disjointness_one_layer._check_protocol(4, 0)
    monkeypatch.setattr(disjointness_one_layer.one_layer_protocol, "talk", spoiled)
    with pytest.raises(TheoremFails, match="expected"):
        disjointness_one_layer._check_protocol(4, 0)
