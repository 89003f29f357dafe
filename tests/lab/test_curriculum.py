"""A curriculum: mixed lengths first, then one length; and the accuracy in tenths of the positions at a run's end."""

import pytest
import torch

from seqsep.lab.run import Run
from seqsep.lab.sound_row import require_result
from seqsep.lab.train import accuracy_by_tenth, evaluate, train, training_batches
from seqsep.tasks import Equality, IndexLookup

TASK = IndexLookup(12, alphabet=4, training_inputs="full-length")


def run_of(task=TASK, **changed) -> Run:
    return Run(task, ("lstm",), **{"width": 8, "steps": 8, "batch": 16, "evaluate_every": 8, "evaluation": 60} | changed)


def test_mixed_lengths_come_first_then_the_full_length():
    run = run_of(mixed_steps=3)
    batches = list(training_batches(run, 0))
    assert [len(set(batch.lengths)) > 1 for batch in batches] == [True] * 3 + [False] * 5
    for step, batch in enumerate(batches):
        task = IndexLookup(12, alphabet=4) if step < 3 else TASK
        expected = task.sample(16 * step, 16, 0)
        assert (batch.lengths == expected.lengths).all()
        assert (batch.targets == expected.targets[:, : batch.targets.shape[1]]).all()


@pytest.mark.parametrize("first", [1, 3, 5])
def test_a_resumed_run_continues_in_its_part(first):
    run = run_of(mixed_steps=3)
    for whole, resumed in zip(list(training_batches(run, 0))[first:], training_batches(run, first), strict=True):
        assert (whole.inputs == resumed.inputs).all()


def test_the_rate_falls_after_the_mixed_lengths():
    run = run_of(mixed_steps=4, decay="linear", learning_rate=1.0)
    assert [run.rate_at(step) for step in range(8)] == [1.0, 1.0, 1.0, 1.0, 1.0, 0.75, 0.5, 0.25]


def test_a_task_that_mixes_lengths_already_is_refused():
    with pytest.raises(ValueError, match="mixed_steps: the task draws mixed lengths itself"):
        run_of(IndexLookup(12), mixed_steps=3)
    with pytest.raises(ValueError, match="mixed_steps is at least 0, found -1"):
        run_of(mixed_steps=-1)


def test_a_run_without_a_curriculum_keeps_its_key():
    assert "mixed_steps" not in run_of().configuration()
    assert run_of(mixed_steps=2).key() != run_of().key()


class OfHalf(torch.nn.Module):
    """Answer the first half of the positions right and the others wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.device_of_it = torch.nn.Parameter(torch.zeros(()))

    def forward(self, inputs, at):
        positions = inputs[torch.arange(len(inputs)), at] - TASK.alphabet
        symbols = inputs[torch.arange(len(inputs)), positions]
        answers = torch.where(positions < TASK.length // 2, symbols, (symbols + 1) % TASK.alphabet)
        return torch.nn.functional.one_hot(answers, TASK.classes).float()


@pytest.mark.unchecked
def test_the_accuracy_of_each_tenth():
    """Of 12 positions the tenths hold 2, 1, 1, 1, 1, 2, 1, 1, 1, 1; the first five hold positions 1 to 6."""
    run = run_of(evaluation=500)
    assert accuracy_by_tenth(run, OfHalf()) == (1.0,) * 5 + (0.0,) * 5
    of_equality = run_of(Equality(12))
    assert accuracy_by_tenth(of_equality, of_equality.model()) is None


def test_a_row_has_tenths_whose_mean_is_the_accuracy():
    run = run_of(evaluation=600)
    model, result = train(run)
    batch = TASK.sample(0, 600, 0, evaluate=True)
    tenths = 10 * (TASK.query_positions(batch) - 1) // 12
    mean = sum((tenths == tenth).mean() * share for tenth, share in enumerate(result.accuracy_by_tenth))
    assert mean == pytest.approx(result.accuracy) == evaluate(run, model, 8).accuracy
    require_result(result.record())


@pytest.mark.parametrize(
    ("tenths", "found"),
    [
        ([0.5] * 9, "expected 10 shares, found 9"),
        ([0.5] * 9 + [1.5], "tenth 10: expected a number of 0 to 1, found 1.5"),
        (0.5, "expected a list of ten shares, found 0.5"),
    ],
)
def test_a_row_with_impossible_tenths_is_refused(tenths, found):
    run = run_of(steps=1, evaluate_every=1, evaluation=5)
    record = train(run)[1].record() | {"accuracy_by_tenth": tenths}
    with pytest.raises(ValueError, match=f"result.accuracy_by_tenth.*{found}"):
        require_result(record)
