"""Counting: the exact model on every input, classes against the definition, and inputs on which small models err."""

import itertools
import math

import pytest
import torch
from safetensors.torch import save_file

import seqsep_check
from seqsep.maths.automata import least_state
from seqsep.maths.automata.automata import Recurrence
from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
from seqsep.models.model import Model
from seqsep.models.weights import describe
from seqsep.theorems import TheoremFails
from seqsep.theorems.certificate import certify
from seqsep.theorems.protocols.machine import as_machine
from seqsep.theorems.protocols.small_models import RECURRENT, rounded, with_random_weights
from seqsep.theorems.protocols.thought import NO_ANSWER, think
from seqsep.theorems.retrieval import _printed_reductions as printed
from seqsep.theorems.retrieval import counting_state
from seqsep.theorems.retrieval.counting_state import (
    build,
    check,
    classes,
    collide,
    least_bits,
    rank,
    sequences,
    solve,
    unrank,
    with_fewer_bits,
)
from support.certificates.verdict import held

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize("length", [2, 3, 4])
def test_the_least_state_is_found_by_brute_force(length):
    """At every split the classes are the multisets, and no split after the data asks for more."""
    table = tabulate(lambda word: solve(length, tuple(word)), alphabet_ranges([length] * (length + 2)))
    least = least_state.of_table(table)
    assert least.classes_by_split[: length + 1] == [classes(length, tokens) for tokens in range(length + 1)]
    assert least.classes == classes(length, length)
    assert least.state_bits == least_bits(length) == build(length).state_bits


@pytest.mark.parametrize(("length", "tokens"), [(2, 5), (4, 4), (5, 3), (7, 2)])
def test_ranks_number_the_multisets_without_a_gap(length, tokens):
    multisets = [list(multiset) for multiset in itertools.combinations_with_replacement(range(length), tokens)]
    ranks = [rank(multiset) for multiset in multisets]
    assert sorted(ranks) == list(range(classes(length, tokens)))
    assert [unrank(number, tokens, length) for number in ranks] == multisets


@pytest.mark.parametrize("length", [2, 3, 5, 24])
def test_both_sides(length):
    upper, *lower = check(length)
    assert upper.exhaustive == (length < 6)
    assert upper.measured["state_bits"] == math.ceil(math.log2(math.comb(2 * length - 1, length)))
    assert lower
    for outcome in lower:
        assert outcome.measured["state_bits"] < outcome.bound["state_bits"] == upper.measured["state_bits"]
        witness = outcome.witness
        first, second = witness["prefixes"]
        assert sorted(first) != sorted(second)
        assert solve(length, tuple(witness["errs_on"])) == witness["expected"] != witness["answer"]
        assert witness["written"][-1] == witness["answer"] or witness["answer"] == NO_ANSWER


def test_bits_at_the_lengths_of_the_page():
    assert [least_bits(length) for length in (16, 64, 256, 1024)] == [29, 124, 507, 2042]
    with pytest.raises(ValueError, match="at least 2 numbers"):
        least_bits(1)


@pytest.mark.parametrize("name", RECURRENT)
def test_every_mixer_rounded_errs_with_its_thought(name):
    """Two sequences of different multisets leave one state: one thought, one answer, and an error after one of them."""
    precision = 1
    task = sequences(9)
    bits = rounded(with_random_weights(task.sizes, name, 2, seed=3), task, precision, 0).bits
    length = next(length for length in range(9, 800) if least_bits(length) > bits)
    length = min(length, 24)  # its inputs would be long; the collision is found all the same
    task = sequences(length)
    model = with_random_weights(task.sizes, name, 2, seed=3)
    found = collide(model, length, precision=precision)
    assert found is not None
    small = as_machine(model, precision, task.examples(0))
    thoughts = []
    for values in found.prefixes:
        prompt = values + found.errs_on[length:]
        outputs, state = small.read(prompt)
        thoughts.append(tuple(think(small, outputs[-1], state, len(prompt), thought=task.thought(prompt)).tokens))
    assert thoughts[0] == thoughts[1] == found.written
    assert solve(length, found.errs_on) == found.expected != found.answer


def thinks_first(length, answer_only_after):
    """The exact model, which writes a thinking token several times before its answer, kept in two more bits."""
    exact = build(length)

    def move(t, state, token):
        thought_of, state = state >> exact.state_bits, state % (1 << exact.state_bits)
        if t >= length + 2:
            return (thought_of + 1 << exact.state_bits) + state
        return exact.move(t, state, token)

    def read(t, state):
        is_done = state >> exact.state_bits >= answer_only_after
        return length + state % 2 if is_done else length + 3

    return Recurrence(exact.state_bits + 2, 0, move, read)


def test_a_thought_is_written_before_the_answer():
    model = thinks_first(4, answer_only_after=3)
    assert collide(model, 4) is None
    party, task = as_machine(model), sequences(4)
    prompt = (2, 2, 1, 2, 2, 2)
    outputs, state = party.read(prompt)
    assert think(party, outputs[-1], state, 6, thought=task.thought(prompt)).tokens == [7, 7, 7, 5]
    found = collide(thinks_first(6, answer_only_after=2).cut_down(8), 6)
    assert found is not None
    assert found.prefixes_tried <= 6**6
    assert solve(6, found.errs_on) == found.expected != found.answer


def test_the_exact_model_does_not_collide_and_smaller_ones_do():
    assert collide(build(4), 4) is None
    for bits in (0, 2, 4, 5):
        found = collide(with_fewer_bits(4, bits), 4)
        assert solve(4, found.errs_on) == found.expected != found.answer


def test_a_wrong_exact_model_is_found_out(monkeypatch):
    monkeypatch.setattr(counting_state, "rank", lambda multiset: sum(multiset))
    with pytest.raises(TheoremFails):
        check(3)


def test_the_printed_instance_answers_no_to_everything():
    """Threshold 1 tells no bit; threshold 0 tells every bit."""
    for bits in itertools.product((0, 1), repeat=5):
        data = printed.counting_instance(bits)
        assert len(data) == 5
        assert printed.counted_bits(data, threshold=0) == list(bits)
        assert printed.counted_bits(data[: sum(bits)], threshold=1) == [0] * sum(bits)
    data = printed.counting_instance((1, 0, 1, 1, 1))
    assert data == (1, 3, 4, 5, 6)
    assert not any(printed.counted_bits(data, threshold=1))


def test_a_certificate_holds():
    status, _ = seqsep_check.check(certify("counting-state", length=3))
    assert status == 0
    assert "least-state: counting: alphabet 5, length 5, rows 126, state_bits 7" in held(certify("counting-state", length=5))
    with pytest.raises(ValueError, match="the checker's work is 7,824,960, at most 4,000,000"):
        certify("counting-state", length=8)
    with pytest.raises(ValueError, match="at most 5,242,880"):
        certify("counting-state", length=10)


def test_a_trained_models_shape_must_fit(tmp_path):
    torch.manual_seed(0)
    model = Model.build(14, 14, 40, ("lstm",), 4, 1, 1.0, 0.5)
    path = tmp_path / "lstm.safetensors"
    save_file({f"model.{name}": part for name, part in model.state_dict().items()}, path, describe(model))
    *_, lower = check(8, checkpoint=path)
    assert lower.measured == {"state_bits": 8}
    assert lower.bound == {"state_bits": 13}
    with pytest.raises(ValueError, match="expected 15 tokens"):
        check(9, checkpoint=path)
    with pytest.raises(ValueError, match="the bound says nothing"):
        check(5, mixer="mamba")


def test_the_applier_answers_every_input_of_its_length():
    apply = counting_state.predictor(3)
    for *tokens, query, threshold in itertools.product(range(3), repeat=5):
        expected = int(tokens.count(query) > threshold)
        assert apply({"tokens": tokens, "query": query, "threshold": threshold}) == expected
    with pytest.raises(ValueError, match="tokens: expected 3 of them, found 2"):
        apply({"tokens": [1, 2], "query": 0, "threshold": 0})
