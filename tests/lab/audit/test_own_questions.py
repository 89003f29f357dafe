"""Audits of multi-query recall and of a user's own task that says what it asks."""

import math
from itertools import islice, product

import numpy as np
import pytest
import torch

from seqsep.core.names import BadInput
from seqsep.lab.audit.answer import audit
from seqsep.lab.audit.asker import Asker
from seqsep.lab.audit.own_questions import OwnQuestions, RecallQuestions, audited, searched
from seqsep.lab.audit.worst import ATTACKS, worst_case
from seqsep.lab.run import Run
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


class Solved(Memory):
    def solve(self, tokens):
        return tokens[tokens[-1] - 2]


class Known(Solved):
    def alphabets(self, length):
        return (*[range(2)] * length, range(2, 2 + length))


class Contrary(Memory):
    def solve(self, tokens):
        return 1 - tokens[tokens[-1] - 2]


class Narrow(Solved):
    def alphabets(self, length):
        return (*[range(1)] * length, range(2, 2 + length))


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
    return lambda name, length=4: own_task(PlugIn.parse(f"{path}:{name}"), {"length": length})


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


SMALL_RECALLS = [
    MultiQueryRecall(4, values=3),
    MultiQueryRecall(5, keys=3, values=2),
    MultiQueryRecall.zoology(8, 2, vocab_size=8),
    MultiQueryRecall(8, keys=3, values=2, form="zoology", pairs=2),
]


@pytest.mark.parametrize("task", SMALL_RECALLS, ids=repr)
def test_the_worst_of_all_first_queries_is_that_of_brute_force(task):
    """The inputs are all prefixes that the task draws, each with each of its keys, graded by `task.solve`."""
    model, how = model_of(task), searched(task)
    prefixes = {tuple(row[: how.prefix_tokens]) for row in task.sample(0, 4000, 1, evaluate=True).inputs.tolist()}
    inputs = sorted((*prefix, key) for prefix in prefixes for key in prefix[::2])
    assert sorted(how.every_input()) == inputs
    assert how.inputs() == len(inputs)
    wrong = [given for given in inputs if int(model(torch.tensor([given]))[0, -1].argmax()) != task.solve(given)]
    found = worst_case(model, task, questions="all")
    assert (found.inputs, found.attacks[0].wrong) == (len(inputs), len(wrong))
    assert how.size(found.least.inputs) == min(map(how.size, wrong))


@pytest.mark.parametrize("task", RECALLS, ids=repr)
@pytest.mark.parametrize("seed", range(2))
def test_a_search_in_recall_asks_inputs_of_the_task(task, seed):
    """Each wrong input is a prefix of the task with one of its keys, also after changes: in zoology its values differ."""
    asker, how = Asker(model_of(task), task), searched(task)
    random = np.random.default_rng(seed)
    for prefix in map(tuple, how.drawn(20, seed).prefixes.tolist()):
        changed = [how.edited(prefix, distance, random) for distance in (1, 2)]
        changed += [*how.swaps(prefix), *islice(how.edits(prefix, 1), 5), how.moved((*prefix, prefix[0]), random)[:-1]]
        assert all(how.is_prefix(one) and one[::2] == prefix[::2] for one in changed if one is not None)
        assert changed[0] != prefix != changed[1]
    found = worst_case(asker.model, task, questions=200, seed=seed)
    assert [one.attack for one in found.attacks] == list(ATTACKS)
    assert all(one.questions for one in found.attacks)
    assert how.is_prefix(found.least.inputs[:-1])
    assert found.least.inputs[-1] in found.least.inputs[:-1:2]
    assert task.solve(found.least.inputs) == found.least.expected != found.least.answer


def test_values_that_are_all_in_use_cannot_change_by_themselves():
    task = MultiQueryRecall(8, keys=40, values=3, form="zoology", pairs=3)
    found = worst_case(model_of(task), task, questions=200)
    asked = {one.attack: one.questions for one in found.attacks}
    assert (asked["edits-1"], asked["swaps"] > 0, asked["edits-2"] > 0) == (0, True, True)
    assert found.records()[2]["interval"] == "-"
    assert "is right, the model answers token" in str(found)


def test_a_forgotten_pair_is_a_collision():
    """A window of two tokens after three pairs: prefixes that differ in the first pair only leave one state."""
    task = MultiQueryRecall(6, values=4)
    torch.manual_seed(0)
    run = Run(task, ("sliding-attention(window=2)",), width=8, heads=2)
    found = worst_case(run.model().eval(), task, questions=300)
    first, second = found.collision.prefixes
    assert first[-2:] == second[-2:]
    assert found.collision.expected == task.solve(tuple(found.collision.errs_on)) != found.collision.answer


def test_an_own_task_with_alphabets_is_searched_by_every_attack(own):
    """With its 64 inputs all are asked; with 8 bits and fewer questions than inputs, they are changed."""
    task = own("Known")
    model = model_of(task)
    found = worst_case(model, task, questions=100)
    inputs = [(*bits, at) for bits in product(range(2), repeat=4) for at in range(2, 6)]
    wrong = [given for given in inputs if int(model(torch.tensor([given]))[0, -1].argmax()) != given[given[-1] - 2]]
    assert (found.inputs, found.attacks[0].wrong) == (64, len(wrong))
    longer = own("Known", 8)
    found = worst_case(model_of(longer), longer, questions=300)
    assert [one.attack for one in found.attacks] == list(ATTACKS)
    assert all(one.questions for one in found.attacks)
    assert searched(longer).size(found.least.inputs) <= (2,)
    assert longer.solve(found.least.inputs) == found.least.expected != found.least.answer


def test_an_own_task_without_alphabets_is_asked_as_it_draws(own):
    task = own("Solved", 8)
    found = worst_case(model_of(task), task, questions=300)
    assert [one.attack for one in found.attacks] == ["closest", "drawn"]
    assert task.solve(found.least.inputs) == found.least.expected != found.least.answer
    with pytest.raises(BadInput, match=r"at most 1,048,576 inputs.*whose alphabets are not known"):
        worst_case(model_of(task), task, questions="all")


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("Memory", BadInput, r"Memory: expected a method solve\(tokens\)"),
        ("Contrary", PlugInFails, "questions: expected the answer . of solve after .*, found "),
        ("Narrow", PlugInFails, "questions: expected tokens of alphabets, found "),
    ],
)
def test_an_own_task_whose_methods_do_not_fit_is_refused(own, name, error, words):
    with pytest.raises(error, match=words):
        worst_case(model_of(own(name)), own(name), questions=100)


def test_prefixes_depend_on_the_seed():
    how = RecallQuestions(MultiQueryRecall(8))
    assert not np.array_equal(how.drawn(5, 1).prefixes, how.drawn(5, 2).prefixes)
