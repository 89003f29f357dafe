"""Equality by one layer whose weights are rounded once: every small input; the threshold is as close as said; stepwise it
errs."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.executor import run
from seqsep.models.model import Model
from seqsep.theorems import apply
from seqsep.theorems.base import TheoremFails
from seqsep.theorems.equality import _one_layer_cost as cost
from seqsep.theorems.equality import one_layer
from seqsep.theorems.equality._trials import is_equal
from seqsep.theorems.equality.one_layer import ROUNDINGS, WithBos, build, check, grid_of, neighbours, places_of


def answers(network, inputs):
    result = run(network, WithBos.plain(inputs.shape[1], 2, unequal=False).placed(inputs), at=-1)
    assert result.unique_argmax.all()
    return result.answers[:, 0]


def close_halves(length, most):
    """Halves next to each other as numbers, and equal ones."""
    apart = neighbours(length, np.random.default_rng(0), most)
    equal = np.tile(apart[:1, : length // 2], 2)
    return np.concatenate([apart, equal])


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("length", [2, 4, 6, 10])
def test_every_input(length, rounding):
    [outcome] = check(length, rounding)
    assert outcome.exhaustive
    assert outcome.inputs == 2**length
    assert outcome.measured["heads"] == 2
    assert outcome.margin.least > 1


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_halves_next_to_each_other(rounding):
    inputs = close_halves(64, most=8)
    assert answers(build(64, rounding), inputs).tolist() == is_equal(inputs).tolist() == [0] * 16 + [1]


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_the_inequality_of_the_proof_at_many_lengths(rounding):
    for length in (2, 4, 6, 8, 16, 32, 62, 64, 66, 100, 200):
        grid = grid_of(length, rounding)
        places = places_of(length, rounding)
        assert places.least_slack > 1
        assert -grid.steps * grid.steps < min(places.scores) <= max(places.scores) < 0
        assert 2 * (grid.steps - places.steps_compared + 1) <= grid.steps


def test_rounding_once_undoes_theorem_12():
    costs = cost.Costs(length=1024, alphabet=2, exponent=1)
    network = build(1024)
    assert [head.value.integers.shape[0] for head in network.layers[0][0].heads] == [1, 1]
    assert network.precision == costs.grid.precision == 22
    assert [cost.least_product(costs, exchange) for exchange in cost.EXCHANGES] == [3, 4, 5]
    assert all(cost.protocol_bits(costs, 1, 2, exchange) < cost.needed(costs, exchange) for exchange in cost.EXCHANGES)
    assert max(cost.least_product(cost.Costs(512, 2, 1), exchange) for exchange in cost.EXCHANGES) == 3
    inputs = close_halves(512, most=1)[1:]  # the long check runs it at 1,024
    assert answers(build(512), inputs).tolist() == [0, 1]


def test_with_rounded_exponentials_the_same_weights_err():
    network = build(64)
    stepwise = replace(network, grid=Grid(network.grid.steps, "floor", "stepwise"))
    inputs = close_halves(64, most=8)
    assert answers(stepwise, inputs).tolist() != is_equal(inputs).tolist()


def test_floats_are_too_coarse():
    network = build(256)
    inputs = close_halves(256, most=8)
    tokens = torch.from_numpy(WithBos.plain(256, 2, unequal=False).placed(inputs))
    with torch.no_grad():
        found = Model.load(network)(tokens, torch.full((len(inputs),), 256)).argmax(-1)
    assert found.tolist() != is_equal(inputs).tolist()


def test_a_place_off_by_a_step_is_found(monkeypatch):
    good = places_of(8)
    worse = replace(good, scores=(*good.scores[:-1], good.scores[-1] - 1))
    monkeypatch.setattr(one_layer, "places_of", lambda length, rounding: worse)
    with pytest.raises(TheoremFails, match="found = 0"):
        check(8, "floor")


@pytest.mark.parametrize("call", [lambda: build(3), lambda: grid_of(0), lambda: check(4, rounding="up")])
def test_what_is_refused(call):
    with pytest.raises(ValueError, match=r"an even number from 2|rounding is one of floor, nearest"):
        call()


def test_apply():
    lines = ['{"left": [0, 1, 1], "right": [0, 1, 1]}', '{"left": [1, 0, 0], "right": [0, 1, 1]}']
    assert list(apply("equality-one-layer", lines, length=6)) == [1, 0]
