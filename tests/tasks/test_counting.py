"""Counting against its definition, its stated distribution, and the theorem's bits."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, Counting
from seqsep.theorems.retrieval import counting_state
from support.task_examples import assert_counts_are_near

TASKS = [
    Counting(20),
    Counting(1, alphabet=2),
    Counting(9, alphabet=3, thresholds=50, least_length=2),
    Counting(12, alphabet=40, thresholds=1),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task)


@pytest.mark.parametrize(("length", "alphabet", "thresholds"), [(3, 0, 3), (4, 2, 2), (2, 4, 9), (1, 3, 1)])
def test_every_input_is_the_definition(length, alphabet, thresholds):
    """More than t: the place of the (t + 1)-th occurrence exists."""
    task = Counting(length, alphabet, thresholds)

    def expected(word: tuple[int, ...]) -> int:
        *numbers, asked, threshold = word
        places = [place for place, number in enumerate(numbers) if number == asked]
        return int(bool(places[threshold:]))

    task_laws.check_task_answers(task, length, expected)


@pytest.mark.parametrize("evaluate", [False, True])
@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_examples_are_next_to_the_threshold(task, evaluate):
    batch = task.sample(0, 500, 2, evaluate)
    seen = set()
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        *numbers, asked, threshold = inputs[:tokens]
        assert numbers.count(asked) - threshold == targets[tokens - 1]
        assert 0 <= threshold < min(task.thresholds, len(numbers))
        assert 0 <= min(numbers) <= max(*numbers, asked) < task.numbers
        assert {*targets[: tokens - 1], *targets[tokens:]} <= {NOTHING_ASKED}
        assert set(inputs[tokens:]) <= {0}
        seen.add(len(numbers))
    assert seen == ({task.length} if evaluate else set(range(task.least_length, task.length + 1)))


def test_distribution():
    """Threshold, number and label are uniform and independent; places and other numbers too."""
    task = Counting(3, alphabet=3, thresholds=2, least_length=3)
    batch = task.sample(0, 40_000, 1)
    expected: Counter = Counter()
    for asked, threshold, label in itertools.product(range(3), range(2), range(2)):
        words = [word for word in itertools.product(range(3), repeat=3) if word.count(asked) == threshold + label]
        for word in words:
            expected[*word, asked, threshold] += 1 / 12 / len(words)
    assert_counts_are_near(Counter(map(tuple, batch.inputs.tolist())), expected, 40_000)


def test_the_question_alone_says_nothing():
    batch = Counting(30).sample(0, 8000, 4, evaluate=True)
    for threshold in range(4):
        labels = batch.targets[batch.inputs[:, 31] == threshold, 31]
        assert abs(labels.mean() - 0.5) < 5 * 0.5 / np.sqrt(len(labels))


def test_answer_bits_are_those_of_the_theorem():
    for length in (2, 16, 64, 256):
        assert Counting(length, thresholds=length).answer_bits() == counting_state.least_bits(length)


@pytest.mark.parametrize(
    ("length", "alphabet", "thresholds"), [(4, 3, 1), (4, 3, 2), (5, 2, 2), (3, 4, 3), (1, 2, 1), (6, 2, 1)]
)
def test_answer_bits_count_rows_of_answers(length, alphabet, thresholds):
    task = Counting(length, alphabet, thresholds)
    asked = list(itertools.product(*task.alphabets(length)[-2:]))
    sequences = itertools.product(range(alphabet), repeat=length)
    rows = {tuple(task.solve((*numbers, *question)) for question in asked) for numbers in sequences}
    assert task.answer_bits() == (len(rows) - 1).bit_length()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Counting(0), "length is 1 to 2^20 numbers, found 0"),
        (lambda: Counting(1), "alphabet is 2 to 2^30 numbers, or 0 if length is that much, found 0"),
        (lambda: Counting(9, alphabet=1), "alphabet is 2 to 2^30 numbers, or 0 if length is that much, found 1"),
        (lambda: Counting(9, thresholds=0), "thresholds is at least 1, found 0"),
        (lambda: Counting(9, least_length=0), "least_length is at least 1 number, found 0"),
        (lambda: Counting(9).solve((1, 2)), "expected a number before the question, found (1, 2)"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)) as raised:
        make()
    assert "\n" not in str(raised.value)


def test_readable_and_configuration():
    task = Counting(3, alphabet=5)
    shown = {"tokens": [2, 0, 2], "query": 2, "threshold": 1, "answer": 1}
    assert task.readable((2, 0, 2, 2, 1), 1) == shown
    assert Counting(12, alphabet=12) == Counting(12)
    assert Counting(12, thresholds=2).configuration() == {"name": "counting", "length": 12, "thresholds": 2}
