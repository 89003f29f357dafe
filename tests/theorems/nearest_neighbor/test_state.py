"""Disjointness by the state of models for nearest neighbour: decided by right ones, ours and a user's; small ones err."""

import itertools

import pytest
import torch

from seqsep.maths.automata.automata import Recurrence
from seqsep.models.model import Model
from seqsep.theorems import TheoremFails
from seqsep.theorems.nearest_neighbor import state as nearest_neighbor_state
from seqsep.theorems.nearest_neighbor.state import (
    alice,
    bob,
    build,
    build_network,
    check,
    disjointness,
    mistake,
    must_err,
    points,
)
from seqsep.theorems.protocols.collision import TaskSizes
from seqsep.theorems.protocols.machine import as_machine, choice
from seqsep.theorems.protocols.one_way_protocol import Message
from seqsep.theorems.protocols.small_models import rounded, with_random_weights
from seqsep.theorems.retrieval.associative_recall_state import recall, with_fewer_bits

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def nearest(n, tokens):
    """The answer to the last point, from the definition of the task on the hypercube; ties go to the latest, labels agree."""
    vectors = points(n)
    seen = [(vectors[key], label - n) for key, label in zip(tokens[:-1:2], tokens[1::2], strict=True)]
    products = [float(vectors[tokens[-1]] @ vector) for vector, _ in seen]
    return seen[max(range(len(seen)), key=lambda index: (products[index], index))][1]


def all_sets(n):
    return itertools.product(itertools.product((0, 1), repeat=n), repeat=2)


def test_disjointness_costs_n_bits_one_way():
    """It is 1 where the sets meet."""
    assert disjointness((1, 0, 1), (0, 1, 0)) == 0
    assert disjointness((1, 0, 1), (0, 1, 1)) == 1
    for n in range(1, 7):
        rows = {
            tuple(disjointness(a, b) for b in itertools.product((0, 1), repeat=n)) for a in itertools.product((0, 1), repeat=n)
        }
        assert len(rows) == 2**n


@pytest.mark.parametrize("length", [2, 3, 4, 7, 10])
def test_the_exact_model_decides_with_half_of_n_bits(length):
    exact, *_ = outcomes = check(length)
    n = length // 2
    assert exact.exhaustive
    assert exact.inputs == 4**n
    assert exact.measured == exact.bound == {"message_bits": n, "state_bits": n}
    table = [outcome for outcome in outcomes if "table" in outcome.variant]
    assert [outcome.measured["message_bits"] for outcome in table] == ([8] if n <= 4 else [])
    lower = [outcome for outcome in outcomes if outcome.witness is not None]
    assert len(lower) == (n >= 2) + (n >= 3)
    for outcome in lower:
        witness = outcome.witness
        assert outcome.inputs == 2
        assert outcome.measured["state_bits"] < n
        assert disjointness(witness["a"], witness["b"]) == witness["expected"] != witness["decided"]
        assert nearest(n, witness["errs_on"]) != witness["answer"]
        assert witness["errs_on"][: 2 * n] == [token for key, a in enumerate(witness["a"]) for token in (key, n + a)]


def test_a_long_one_is_sampled():
    exact, *_ = check(30)
    assert not exact.exhaustive
    assert exact.measured["state_bits"] == 15


@pytest.mark.parametrize("length", [6, 9])
def test_the_table_in_model_answers_mqar_in_every_order(length):
    n = length // 2
    model = Model.load(build_network(length))
    for a, asked in itertools.product(itertools.product((0, 1), repeat=n), itertools.permutations(range(n))):
        tokens = [token for key, label in enumerate(a) for token in (key, n + label)]
        tokens += [token for key in asked for token in (key, n + a[key])]
        answers = model(torch.tensor(tokens)[None])[0].argmax(-1).tolist()
        assert answers[2 * n :: 2] == [a[key] for key in asked]
        assert [nearest(n, tokens[: place + 1]) for place in range(2 * n, 4 * n, 2)] == [a[key] for key in asked]


class Memory:
    """A user's model on vectors: it keeps every labelled point and answers by the greatest product. Slots: n points."""

    def __init__(self, n, spoiled=False):
        self.n, self.width, self.spoiled = n, points(n).shape[1], spoiled

    def start(self, batch):
        return torch.zeros(batch, self.n, self.width + 2, dtype=torch.float64), torch.zeros(batch, 1, dtype=torch.uint8)

    @torch.no_grad()
    def step(self, inputs, state, t):
        slots, count = state[0].clone(), int(state[1][0, 0])
        d = self.width - 2
        if bool(inputs[0, d:].any()):
            if count < self.n:
                slots[0, count, d : d + 2] = inputs[0, d:]
                count += 1
        elif count < self.n:
            slots[0, count, :d] = inputs[0, :d]
        products = slots[0, :, :d] @ inputs[0, :d]
        label = slots[0, products.argmax() * (1 - self.spoiled), d : d + 2]
        return label[None], (slots, torch.tensor([[count]], dtype=torch.uint8))

    def forward(self, inputs):
        state, outputs = self.start(1), []
        for t in range(inputs.shape[1]):
            output, state = self.step(inputs[:, t], state, t)
            outputs.append(output)
        return torch.stack(outputs, dim=1)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_users_model_on_points_of_the_hypercube(n):
    vectors = points(n)
    norms = (vectors[:n] ** 2).sum(1)
    assert torch.allclose(norms, torch.ones_like(norms))
    products = vectors[:n] @ vectors[:n].T - 2 * torch.eye(n, dtype=torch.float64)
    assert float(products.max()) <= 1 - 2 / max(1, (n - 1).bit_length()) + 1e-12
    model, wrong = Memory(n), 0
    for a, b in all_sets(n):
        message = alice(model, a, vectors.__getitem__)
        assert message.bits == 64 * n * (vectors.shape[1] + 2) + 8
        assert bob(Memory(n), message, b, vectors.__getitem__, tuple(range(n))[::-1]) == (disjointness(a, b), a)
        wrong += mistake(Memory(n, spoiled=True), a, b, vectors.__getitem__) is not None
    assert (wrong > 0) == (n > 1)


@pytest.mark.parametrize("bits", [0, 1, 4, 5])
def test_every_smaller_model_errs(bits):
    small = with_fewer_bits(6, 2, bits)
    found = must_err(small, 12)
    assert found.bits == bits
    assert found.decided == bob(small, alice(small, found.a), found.b)[0] != disjointness(found.a, found.b) == found.expected
    assert small.answer(found.errs_on) == found.answer != nearest(6, found.errs_on)
    pairs = [token for key, label in enumerate(found.a) for token in (key, 6 + label)]
    assert list(found.errs_on) == pairs + pairs[: 2 * found.errs_on[-1]] + [found.errs_on[-1]]


@pytest.mark.parametrize(("name", "n"), [("lstm", 5), ("linear-attention", 7), ("retention", 5), ("mamba", 39)])
def test_mixers_rounded_err(name, n):
    width = 1 if name == "mamba" else 2
    model = with_random_weights(TaskSizes(n + 2, 2, 4 * n), name, width, seed=5)
    small = rounded(model, recall(n, 2), 1, 5)
    assert small.bits < n
    found = must_err(small, 2 * n, seed=1)
    assert choice(small.read(found.errs_on)[0][-1]) == found.answer != nearest(n, found.errs_on)
    assert bob(small, alice(small, found.a), found.b)[0] == found.decided != disjointness(found.a, found.b)


def test_an_answer_that_is_no_label_is_wrong():
    model = type(build(4))(2, 0, build(4).move, lambda t, state: 7)
    assert bob(model, alice(model, (1, 1)), (1, 0)) == (0, (7, 7))
    found = mistake(model, (1, 1), (1, 0))
    assert (found.answer, found.errs_on) == (7, (0, 3, 1, 3, 0))
    assert as_machine(model).bits == 2


def test_a_wrong_model_and_wrong_arguments(monkeypatch):
    with pytest.raises(ValueError, match="not fewer than 3"):
        must_err(build(6), 6)
    with pytest.raises(ValueError, match="at least 2 points"):
        check(1)
    with pytest.raises(ValueError, match="states, at most"):
        build_network(18)
    with pytest.raises(ValueError, match="precision goes with"):
        check(8, precision=2)
    monkeypatch.setattr(nearest_neighbor_state, "build", lambda length: with_fewer_bits(length // 2, 2, length // 2 - 1))
    with pytest.raises(TheoremFails, match="recovered"):
        check(8)


def test_bob_feeds_every_answer_back_as_the_label_at_its_time():
    read = []

    def move(t, state, token):
        read.append((t, token))
        return state

    bob(Recurrence(3, 0, move, lambda t, state: int(t == 8)), Message(5, 3), (1, 0, 1), order=(2, 0, 1))
    assert read == [(6, 2), (7, 3), (8, 0), (9, 4), (10, 1), (11, 3)]
