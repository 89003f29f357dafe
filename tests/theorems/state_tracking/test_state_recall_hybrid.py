"""State-based recall by a hybrid: every small input, long inputs, what each half needs, and weights that are spoiled."""

import dataclasses
import json
from itertools import product

import numpy as np
import pytest

import seqsep_check
from seqsep.maths.networks.network import whole
from seqsep.tasks import StateBasedRecall
from seqsep.theorems import TheoremFails, bound
from seqsep.theorems.certificate import certify
from seqsep.theorems.protocols.machine import as_machine
from seqsep.theorems.state_tracking import _state_recall as recall
from seqsep.theorems.state_tracking import state_recall_hybrid as theorem
from seqsep.theorems.state_tracking.state_recall_hybrid import check_attention, check_hybrid, hybrid

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def task_of(length, cells, values):
    return StateBasedRecall(length, cells=cells, values=values)


@pytest.mark.parametrize("sizes", [(3, 2, 3), (2, 3, 2), (1, 4, 3)])
def test_every_input_of_small_tasks(sizes):
    outcome = check_hybrid(task_of(*sizes), "nearest", seed=0)
    length, cells, values = sizes
    assert outcome.exhaustive
    assert outcome.inputs == length * values**cells * {2: 2, 3: 6, 4: 24}[cells] ** length
    assert outcome.margin.least == outcome.margin.proved == 2


def test_400_permutations_with_five_states():
    outcome = check_hybrid(task_of(400, 5, 64), "floor", seed=1, count=3)
    assert (outcome.measured["precision"], outcome.measured["state_numbers"], outcome.measured["values"]) == (4, 5, 2)
    run = hybrid(5, 64).run(task_of(40, 5, 64).sample(0, 3, seed=0, evaluate=True).inputs)
    assert len(np.unique(run.states.reshape(-1, 5), axis=0)) == 5
    assert (run.states.sum(axis=2) == 1).all()


def test_right_answers_are_those_of_the_task():
    task = task_of(7, 4, 3)
    tokens, exhaustive = recall.inputs_of(task, seed=2)
    at = np.broadcast_to(recall.places(task), (len(tokens), 7))
    answers = recall.answers_to(task, tokens, at)
    assert not exhaustive
    for word, found in zip(tokens.tolist(), answers.tolist(), strict=True):
        assert [task.solve(tuple(word[: place + 1])) for place in range(4, 11)] == found


SPOILED = {
    "the pointer begins at cell 1": lambda one: _with_recurrence(one, start=np.roll(one.recurrence.start, 1)),
    "values do not move the state": lambda one: _with_recurrence(one, moves=one.recurrence.moves[[1, *range(1, 7)]]),
    "permutations are inverted": lambda one: _with_recurrence(one, moves=_inverted(one.recurrence.moves)),
    "each token reads after its step": lambda one: _with_recurrence(one, reads_before=np.zeros(7, dtype=bool)),
    "each token reads before its step": lambda one: _with_recurrence(one, reads_before=np.ones(7, dtype=bool)),
    "permutations are read": lambda one: dataclasses.replace(one, symbols=one.symbols * (np.arange(11) != 1)),
    "the read-out is negated": lambda one: _with_network(one, readout=whole(-one.network.readout.integers)),
}


def _inverted(moves):
    return np.concatenate([moves[:1], moves[1:].swapaxes(1, 2)])


def _with_recurrence(one, **fields):
    return dataclasses.replace(one, recurrence=dataclasses.replace(one.recurrence, **fields))


def _with_network(one, **fields):
    return dataclasses.replace(one, network=dataclasses.replace(one.network, **fields))


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_weight_is_found_out(monkeypatch, name):
    honest = hybrid
    monkeypatch.setattr(theorem, "hybrid", lambda *sizes: SPOILED[name](honest(*sizes)))
    with pytest.raises(TheoremFails, match="found = "):
        check_hybrid(task_of(2, 3, 4), "floor", seed=0)


@pytest.mark.parametrize(("cells", "most"), [(2, 6), (3, 4), (4, 2)])
def test_states_are_counted(cells, most):
    for values in range(2, most + 1):
        lists = values**cells
        expected = lists if cells == 2 else cells * lists - (cells - 1) * values
        assert recall.count_states(cells, values) == recall.states_needed(cells, values) == expected
    assert bound("state-based-recall-hybrid", cells=5, alphabet=64)["recurrent_bits"] == 33


@pytest.mark.parametrize(("cells", "alphabet", "states"), [(3, 2, 20), (3, 3, 75), (4, 2, 58), (2, 5, 25)])
def test_the_certificate_has_all_states(cells, alphabet, states):
    data = certify("state-based-recall-hybrid", cells=cells, alphabet=alphabet)
    status, line = seqsep_check.check(data)
    assert status == 0, line
    assert f"rows {states}, " in line
    given = json.loads(data)
    values = np.reshape(given["task"]["values"], given["task"]["alphabets"])
    task = task_of(2, cells, alphabet)
    for *symbols, first in given["witness"]["rows"][::5]:
        for second in range(values.shape[-1]):
            word = (*symbols, alphabet + first, alphabet + second)
            assert values[(*symbols, first, second)] == task.solve(word)
    same = {tuple(values[tuple(row)]) for row in np.argwhere(np.ones(values.shape[:-1], dtype=bool)).tolist()}
    assert len(same) == states


def test_too_many_inputs_for_a_certificate():
    with pytest.raises(ValueError, match="expected at most 200,000 inputs, found 377,913,600"):
        certify("state-based-recall-hybrid", cells=6)


def test_another_count_of_states_is_found_out(monkeypatch):
    monkeypatch.setattr(recall, "states_needed", lambda cells, alphabet: cells * alphabet**cells)
    with pytest.raises(TheoremFails, match="lists of answers = 20"):
        theorem.check_recurrent(3, 2)


def test_a_smaller_recurrence_is_wrong_and_the_exact_one_right():
    lists = recall.PointedLists.of(3, 2)
    exact = lists.kept(5)
    for *values, first, second in product(range(2), range(2), range(2), range(6), range(6)):
        tokens = (*values, 2 + first, 2 + second)
        assert exact.answer(tokens) == lists.recall.solve(tokens)
    outcome = theorem.state_bound(3, 2).outcome("small", as_machine(exact.cut_down(4)), seed=0)
    assert lists.recall.solve(tuple(outcome.witness["errs_on"])) == outcome.witness["expected"] != outcome.witness["answer"]


def test_attention_without_a_recurrence_is_wrong():
    task = task_of(1, 3, 4)
    outcome = check_attention(task, "nearest", 1, networks=6, seed=1)
    assert 0 < outcome.measured["repeats"] <= outcome.bound["repeats"] == 9
    assert task.solve(tuple(outcome.witness["errs_on"])) != outcome.witness["answer"]


def test_a_late_change_is_found_out(monkeypatch):
    monkeypatch.setattr(theorem, "repeats", lambda grid, layers: 1)
    with pytest.raises(TheoremFails, match="last change = "):
        check_attention(task_of(1, 3, 4), "nearest", 1, networks=12, seed=1)


def test_bad_inputs_are_named():
    right = {"values": [0, 1, 1], "permutations": [[0, 1, 2]]}
    for changed, message in [
        ({"values": [0, 1]}, "values: expected 3 of them, found 2"),
        ({"values": [0, 1, 4]}, "values: expected 0 to 3, found 0 to 4"),
        ({"permutations": []}, "permutations: expected a list of 1 to 2 permutations, found 0 of them"),
        ({"permutations": [[0, 1, 2], [0, 0, 1]]}, "permutations: permutation 2 is"),
    ]:
        with pytest.raises(ValueError, match=message):
            theorem.predictor(2)(right | changed)
