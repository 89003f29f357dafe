"""Questions of a batch: where they are, and that those put after them count for nothing."""

import numpy as np
import pytest
import torch

from seqsep.lab.run import Run
from seqsep.lab.step import loss_of, questions_of
from seqsep.tasks import NOTHING_ASKED, Batch, Equality, IsTree


def batch_of(targets):
    targets = np.array(targets)
    return Batch(np.arange(targets.size).reshape(targets.shape), targets, np.full(len(targets), targets.shape[1]))


NONE = NOTHING_ASKED


@pytest.mark.parametrize(
    ("targets", "once", "at", "answers"),
    [
        ([[NONE, 5, NONE], [7, NONE, NONE]], True, [1, 0], [5, 7]),
        ([[NONE, 5, 6], [7, NONE, NONE]], False, [1, 2, 3], [5, 6, 7]),
        ([[4, 5, 6]], False, [0, 1, 2], [4, 5, 6]),
        ([[NONE, NONE], [3, 4]], False, [2, 3], [3, 4]),
        ([[NONE, NONE]], False, [], []),
    ],
)
def test_where_a_batch_asks(targets, once, at, answers):
    """Once only if each example asks once; else positions of all examples one after another."""
    found = questions_of(batch_of(targets))
    assert (found.once, found.at.tolist(), found.answers.tolist(), int(found.count)) == (once, at, answers, len(answers))


def test_a_shape_is_what_operations_depend_on():
    one, other = (questions_of(batch_of(targets)) for targets in ([[NONE, 5, 6]], [[4, 5, NONE]]))
    assert one.shape == other.shape
    assert one.shape != questions_of(batch_of([[4, 5, 6]])).shape
    assert one.shape != questions_of(batch_of([[NONE, 5, 6, NONE]])).shape
    assert len({questions_of(batch_of(targets)).shape for targets in ([[NONE, 5]], [[4, 5]])}) == 2


@pytest.mark.parametrize("task", [Equality(12, variant="next"), IsTree(4, trace="cot")], ids=lambda task: task.name)
@pytest.mark.parametrize("multiple", [1, 7, 64])
def test_what_is_put_after_the_questions_counts_for_nothing(task, multiple):
    """Loss and gradients with binary cross-entropy and with cross-entropy, and the number that the mean is taken over."""
    torch.manual_seed(0)
    run = Run(task, ("lstm",), width=8)
    model = run.model().double()
    questions = questions_of(task.sample(0, 5, 0))
    padded = questions.padded(multiple)
    assert len(padded.at) % multiple == 0 <= len(padded.at) - len(questions.at) < multiple
    assert padded.count == questions.count == len(questions.at)
    found, expected = loss_of(run, model, padded), loss_of(run, model, questions)
    assert torch.allclose(found, expected, rtol=1e-12)
    weights = list(model.parameters())
    for one, two in zip(torch.autograd.grad(found, weights), torch.autograd.grad(expected, weights), strict=True):
        assert torch.allclose(one, two, rtol=1e-9, atol=1e-12)


def test_another_batch_takes_the_same_memory():
    held, given = questions_of(batch_of([[NONE, 5, 6]])), questions_of(batch_of([[4, 8, NONE]]))
    parts = held.inputs, held.at, held.answers, held.count
    held.take(given)
    assert all(one is other for one, other in zip(parts, (held.inputs, held.at, held.answers, held.count), strict=True))
    assert (held.at.tolist(), held.answers.tolist()) == ([0, 1], [4, 8])
