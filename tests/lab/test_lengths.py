"""Test lengths of a run: what the model does on other lengths is in its row."""

import re
from dataclasses import replace

import numpy as np
import pytest

from seqsep.lab.device import environment
from seqsep.lab.estimate import estimate
from seqsep.lab.row import Row, Rows
from seqsep.lab.run import Run
from seqsep.lab.train import evaluate, parts_of, train
from seqsep.tasks import TASKS, Batch, IndexLookup, InductionHeads, ModularCount

TASK = ModularCount(6)


def run_of(task=TASK, layers=("lstm",), **changed) -> Run:
    small = {"width": 8, "steps": 4, "batch": 4, "evaluate_every": 2, "evaluation": 40, "test_lengths": (9, 12)}
    return Run(task, layers, **small | changed)


def row_of(run: Run, **changed) -> Row:
    result = train(run)[1].record() | changed
    return Row("trial", run.key(), run.configuration(), result, environment())


def test_a_result_has_the_accuracy_at_each_length():
    run = run_of()
    model, result = train(run)
    expected = [evaluate(run_of(ModularCount(length), test_lengths=()), model, 4).accuracy for length in (9, 12)]
    assert result.accuracy_by_length == ((9, expected[0]), (12, expected[1]))
    assert result.accuracy == evaluate(run, model, 4).accuracy
    assert train(run_of(test_lengths=()))[1].accuracy_by_length is None


OWN_TOKENS = {"index-lookup", "is-tree", "multi-query-recall", "parity-conditioned-recall"}
"""Tasks with a token for each place, vertex or pair: another length has other tokens."""
SAME_TOKENS = {
    "associative-recall": {"keys": 40},
    "counting": {"alphabet": 6, "thresholds": 8},
    "ngram-retrieval": {"alphabet": 5},
}
"""Fields with which the tokens of a task do not depend on its length."""


@pytest.mark.parametrize("kind", TASKS, ids=lambda kind: kind.name)
def test_every_task_is_tested_at_other_lengths_or_refused(kind):
    task = kind(12, **SAME_TOKENS.get(kind.name, {}))
    if kind.name in OWN_TOKENS:
        with pytest.raises(ValueError, match="expected test lengths with the same tokens"):
            run_of(task, test_lengths=(10, 24))
    else:
        found = train(run_of(task, steps=2, test_lengths=(10, 24)))[1].accuracy_by_length
        assert [length for length, _ in found] == [10, 24]


def test_a_paused_run_has_no_tests_and_a_resumed_one_has_them(tmp_path):
    run = run_of()
    saved = []
    _, paused = train(run, tmp_path / "run", on_checkpoint=lambda step, digest: saved.append(digest), until=2)
    assert (paused.status, paused.accuracy_by_length) == ("paused", None)
    resumed = train(run, tmp_path / "run", resume_digest=saved[-1])[1]
    assert resumed == train(run)[1]


def test_a_configuration_is_read_back():
    run = run_of(test_lengths=[12, 9])
    assert run.configuration()["test_lengths"] == [12, 9]
    assert Run.from_configuration(run.configuration()) == run
    assert "test_lengths" not in run_of(test_lengths=()).configuration()
    assert run.key() != run_of().key()


def test_a_row_is_written_read_and_shown():
    row = row_of(run_of())
    assert Row.from_json(row.to_json()) == row
    other = row_of(run_of(test_lengths=()))
    shown = Rows([row, other]).records()
    assert [one["accuracy_at_9"] for one in shown] == [dict(row.result["accuracy_by_length"])[9], None]
    assert "accuracy_at_9" not in Rows([other]).records()[0]


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([[9, 0.5]], "expected the lengths (9, 12), found [9]"),
        ([[9, 0.5], [12, 1.5]], "pair 2: accuracy: expected a number of 0 to 1, found 1.5"),
        ([[9, 0.5], [9, 0.5]], "expected different lengths"),
        ([[9, 0.5], 12], "pair 2: expected a length and a share, found 12"),
        ([[-9, 0.5]], "pair 1: length: expected a whole number"),
        (0.5, "expected a list of pairs, found 0.5"),
    ],
)
def test_a_row_with_impossible_tests_is_refused(pairs, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        Row.from_json(row_of(run_of(), accuracy_by_length=pairs).to_json())


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: run_of(test_lengths=(0,)), "test_lengths are different whole numbers from 1, found (0,)"),
        (lambda: run_of(test_lengths=(9, 9)), "test_lengths are different whole numbers from 1, found (9, 9)"),
        (lambda: run_of(test_lengths=9), "test_lengths are different whole numbers from 1, found 9"),
        (
            lambda: run_of(IndexLookup(6, alphabet=4)),
            "expected test lengths with the same tokens, found 13 tokens at 9, 10 at 6",
        ),
        (lambda: run_of(layers=("attention",)), "found 9 tokens and learned positions for 6"),
    ],
)
def test_a_run_that_cannot_be_tested_is_refused(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()


def test_shorter_inputs_may_have_learned_positions():
    run = run_of(layers=("attention",), test_lengths=(3,))
    assert [length for length, _ in train(run)[1].accuracy_by_length] == [3]
    assert estimate([run]) > 0


def test_single_answers_are_scored_at_each_test_length():
    """Of a task with several answers; a single one is right at least as often as all of them."""
    run = Run(ModularCount(6), ("lstm",), width=8, steps=2, evaluation=40, evaluate_every=2, test_lengths=(9, 20))
    _, result = train(run)
    together = dict(result.accuracy_by_length)
    single = dict(result.accuracy_per_answer_by_length)
    assert list(single) == [9, 20]
    assert all(single[length] > together[length] for length in single)
    _, of_one = train(replace(run, task=InductionHeads(6, alphabet=4)))
    assert of_one.accuracy_per_answer_by_length is None


@pytest.mark.parametrize(("length", "most"), [(100, 250), (128, 250), (256, 62), (20_000, 1)])
def test_long_inputs_are_evaluated_in_smaller_parts(length, most):
    zeros = np.zeros((300, length), dtype=np.int64)
    block = Batch(zeros, zeros, np.full(300, length))
    sizes = [len(part.lengths) for part in parts_of(block)]
    assert max(sizes) == most
    assert sum(sizes) == 300
