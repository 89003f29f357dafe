"""Theorems hold on every small input and on hard large ones; a spoiled weight is found out."""

import dataclasses
import math
import re
from collections import Counter

import pytest
import torch

from seqsep.maths.networks import recurrent
from seqsep.maths.networks.network import LinearLayer
from seqsep.models.mixers import LSTM, Mamba
from seqsep.models.model import Model
from seqsep.tasks import BoundedDyck, IndexLookup
from seqsep.theorems import BY_NAME, THEOREMS, TheoremFails, apply, check
from seqsep.theorems import laws as theorem_laws
from seqsep.theorems.bounded_dyck import state as bounded_dyck_state
from seqsep.theorems.protocols import one_way_protocol
from seqsep.theorems.protocols.collision import scattered
from seqsep.theorems.retrieval import index_lookup_state


@pytest.mark.unchecked  # the tests of their own files have shapes checked
@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_laws_and_the_bits_of_a_state(theorem, monkeypatch):
    """Whoever runs a linear recurrence reports what it remembers, p bits a number, and by the range that each met."""
    ran = Counter()
    outcomes = []
    honest = recurrent.states

    def states(grid, layer, *given, **named):
        ran[type(layer)] += 1
        return honest(grid, layer, *given, **named)

    def check():
        outcomes.extend(theorem.check())
        return outcomes

    monkeypatch.setattr(recurrent, "states", states)
    theorem_laws.check_theorem(dataclasses.replace(theorem, check=check))
    networks = [outcome.measured for outcome in outcomes if "width" in outcome.measured]
    assert networks or not ran[LinearLayer]
    for sizes in networks if ran[LinearLayer] else ():
        assert sizes["state_bits"] == sizes["state_numbers"] * sizes["precision"]
        assert 0 < sizes["state_bits_by_range"] < sizes["state_bits"]


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_a_theorem_says_what_a_run_shows_and_what_not(theorem):
    assert theorem.sides in (("upper",), ("lower",), ("upper", "lower"))
    assert re.fullmatch(r".{20,}\.", theorem.shown)
    assert re.fullmatch(r"This does not show .{20,}\.", theorem.not_shown)


@pytest.mark.parametrize("declared", [("upper",), ("lower",)])
def test_outcomes_of_other_sides_than_declared_break_a_law(declared):
    theorem = dataclasses.replace(BY_NAME["index-lookup-state"], sides=declared)
    with pytest.raises(theorem_laws.LawFails, match=r"index-lookup-state: expected outcomes of the sides"):
        theorem_laws.check_theorem(theorem)


@pytest.mark.parametrize(
    ("computed", "inputs", "counted"),
    [(False, 1, "1 input"), (False, 2, "2 inputs"), (True, 1, "1 size, no model ran"), (True, 2, "2 sizes, no model ran")],
)
def test_one_input_is_in_the_singular(computed, inputs, counted):
    [outcome] = check("alibi-window")[:1]
    assert dataclasses.replace(outcome, computed=computed, inputs=inputs, exhaustive=False).line().endswith(f"; {counted}")


def test_protocol_bits_are_the_state_and_every_split_agrees():
    for outcome in one_way_protocol.check(length=6, mixer="dss"):
        assert outcome.measured == outcome.bound
    with pytest.raises(ValueError, match="mixer is one of"):
        one_way_protocol.check(mixer="attention")


def test_protocol_on_a_hand_built_automaton():
    model = Model.load(bounded_dyck_state.build_network(bounded_dyck_state.build()))
    for word in BoundedDyck(10).sample(0, 5, 0).inputs:
        assert one_way_protocol.reduce(model, torch.from_numpy(word)) == 8


def one_layer(name: str) -> Model:
    torch.manual_seed(0)
    return Model.build(9, 4, 9, (name,), 8, 2).double()


def test_a_protocol_whose_state_leaks_is_found_out(monkeypatch):
    honest = LSTM.step

    def leaky(self, x, state, t):
        self.last = getattr(self, "last", x) if t else x
        return honest(self, x + 1e-3 * self.last, state, t)

    monkeypatch.setattr(LSTM, "step", leaky)
    with pytest.raises(TheoremFails):
        one_way_protocol.reduce(one_layer("lstm"), torch.arange(8))


def test_a_protocol_whose_state_grows_is_found_out(monkeypatch):
    def step(self, x, state, t):
        y, after = honest(self, x, type(state)(state[0], state[1][..., :3]), t)
        return y, type(after)(after[0], torch.nn.functional.pad(after[1], (0, t + 1)))

    honest = Mamba.step
    monkeypatch.setattr(Mamba, "step", step)
    with pytest.raises(TheoremFails, match="message bits"):
        one_way_protocol.reduce(one_layer("mamba"), torch.arange(8))


@pytest.mark.parametrize(("length", "alphabet"), [(1, 2), (4, 2), (3, 5), (5, 3), (9, 2)])
def test_index_lookup_state_both_sides(length, alphabet):
    upper, *lower = index_lookup_state.check(length, alphabet)
    assert upper.exhaustive
    assert upper.measured["state_bits"] == math.ceil(length * math.log2(alphabet) - 1e-9)
    for outcome in lower:
        assert outcome.measured["state_bits"] < outcome.bound["state_bits"]
        witness = outcome.witness
        task = IndexLookup(length, alphabet)
        assert task.solve(tuple(witness["errs_on"])) == witness["expected"] != witness["answer"]
        first, second = witness["prefixes"]
        assert first[witness["position"] - 1] != second[witness["position"] - 1]


@pytest.mark.parametrize("options", [{}, {"mixer": "lstm", "width": 2}, {"mixer": "rwkv7", "width": 2}])
def test_index_lookup_errs_whatever_thought_is_written(options):
    _, *lower = index_lookup_state.check(9, 3, thought=True, **options)
    assert lower
    for outcome in lower:
        assert outcome.measured["state_bits"] < outcome.bound["state_bits"] == 15
        assert outcome.source.startswith("Wen, Dang, Lyu 2025")
        witness = outcome.witness
        assert IndexLookup(9, 3).solve(tuple(witness["errs_on"])) == witness["expected"] != witness["answer"]
        assert witness["answer"] in (witness["written"][-1], -1)


def test_exact_model_at_a_large_length():
    upper, *_ = index_lookup_state.check(100, 64)
    assert upper.measured["state_bits"] == 600
    assert not upper.exhaustive


@pytest.mark.parametrize("bits", [0, 1, 3, 5])
def test_every_smaller_model_collides_and_the_exact_one_does_not(bits):
    machine = index_lookup_state.with_fewer_bits(6, 2, bits)
    found = index_lookup_state.collide(machine, 6, 2)
    assert found is not None
    assert found.prefixes_tried <= 2**bits + 1
    assert machine.answer(found.errs_on) == found.answer != found.expected
    assert index_lookup_state.collide(index_lookup_state.build(6, 2), 6, 2) is None


@pytest.mark.parametrize(("length", "alphabet"), [(4, 3), (6, 2), (3, 4), (5, 1)])
def test_the_walk_visits_every_prefix_once(length, alphabet):
    prefixes = list(scattered(length, alphabet, 7))
    assert len(prefixes) == len(set(prefixes)) == alphabet**length


def test_a_wrong_exact_model_is_found_out(monkeypatch):
    honest = index_lookup_state.build

    def build(length, alphabet):
        machine = honest(length, alphabet)
        return dataclasses.replace(machine, read=lambda t, state: min(state, alphabet - 2))

    monkeypatch.setattr(index_lookup_state, "build", build)
    with pytest.raises(TheoremFails, match="recovered"):
        index_lookup_state.check(4, 3)


def test_state_outside_the_counted_bits_is_refused():
    machine = dataclasses.replace(index_lookup_state.build(4, 2), state_bits=3)
    with pytest.raises(ValueError, match="does not fit"):
        machine.state((1, 1, 1, 1))


def test_automaton_runs_in_the_model_and_as_a_recurrence_alike():
    automaton = bounded_dyck_state.build(2, 3)
    model, machine = Model.load(bounded_dyck_state.build_network(automaton)), automaton.recurrence()
    for word in BoundedDyck(12, 2, 3).sample(0, 100, 0).inputs:
        assert int(model(torch.from_numpy(word)[None])[0, -1].argmax()) == machine.answer(word.tolist())


def test_too_large_a_table_is_refused():
    with pytest.raises(ValueError, match="states"):
        bounded_dyck_state.build(4, 8)
    with pytest.raises(ValueError, match="states"):
        index_lookup_state.build_network(20, 2)


def test_the_exact_recurrent_model_answers_a_users_input():
    answer = index_lookup_state.predictor(3, alphabet=4)
    assert [answer({"symbols": [3, 0, 2], "position": p}) for p in (1, 2, 3)] == [3, 0, 2]
    for given, message in [
        ({"symbols": [0, 1], "position": 1}, "symbols: expected 3 of them, found 2"),
        ({"symbols": [0, 1, 4], "position": 1}, "symbols: expected 0 to 3, found 0 to 4"),
        ({"symbols": [0, 1, 2], "position": 0}, "position: expected 1 to 3, found 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            answer(given)


def test_an_unknown_option_is_named_with_those_that_there_are():
    with pytest.raises(ValueError, match=r"^check\('index-lookup-attention', depth=...\): options are length, "):
        check("index-lookup-attention", depth=3)
    with pytest.raises(ValueError, match=r"^apply\('index-lookup-attention', depth=...\): options are length, "):
        list(apply("index-lookup-attention", [], length=4, depth=3))
