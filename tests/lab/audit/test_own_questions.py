"""Audits of multi-query recall and of a user's own task that says what it asks."""

import math

import numpy as np
import pytest
import torch

from seqsep.core.names import BadInput
from seqsep.lab.audit.answer import audit
from seqsep.lab.audit.own_questions import OwnQuestions, RecallQuestions, audited
from seqsep.lab.audit.worst import worst_case
from seqsep.models.model import Model
from seqsep.models.plugins.load import PlugInFails
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import own_task
from seqsep.tasks import MultiQueryRecall

RECALLS = [MultiQueryRecall(8), MultiQueryRecall(9, keys=12, values=5), MultiQueryRecall.zoology(32, 3, vocab_size=32)]
OWN = '''
import numpy as np


class Memory:
    """N bits, then a position: which bit is there?"""
    independent_answers = 2

    def __init__(self, length):
        self.length = length
        self.vocabulary, self.classes, self.longest = 2 + length, 2, length + 1

    def sample(self, start, count, seed, evaluate=False):
        prefixes, asked, answers = self.questions(start, count, 2 * seed + evaluate)
        inputs = np.concatenate([prefixes, asked[:, 0]], axis=1)
        targets = np.full_like(inputs, -100)
        targets[:, -1] = answers[:, 0]
        return inputs, targets, np.full(count, self.longest)

    def questions(self, start, count, seed):
        streams = (np.random.default_rng([seed, start + i]) for i in range(count))
        bits = np.stack([stream.integers(2, size=self.length) for stream in streams])
        asked = np.broadcast_to(2 + np.arange(self.length)[:, None], (count, self.length, 1))
        return bits, asked.astype(np.int64), bits


class Silent(Memory):
    questions = None

    def sample(self, start, count, seed, evaluate=False):
        return Memory.sample(Memory(self.length), start, count, seed, evaluate)


class Dependent(Memory):
    independent_answers = None


class TooMany(Memory):
    independent_answers = 3


class Short(Memory):
    def questions(self, start, count, seed):
        return np.zeros((count, 3)), None, None
'''


@pytest.fixture(name="own")
def own_fixture(tmp_path):
    path = tmp_path / "memory.py"
    path.write_text(OWN)
    return lambda name: own_task(PlugIn.parse(f"{path}:{name}"), {"length": 4})


def model_of(task):
    torch.manual_seed(0)
    return Model.build(vocabulary=task.vocabulary, classes=task.classes, longest=task.longest, layers=("lstm",), width=8).eval()


@pytest.mark.parametrize("task", RECALLS, ids=repr)
def test_the_answers_are_those_of_the_task(task):
    """Each prefix with one of its keys is the beginning of an example, and has the answer of `solve`."""
    asked = RecallQuestions(task).drawn(20, seed=3)
    for prefix, continuations, answers in zip(asked.prefixes, asked.continuations, asked.answers, strict=True):
        expected = [task.solve((*prefix.tolist(), *one)) for one in continuations.tolist()]
        assert answers.tolist() == expected


def test_what_perfect_answers_prove_is_the_entropy_of_the_values():
    """Independent values have n log2 S bits; n different ones of S have log2 (S! / (S - n)!)."""
    paper = RecallQuestions(MultiQueryRecall(8, values=16))
    assert paper.carried([1.0] * 4) == pytest.approx(16)
    assert paper.least_bits(1.0) == 16
    zoology = RecallQuestions(MultiQueryRecall.zoology(32, 3, vocab_size=32))
    assert zoology.carried([1.0] * 3) == pytest.approx(math.log2(16 * 15 * 14))
    assert zoology.carried([0.1] * 3) == 0


def test_a_model_of_recall_is_audited():
    task = MultiQueryRecall(4, values=4)
    found = audit(model_of(task), task, questions=100)
    assert len(found.places) == 2
    assert (found.all_right_bits, found.stored_bits) == (task.answer_bits(), 512)
    assert found.carries_at_least_bits == 0


def test_an_own_task_that_says_what_it_asks_is_audited(own):
    task = own("Memory")
    found = audit(model_of(task), task, questions=100)
    assert (len(found.places), found.stored_bits, found.all_right_bits) == (4, 512, None)
    how = audited(task)
    assert how.carried([1.0] * 4) == pytest.approx(4)
    assert how.carried([0.75] * 4) == pytest.approx(4 * (1 + 0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)))


def test_dependent_answers_prove_nothing(own):
    assert OwnQuestions(own("Dependent")).carried([1.0] * 4) == 0


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("Silent", BadInput, r"expected a method questions\(start, count, seed\)"),
        ("TooMany", PlugInFails, "independent_answers: expected 1 to 2, found 3"),
        ("Short", PlugInFails, "questions: expected three int64 arrays"),
    ],
)
def test_a_task_that_says_it_wrongly_is_refused(own, name, error, words):
    with pytest.raises(error, match=words):
        audited(own(name))


def test_a_search_for_failures_names_the_tasks_without_one():
    task = MultiQueryRecall(4)
    with pytest.raises(BadInput, match="audited without a search"):
        worst_case(model_of(task), task, questions=100)


def test_prefixes_depend_on_the_seed():
    how = RecallQuestions(MultiQueryRecall(8))
    assert not np.array_equal(how.drawn(5, 1).prefixes, how.drawn(5, 2).prefixes)
