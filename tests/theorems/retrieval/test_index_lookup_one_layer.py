"""Theorem 4.6, Index: one attention layer of width 6, on both grids and in floats; a spoiled weight is found out."""

from functools import partial

import numpy as np
import pytest

from seqsep.maths.networks.executor import run
from seqsep.theorems import TheoremFails
from seqsep.theorems.blocks import ROUNDINGS, hard_scale
from seqsep.theorems.retrieval import index_lookup_one_layer
from support.networks import spoiled
from support.rebuilt import check_of

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_one_layer_answers_every_input(length):
    """Every sequence over [n] with every question, at every shorter length too; nothing but a losing score saturates."""
    for outcome in index_lookup_one_layer.THEOREM.check(length, length):
        assert outcome.exhaustive
        assert outcome.inputs == sum(n * length**n for n in range(1, length + 1))
        assert outcome.measured == outcome.bound
        assert outcome.measured["layers"] == 1
        assert outcome.measured["width"] == 6
        assert set(outcome.saturated) <= {"layer 0 scores", "layer 0 minus maximum"}


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize(("length", "alphabet"), [(7, 9), (64, 64), (64, 2), (100, 200), (512, 64)])
def test_longer_sequences(length, alphabet, rounding):
    (outcome,) = index_lookup_one_layer.THEOREM.check(length, alphabet, rounding)
    assert not outcome.exhaustive
    assert outcome.margin is None or outcome.margin.least == outcome.margin.proved == 1
    assert set(outcome.saturated) <= {"layer 0 scores", "layer 0 minus maximum"}


def test_precision_is_four_times_the_logarithm_and_two():
    assert [index_lookup_one_layer.build(n - 1, n).precision for n in (16, 64, 512, 4096)] == [18, 26, 38, 50]
    least = min(n for n in range(4, 40) if index_lookup_one_layer.build(n - 1, n).grid.steps == n**2)
    assert least == 9
    assert all(index_lookup_one_layer.build(n - 1, n).grid.steps == n**2 for n in range(9, 40))


def every_input(length: int) -> tuple[np.ndarray, np.ndarray]:
    sequences = np.array(np.unravel_index(np.arange(length**length), (length,) * length)).T
    inputs = np.array([[*sequence, length + p] for sequence in sequences.tolist() for p in range(length)])
    return inputs, np.array([sequence[p] for sequence in sequences.tolist() for p in range(length)])


def test_defects_that_change_the_function_are_all_caught():
    length = 4
    honest = index_lookup_one_layer.build(length, length)
    inputs, answers = every_input(length)
    assert np.array_equal(run(honest, inputs, at=-1).answers[:, 0], answers)
    arrays = set()
    for seed in range(60):
        name, network = spoiled(honest, seed)
        result = run(network, inputs, at=-1)
        if np.array_equal(result.answers[:, 0], answers) and result.unique_argmax.all():
            continue
        arrays.add(name)
        with pytest.raises(TheoremFails, match="position"):
            check_of(index_lookup_one_layer.CONSTRUCTION, network)(length, length, "floor")
    assert len(arrays) >= 8


def test_a_scale_of_the_scores_that_is_too_small_fails():
    build = partial(index_lookup_one_layer.build, eta=1)
    assert hard_scale(index_lookup_one_layer.build(64, 64).grid.steps) == 18
    with pytest.raises(TheoremFails, match="position"):
        check_of(index_lookup_one_layer.CONSTRUCTION, build)(64, 64, "floor")


def test_the_applier_runs_the_weights():
    answer = index_lookup_one_layer.THEOREM.predictor(5, alphabet=12)
    assert [answer({"symbols": [10, 0, 11], "position": p}) for p in (1, 2, 3)] == [10, 0, 11]
    with pytest.raises(ValueError, match="position: expected 1 to 2, found 3"):
        answer({"symbols": [0, 1], "position": 3})
    with pytest.raises(ValueError, match="rounding is one of floor, nearest"):
        index_lookup_one_layer.THEOREM.check(4, 4, "up")
