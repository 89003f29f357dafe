"""Theorem 4.6: counting by two attention layers, on every small input and next to every threshold, on both grids."""

import itertools
from functools import partial

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.executor import run
from seqsep.theorems import TheoremFails
from seqsep.theorems.blocks import ROUNDINGS
from seqsep.theorems.retrieval import counting_attention
from seqsep.theorems.retrieval._counting import CountingEncoding, solve
from seqsep.theorems.retrieval._counting_errata import printed_answer
from seqsep.theorems.retrieval._counting_trials import every_input, hard_sequences
from support.networks import spoiled, with_array
from support.rebuilt import check_of

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

LOSERS = {"layer 0 scores", "layer 0 minus maximum", "layer 1 scores", "layer 1 minus maximum"}


def test_answers_are_those_of_the_definition():
    task = CountingEncoding(4, 3)
    for length in range(1, 5):
        given = every_input(task, length)
        rows = zip(*(part.tolist() for part in given), strict=True)
        expected = [solve(numbers, query, threshold) for numbers, query, threshold in rows]
        assert task.answers(*given).tolist() == expected


@pytest.mark.parametrize(("length", "alphabet"), [(1, 2), (2, 3), (3, 4), (4, 5), (7, 2), (3, 1)])
def test_every_small_input(length, alphabet):
    """At every length up to N, on both grids; nothing but losing scores saturates."""
    for outcome in counting_attention.THEOREM.check(length, alphabet):
        assert outcome.exhaustive
        assert outcome.inputs == sum(alphabet ** (n + 2) for n in range(1, length + 1))
        assert outcome.measured == outcome.bound
        assert outcome.measured["width"] == 9
        assert outcome.margin.least == outcome.margin.proved or alphabet == 1
        assert set(outcome.saturated) <= LOSERS


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize(("length", "alphabet"), [(16, None), (64, None), (40, 300), (512, None)])
def test_thresholds_next_to_the_count(length, alphabet, rounding):
    (outcome,) = counting_attention.THEOREM.check(length, alphabet, rounding)
    assert not outcome.exhaustive
    assert outcome.margin.least >= outcome.margin.proved > 0
    assert set(outcome.saturated) <= LOSERS


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_squares_in_steps_of_the_grid_that_pass_an_int64(rounding):
    """At S = 65,536 the greatest is S^2 L > 2^63: symbols wrapped, and the network was another one."""
    network = counting_attention.build(4, 65_536, rounding=rounding)
    assert network.grid.steps * 65_536**2 > 2**63
    numbers = network.symbols.integers[:, network.spaces["number"]]
    assert [int(square * network.symbols.unit) for square in numbers[[1, 40_000, 65_536], 1]] == [1, 40_000**2, 65_536**2]
    outcomes = counting_attention.THEOREM.check(length=4, alphabet=65_536, rounding=rounding)
    assert len(outcomes) == 1


def test_hard_sequences_have_every_count():
    task = CountingEncoding(40, 41)
    drawn = list(hard_sequences(task, seed=0, spread=41))
    assert [int((sequence == query).sum()) for sequence, query in drawn] == list(range(41))
    assert len({len(sequence) for sequence, _ in drawn}) > 3
    assert any(query == (sequence == query).sum() for sequence, query in drawn)


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_the_proved_margin_is_more_than_five_steps(rounding):
    for length in (*range(1, 40), 64, 100, 513, 1000):
        for alphabet in (1, 2, length + 1, 3 * length):
            task = CountingEncoding(length, alphabet)
            grid = counting_attention.build(length, alphabet, rounding).grid
            assert task.margin(grid) * grid.steps > 5


def test_precision():
    assert [counting_attention.build(n - 3).precision for n in (16, 64, 512)] == [18, 26, 38]
    (outcome,) = counting_attention.THEOREM.check(61, rounding="floor")
    assert (outcome.measured["precision"], outcome.as_printed["precision"]) == (26, 37)


def test_the_sum_of_two_weights_is_no_limit_in_float64():
    """u_t = f(t + 2) + f(t + 3) is right on the grid, where floors differ, but it may be below 2/(t + 3): here at n = 64."""
    task = CountingEncoding(64, 65)
    network = counting_attention.build(64)
    steps = network.grid.steps
    weights = np.array([0, *(steps // (t + 2) + steps // (t + 3) for t in range(65))])
    symbols = network.symbols.integers.copy()
    symbols[:, network.spaces["limit"].start] = weights
    doubled = with_array(network, "symbols", Array(symbols, network.grid.step))
    readout = doubled.readout.integers.copy()
    readout[1, network.spaces["copied"].start] = -2
    doubled = with_array(doubled, "readout", Array(readout))
    data = np.where(np.arange(64) < 59, 7, 3)[None]
    inputs = task.inputs(data, np.array([7]), np.array([58]))
    assert run(doubled, inputs, at=-1).answers[0, 0] == 1
    assert weights[59] / steps < 2 / 61
    assert run(network, inputs, at=-1).answers[0, 0] == 1
    assert 2 / 61 < network.symbols.floats()[59, network.spaces["limit"].start] * 2 / task.scale < 2 / 60


def test_defects_that_change_the_function_are_all_caught():
    task = CountingEncoding(4, 4)
    honest = counting_attention.build(4, 4)
    given = every_input(task, 4)
    inputs = task.inputs(*given)
    arrays = set()
    for seed in range(60):
        name, network = spoiled(honest, seed)
        result = run(network, inputs, at=-1)
        if np.array_equal(result.answers[:, 0], task.answers(*given)) and result.unique_argmax.all():
            continue
        arrays.add(name)
        with pytest.raises(TheoremFails, match="threshold"):
            check_of(counting_attention.CONSTRUCTION, network)(4, 4, "floor")
    assert len(arrays) >= 8


def test_a_scale_of_the_scores_that_is_too_small_fails():
    build = partial(counting_attention.build, eta=2)
    with pytest.raises(TheoremFails, match="threshold"):
        check_of(counting_attention.CONSTRUCTION, build)(64, rounding="floor")


def test_the_printed_rule_counts_the_question():
    """On all inputs of n <= 3 over 0 .. 3: 419 of 1,344 answers are wrong, and the first is x = 0, q = 0, t = 1."""
    wrong = []
    tried = 0
    for length in (1, 2, 3):
        for *numbers, query, threshold in itertools.product(range(4), repeat=length + 2):
            tried += 1
            if printed_answer(numbers, query, threshold) != solve(numbers, query, threshold):
                wrong.append((numbers, query, threshold))
    assert (len(wrong), tried) == (419, 1344)
    assert wrong[0] == ([0], 0, 1)
    answer = counting_attention.THEOREM.predictor(3)
    assert all(answer({"tokens": x, "query": q, "threshold": t}) == solve(x, q, t) for x, q, t in wrong)


def test_the_applier_runs_the_weights_and_names_what_is_wrong():
    answer = counting_attention.THEOREM.predictor(5)
    assert [answer({"tokens": [2, 0, 2, 2], "query": 2, "threshold": t}) for t in range(6)] == [1, 1, 1, 0, 0, 0]
    for given, message in [
        ({"tokens": [0] * 6, "query": 1, "threshold": 0}, "tokens: expected 1 to 5 of them, found 6"),
        ({"tokens": [6], "query": 1, "threshold": 0}, "tokens: expected 0 to 5, found 6 to 6"),
        ({"tokens": [1], "query": 9, "threshold": 0}, "query: expected 0 to 5, found 9"),
        ({"tokens": [1], "query": 0, "threshold": -1}, "threshold: expected 0 to 5, found -1"),
        ({"tokens": [1], "query": [0], "threshold": 1}, "query: expected a whole number"),
        ({"tokens": [1], "query": 1}, "threshold: missing; found tokens, query"),
    ]:
        with pytest.raises(ValueError, match=message):
            answer(given)
    with pytest.raises(ValueError, match="both are at least 1"):
        counting_attention.build(0)
