"""The worst case: failures of two committed checkpoints, planted ones, and what a least counterexample is."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

import seqsep
from seqsep.lab.audit.attacks import closest_pairs
from seqsep.lab.audit.questions import asking
from seqsep.lab.audit.reader import StateReader
from seqsep.lab.audit.worst import ATTACKS, worst_case
from seqsep.lab.run import Run
from seqsep.lab.train import evaluate
from seqsep.models.mixers import state_to_bytes
from seqsep.tasks import AssociativeRecall, Equality, IndexLookup
from support.planted_memories import planted

KEPT = Path(__file__).parents[3] / "results/audit"


@pytest.fixture(scope="module", params=["lstm", "mamba"])
def checkpoint(request):
    return request.param, *seqsep.load(KEPT / f"{request.param}.safetensors")


@pytest.mark.unchecked
def test_the_committed_checkpoints_are_good_on_average(checkpoint):
    name, model, run = checkpoint
    layers, width, parameters, accuracy = {"lstm": (2, 64, 66_882, 0.997), "mamba": (2, 32, 20_098, 0.98)}[name]
    assert (run.layers, run.width, run.task) == ((name,) * layers, width, Equality(20))
    assert sum(weight.numel() for weight in model.parameters()) == parameters
    assert evaluate(replace(run, evaluation=2000), model, 0).accuracy >= accuracy


@pytest.mark.unchecked
@pytest.mark.parametrize("seed", range(3))
def test_a_failure_is_found_within_ten_questions(checkpoint, seed):
    """By the pairs of closest states, for any seed, though fewer than one drawn question in fifty is answered wrong."""
    _, model, run = checkpoint
    found = worst_case(model, run.task, questions=900, seed=seed)
    attacks = {one.attack: one for one in found.attacks}
    assert attacks["closest"].first_wrong <= 10
    assert attacks["closest"].wrong > 0.1 * attacks["closest"].questions
    assert attacks["swaps"].interval[0] > 0.1
    assert attacks["drawn"].interval[0] < 0.02
    half = run.task.length // 2
    left, right = found.least.inputs[:half], found.least.inputs[half + 1 :]
    assert sum(one != other for one, other in zip(left, right, strict=True)) <= 2
    alone = torch.tensor([found.least.inputs])
    assert int(model(alone)[0, -1].argmax()) == found.least.answer != run.task.solve(found.least.inputs)
    assert 0 < found.worst_prefix_wrong <= found.worst_prefix_questions
    assert found.collision is None


@pytest.mark.unchecked
def test_a_dropped_state_is_a_collision():
    """Every prefix leaves one state, so the first pair is a proof; which answer is right is the task's word."""
    task = IndexLookup(length=6, alphabet=4)
    model = planted(task, kept=6, dropped=True)
    found = worst_case(model, task, questions=300)
    proof = found.collision.record()
    assert proof["expected"] == task.solve(tuple(proof["errs_on"])) != proof["answer"]
    assert tuple(proof["errs_on"][:-1]) in {tuple(prefix) for prefix in proof["prefixes"]}
    states = [model.prefill(torch.tensor([prefix])) for prefix in proof["prefixes"]]
    assert state_to_bytes(states[0][0], 0) == state_to_bytes(states[1][0], 0)
    assert found.least.inputs[:-1].count(0) >= 5
    assert "one state, bit for bit" in str(found)


@pytest.mark.unchecked
def test_a_forgotten_first_symbol_is_found_as_a_collision():
    """A window of two of six symbols: the pairs that differ early only leave one state."""
    run = Run(IndexLookup(6, alphabet=16), ("sliding-attention(window=2)",), width=8, heads=2)
    torch.manual_seed(0)
    model = run.model().eval()
    how = asking(run.task)
    assert closest_pairs(StateReader(model, 6), how, seed=1)[0][0] == 0.0
    assert worst_case(model, run.task, questions=300).collision is not None


@pytest.mark.unchecked
def test_a_model_without_errors_has_no_counterexample():
    task = IndexLookup(length=5, alphabet=4)
    found = worst_case(planted(task, kept=5), task, questions=600)
    assert (found.least, found.collision, found.worst_prefix) == (None, None, None)
    assert [one.attack for one in found.attacks] == list(ATTACKS)
    assert all(one.wrong == 0 and one.first_wrong is None for one in found.attacks)
    assert sum(one.questions for one in found.attacks) <= found.questions <= 600
    assert "this proves nothing about the others" in str(found)


@pytest.mark.unchecked
def test_a_prefix_without_a_wrong_answer_is_not_called_the_worst(checkpoint):
    """With a small budget none of the questions about a prefix may be answered wrong, though a pair with it was."""
    _, model, run = checkpoint
    found = worst_case(model, run.task, questions=300)
    assert found.least is not None
    assert (found.worst_prefix is None) == (found.worst_prefix_wrong == 0) == ("worst prefix" not in str(found))


@pytest.mark.unchecked
def test_a_planted_failure_is_made_least():
    """A model that drops symbol 5 errs wherever that is not 0; the least such input has one symbol that is not 0."""
    task = IndexLookup(length=5, alphabet=4)
    found = worst_case(planted(task, kept=4), task, questions=600)
    assert asking(task).size(found.least.inputs) == (1,)
    assert found.least.inputs[4] != 0
    assert found.least.inputs[5] == 4 + 4
    assert (found.worst_prefix_wrong, found.worst_prefix_questions) == (1, 5)


def test_too_few_questions_are_refused():
    task = IndexLookup(length=5, alphabet=4)
    with pytest.raises(seqsep.core.names.BadInput, match="expected questions from 60"):
        worst_case(planted(task, kept=5), task, questions=59)


@pytest.mark.unchecked
@pytest.mark.parametrize("task", [IndexLookup(100), Equality(40, alphabet=1024), AssociativeRecall(30, keys=50)], ids=repr)
def test_large_alphabets_and_lengths_are_not_enumerated(task):
    """Their edits are millions; the first answers are wrong, as the model is not trained."""
    torch.manual_seed(0)
    model = Run(task, ("lstm",), width=8).model().eval()
    found = worst_case(model, task, questions=200)
    assert any(one.wrong for one in found.attacks)
    assert task.solve(found.least.inputs) == found.least.expected


@pytest.mark.unchecked
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "task",
    [IndexLookup(3, alphabet=3), Equality(6), AssociativeRecall(2, values=3), AssociativeRecall(2, keys=3, values=2)],
    ids=repr,
)
def test_the_worst_of_all_inputs_is_that_of_brute_force(task, seed):
    """Every input as a product of what the task draws, asked one by one and graded by `task.solve`."""
    torch.manual_seed(seed)
    model = Run(task, ("lstm",), width=8).model().eval()
    how = asking(task)
    drawn = task.sample(0, 4000, seed=1, evaluate=True).inputs
    inputs = sorted({tuple(row) for row in drawn.tolist()})
    assert sorted(how.every_input()) == inputs
    assert how.inputs() == len(inputs)
    wrong = [given for given in inputs if int(model(torch.tensor([given]))[0, -1].argmax()) != task.solve(given)]
    found = worst_case(model, task, questions="all")
    assert found.record() == worst_case(model, task, questions=max(60, len(inputs))).record()
    assert (found.inputs, found.questions) == (len(inputs), len(inputs))
    assert [(one.attack, one.wrong) for one in found.attacks] == [("all", len(wrong))]
    by_prefix = [sum(given[: how.prefix_tokens] == prefix for given in wrong) for prefix in how.every_prefix()]
    assert found.worst_prefix_wrong == max(by_prefix)
    assert sum(given[: how.prefix_tokens] == found.worst_prefix for given in wrong) == max(by_prefix)
    assert how.size(found.least.inputs) == min(map(how.size, wrong))
    assert f"all inputs were tested, {len(inputs)}: {len(wrong)} are answered wrong" in str(found)


@pytest.mark.unchecked
def test_all_inputs_right_is_a_proof_and_said_so():
    task = IndexLookup(length=3, alphabet=4)
    found = worst_case(planted(task, kept=3), task, questions="all")
    assert (found.least, found.worst_prefix, found.collision) == (None, None, None)
    assert str(found).startswith("all inputs were tested, 192: each is answered right\n")
    assert "proves nothing" not in str(found)
    assert found.records()[0]["interval"] == "exact"


@pytest.mark.unchecked
def test_equal_states_are_found_among_all_prefixes():
    """Of three symbols the last is dropped: prefixes that differ there leave one state, and nothing else is wrong."""
    task = IndexLookup(length=3, alphabet=4)
    found = worst_case(planted(task, kept=2), task, questions="all")
    first, second = found.collision.prefixes
    assert first[:2] == second[:2]
    assert first[2] != second[2]
    assert found.attacks[0].wrong == 4**3 * 3 // 4
    assert found.least.inputs == (0, 0, 1, 4 + 2)


def test_too_many_inputs_are_not_all_asked():
    task = IndexLookup(length=20, alphabet=4)
    with pytest.raises(seqsep.core.names.BadInput, match="expected a task of at most 1,048,576 inputs"):
        worst_case(planted(task, kept=5), task, questions="all")
