"""Function composition by one layer: both protocols run, what is left out of a message is missed, and the bound bites."""

from itertools import pairwise, product

import numpy as np
import pytest
import torch

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.communication.one_layer_message import composition_bits, exact_bits, sums_bits
from seqsep.tasks.ceilings import index_lookup_ceiling
from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols.one_layer_trials import LayerSizes, random_network
from seqsep.theorems.retrieval import _exact_attention as attention
from seqsep.theorems.retrieval import _numbered_parts, _running_sums, composition_one_layer
from seqsep.theorems.retrieval._numbered_parts import converse
from seqsep.theorems.retrieval._running_sums import random_layer
from seqsep.theorems.retrieval.composition_one_layer import (
    CLAIM,
    answer,
    bound,
    certificate_witness,
    check,
    first_impossible,
    reduce,
    share,
    verify,
)

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize(("values", "last"), [(2, 0), (2, 1), (3, 0), (3, 2), (4, 1)])
def test_bobs_questions_tell_every_two_functions_apart(values, last):
    shared = share(values, last)
    assert shared.length == 2 * values
    rows = set()
    for alice in shared.alices():
        words = [shared.whole(alice, question) for question in range(values)]
        assert all(len(word) == 2 * values + 1 and word[-1] == last for word in words)
        for word in words:
            f = dict(enumerate(word[:values]))
            g = dict(enumerate(word[values:-1]))
            assert shared.answers(word) == answer(word) == f[g[last]]
        rows.add(tuple(map(answer, words)))
    assert len(rows) == len(shared.alices()) == values**values


@pytest.mark.parametrize("precision", [16, 32, 64])
def test_what_bob_hears_is_the_layer_bit_for_bit(precision):
    random = np.random.default_rng(precision)
    layer = random_layer(random, places=7, tokens=3, heads=2, width=3, precision=precision)
    inputs = np.array([[*functions, 1] for functions in product(range(3), repeat=6)])
    assert reduce(layer, inputs) == sums_bits(2, 3, precision) == 2 * 5 * precision


def test_the_layer_is_softmax_attention():
    """In float64 the running sums give what torch's attention gives, from scores as keys of one coordinate."""
    random = np.random.default_rng(1)
    layer = random_layer(random, places=9, tokens=4, heads=2, width=5, precision=64)
    tokens = random.integers(0, 4, (6, 9))
    places = np.arange(9)
    keys = torch.from_numpy(layer.scores[places, tokens]).transpose(1, 2)[..., None]
    values = torch.from_numpy(layer.values[places, tokens]).transpose(1, 2)
    expected = torch.nn.functional.scaled_dot_product_attention(torch.ones(6, 2, 1, 1).double(), keys, values, scale=1.0)
    sums = layer.read(layer.nothing(6), tokens, first=0)
    assert np.abs(sums.values / sums.weight[..., None] - expected[:, :, 0].numpy()).max() < 1e-12


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_message_without_a_part_is_found_out(monkeypatch, part):
    """The greatest score, the sum of weights and the sums of values are all needed."""

    def forgetful(sums):
        left = [np.zeros_like(one) if number == part else one for number, one in enumerate(sums)]
        return _running_sums.written(_running_sums.AttentionSums(*left))

    monkeypatch.setattr(composition_one_layer, "written", forgetful)
    layer = random_layer(np.random.default_rng(0), places=7, tokens=3, heads=1, width=2, precision=32)
    with pytest.raises(TheoremFails, match="bob"):
        reduce(layer, np.random.default_rng(0).integers(0, 3, (20, 7)) * [1, 1, 1, 1, 1, 1, 0])


def test_a_longer_message_is_found_out(monkeypatch):
    monkeypatch.setattr(composition_one_layer, "written", lambda sums: _running_sums.written(sums) * 2)
    monkeypatch.setattr(
        composition_one_layer, "heard", lambda layer, data, batch: _running_sums.heard(layer, data[: len(data) // 2], batch)
    )
    layer = random_layer(np.random.default_rng(0), places=5, tokens=2, heads=1, width=2, precision=32)
    with pytest.raises(TheoremFails, match="message_bits"):
        reduce(layer, np.zeros((1, 5), dtype=np.int64))


def test_with_exact_weights_a_number_is_enough_and_a_layer_errs():
    *_, exact, sums_size, exact_size = check()
    assert exact.inputs == 3 * 81
    assert exact.measured["message_bits"] <= exact.bound["message_bits"]
    tokens = tuple(exact.witness["errs_on"])
    assert answer(tokens) == exact.witness["expected"] != exact.witness["answer"]
    for outcome in (sums_size, exact_size):
        assert outcome.computed
        assert outcome.measured["message_bits"] < outcome.bound["message_bits"] == composition_bits(1024)


def test_a_message_that_depends_on_bob_is_found_out(monkeypatch):
    """Sums relative to the mean of one's own positions are no function of the scores alone."""
    honest = attention._head_sums

    def relative(network, head, asking, rows):
        found = honest(network, head, asking, rows)
        return attention.HeadSums(found.weight / found.weight, tuple(value / found.weight for value in found.values))

    monkeypatch.setattr(attention, "_head_sums", relative)
    with pytest.raises(TheoremFails, match="bob"):
        check()


def test_more_lists_than_parts_are_found_out(monkeypatch):
    monkeypatch.setattr(_numbered_parts, "cells", lambda width, thresholds: 1)
    with pytest.raises(TheoremFails, match="parts = 1"):
        check()


def test_another_x_and_rounding():
    network = random_network(np.random.default_rng(5), LayerSizes(5, 2, 3, 2), Grid(5, "nearest"), harsh=False)
    found = converse(CLAIM, network, share(2, last=1))
    assert found.inputs == 8
    assert found.bits <= found.bound


@pytest.mark.parametrize(("width", "heads", "precision"), [(4, 1, 16), (16, 2, 8), (64, 12, 32)])
def test_from_some_n_on_it_is_impossible(width, heads, precision):
    first = first_impossible(width, heads, precision)
    assert bound(first["sums"], heads, precision)["least_width_sums"] > width
    assert bound(first["sums"] - 1, heads, precision)["least_width_sums"] <= width
    assert bound(first["exact"], heads, precision)["least_width_exact"] > width
    assert bound(first["exact"] - 1, heads, precision)["least_width_exact"] <= width
    sizes = [bound(values, heads, precision) for values in (8, 64, 512, 4096)]
    for less, more in pairwise(sizes):
        assert all(more[name] >= less[name] for name in less)


def test_random_functions_are_index_lookup_for_the_message():
    """A layer below the bound is wrong on some random f and y; at four times that n it is right on fewer than half."""
    first = first_impossible(8, 2, 16)["sums"]
    bits = sums_bits(2, 8, 16)
    assert index_lookup_ceiling(first - 1, first - 1, bits) == 1
    assert index_lookup_ceiling(first, first, bits) < 1
    assert index_lookup_ceiling(4 * first, 4 * first, bits) < 0.5
    assert exact_bits(2, 8, 16, first) > bits


def test_the_long_check_at_small_numbers():
    outcomes = verify(functions=3, layers=1)
    assert len(outcomes) == 31
    assert {outcome.inputs for outcome in outcomes[:-1]} == {3}


def test_wrong_arguments():
    for options in ({"length": 1}, {"heads": 0}, {"precision": 0}):
        with pytest.raises(ValueError, match="length is at least 2"):
            check(**options)
    with pytest.raises(ValueError, match="at least 2 values"):
        share(3, last=3)
    with pytest.raises(ValueError, match="2 or 3 values"):
        certificate_witness(length=4)
