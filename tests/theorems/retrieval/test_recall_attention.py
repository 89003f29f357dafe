"""Theorem 4.6: recall and c-grams by two attention layers, on every small input and hard large ones, on both grids."""

from functools import partial

import numpy as np
import pytest

from seqsep.maths.networks.executor import run
from seqsep.theorems import TheoremFails
from seqsep.theorems.blocks import ROUNDINGS, hard_scale
from seqsep.theorems.retrieval import recall_attention
from seqsep.theorems.retrieval._recall import RecallEncoding, solve
from seqsep.theorems.retrieval._recall_errata import instance
from seqsep.theorems.retrieval._recall_trials import every_input, hard_inputs
from support.networks import spoiled
from support.rebuilt import check_of

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

LOSERS = {"layer 0 scores", "layer 0 minus maximum", "layer 1 scores", "layer 1 minus maximum"}


@pytest.mark.parametrize("gram", [2, 3, 4])
def test_classes_are_those_of_the_definition(gram):
    task = RecallEncoding(6, 3, gram)
    for length in range(1, 5):
        sequences, queries = every_input(task, length)
        for symbols, query, found in zip(sequences.tolist(), queries.tolist(), task.classes(sequences, queries), strict=True):
            expected = solve(symbols, query)
            assert found == (0 if expected is None else expected + 1)


@pytest.mark.parametrize(("length", "alphabet", "gram"), [(1, 2, 2), (2, 3, 2), (4, 4, 2), (4, 5, 2), (6, 2, 3), (5, 2, 5)])
def test_every_small_input(length, alphabet, gram):
    """At every length up to N, on both grids; nothing but losing scores saturates."""
    for outcome in recall_attention.THEOREM.check(length, alphabet, gram):
        assert outcome.exhaustive
        assert outcome.inputs == sum(alphabet ** (n + gram - 1) for n in range(1, length + 1))
        assert outcome.measured == outcome.bound
        assert outcome.measured["width"] == 2 * gram + 5
        assert set(outcome.saturated) <= LOSERS


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize(("length", "alphabet", "gram"), [(64, None, 2), (60, 4, 3), (40, 300, 4), (512, None, 2)])
def test_hard_inputs(length, alphabet, gram, rounding):
    (outcome,) = recall_attention.THEOREM.check(length, alphabet, gram, rounding)
    assert not outcome.exhaustive
    assert outcome.margin.least == outcome.margin.proved == 1
    assert set(outcome.saturated) <= LOSERS


def test_hard_inputs_have_every_kind_of_answer():
    """First and last places, overlaps with the question, near misses, no match: each is among them."""
    task = RecallEncoding(30, 31, 2)
    firsts = set()
    kinds = set()
    for sequence, queries in hard_inputs(task, seed=0):
        for query in queries:
            places = np.flatnonzero(sequence[:-1] == query[0])
            firsts |= set(places[:1].tolist())
            kinds.add((len(places) > 1, bool(len(places)), bool(sequence[-1] == query[0])))
    assert {0, 28} <= firsts
    assert len(kinds) == 6


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("gram", [2, 3])
def test_the_margins_of_scores_are_those_proved(gram, rounding):
    """In both layers the key that is read is eta above every other one, and no more: the proof's margin is attained."""
    task = RecallEncoding(6, 2, gram)
    network = recall_attention.build(6, 2, gram, rounding)
    eta = hard_scale(network.grid.steps)
    sequences, queries = every_input(task, 6)
    inputs = task.inputs(sequences, queries)
    result = run(network, inputs)
    before = network.symbols.integers[inputs] + network.positions.integers[: inputs.shape[1]]
    for layer, stream in ((0, before), (1, result.attended[0].integers)):
        least = min(margins_of(head, stream) for head in network.layers[layer][0].heads)
        assert least == eta


def margins_of(head, stream) -> int:
    """The least distance of the greatest score of the last token from the next, over the examples."""
    scores = np.einsum("bm,btm->bt", stream[:, -1] @ head.query.integers.T, stream @ head.key.integers.T)
    two = np.sort(scores, axis=1)[:, -2:]
    return int((two[:, 1] - two[:, 0]).min())


def test_precision_does_not_depend_on_the_gram():
    assert [recall_attention.build(64, gram=gram).precision for gram in (2, 3, 4)] == [26, 26, 26]
    assert recall_attention.build(510).precision == 38
    assert [recall_attention.build(64, gram=gram).width for gram in (2, 3, 4)] == [9, 11, 13]
    kcs = [(n, recall_attention.build(n - 2, n - 1).grid.steps == n**2) for n in range(4, 60)]
    assert max(n for n, fits in kcs if not fits) == 30
    (outcome,) = recall_attention.THEOREM.check(62, rounding="floor")
    assert (outcome.measured["precision"], outcome.as_printed["precision"]) == (26, 85)


@pytest.mark.parametrize("gram", [2, 3])
def test_defects_that_change_the_function_are_all_caught(gram):
    task = RecallEncoding(4, 3, gram)
    honest = recall_attention.build(4, 3, gram)
    sequences, queries = every_input(task, 4)
    inputs = task.inputs(sequences, queries)
    answers = task.classes(sequences, queries)
    arrays = set()
    for seed in range(80):
        name, network = spoiled(honest, seed)
        result = run(network, inputs, at=-1)
        if np.array_equal(result.answers[:, 0], answers) and result.unique_argmax.all():
            continue
        arrays.add(name)
        with pytest.raises(TheoremFails, match="tokens"):
            check_of(recall_attention.CONSTRUCTION, network)(4, 3, gram, rounding="floor")
    assert len(arrays) >= 10


def test_a_scale_of_the_scores_that_is_too_small_fails():
    build = partial(recall_attention.build, eta=2)
    with pytest.raises(TheoremFails, match="tokens"):
        check_of(recall_attention.CONSTRUCTION, build)(64, rounding="floor")


@pytest.mark.parametrize("gram", [2, 3])
def test_printed_instances_have_values_that_are_keys(gram):
    """The printed values n/c + 0 are the key n/c: the first counterexample, and one more in the offset mends every bit."""
    assert instance([0, 1], gram, least_value=2) == ([1, 2, 2, 3] if gram == 2 else [1, 1, 2, 2, 2, 3])
    network = recall_attention.THEOREM.predictor(length=4 * gram, gram=gram)
    assert solve(instance([0, 1], gram, least_value=2), [2] * (gram - 1)) == 2
    assert network({"tokens": instance([0, 1], gram, least_value=2), "query": [2] * (gram - 1)}) == 2
    for number in range(16):
        bits = [number >> place & 1 for place in range(4)]
        mended = instance(bits, gram, least_value=5)
        for key in range(1, 5):
            assert network({"tokens": mended, "query": [key] * (gram - 1)}) - 5 == bits[key - 1]


def test_the_applier_runs_the_weights_and_names_what_is_wrong():
    answer = recall_attention.THEOREM.predictor(5)
    assert answer({"tokens": [3, 1, 3, 2], "query": [3]}) == 1
    assert answer({"tokens": [3, 1, 3, 2], "query": [2]}) is None
    assert answer({"tokens": [5, 5, 5, 0, 4], "query": [5]}) == 5
    assert answer({"tokens": [5], "query": [5]}) is None
    three = recall_attention.THEOREM.predictor(6, alphabet=4, gram=3)
    assert three({"tokens": [1, 1, 1, 2, 1, 3], "query": [1, 1]}) == 1
    assert three({"tokens": [1, 1, 1, 2, 1, 3], "query": [1, 3]}) is None
    for given, message in [
        ({"tokens": [0] * 6, "query": [1]}, "tokens: expected 1 to 5 of them, found 6"),
        ({"tokens": [6], "query": [1]}, "tokens: expected 0 to 5, found 6 to 6"),
        ({"tokens": [1], "query": [1, 2]}, "query: expected 1 of them, found 2"),
        ({"tokens": [1], "query": [-1]}, "query: expected 0 to 5, found -1 to -1"),
        ({"tokens": [1]}, "query: missing; found tokens"),
        ({"tokens": 1, "query": [1]}, "tokens: expected a list of whole numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            answer(given)
    with pytest.raises(ValueError, match="gram is at least 2"):
        recall_attention.build(4, gram=1)


def test_constants_are_the_bounds_of_the_network():
    network = recall_attention.build(length=6, alphabet=4, gram=3)
    constants = recall_attention.THEOREM.constants(length=6, alphabet=4, gram=3)
    assert (constants["width"], constants["core_bits"]) == (network.width, network.ledger().core)
