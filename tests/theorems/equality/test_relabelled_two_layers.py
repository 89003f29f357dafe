"""Lemma 5: halves compared across every partition; a position table that depends on the partition counts as program."""

import dataclasses
from itertools import combinations

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.executor import run
from seqsep.models.model import Model
from seqsep.theorems import TheoremFails
from seqsep.theorems.equality import relabelled_two_layers as relabelled_equality_two_layers
from seqsep.theorems.equality import two_layers as equality_two_layers
from seqsep.theorems.equality._trials import every_input, is_equal

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize(("length", "partitions"), [(2, 2), (4, 6), (6, 20), (8, 70)])
def test_every_partition_on_every_input(length, partitions):
    (outcome,) = relabelled_equality_two_layers.check(length)
    assert outcome.exhaustive
    assert outcome.inputs == partitions * 2**length
    assert outcome.witness["partitions"] == partitions
    assert outcome.measured == outcome.bound
    assert 0 < outcome.margin.proved <= outcome.margin.least


@pytest.mark.parametrize("code", ["parabola", "binary", "circle"])
def test_some_partitions_at_larger_lengths(code):
    (outcome,) = relabelled_equality_two_layers.check(22, 3, code)
    assert not outcome.exhaustive
    assert outcome.witness["partitions"] == 12
    assert outcome.measured == outcome.bound


def test_by_definition_for_one_partition():
    """x_1 x_4 x_5 against x_2 x_3 x_6."""
    network, inputs = relabelled_equality_two_layers.build(6, [5, 1, 4], 2), every_input(6, 2)
    expected = [(x[0], x[3], x[4]) != (x[1], x[2], x[5]) for x in inputs.tolist()]
    assert run(network, inputs, at=-1).answers[:, 0].tolist() == expected
    assert Model.load(network).blocks is not None


def test_the_table_counts_in_program_and_core_does_not_change():
    for length in (8, 32):
        plain = equality_two_layers.build(length)
        network = relabelled_equality_two_layers.build(length, range(1, length, 2))
        assert network.ledger().core == plain.ledger().core
        assert network.ledger().program == network.ledger().tables == plain.ledger().tables > plain.ledger().program


def test_corollary_13_1_in_numbers():
    """m p H grows like log N (with the parabola code), the bits to exchange like N."""
    ratios = {}
    for length in (8, 32):
        (outcome,) = relabelled_equality_two_layers.check(length)
        assert outcome.witness["bits_to_exchange"] == length // 2
        assert outcome.witness["mpH"] == 2 * outcome.measured["precision"]
        ratios[length] = outcome.witness["ratio"]
    assert ratios[32] == pytest.approx(16 / 44)
    assert ratios[32] > 2 * ratios[8]


def test_renumbered_positions_fail_under_a_causal_mask():
    """Lemma 5 as printed: the position vectors of Theorem 6's network, renumbered."""
    length = 8
    network, inputs = equality_two_layers.build(length, unequal=True), every_input(length, 2)
    wrong = dict.fromkeys((True, False), 0)
    for left in combinations(range(1, length + 1), length // 2):
        halves = relabelled_equality_two_layers.partition(length, left)
        table = np.empty_like(network.positions.integers)
        table[halves.order] = network.positions.integers
        for causal in wrong:
            layers = tuple((dataclasses.replace(mixer, causal=causal), inner) for mixer, inner in network.layers)
            renumbered = dataclasses.replace(network, positions=Array(table), layers=layers)
            answers = run(renumbered, halves.placed(inputs), at=-1).answers[:, 0]
            wrong[causal] += bool((answers == is_equal(inputs)).any())
    assert wrong == {True: 56, False: 0}


def test_30_defects_that_change_the_function_are_all_caught(monkeypatch):
    """Entries of the positions, which make the partition."""
    length, left = 6, (1, 4, 5)
    honest, inputs = relabelled_equality_two_layers.build(length, left), every_input(length, 2)
    halves = relabelled_equality_two_layers.partition(length, left)
    expected, changed = 1 - is_equal(inputs), 0
    for row, column, change in np.ndindex(*honest.positions.integers.shape, 4):
        integers = honest.positions.integers.copy()
        integers[row, column] += (2, -2, 3, -3)[change]
        spoiled = dataclasses.replace(honest, positions=Array(integers))
        if np.array_equal(run(spoiled, halves.placed(inputs), at=-1).answers[:, 0], expected):
            continue
        changed += 1
        monkeypatch.setattr(relabelled_equality_two_layers, "assemble", lambda *given, spoiled=spoiled: spoiled)
        monkeypatch.setattr(relabelled_equality_two_layers, "partitions", lambda *given: [left])
        with pytest.raises(TheoremFails, match="positions_of_left"):
            relabelled_equality_two_layers.check(length)
        if changed == 30:
            break
    assert changed == 30


def test_tightness():
    (tight,) = relabelled_equality_two_layers.check(4, tightness=True)
    assert tight.measured["eta"] <= tight.bound["eta"]
    assert tight.measured["steps"] <= tight.bound["steps"]


def test_the_applier_runs_the_weights_and_names_what_is_wrong():
    answer = relabelled_equality_two_layers.predictor(6, "1,3, 4", alphabet=3)
    assert answer({"left": [0, 1, 2], "right": [0, 1, 2]}) == 0
    assert answer({"left": [0, 1, 2], "right": [0, 2, 2]}) == 1
    assert relabelled_equality_two_layers.predictor(4)({"left": [0, 1], "right": [1, 1]}) == 1
    with pytest.raises(ValueError, match="left: expected 3 of them, found 1"):
        answer({"left": [0], "right": [0]})
    for left, message in [
        ("1,2", "left is 3 different positions"),
        ("1,1,2", "left is 3 different positions"),
        ("1,2,7", "positions are 1 to 6"),
        ("1;2", "positions with commas"),
    ]:
        with pytest.raises(ValueError, match=message):
            relabelled_equality_two_layers.predictor(6, left)
    with pytest.raises(ValueError, match="even"):
        relabelled_equality_two_layers.check(5)
