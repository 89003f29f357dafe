"""Climbs go down, keep what is smaller, and meet wrong answers on the way; `check` shows what saturated."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.network import whole
from seqsep.models.model import Model
from seqsep.tasks import BoundedDyck
from seqsep.theorems import check
from seqsep.theorems.base import TheoremFails
from seqsep.theorems.bounded_dyck._prefixes import prefixes
from seqsep.theorems.bounded_dyck._words import nudged, walks
from seqsep.theorems.retrieval._index_lookup_trials import climb_down, retrieved_margin
from seqsep.theorems.retrieval.index_lookup_attention import build
from seqsep.theorems.trial import Trial, climb, distances, edited


def test_distances_are_exact():
    apart = distances(Array(np.array([[0, 3], [5, -2]]), Fraction(1, 4)), Fraction(1, 2))
    assert [[int(entry) * apart.unit for entry in row] for row in apart.integers] == [
        [Fraction(1, 2), Fraction(1, 4)],
        [Fraction(3, 4), Fraction(1)],
    ]


def test_a_climb_finds_the_least_margin_that_lies_downhill():
    random = np.random.default_rng(0)
    wanted = np.array([1, 0, 2, 2, 1, 0, 0, 1])
    seen = []

    def put(inputs):
        seen.append(inputs.copy())
        return (inputs != wanted).sum(axis=1).astype(np.float64)

    start = random.integers(3, size=(5, 8))
    end = climb(put, start, lambda inputs: edited(inputs, 3, random), rounds=300)
    assert (end == 0).all()
    assert (put(start) > 0).all()
    assert len(seen) == 302


def test_the_climb_of_index_lookup_reaches_the_worst_inputs():
    """For S = 2 the worst sequence holds the other bit everywhere else; the climb meets its margin at N = 6."""
    network = build(6, 2)
    worst = Trial("", network, retrieved_margin(network))
    for bit in (0, 1):
        sequences = np.where(np.eye(6, dtype=bool), bit, 1 - bit)
        inputs = np.concatenate([sequences, 2 + np.arange(6)[:, None]], axis=1)
        worst.require(inputs, np.full(6, bit), lambda row: {"row": row})
    climbed = Trial("", network, retrieved_margin(network))
    climb_down(climbed, 6, 2, seed=0)
    assert climbed.least == worst.least


def test_a_climb_meets_wrong_answers():
    """The values of address 3 are read as 0: only sequences with a 1 there are answered wrong."""
    trial = Trial("", build(4, 2, steps=16, eta=0))
    trial.margin = retrieved_margin(trial.network)
    with pytest.raises(TheoremFails, match="position"):
        climb_down(trial, 4, 2, seed=0)


def test_nudged_brackets_stay_words():
    random = np.random.default_rng(1)
    words = walks(20, 3, 3, random, 16)
    changed = words
    for _ in range(50):
        changed = nudged(changed, 3, 3, random)
    assert prefixes(changed, 3, 3).allowed[:, -1, -1].all()
    assert (changed != words).any(axis=1).all()
    assert ((changed % 2) != (words % 2)).any()


def test_drawn_walks_are_words_and_keep_a_floor():
    """Words of even length, all but the last bracket of odd length; with a floor, that many stay open in between."""
    random = np.random.default_rng(3)
    assert BoundedDyck(20, 3, 4).accepts(walks(20, 3, 4, random, 200)).all()
    assert (np.where(walks(19, 3, 4, random, 200) % 2, -1, 1).sum(axis=1) == 1).all()
    steps = np.where(walks(20, 3, 4, random, 200, floor=2) % 2, -1, 1).cumsum(axis=1)
    assert (steps[:, 1:18] >= 2).all()
    assert (steps[:, -1] == 0).all()


def test_check_prints_what_saturated():
    """Theorem 7's first layer scores losers below the end of the grid; one layer for Dyck never does."""
    nearest = check("nearest-neighbor-two-layers")[0]
    assert nearest.saturated is not None
    assert nearest.saturated["layer 0 scores"] > 0
    assert f"saturated: layer 0 scores {nearest.saturated['layer 0 scores']:,}" in nearest.line()
    brackets = check("bounded-dyck-attention", variant="one-layer", length=8)[0]
    assert brackets.saturated == {}
    assert "saturated: nothing" in brackets.line()
    assert check("index-lookup-state", length=3)[0].saturated is None


def test_a_trial_follows_generated_sequences():
    """Index lookup as a generator of one token: right answers of both arithmetics, margins and inputs are noted."""
    network = build(3, 2)
    trial = Trial("index-lookup-attention", network, retrieved_margin(network))
    sequences = [[1, 0, 1, 4, 1], [0, 1, 3, 1], [0, 2, 0]]
    result = trial.follow(sequences, [4, 3, 2], lambda example: {"tokens": sequences[example]})
    assert (trial.inputs, result.answers.tolist()) == (3, [[1], [1], [0]])
    assert trial.least is not None
    sequences[1][3] = 0
    with pytest.raises(TheoremFails) as fails:
        trial.follow(sequences, [4, 3, 2], lambda example: {"tokens": sequences[example]})
    wanted = {"tokens": [0, 1, 3, 0], "place": 3, "expected": 0, "found": 1, "run": "on the grid"}
    assert fails.value.counterexample == wanted


def test_a_trial_follows_in_floats_too():
    """A model whose read-out is turned round is met although the grid's network is right."""
    trial = Trial("index-lookup-attention", build(3, 2))
    trial.model.readout.weight.data.neg_()
    with pytest.raises(TheoremFails, match="in float64"):
        trial.follow([[1, 0, 1, 4, 1]], [4], lambda _: {})
    trial.in_floats = 0
    trial.follow([[1, 0, 1, 4, 1]], [4], lambda _: {})


def test_a_tie_is_no_answer_in_either_arithmetic():
    """All logits are 0, so the greatest, the first, is the class that is asked for."""
    network = build(3, 2)
    tied = dataclasses.replace(network, readout=whole(0 * network.readout.integers), readout_bias=whole([0, 0]))
    question = np.array([[0, 1, 0, 2]])
    for trial, run in ((Trial("", tied), "on the grid"), (Trial("", network), "in float64")):
        trial.model = Model.load(tied)
        with pytest.raises(TheoremFails) as fails:
            trial.require(question, np.array([0]), lambda row: {})
        assert fails.value.counterexample == {"expected": 0, "found": "a tie", "run": run}
