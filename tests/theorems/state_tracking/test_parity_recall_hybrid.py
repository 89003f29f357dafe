"""Parity-conditioned recall by a hybrid: codes of values, hard inputs, what each half needs, and weights that are spoiled."""

import dataclasses
import json
from itertools import product

import numpy as np
import pytest

import seqsep_check
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import whole
from seqsep.tasks import ParityConditionedRecall
from seqsep.theorems import TheoremFails, bound
from seqsep.theorems.certificate import certify
from seqsep.theorems.protocols.machine import as_machine
from seqsep.theorems.state_tracking import _parity_recall as recall
from seqsep.theorems.state_tracking import parity_recall_hybrid as theorem
from seqsep.theorems.state_tracking._attention_alone import answers_after, drawn_attention, last_change, repeats
from seqsep.theorems.state_tracking.parity_recall_hybrid import check_hybrid, hybrid, value_codes

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize("alphabet", [*range(2, 18), 1001])
def test_a_reversed_value_has_the_negated_code(alphabet):
    codes = value_codes(alphabet)
    assert len(np.unique(codes, axis=0)) == alphabet
    assert np.array_equal(codes[::-1], -codes)
    assert {abs(entry) for entry in codes[: alphabet // 2].ravel().tolist()} == {1}


@pytest.mark.parametrize(("length", "alphabet"), [(1, 2), (2, 5), (3, 3), (3, 4)])
def test_every_input_of_small_tasks(length, alphabet):
    outcome = check_hybrid(length, alphabet, "nearest", seed=0)
    assert outcome.exhaustive
    assert outcome.inputs == recall.count_inputs(length, alphabet)
    assert outcome.margin.least == outcome.margin.proved == (0.5 if alphabet % 2 else 2)


def test_1024_keys_with_nine_values_a_number():
    outcome = check_hybrid(1024, 2, "floor", seed=1, count=2)
    assert (outcome.measured["precision"], outcome.measured["state_numbers"], outcome.measured["values"]) == (4, 11, 3)
    assert Grid(2).precision == 4
    assert bound("parity-conditioned-recall-hybrid", length=1024)["recurrent_bits"] == 1024


def test_inputs_are_those_of_the_task():
    task = ParityConditionedRecall(9, values=5)
    for some in recall.hard_inputs(9, 5, seed=2, count=4):
        assert [task.solve(tuple(tokens)) for tokens in some.tokens.tolist()] == some.answers.tolist()


SPOILED = {
    "an odd value keeps the sign": lambda one: _with_recurrence(one, moves=one.recurrence.moves[[0, 1, 1]]),
    "a key is added to the last key": lambda one: _with_recurrence(one, moves=one.recurrence.moves[[1, 1, 2]]),
    "the sign begins at 0": lambda one: _with_recurrence(one, start=0 * one.recurrence.start),
    "the state is read before the step": lambda one: _with_recurrence(one, reads_before=np.ones(3, dtype=bool)),
    "the query is 0": lambda one: _with_head(one, query=0),
    "the value is 0": lambda one: _with_head(one, value=0),
    "the read-out is negated": lambda one: _with_network(one, readout=whole(-one.network.readout.integers)),
}


def _with_recurrence(one, **fields):
    return dataclasses.replace(one, recurrence=dataclasses.replace(one.recurrence, **fields))


def _with_network(one, **fields):
    return dataclasses.replace(one, network=dataclasses.replace(one.network, **fields))


def _with_head(one, **factors):
    ((attention, feed_forward),) = one.network.layers
    fields = {name: whole(factor * getattr(attention.heads[0], name).integers) for name, factor in factors.items()}
    heads = (dataclasses.replace(attention.heads[0], **fields),)
    return _with_network(one, layers=((dataclasses.replace(attention, heads=heads), feed_forward),))


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_weight_is_found_out(monkeypatch, name):
    honest = hybrid
    monkeypatch.setattr(theorem, "hybrid", lambda *sizes: SPOILED[name](honest(*sizes)))
    with pytest.raises(TheoremFails, match="found = "):
        check_hybrid(3, 2, "floor", seed=0)


@pytest.mark.parametrize("alphabet", [2, 3, 4])
def test_lists_of_answers_are_counted(alphabet):
    for length in range(1, 6):
        halved = alphabet % 2 == 0 and length % 2 == 1
        counted = recall.AnswerLists.of(length, alphabet).count()
        assert counted == recall.answer_lists(length, alphabet) == alphabet**length // (2 if halved else 1)


def test_another_count_of_lists_is_found_out(monkeypatch):
    monkeypatch.setattr(recall, "answer_lists", lambda length, alphabet: alphabet**length)
    with pytest.raises(TheoremFails, match="lists of answers = 4"):
        theorem._check_recurrent(3, 2)


def test_a_smaller_recurrence_is_wrong_and_the_list_is_right():
    task = ParityConditionedRecall(4, values=3)
    exact = recall.AnswerLists.of(4, 3).kept(7)
    for values in product(range(3), repeat=4):
        tokens = recall.AnswerLists.of(4, 3).tokens(values)
        assert [exact.answer((*tokens, key)) for key in range(4)] == [task.solve((*tokens, key)) for key in range(4)]
    outcome = theorem.state_bound(4, 3).outcome("small", as_machine(exact.cut_down(4)), seed=0)
    assert task.solve(tuple(outcome.witness["errs_on"])) == outcome.witness["expected"] != outcome.witness["answer"]


@pytest.mark.parametrize(("length", "alphabet"), [(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (10, 2), (12, 2), (4, 3), (3, 4)])
def test_the_certificate_has_all_lists_of_answers(length, alphabet):
    data = certify("parity-conditioned-recall-hybrid", length=length, alphabet=alphabet)
    status, line = seqsep_check.check(data)
    assert status == 0, line
    assert f"rows {recall.answer_lists(length, alphabet)}, " in line
    given = json.loads(data)
    task = ParityConditionedRecall(length, values=alphabet)
    values = np.reshape(given["task"]["values"], given["task"]["alphabets"])
    for word in given["witness"]["rows"][::7]:
        tokens = recall.AnswerLists.of(length, alphabet).tokens(tuple(word))
        assert [int(values[(*word, key)]) for key in range(length)] == [task.solve((*tokens, key)) for key in range(length)]
    if length == 3 and alphabet == 2:
        given["witness"]["rows"].append([1, 1, 1])
        given["digest"] = seqsep_check.digest(given)
        assert seqsep_check.check(seqsep_check.canonical(given)) == (1, "rejected: two rows are equal")


def test_too_many_lists_for_a_certificate():
    with pytest.raises(ValueError, match="expected at most 4,096 lists of values, found 4,782,969"):
        certify("parity-conditioned-recall-hybrid", length=7, alphabet=9)


def test_attention_without_a_recurrence_is_wrong():
    outcome = theorem._check_attention(2, "nearest", 1, networks=12, seed=1)
    assert 0 < outcome.measured["repeats"] <= outcome.bound["repeats"] == 9
    task = ParityConditionedRecall(outcome.length, values=2)
    assert task.solve(tuple(outcome.witness["errs_on"])) != outcome.witness["answer"]


def test_a_late_change_is_found_out(monkeypatch):
    monkeypatch.setattr(theorem, "repeats", lambda grid, layers: 0)
    with pytest.raises(TheoremFails, match="last change = "):
        theorem._check_attention(2, "nearest", 1, networks=12, seed=1)


@pytest.mark.parametrize(("layers", "seeds"), [(1, 5), (2, 2)])
def test_repeats_of_a_word_of_two_letters_and_a_word_after_them(layers, seeds):
    """The lemma itself: after R copies of u the answer stays the same, with words before and after them."""
    grid = Grid(2)
    most = repeats(grid, layers)
    changes = []
    for seed in range(seeds):
        network = drawn_attention(grid, layers, 4, classes=3, width=3, generator=np.random.default_rng(seed))
        for after in ([], [2, 0]):
            words = [[2, *[0, 1] * copies, *after] for copies in range(most + 3)]
            changes.append(last_change(answers_after(network, words)))
    assert 0 < max(changes) <= most


def test_bad_inputs_are_named():
    for given, message in [
        ({"pairs": [[0, 1], [0, 0]], "query": 0}, "pairs: pair 2 has the key of pair 1"),
        ({"pairs": [[0, 2]], "query": 0}, "pairs: pair 1 is"),
        ({"pairs": [], "query": 0}, "pairs: expected a list of 1 to 4 pairs, found 0 of them"),
        ({"pairs": [[1, 1]], "query": 0}, "query: expected a key of the pairs, found 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            theorem.predictor(4)(given)
