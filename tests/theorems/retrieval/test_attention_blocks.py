"""The second paper's attention blocks by one head each, and what its lemmas about them print."""

from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.networks.executor import run
from seqsep.theorems import TheoremFails
from seqsep.theorems.blocks import ROUNDINGS
from seqsep.theorems.retrieval import attention_blocks
from seqsep.theorems.retrieval._attention_blocks import BLOCKS, FIELDS, Positions, answer, drawn, every_input
from seqsep.theorems.retrieval._printed_units import MENDED_SIGNS, PRINTED_SIGNS, indicator, threshold
from seqsep.theorems.trial import logits_apart
from support.networks import spoiled

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_blocks_on_every_short_sequence_and_longer_ones(rounding):
    outcomes = attention_blocks.check(length=24, keys=3, sequences=20, rounding=rounding)
    assert len(outcomes) == 5 + 4
    for outcome in outcomes:
        assert outcome.measured["heads"] == outcome.measured["layers"] == 1
        assert outcome.margin.least >= outcome.margin.proved > 0
        assert set(outcome.saturated) <= {"layer 0 scores", "layer 0 minus maximum"}


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_squares_in_steps_of_the_grid_that_pass_an_int64(rounding):
    """At V = 60,000 match-nearest has V^2 L > 2^63: such inputs wrapped, and a block was said to fail."""
    assert attention_blocks.build("match-nearest", 8, 60_000, rounding=rounding).grid.steps * 60_000**2 > 2**63
    assert len(attention_blocks.check(length=8, keys=60_000, sequences=2, rounding=rounding)) == 9
    given = {"own": [59_999, 7, 59_999], "asked": [59_999, 59_998, 7], "near": [2, 2, 3]}
    assert attention_blocks.predictor(8, "match-nearest", most=60_000, rounding=rounding)(given) == [1, 0, 2]


def test_definitions_differ_on_the_inputs_tried():
    """Every two blocks answer some drawn position differently, so that none can stand in for another."""
    given = list(drawn(12, 3, 20, seed=1))
    answers = {block: [answer(block, one, here, 2) for one in given for here in range(13)] for block in BLOCKS}
    assert len({tuple(found) for found in answers.values()}) == len(BLOCKS)
    assert all(0 in found and max(found) > 3 for found in answers.values())


def test_near_places_include_ties_and_far_ones():
    ties = 0
    for one in every_input("match-nearest", 3):
        matches = [j for j in range(1, 4) if one.own[j] == one.asked[3]]
        distances = sorted(abs(j - one.near[3]) for j in matches)
        ties += len(distances) > 1 and distances[0] == distances[1]
    assert ties > 100


@pytest.mark.parametrize("block", BLOCKS)
def test_a_scale_that_is_too_small_loses_the_margin(block):
    """With eta = 1 some answer is wrong, or its logit is above the next one by less than the proof gives."""
    network = attention_blocks.build(block, 24, 24, eta=1)
    given = list(drawn(24, 3, 20, seed=0))
    result = run(network, np.stack([one.vectors() for one in given]) * network.grid.steps)
    expected = np.array([[answer(block, one, here, 1) for here in range(25)] for one in given])
    apart = logits_apart(result)
    least = int(apart.integers.min()) * apart.unit
    assert (result.answers != expected).any() or least < attention_blocks._proved(block, 24, network.grid)


@pytest.mark.parametrize("block", BLOCKS)
def test_spoiled_blocks_are_found_out(monkeypatch, block):
    honest = attention_blocks.build
    given = list(every_input(block, 3))
    expected = np.array([[answer(block, one, here, 1) for here in range(4)] for one in given])
    inputs = np.stack([one.vectors() for one in given])
    caught = 0
    for seed in range(14):
        _, network = spoiled(honest(block, 3, 3), seed)
        result = run(network, inputs * network.grid.steps)
        if (result.answers == expected).all() and result.unique_argmax.all():
            continue
        caught += 1
        monkeypatch.setattr(attention_blocks, "build", lambda *args, network=network, **options: network)
        with pytest.raises(TheoremFails, match=block):
            attention_blocks._check(block, 3, 2, back=1, sequences=1, rounding="floor", seed=0)
    assert caught >= 4


def test_an_unknown_block_is_named():
    with pytest.raises(ValueError, match="block is one of copy, count, match, match-close, match-nearest, match-next"):
        attention_blocks.build("sort", 4, 4)
    with pytest.raises(ValueError, match="rounding is one of floor, nearest"):
        attention_blocks.check(4, rounding="up")


def test_printed_signs_make_no_indicator():
    for wanted in (-2, 0, 7):
        places = (wanted - 1, wanted, wanted + 1)
        assert [indicator(x, wanted, PRINTED_SIGNS) for x in places] == [20, 9, 0]
        assert [indicator(x, wanted, MENDED_SIGNS) for x in range(wanted - 9, wanted + 10)] == [0] * 9 + [1] + [0] * 9


def test_a_threshold_has_as_many_weights_as_units():
    units = np.ones((2, 1))
    with pytest.raises(ValueError, match="mismatch"):
        np.ones((1, 4)) @ units
    gap = Fraction(1, 3)
    assert [threshold(5 + step * gap / 2, Fraction(5), gap) for step in range(-4, 5)] == [0, 0, 0, 0, 1, 1, 1, 1, 1]


def test_printed_scores_of_match_find_the_first():
    """Keys 7, 7, 3 at 1, 2, 3, asked for 7 at 3: of the printed scores the one at 1 is greatest, and so is it by `match`."""
    n = 4
    own = [0, 7, 7, 3]
    scores = [-(n**5) * (own[place] - 7) ** 2 - n * place**2 for place in (1, 2, 3)]
    assert scores.index(max(scores)) + 1 == 1
    given = Positions(own, asked=[0, 7, 7, 7], near=[0] * 4, counter=[0] * 4)
    assert [answer(block, given, 3, 1) for block in ("match", "match-close")] == [1, 2]
    for block, place in (("match", 1), ("match-close", 2)):
        network = attention_blocks.build(block, 3, 7)
        assert run(network, given.vectors()[None] * network.grid.steps).answers[0, 3] == place


@pytest.mark.parametrize("block", BLOCKS)
def test_appliers_read_what_the_definition_says(block):
    """Every input of up to two positions and drawn ones, by weights built for more; 0 is a key like any other."""
    apply = attention_blocks.predictor(9, block, most=8, back=2)
    for one in (*every_input(block, 1), *every_input(block, 2), *drawn(7, 3, 30, seed=4)):
        given = {name: [(number + 8) % 9 for number in numbers[1:]] for name, numbers in one.readable().items()}
        shifted = Positions(**{name: [0, *numbers] for name, numbers in given.items()})
        expected = [answer(block, shifted, here, 2) for here in range(1, len(shifted.own))]
        assert apply({name: given[name] for name in {"own", *FIELDS[block]}}) == expected, given


def test_appliers_want_a_number_for_each_position():
    apply = attention_blocks.predictor(3, "match-next")
    for given, message in [
        ({"own": [1, 2], "asked": [1, 2]}, "counter: missing; found own, asked"),
        ({"own": [1, 2], "asked": [1], "counter": [0, 0]}, "asked: expected 2 of them, found 1"),
        ({"own": [1] * 4, "asked": [1] * 4, "counter": [0] * 4}, "own: expected 1 to 3 of them, found 4"),
        ({"own": [4], "asked": [1], "counter": [0]}, "own: expected 0 to 3, found 4 to 4"),
    ]:
        with pytest.raises(ValueError, match=message):
            apply(given)
    with pytest.raises(ValueError, match="block is one of copy, count"):
        attention_blocks.predictor(3, "sort")
