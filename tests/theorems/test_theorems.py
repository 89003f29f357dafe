"""Theorems hold on every small input and on hard large ones; a spoiled weight is found out."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from seqsep import laws
from seqsep.exact.codes import CODES
from seqsep.exact.network import Array, AttentionLayer
from seqsep.mixers import LSTM, Mamba
from seqsep.model import Model
from seqsep.tasks import BoundedDyck, IndexLookup
from seqsep.theorems import (
    THEOREMS,
    TheoremFails,
    bounded_dyck_state,
    index_lookup_attention,
    index_lookup_state,
    one_way_protocol,
)


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_laws(theorem):
    laws.check_theorem(theorem)


@pytest.mark.parametrize(("length", "alphabet"), [(1, 1), (1, 5), (2, 3), (3, 3), (5, 2)])
def test_index_lookup_attention_on_every_input(length, alphabet):
    for outcome in index_lookup_attention.check(length, alphabet):
        assert outcome.exhaustive
        assert outcome.inputs == sum(n * alphabet**n for n in range(1, length + 1))


@pytest.mark.parametrize("code", [code.name for code in CODES])
@pytest.mark.parametrize("length", [7, 63, 64, 200])
def test_index_lookup_attention_at_larger_lengths(code, length):
    (outcome,) = index_lookup_attention.check(length, 64, code)
    assert not outcome.exhaustive
    assert outcome.measured == outcome.bound


def test_forward_answers_too_not_only_the_cached_state():
    task = IndexLookup(40, alphabet=9)
    model = Model.load(index_lookup_attention.build(40, 9, "binary"))
    batch = task.sample(0, 200, 0)
    at = torch.from_numpy(batch.lengths - 1)
    answers = model(torch.from_numpy(batch.inputs), at).argmax(-1).numpy()
    assert np.array_equal(answers, batch.targets[np.arange(200), at])


def spoiled(array: Array) -> Array:
    """The array with its entry of greatest magnitude negated."""
    integers = array.integers.copy()
    place = np.unravel_index(np.abs(integers).argmax(), integers.shape)
    integers[place] *= -1
    return Array(integers, array.unit, array.by_index)


@pytest.mark.parametrize(
    "part", ["query", "key", "value", "output", "inner", "outer", "positions", "indices", "readout", "symbols"]
)
def test_a_spoiled_weight_is_found_out(part, monkeypatch):
    def build(task, code):
        network = honest(task, code)
        attention, feed_forward = network.layers[0]
        if hasattr(attention, part):
            layers = ((dataclasses.replace(attention, **{part: spoiled(getattr(attention, part))}), feed_forward),)
            return dataclasses.replace(network, layers=layers)
        if hasattr(feed_forward, part):
            layers = ((attention, dataclasses.replace(feed_forward, **{part: spoiled(getattr(feed_forward, part))})),)
            return dataclasses.replace(network, layers=layers)
        return dataclasses.replace(network, **{part: spoiled(getattr(network, part))})

    honest = index_lookup_attention._assemble
    monkeypatch.setattr(index_lookup_attention, "_assemble", build)
    with pytest.raises(TheoremFails, match="position"):
        index_lookup_attention.check(9, 8, "parabola")


def test_an_oversized_network_is_found_out(monkeypatch):
    def build(task, code):
        network = honest(task, code)
        return dataclasses.replace(network, precision=network.precision + 1)

    honest = index_lookup_attention._assemble
    monkeypatch.setattr(index_lookup_attention, "_assemble", build)
    with pytest.raises(TheoremFails, match="precision"):
        index_lookup_attention.check(5, 2, "binary")


def test_size_numbers():
    """p = 41 and 21 at N = 1,000 and the crossing of the attention matrices with N log2 S at N = 1,291, for S = 64."""
    parabola, binary = (index_lookup_attention.build(1000, 64, code) for code in ("parabola", "binary"))
    assert (parabola.precision, binary.precision) == (41, 21)
    assert parabola.ledger().core == 3 * 6 * 10 * 41
    assert index_lookup_attention.crossing(64, "parabola") == 1291
    below, at = (index_lookup_attention.bound(n, 64, CODES[2](n + 1))["core_bits"] for n in (1290, 1291))
    assert below >= 6 * 1290
    assert at < 6 * 1291
    assert index_lookup_attention.crossing(64, "parabola", most=1000) is None


def test_the_weight_is_above_three_quarters():
    """The margin of the proof, measured: the smallest attention weight of the asked position over all positions."""
    for code in CODES:
        network = index_lookup_attention.build(200, 4, code.name)
        attention: AttentionLayer = network.layers[0][0]
        query = network.indices.floats() @ attention.query.floats().T
        key = network.positions.floats() @ attention.key.floats().T
        scores = query @ key.T
        weights = np.exp(scores - scores.max(1, keepdims=True))
        weights /= weights.sum(1, keepdims=True)
        least = weights[np.arange(200), np.arange(200)].min()
        proved = 1 / (1 + code(201).others(code(201).least_scale()))
        assert 0.75 < proved <= least + 1e-12


def test_text_file(tmp_path):
    path = tmp_path / "any.bin"
    path.write_bytes(bytes(range(256)) * 3)
    (outcome,) = index_lookup_attention.check(text=path)
    assert (outcome.length, outcome.inputs) == (768, 768)
    (some,) = index_lookup_attention.check(text=path, positions=10, code="binary")
    assert some.inputs == 10
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    with pytest.raises(ValueError, match="1 byte"):
        index_lookup_attention.check(text=empty)
    with pytest.raises(ValueError, match="1 to 768"):
        index_lookup_attention.check(text=path, positions=769)
    with pytest.raises(ValueError, match="goes with text"):
        index_lookup_attention.check(positions=3)
    with pytest.raises(ValueError, match="signs, binary, parabola"):
        index_lookup_attention.check(code="kerdok")


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
    prefixes = list(index_lookup_state._prefixes(length, alphabet, 7))
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


@pytest.mark.parametrize(("length", "kinds", "depth"), [(8, 2, 2), (6, 2, 3), (6, 3, 1), (10, 1, 4)])
def test_bounded_dyck_state(length, kinds, depth):
    (outcome,) = bounded_dyck_state.check(length, kinds, depth)
    assert outcome.exhaustive
    assert outcome.measured == outcome.bound
    assert outcome.inputs == sum((2 * kinds) ** n for n in range(1, length + 1))


def test_bounded_dyck_22_has_seven_live_states_and_a_dead_one():
    automaton = bounded_dyck_state.build()
    assert (len(automaton.minimal().table), int(automaton.minimal().live().sum())) == (8, 7)
    assert automaton.recurrence().state_bits == 3
    assert [automaton.count_words(n) for n in range(0, 14, 2)] == [1, *(2 ** (n - 1) for n in range(2, 14, 2))]


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
