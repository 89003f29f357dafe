"""The accuracy of single answers and of guessing: of tasks with several answers, and of a user's own tasks."""

import math

import numpy as np
import pytest

import seqsep
from seqsep.lab.answers import chance, guessing, limits, scores_answers
from seqsep.lab.row import Row, Rows
from seqsep.lab.run import Run
from seqsep.lab.sound_row import require_result
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import own_task
from seqsep.tasks import BY_NAME, BoundedDyck, IndexLookup, MultiQueryRecall

OWN_TASKS = '''
import numpy as np


class Induction:
    """Noise of S symbols with a mark in it; at the end the mark again: which symbol followed the first mark?"""

    def __init__(self, length, alphabet=15):
        self.vocabulary = self.classes = alphabet + 1
        self.longest = length + 1

    def sample(self, start, count, seed, evaluate=False):
        mark = self.vocabulary - 1
        length = self.longest - 1
        inputs = []
        answers = []
        for index in range(start, start + count):
            random = np.random.default_rng([seed, evaluate, index])
            tokens = random.integers(mark, size=length + 1)
            place = random.integers(length - 1)
            tokens[place] = tokens[length] = mark
            inputs.append(tokens)
            answers.append(tokens[place + 1])
        targets = np.full((count, length + 1), -100)
        targets[:, -1] = answers
        return np.stack(inputs), targets, np.full(count, length + 1)


class Copying:
    """M symbols among blanks, then M marks: each asks for the next symbol."""

    def __init__(self, length, data=4, alphabet=8, least_length=1):
        self.data, self.alphabet, self.least = data, alphabet, least_length
        self.vocabulary, self.classes, self.longest = alphabet + 2, alphabet, length + data

    def sample(self, start, count, seed, evaluate=False):
        length = self.longest - self.data
        inputs = np.full((count, self.longest), self.alphabet)
        inputs[:, length:] = self.alphabet + 1
        targets = np.full((count, self.longest), -100)
        for row in range(count):
            random = np.random.default_rng([seed, evaluate, start + row])
            places = np.sort(random.choice(length, self.data, replace=False))
            values = random.integers(self.alphabet, size=self.data)
            inputs[row, places] = targets[row, length:] = values
        return inputs, targets, np.full(count, self.longest)

    def answer_bits(self):
        return 3 * self.data


class Pointed(Copying):
    """The same with a single answer, and a queried position that is always the first."""

    def sample(self, start, count, seed, evaluate=False):
        inputs, targets, lengths = super().sample(start, count, seed, evaluate)
        targets[:, -3:] = -100
        return inputs, targets, lengths

    def query_positions(self, batch):
        return np.ones(len(batch.lengths), dtype=np.int64)
'''


@pytest.fixture(name="own")
def own_fixture(tmp_path):
    """A task of the file, by its class and fields."""
    path = tmp_path / "tasks.py"
    path.write_text(OWN_TASKS)
    return lambda name, **fields: own_task(PlugIn.parse(f"{path}:{name}"), fields)


def trained(task, **changes):
    settings = {"width": 8, "steps": 2, "batch": 4, "evaluate_every": 2, "evaluation": 300} | changes
    run = Run(task, ("lstm",), **settings)
    _, result = seqsep.train(run, progress=False)
    row = Row("trial", run.key(), run.configuration(), result.record(), {"torch": "2", "device": "cpu", "threads": 1})
    row.require_possible()
    return row


def test_the_table_of_induction_heads_shows_chance_and_loss(own):
    """A class that is no answer is not counted: guessing is right once in 15, though there are 16 classes."""
    row = trained(own("Induction", length=12))
    (shown,) = Rows([row]).records()
    assert shown["chance"] == 1 / 15
    assert shown["accuracy"] == shown["accuracy_per_answer"] == row.result["accuracy"]
    assert shown["loss_nats"] == pytest.approx(math.log(16), abs=0.3)
    assert shown["accuracy_low"] <= shown["accuracy"] <= shown["accuracy_high"]


def test_several_answers_are_counted_each(own):
    row = trained(own("Copying", length=8))
    result = row.result
    assert result["accuracy"] < 0.02 < result["accuracy_per_answer"] < 0.3
    assert (result["chance_per_answer"], result["chance"], result["answer_bits"]) == (1 / 8, 1 / 8**4, 12)
    tenths = result["accuracy_by_tenth"]
    assert [share is None for share in tenths] == [True] * 6 + [False] * 4
    answered = [share for share in tenths if share is not None]
    assert np.mean(answered) == pytest.approx(result["accuracy_per_answer"])


def test_an_own_task_may_say_which_position_it_queries(own):
    tenths = trained(own("Pointed", length=8)).result["accuracy_by_tenth"]
    assert [share is None for share in tenths] == [False] + [True] * 9


def test_an_own_task_can_have_a_curriculum(own):
    run = Run(own("Copying", length=8, least_length=8), ("lstm",), 8, steps=4, mixed_steps=2)
    assert [dict(run.training_task(step).options).get("least_length") for step in (1, 2)] == [None, 8]
    with pytest.raises(ValueError, match="a curriculum needs --least-length"):
        Run(own("Copying", length=8), ("lstm",), 8, steps=4, mixed_steps=2)


def test_recall_with_many_queries_has_both_numbers():
    row = trained(MultiQueryRecall(8))
    assert 0 < row.result["accuracy_per_answer"] < 0.2
    assert row.result["chance_per_answer"] == 1 / 64
    assert row.result["chance"] < 1e-6


def test_rows_of_other_tasks_have_no_new_numbers():
    """So a run that was made before has the same row."""
    result = trained(IndexLookup(5, alphabet=4)).result
    assert not {"accuracy_per_answer", "chance", "chance_per_answer", "answer_bits"} & result.keys()
    assert not scores_answers(BoundedDyck(8), BoundedDyck(8).sample(0, 4, 0).targets)


@pytest.mark.parametrize("name", list(BY_NAME))
def test_chance_is_a_share(name):
    assert 0 <= chance(BY_NAME[name](20)) <= 1


def test_guessing_takes_the_most_frequent_answer():
    answers = np.array([[0]] * 700 + [[1]] * 200 + [[2]] * 100)
    assert guessing(answers) == (0.7, 0.7)
    uniform = np.random.default_rng(0).integers(10, size=(500, 3))
    assert guessing(uniform) == (0.1, pytest.approx(0.001))
    assert guessing(np.full((2, 3), -100)) == (0.0, 0.0)


def test_the_interval_is_that_of_the_binomial_distribution():
    """At 0 of 100, the upper limit u solves (1 - u)^100 = 0.025."""
    assert limits(0.0, 100) == (0.0, pytest.approx(1 - 0.025**0.01))
    assert limits(1.0, 100) == (pytest.approx(0.025**0.01), 1.0)


@pytest.mark.parametrize(("name", "value"), [("accuracy_per_answer", 1.5), ("chance", "low"), ("answer_bits", -1)])
def test_an_impossible_number_in_a_row_is_refused(own, name, value):
    result = trained(own("Induction", length=4)).result | {name: value}
    with pytest.raises(ValueError, match=f"result.{name}: expected"):
        require_result(result)
