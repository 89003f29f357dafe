"""Counting by one layer: every small input in each arithmetic; a moved threshold is found out; in floats it errs."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Array, AttentionLayer
from seqsep.models.model import Model
from seqsep.theorems import TheoremFails, apply
from seqsep.theorems.protocols.one_layer_ledger import message_bits
from seqsep.theorems.retrieval import counting_one_layer
from seqsep.theorems.retrieval.counting_one_layer import ARITHMETICS, THEOREM, answers, build, check

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize(("length", "alphabet"), [(1, 1), (1, 4), (2, 3), (3, 4), (4, 4), (6, 3), (9, 2)])
def test_every_small_input_in_every_arithmetic(length, alphabet):
    outcomes = check(length, alphabet)
    assert [outcome.variant for outcome in outcomes] == [" ".join(one) for one in ARITHMETICS]
    for outcome in outcomes:
        assert outcome.exhaustive
        assert outcome.inputs == alphabet ** (length + 2)
        assert outcome.measured["layers"] == 1 < outcome.as_printed["layers"]


@pytest.mark.parametrize(("length", "alphabet"), [(16, 16), (64, 16), (15, 100), (200, 40)])
def test_longer_inputs(length, alphabet):
    for outcome in check(length, alphabet, seed=3):
        assert outcome.inputs > 500
        assert outcome.margin.least >= outcome.margin.proved == 1


def test_answers_are_the_definition():
    random = np.random.default_rng(0)
    for row in random.integers(0, 3, (50, 7)).tolist():
        *data, query, threshold = row
        assert answers(np.array([row])).tolist() == [int(sum(one == query for one in data) > threshold)]


def test_it_says_more_than_the_message_of_one_layer_would_hold():
    """At n = 1,024 heads, values and precision would make a one-way message of 270 bits, where sets of numbers have 1,024."""
    network = build(1024, 1024)
    assert (network.heads, network.precision) == (2, 42)
    bits = message_bits(length=1026, width=1, embedding=1, heads=2, grid=network.grid, variant="one-learns", vocabulary=1)
    assert bits["total"] - bits["maxima"] // 2 - bits["normalisers"] // 2 == 270
    random = np.random.default_rng(1)
    chosen = random.integers(0, 2, 1024)
    members = np.flatnonzero(chosen)
    data = np.concatenate([members, np.full(1024 - len(members), members[0])])
    asked = random.permutation(1024)[:80]
    inputs = np.array([[*data.tolist(), query, 0] for query in asked.tolist()])
    assert run(network, inputs, at=-1).answers[:, 0].tolist() == chosen[asked].tolist()


def test_what_the_heads_hear_of_the_data_depends_on_the_question():
    """The sum of weights of the same data, as the first head reads it, is another for each number q."""
    network = build(4, 4)
    [(layer, _)] = network.layers
    one_head = replace(network, layers=((AttentionLayer(layer.heads[:1]), None),))
    found = []
    for query in range(4):
        result = run(one_head, np.array([[0, 1, 2, 3, query, 0]]), at=-1)
        found.append(int(result.attended[0].of_unit(network.grid.step * network.grid.steps).integers[0, -1, -1]))
    assert found == [4, 3, 2, 1]


def test_in_floats_the_same_weights_err():
    network = build(8, 8)
    inputs = np.array([[0, 1, 2, 3, 4, 5, 6, 7, query, 0] for query in range(8)])
    assert run(network, inputs, at=-1).answers[:, 0].tolist() == [1] * 8
    with torch.no_grad():
        logits = Model.load(network)(torch.from_numpy(inputs))[:, -1].numpy()
    assert (logits[:, 1] <= logits[:, 0]).any()


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize("head", [0, 1])
def test_a_moved_threshold_is_found_out(monkeypatch, arithmetic, head):
    def spoiled(length, alphabet, rounding="floor", softmax="stepwise"):
        network = build(length, alphabet, rounding, softmax)
        [(layer, _)] = network.layers
        key = layer.heads[head].key.integers.copy()
        key[0, 2] += key[0, 0]  # by the score of one number
        heads = [replace(one, key=Array(key, one.key.unit)) if place == head else one for place, one in enumerate(layer.heads)]
        return replace(network, layers=((AttentionLayer(tuple(heads)), None),))

    monkeypatch.setattr(counting_one_layer, "build", spoiled)
    with pytest.raises(TheoremFails, match="threshold"):
        check(3, 3, *arithmetic)


def test_a_users_input(tmp_path):
    lines = ['{"tokens": [2, 0, 2], "query": 2, "threshold": 1}', '{"tokens": [2, 0, 2], "query": 2, "threshold": 2}']
    assert list(apply("counting-one-layer", lines, length=3, alphabet=4)) == [1, 0]
    for line, message in (
        ('{"tokens": [2], "query": 2, "threshold": 1}', "expected 3 of them"),
        ('{"tokens": [2, 0, 4], "query": 2, "threshold": 1}', "tokens: expected 0 to 3"),
        ('{"tokens": [2, 0, 2], "query": 2, "threshold": 9}', "threshold: expected 0 to 3"),
    ):
        with pytest.raises(ValueError, match=message):
            list(apply("counting-one-layer", [line], length=3, alphabet=4))
    with pytest.raises(ValueError, match="floor or nearest"):
        check(3, 3, rounding="up")
    with pytest.raises(ValueError, match="both are at least 1"):
        THEOREM.check(0, 3)
