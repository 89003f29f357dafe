"""Associative recall: the exact models on every input, the cases inside a pair, and inputs on which small models err."""

import dataclasses
import itertools
import math

import pytest
import torch
from safetensors.torch import save_file

from seqsep.models.model import Model
from seqsep.models.weights import describe
from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols.collision import TaskSizes, search
from seqsep.theorems.protocols.machine import OfNumbers, as_machine, choice
from seqsep.theorems.protocols.small_models import RECURRENT, rounded, with_random_weights
from seqsep.theorems.retrieval import associative_recall_state, index_lookup_state
from seqsep.theorems.retrieval.associative_recall_state import build, check, collide, least_bits, recall, solve, with_fewer_bits

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def test_solve_is_the_definition():
    assert solve(3, (2, 3, 0, 5, 1, 4, 0)) == 2
    assert solve(3, (2, 3, 0, 5, 1, 4, 2)) == 0


@pytest.mark.parametrize(("length", "alphabet"), [(1, 2), (4, 2), (3, 3), (2, 5), (5, 1), (6, 2)])
def test_both_sides(length, alphabet):
    in_order, any_order, *lower = check(length, alphabet)
    assert in_order.exhaustive
    assert in_order.measured["state_bits"] == math.ceil(length * math.log2(alphabet) - 1e-9)
    inside = (length - 1) * math.log2(alphabet) + math.log2(length) if alphabet > 1 else 0
    assert any_order.measured["state_bits"] == math.ceil(max(length * math.log2(alphabet), inside) - 1e-9)
    for outcome in lower:
        assert outcome.measured["state_bits"] < outcome.bound["state_bits"] == in_order.measured["state_bits"]
        witness = outcome.witness
        assert solve(length, tuple(witness["errs_on"])) == witness["expected"] != witness["answer"]
        first, second = witness["prefixes"]
        assert first[witness["position"] - 1] != second[witness["position"] - 1]


@pytest.mark.parametrize(
    ("length", "alphabet", "any_order"), [(3, 2, False), (3, 2, True), (4, 2, True), (5, 2, True), (2, 4, True), (4, 3, False)]
)
def test_the_exact_model_uses_every_bit_it_is_given(length, alphabet, any_order):
    """The most states reached at one time, in the pairs and after every question of many: fewer bits do not hold them."""
    exact, labels, most = build(length, alphabet, any_order), range(length, length + alphabet), 1
    reached = {(exact.start, frozenset())}
    for t in range(4 * length):
        after = set()
        for state, used in reached:
            if t % 2:
                after |= {(exact.move(t, state, label), used) for label in labels}
                continue
            keys = [key for key in range(length) if key not in used]
            keys = keys if any_order or t >= 2 * length else [t // 2]
            after |= {(exact.move(t, state, key), used | {key}) for key in keys}
        reached = {(state, frozenset() if t == 2 * length - 1 else used) for state, used in after}
        most = max(most, len({state for state, _ in reached}))
    assert (most - 1).bit_length() == exact.state_bits == least_bits(length, alphabet, any_order)


@pytest.mark.parametrize(("length", "alphabet"), [(3, 2), (4, 2), (3, 3)])
def test_inside_the_last_pair_every_case_needs_its_own_state(length, alphabet):
    """Of the prefixes of N - 1 pairs and a key, N S^(N-1) are told apart pairwise, each two by a continuation of both."""
    cases = []
    for last in range(length):
        others = [key for key in range(length) if key != last]
        for values in itertools.product(range(alphabet), repeat=length - 1):
            pairs = [token for key, value in zip(others, values, strict=True) for token in (key, length + value)]
            cases.append((*pairs, last))
    for first, second in itertools.combinations(cases, 2):
        continuations = itertools.product(range(length, length + alphabet), range(length))
        assert any(solve(length, first + end) != solve(length, second + end) for end in continuations)
    assert len(cases) == length * alphabet ** (length - 1)
    assert (len(cases) - 1).bit_length() <= least_bits(length, alphabet, any_order=True)


def test_values_fed_back_or_not_after_many_questions():
    exact = build(3, 4, any_order=True)
    pairs = (2, 3, 0, 6, 1, 5)  # values 0, 3, 2 of the keys 2, 0, 1
    assert exact.answer((*pairs, 0, 6, 1, 5, 2)) == 0
    assert exact.answer((*pairs, 0, 1)) == 2


@pytest.mark.parametrize("bits", [0, 1, 3, 5])
def test_every_smaller_model_collides_and_the_exact_one_does_not(bits):
    small = with_fewer_bits(6, 2, bits)
    found = collide(small, 6, 2)
    assert found is not None
    assert found.prefixes_tried <= 2**bits + 1
    assert small.answer(found.errs_on) == found.answer != solve(6, found.errs_on)
    assert collide(build(6, 2), 6, 2) is None


@pytest.mark.parametrize("name", RECURRENT)
@pytest.mark.parametrize("task", [index_lookup_state, associative_recall_state])
def test_every_mixer_rounded_errs_where_the_bound_says_so(name, task):
    alphabet, precision, width = 4, 2 if name != "dss" else 1, 2
    model = with_random_weights(TaskSizes(200, alphabet, 200), name, width, seed=3)
    bits = rounded(model, task.recall(3, alphabet), precision, 0).bits
    numbers = {"lstm": 4, "linear-attention": 6, "retention": 4, "dss": 256, "mamba": 76}
    numbers |= {"mamba2": 652, "gated-delta": 32, "rwkv7": 6, "sliding-attention": 64}
    numbers = (numbers | {"rotation": 652, "mlstm": 7, "slstm": 8, "kda": 22})[name]
    assert bits == precision * numbers
    length = bits // 2 + 1
    if bits > 120:
        length = min(length, 60)  # its inputs would be long; the collision is found all the same
    found = task.collide(model, length, alphabet, seed=1, precision=precision)
    assert found is not None
    small = as_machine(model, precision, task.recall(length, alphabet).examples(1))
    states = []
    for values in found.prefixes:
        tokens = task.recall(length, alphabet).tokens(values)
        states.append(small.pack(small.read(tokens)[1]))
    assert states[0] == states[1] == (found.state, bits)
    assert choice(small.read(found.errs_on)[0][-1]) == found.answer != found.expected
    values = dict(enumerate(found.prefixes[0])), dict(enumerate(found.prefixes[1]))
    assert values[0][found.position - 1] != values[1][found.position - 1]
    assert found.expected in (values[0][found.position - 1], values[1][found.position - 1])


class Sum:
    """A user's model: a float64 number, the sum of the tokens so far, and a byte."""

    def start(self, batch):
        return torch.zeros(batch, 1, dtype=torch.float64), torch.zeros(batch, 1, dtype=torch.uint8)

    def step(self, inputs, state, t):
        total = state[0] + inputs[:, None]
        return torch.cat([total, -total], dim=1), (total, state[1])

    def forward(self, inputs):
        total = inputs.double().cumsum(1)[..., None]
        return torch.cat([total, -total], dim=2)


def test_a_users_model_collides_at_its_own_precision():
    found = collide(Sum(), 80, 2)
    assert found is not None
    assert sum(found.prefixes[0]) == sum(found.prefixes[1])
    with pytest.raises(ValueError, match="whole numbers already"):
        collide(Sum(), 80, 2, precision=3)


def test_rounding_writes_as_many_bits_as_it_says():
    for name in ("dss", "mamba"):
        model = with_random_weights(TaskSizes(9, 3, 20), name, 2, seed=0)
        small = as_machine(model, 3, torch.arange(9)[None])
        state = small.read(range(9))[1]
        number, bits = small.pack(state)
        assert bits == small.bits == 3 * state.shape[1]
        assert 0 <= number < 1 << bits
        assert torch.equal(small.unpack(number), state)
        assert state.max() <= 7
        assert len(torch.unique(state)) > 3
        exact, fine = as_machine(model).read(range(9))[0], as_machine(model, 32, torch.arange(9)[None]).read(range(9))[0]
        assert max(float((a - b).abs().max()) for a, b in zip(exact, fine, strict=True)) < 1e-6


def test_a_search_that_finds_nothing_says_so():
    with pytest.raises(ValueError, match="no collision among 20 prefixes"):
        search(build(12, 2), recall(12, 2), most=20)


def test_options_choose_the_model(tmp_path):
    *_, lower = check(12, 4, mixer="linear-attention", width=4)
    assert lower.measured == {"state_bits": 20}
    assert lower.bound == {"state_bits": 24}
    *_, lower = index_lookup_state.check(21, 4, mixer="linear-attention", width=4, precision=2)
    assert lower.measured == {"state_bits": 40}
    for module in (associative_recall_state, index_lookup_state):
        with pytest.raises(ValueError, match="the bound says nothing"):
            module.check(6, 2, mixer="mamba")
        with pytest.raises(ValueError, match="precision goes with"):
            module.check(6, 2, precision=3)
        with pytest.raises(ValueError, match="mixer is one of"):
            module.check(6, 2, mixer="attention")


def test_a_wrong_exact_model_is_found_out(monkeypatch):
    honest = associative_recall_state.build

    def forgets(length, alphabet, any_order=False):
        made = honest(length, alphabet, any_order)
        return type(made)(made.state_bits, 0, lambda t, s, x: s if t >= 2 * length else made.move(t, s, x), made.read)

    monkeypatch.setattr(associative_recall_state, "build", forgets)
    with pytest.raises(TheoremFails):
        check(4, 2)


def test_a_trained_models_shape_must_fit(tmp_path):
    torch.manual_seed(0)
    model = Model.build(16, 4, 25, ("lstm",), 8, 1, 1.0, 0.5)
    path = tmp_path / "lstm.safetensors"
    save_file({f"model.{name}": part for name, part in model.state_dict().items()}, path, describe(model))
    *_, lower = check(12, 4, checkpoint=path)
    assert lower.variant == "lstm.safetensors"
    assert lower.measured == {"state_bits": 16}
    with pytest.raises(ValueError, match="expected 17 tokens for this length and alphabet, found 16"):
        check(13, 4, checkpoint=path)


def test_states_that_only_look_equal_in_a_batch_are_no_collision():
    class Blurred(OfNumbers):
        def states(self, tokens):
            return (0 for _ in tokens)

    exact = build(4, 2)
    for model in (exact, dataclasses.replace(exact, read=lambda t, state: 0)):
        assert search(Blurred(model), recall(4, 2)) is None


def test_the_applier_answers_one_question_or_many():
    apply = associative_recall_state.predictor(3, alphabet=2)
    for keys in itertools.permutations(range(3)):
        for values in itertools.product(range(2), repeat=3):
            pairs = [list(pair) for pair in zip(keys, values, strict=True)]
            value_of = dict(pairs)
            for asked in itertools.permutations(range(3), 2):
                assert apply({"pairs": pairs, "queries": list(asked)}) == [value_of[key] for key in asked]
                assert apply({"pairs": pairs, "query": asked[0]}) == value_of[asked[0]]
    pairs = [[0, 1], [2, 0], [1, 1]]
    for given, message in [
        ({"pairs": pairs[:2], "query": 0}, "pairs: expected a list of 3 pairs, found 2 of them"),
        ({"pairs": [*pairs[:2], [2, 1]], "query": 0}, "pairs: pair 3 has the key of pair 2; expected each key once"),
        ({"pairs": [*pairs[:2], [1, 2]], "query": 0}, r"pair 3 is \[1, 2\]; expected a key of 0 to 2 and a value of 0 to 1"),
        ({"pairs": [*pairs[:2], [1]], "query": 0}, r"pair 3 is \[1\]; expected \[key, value\]"),
        ({"pairs": pairs, "query": 3}, "query: expected 0 to 2, found 3"),
        ({"pairs": pairs, "queries": [1, 1]}, r"queries: expected different keys, found \[1, 1\]"),
        ({"pairs": pairs}, "query: missing; found pairs"),
    ]:
        with pytest.raises(ValueError, match=message):
            apply(given)
