"""Theorem 5.6: one attention head on a constant-size linear recurrence answers index lookup, recall and counting."""

import dataclasses

import numpy as np
import pytest

from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, LinearLayer
from seqsep.theorems import BY_NAME, TheoremFails
from seqsep.theorems.blocks import ROUNDINGS
from seqsep.theorems.retrieval import counting_hybrid, index_lookup_hybrid, recall_hybrid
from seqsep.theorems.retrieval._counting import CountingEncoding
from seqsep.theorems.retrieval._counting_trials import every_input as every_count
from seqsep.theorems.retrieval._recall import RecallEncoding
from seqsep.theorems.retrieval._recall_trials import every_input as every_recall
from support.networks import spoiled
from support.rebuilt import check_of

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

LOSERS = {"layer 1 scores", "layer 1 minus maximum"}


def require_held(outcome, exhaustive: bool) -> None:
    """A head on a recurrence, within the proved margin; nothing but losing scores saturates."""
    assert outcome.exhaustive == exhaustive
    assert outcome.measured["layers"] == 2
    assert outcome.measured["heads"] == 1
    assert outcome.measured["state_bits"] == outcome.measured["state_numbers"] * outcome.measured["precision"]
    assert outcome.measured["state_bits_by_range"] <= outcome.bound["state_bits_by_range"]
    assert outcome.margin.least >= outcome.margin.proved > 0
    assert set(outcome.saturated) <= LOSERS


@pytest.mark.parametrize(("length", "alphabet", "gram"), [(1, 2, 2), (4, 5, 2), (6, 2, 3), (4, 3, 4), (5, 2, 5)])
def test_recall_on_every_small_input(length, alphabet, gram):
    for outcome in recall_hybrid.THEOREM.check(length, alphabet, gram):
        require_held(outcome, exhaustive=True)
        assert outcome.measured["width"] == 2 * gram + 4
        assert outcome.measured["state_numbers"] == 2 * (gram - 1)
        assert outcome.inputs == sum(alphabet ** (n + gram - 1) for n in range(1, length + 1))


@pytest.mark.parametrize(("length", "alphabet"), [(1, 2), (3, 4), (4, 5), (7, 2)])
def test_counting_on_every_small_input(length, alphabet):
    for outcome in counting_hybrid.THEOREM.check(length, alphabet):
        require_held(outcome, exhaustive=True)
        assert (outcome.measured["width"], outcome.measured["state_numbers"]) == (8, 2)
        assert outcome.inputs == sum(alphabet ** (n + 2) for n in range(1, length + 1))


@pytest.mark.parametrize("length", [2, 3, 4, 5])
def test_index_lookup_on_every_small_input(length):
    for outcome in index_lookup_hybrid.THEOREM.check(length, length):
        require_held(outcome, exhaustive=True)
        assert (outcome.measured["width"], outcome.measured["state_numbers"]) == (6, 2)
        assert outcome.inputs == sum(n * length**n for n in range(1, length + 1))


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("length", [64, 200])
def test_longer_inputs(length, rounding):
    require_held(*recall_hybrid.THEOREM.check(length, rounding=rounding), exhaustive=False)
    require_held(*recall_hybrid.THEOREM.check(length // 2, gram=3, rounding=rounding), exhaustive=False)
    require_held(*counting_hybrid.THEOREM.check(length, rounding=rounding), exhaustive=False)
    require_held(*index_lookup_hybrid.THEOREM.check(length, length, rounding), exhaustive=False)


def test_what_is_remembered_does_not_grow_with_the_length():
    """Two numbers of p = 26 bits at n0 = 64, 38 at 512; in all the range of a label and of its square."""
    for n0, precision in ((64, 26), (512, 38)):
        networks = (recall_hybrid.build(n0 - 2), counting_hybrid.build(n0 - 3), index_lookup_hybrid.build(n0 - 1, n0))
        for network in networks:
            assert network.precision == precision
            assert network.state_bits == 2 * precision
    (outcome,) = counting_hybrid.THEOREM.check(61, rounding="floor")
    assert outcome.measured["state_bits_by_range"] == 6 + 12


def test_only_the_recurrence_knows_the_token_before():
    """No position is given to index lookup or counting; without their recurrence all three networks err."""
    assert index_lookup_hybrid.build(4, 4).positions is None
    assert counting_hybrid.build(4).positions is None
    given = RecallEncoding(3, 3, 2)
    asked = every_recall(given, 3)
    recall_inputs = given.inputs(*asked)
    counting = CountingEncoding(3, 4)
    numbers = every_count(counting, 3)
    for network, inputs, answers in (
        (recall_hybrid.build(3, 3), recall_inputs, given.classes(*asked)),
        (counting_hybrid.build(3), counting.inputs(*numbers), counting.answers(*numbers)),
    ):
        assert np.array_equal(run(network, inputs, at=-1).answers[:, 0], answers)
        layer, _ = network.layers[0]
        assert isinstance(layer, LinearLayer)
        assert isinstance(network.layers[1][0], AttentionLayer)
        forgetful = dataclasses.replace(network, layers=network.layers[1:])
        assert (run(forgetful, inputs, at=-1).answers[:, 0] != answers).mean() > 1 / 10


def test_spoiled_recall_is_found_out():
    task = RecallEncoding(4, 3, 2)
    asked = every_recall(task, 4)
    caught = defects(recall_hybrid.build(4, 3), task.inputs(*asked), task.classes(*asked), seeds=60)
    for network in caught.values():
        with pytest.raises(TheoremFails, match="tokens"):
            check_of(recall_hybrid.CONSTRUCTION, network)(4, 3, rounding="floor")
    assert len(caught) >= 9


def test_spoiled_counting_is_found_out():
    task = CountingEncoding(4, 4)
    asked = every_count(task, 4)
    caught = defects(counting_hybrid.build(4, 4), task.inputs(*asked), task.answers(*asked), seeds=60)
    for network in caught.values():
        with pytest.raises(TheoremFails, match="threshold"):
            check_of(counting_hybrid.CONSTRUCTION, network)(4, 4, "floor")
    assert len(caught) >= 8


def defects(honest, inputs, answers, seeds: int) -> dict:
    """By array, the last network with one entry changed that answers some input otherwise."""
    changed = {}
    for seed in range(seeds):
        name, network = spoiled(honest, seed)
        result = run(network, inputs, at=-1)
        if not (np.array_equal(result.answers[:, 0], answers) and result.unique_argmax.all()):
            changed[name] = network
    return changed


def test_spoiled_index_lookup_is_found_out():
    """A counter that counts the square wrongly."""
    honest = index_lookup_hybrid.build(5, 5)
    name = next(name for name, _ in honest.arrays() if name.endswith("recurrent"))
    integers = dict(honest.arrays())[name].integers.copy()
    integers[1, 0] = 1
    layer = dataclasses.replace(
        honest.layers[0][0], recurrent=dataclasses.replace(honest.layers[0][0].recurrent, integers=integers)
    )
    network = dataclasses.replace(honest, layers=((layer, None), *honest.layers[1:]))
    with pytest.raises(TheoremFails, match="position"):
        check_of(index_lookup_hybrid.CONSTRUCTION, network)(5, 5, "floor")


def test_appliers_run_the_weights():
    recall = recall_hybrid.THEOREM.predictor(5)
    assert recall({"tokens": [3, 1, 3, 2], "query": [3]}) == 1
    assert recall({"tokens": [3, 1, 3, 2], "query": [2]}) is None
    assert recall_hybrid.THEOREM.predictor(6, gram=3)({"tokens": [1, 1, 2, 1, 1, 3], "query": [1, 1]}) == 2
    count = counting_hybrid.THEOREM.predictor(5)
    assert [count({"tokens": [2, 0, 2], "query": 2, "threshold": t}) for t in range(4)] == [1, 1, 0, 0]
    look = index_lookup_hybrid.THEOREM.predictor(5, alphabet=9)
    assert [look({"symbols": [8, 0, 7], "position": p}) for p in (1, 2, 3)] == [8, 0, 7]
    with pytest.raises(ValueError, match="query: expected 1 of them, found 2"):
        recall({"tokens": [1], "query": [1, 2]})
    with pytest.raises(ValueError, match="threshold: missing"):
        count({"tokens": [1], "query": 1})


@pytest.mark.parametrize(("length", "alphabet"), [(8, 3), (40, 10)])
def test_sizes_of_counting_are_the_bounds(length, alphabet):
    (outcome, *_) = counting_hybrid.THEOREM.check(length, alphabet)
    assert outcome.measured == outcome.bound


def test_the_bound_of_recall_names_one_head() -> None:
    assert BY_NAME["recall-hybrid"].call("bound", {"length": 8})["heads"] == 1
