"""Live and teacher-forced accuracy of models whose accuracy is known."""

import pytest
import torch

from seqsep.models.model import Model
from seqsep.models.thought_accuracy import thought_accuracy
from seqsep.tasks import IsTree

TRACES = ("vanilla", "cot", "retrieval", "peel", "walk")


class Writer(Model):
    """A model that writes after any text the token that a function of the text gives; its state is the text."""

    def __init__(self, task, write):
        torch.nn.Module.__init__(self)
        self.positions = None
        self.vocabulary = task.vocabulary
        self.write = write

    def start(self, batch):
        return ((torch.zeros(batch, 0, dtype=torch.int64),),)

    def prefill(self, inputs, state=None, t=0):
        return ((inputs,),)

    def advance(self, inputs, state, t):
        texts = torch.cat([state[0][0], inputs[:, None]], dim=1)
        written = [self.write(tuple(text)) for text in texts.tolist()]
        return torch.eye(self.vocabulary)[written], ((texts,),)

    def forward(self, inputs, at=None):
        state = self.start(len(inputs))
        logits = []
        for t in range(inputs.shape[1]):
            now, state = self.advance(inputs[:, t], state, t)
            logits.append(now)
        return torch.stack(logits, dim=1)


def solved(task):
    """The right next token wherever a model is asked for one."""

    def write(text):
        try:
            return task.solve(text)
        except ValueError:
            return 0

    return write


@pytest.mark.parametrize("trace", TRACES)
def test_the_definition_is_always_right(trace):
    """With a retriever that answers live, in the traces that have one."""
    task = IsTree(length=5, trace=trace, distribution="uniform")
    found = thought_accuracy(Writer(task, solved(task)), task, examples=6, at_once=4)
    assert found == (1.0, 1.0, 1.0, 0.0)


def test_an_answer_that_never_comes_counts_one_half():
    task = IsTree(length=5, trace="cot")
    found = thought_accuracy(Writer(task, lambda text: 1), task, examples=6)
    assert found == (0.5, 0.0, 0.0, 1.0)


def test_an_error_in_the_thought_is_undone_by_the_teacher():
    """The first token of the thought is wrong: live no answer comes, and after the right thought all are right."""
    task = IsTree(length=5, trace="cot")
    right = solved(task)
    model = Writer(task, lambda text: 0 if len(text) == task.prompt_tokens else right(text))
    assert thought_accuracy(model, task, examples=6) == (0.5, 1.0, 0.0, 1.0)


def test_yes_at_once_is_right_for_trees():
    """Live it answers without a thought; after the right thought it says yes too."""
    task = IsTree(length=8, trace="cot")
    yes = task.stops[1]
    batch = task.sample(start=3, count=20, seed=0, evaluate=True)
    trees = sum(task.answers(batch) == yes) / 20
    found = thought_accuracy(Writer(task, lambda text: yes), task, examples=20, start=3)
    assert (found.live, found.teacher_forced, found.whole, found.unanswered) == (trees, trees, 0.0, 0.0)
    assert 0 < trees < 1


def test_a_retriever_that_is_not_asked_leaves_no_answer(monkeypatch):
    """Spoiled on purpose: without what it finds the walk cannot go on, and live accuracy says so."""
    task = IsTree(length=5, trace="walk")
    monkeypatch.setattr(IsTree, "retriever", lambda self: None)
    found = thought_accuracy(Writer(task, solved(task)), task, examples=4)
    assert found == (0.5, 1.0, 1.0, 1.0)


@pytest.mark.parametrize("sizes", [{"examples": 0}, {"examples": 3, "at_once": 0}])
def test_no_examples_are_refused(sizes):
    task = IsTree(length=5)
    with pytest.raises(ValueError, match="expected at least 1 of each"):
        thought_accuracy(Writer(task, solved(task)), task, **sizes)
