"""Section E: bounded Dyck by recurrent models of constant size; a spoiled model is found out."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
import torch

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.executor import run
from seqsep.models.model import Model
from seqsep.tasks import BoundedDyck
from seqsep.theorems import TheoremFails
from seqsep.theorems.bounded_dyck import state as bounded_dyck_state
from seqsep.theorems.bounded_dyck._recurrent import scale
from support.networks import defects_that_change

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize(("length", "kinds", "depth"), [(6, 2, 2), (8, 2, 3), (6, 3, 1), (10, 1, 4)])
def test_bounded_dyck_state(length, kinds, depth):
    automaton, relu, sigmoid = bounded_dyck_state.check(length, kinds, depth)
    for outcome in (automaton, relu, sigmoid):
        assert outcome.exhaustive
        assert outcome.measured == outcome.bound
        assert outcome.inputs == sum((2 * kinds) ** n for n in range(1, length + 1))
    assert relu.margin.least == relu.margin.proved == 1
    assert 0 < sigmoid.margin.proved <= sigmoid.margin.least


@pytest.mark.parametrize(("length", "kinds", "depth"), [(40, 4, 6), (140, 5, 12)])
def test_longer_words_for_the_recurrent_network(length, kinds, depth):
    for variant in ("relu", "sigmoid"):
        (outcome,) = bounded_dyck_state.check(length, kinds, depth, variant)
        assert not outcome.exhaustive
        assert outcome.measured == outcome.bound


def test_sizes_beside_hewitts():
    """Dyck-(2,2): 3 bits as a table, 13 as ReLU units; (2k + 2) bit_length(n) + 1 stays within 10 times k log2 n."""
    automaton, relu, _ = bounded_dyck_state.check(4)
    assert (automaton.measured["state_bits"], relu.measured["state_bits"]) == (3, 13)
    for kinds, depth in itertools.product((2, 3, 8, 100), (1, 2, 5, 50)):
        bits = bounded_dyck_state.bound_elman(kinds, depth)["state_bits"]
        assert depth * math.log2(kinds) <= bits <= 10 * depth * math.log2(kinds)


def test_the_sigmoids_scale_is_the_least_whole_quarter():
    """beta = 4 b with b the least whole number for which e^b >= 4 F, F = 3 c + 1; c, the bits of a kind, up to 700.

    Where 4 F and 4 (F - 1) need the same b, only the number itself is seen: first at c = 675 they do not.
    """
    for bits in range(1, 701):
        quarter, rest = divmod(scale(1 << (bits - 1)), 4)
        assert rest == 0
        assert math.exp(quarter - 1) < 4 * (3 * bits + 1) <= math.exp(quarter)


def test_grids_of_both_activations():
    """L = 4 for the ReLU, 2 beta for the sigmoid: its bias is up to 3 beta / 2 in magnitude."""
    networks = {name: bounded_dyck_state.build_elman(2, 2, name) for name in ("relu", "sigmoid")}
    assert {name: network.grid.steps for name, network in networks.items()} == {"relu": 4, "sigmoid": 32}
    assert [bounded_dyck_state.bound_elman(2, 2, name)["precision"] for name in networks] == [6, 12]


def test_bounded_dyck_22_has_seven_live_states_and_a_dead_one():
    automaton = bounded_dyck_state.build()
    assert (len(automaton.minimal().table), int(automaton.minimal().live().sum())) == (8, 7)
    assert automaton.recurrence().state_bits == 3
    assert [automaton.count_words(n) for n in range(0, 14, 2)] == [1, *(2 ** (n - 1) for n in range(2, 14, 2))]


def test_the_stacks_of_three_brackets_outgrow_two_to_the_depth():
    """The least automaton of Dyck-(3,k) has 1 + 3 + ... + 3^k live states and a dead one; printed: O(2^k)."""
    states = [len(bounded_dyck_state.build(3, depth).minimal().table) for depth in (2, 3, 4, 5)]
    assert states == [13 + 1, 40 + 1, 121 + 1, 364 + 1]
    ratios = [count / 2**depth for depth, count in zip((2, 3, 4, 5), states, strict=True)]
    assert all(later > 1.4 * earlier for earlier, later in itertools.pairwise(ratios))


@pytest.mark.parametrize(("length", "most"), [(2, 3), (4, 6), (6, 6)])
def test_a_fixed_even_length_needs_six_classes(length, most):
    """Prefix classes of Dyck-(2,2) at one length: at most 6 after any number of brackets from N = 4 on, so 3 bits."""
    answer, classes = BoundedDyck(length).function(length), []
    for read in range(length + 1):
        futures = list(itertools.product(range(4), repeat=length - read))
        rows = {tuple(answer(prefix + future) for future in futures) for prefix in itertools.product(range(4), repeat=read)}
        classes.append(len(rows))
    assert max(classes) == most
    assert BoundedDyck(length).answer_bits() == (most - 1).bit_length()


def test_a_wrong_automaton_is_found_out(monkeypatch):
    honest = bounded_dyck_state.build

    def build(kinds, depth):
        automaton = honest(kinds, depth)
        table = automaton.table.copy()
        table[3, 1] = 0
        return dataclasses.replace(automaton, table=table)

    monkeypatch.setattr(bounded_dyck_state, "build", build)
    with pytest.raises(TheoremFails, match="string"):
        bounded_dyck_state.check(8)


def test_30_defects_that_change_the_function_are_all_caught(monkeypatch):
    """At depth 2 on all words of 6 brackets; whether a defect changes the function is told by `solve`."""
    honest, task = bounded_dyck_state.build_elman(), BoundedDyck(6)
    words = np.array(list(itertools.product(range(4), repeat=6)))
    truth = np.array([[task.solve(tuple(word[: n + 1])) for n in range(6)] for word in words.tolist()])

    def right(network):
        result = run(network, words)
        return bool(np.array_equal(result.answers, truth) and result.unique_argmax.all())

    assert right(honest)
    arrays = set()
    for name, network in defects_that_change(honest, right, count=30):
        arrays.add(name)
        monkeypatch.setattr(bounded_dyck_state, "build_elman", lambda *given, network=network: network)
        with pytest.raises(TheoremFails):
            bounded_dyck_state.check(6, variant="relu")
    assert len(arrays) >= 6


def test_units_beyond_one_bit_are_found_out(monkeypatch):
    """A unit that nothing reads may count what it likes, but the state is then no longer one bit a unit."""
    honest = bounded_dyck_state.build_elman
    layer, _ = honest().layers[0]
    wider = np.pad(layer.recurrent.integers, (0, 1))
    wider[-1, -1] = 1
    grown = dataclasses.replace(
        layer,
        recurrent=Array(wider),
        input=Array(np.pad(layer.input.integers, (0, 1))),
        bias=Array(np.append(layer.bias.integers, 1)),
        start=Array(np.append(layer.start.integers, 0)),
    )
    network = dataclasses.replace(
        honest(),
        layers=((grown, None),),
        symbols=Array(np.pad(honest().symbols.integers, ((0, 0), (0, 1)))),
        readout=Array(np.pad(honest().readout.integers, ((0, 0), (0, 1)))),
    )
    monkeypatch.setattr(bounded_dyck_state, "build_elman", lambda *given: network)
    with pytest.raises(TheoremFails, match="unit = "):
        bounded_dyck_state.check(6, variant="relu")


@pytest.mark.parametrize("variant", ["relu", "sigmoid"])
def test_the_model_steps_as_it_runs(variant):
    model, task = Model.load(bounded_dyck_state.build_elman(2, 3, variant)), BoundedDyck(20, 2, 3)
    word = torch.from_numpy(task.sample(0, 4, 0).inputs)
    state = model.start(4)
    with torch.no_grad():
        for t in range(20):
            logits, state = model.step(word[:, t], state, t)
            assert logits.argmax(-1).tolist() == [task.solve(tuple(row[: t + 1].tolist())) for row in word]


@pytest.mark.parametrize("variant", ["automaton", "relu", "sigmoid"])
def test_the_applier_runs_the_weights_and_names_what_is_wrong(variant):
    answer = bounded_dyck_state.predictor(8, variant=variant)
    given = {"": 1, "([])": 1, "(])": 0, "(((": 0, "()[]()[]": 1, ")": 0, "((()))": 0}
    assert {string: answer({"string": string, "label": 9}) for string in given} == given
    for bad, message in [
        ({"string": "({})"}, r"string: expected brackets \( \) \[ \], found '{'"),
        ({"string": "()" * 5}, "string: expected at most 8 brackets, found 10"),
        ({"word": "()"}, "string: expected a string of brackets, found no such field in word"),
        ({"string": [1]}, "string: expected a string of brackets"),
    ]:
        with pytest.raises(ValueError, match=message):
            answer(bad)


def test_unknown_variants_are_named():
    with pytest.raises(ValueError, match="variant is one of automaton, relu, sigmoid"):
        bounded_dyck_state.check(4, variant="lstm")
    with pytest.raises(ValueError, match="variant is one of automaton, relu, sigmoid"):
        bounded_dyck_state.predictor(4, variant="lstm")
