"""N-gram retrieval against its definition, its stated distribution and shortcut, and the theorem's bits."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, NgramRetrieval
from seqsep.theorems.retrieval import recall_state
from support.task_examples import assert_counts_are_near

TASKS = [
    NgramRetrieval(20),
    NgramRetrieval(12, gram=2, alphabet=3),
    NgramRetrieval(5, gram=5, alphabet=2, least_length=5),
    NgramRetrieval(9, gram=4, alphabet=200, least_length=4),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task)


def by_text(symbols: tuple[int, ...], question: tuple[int, ...], failed: int) -> int:
    """Independent of the task: a regular expression on the symbols as a text, leftmost match."""
    text = " ".join(map(str, symbols)) + " "
    found = re.search(rf"(?<!\S){' '.join(map(str, question))} (\d+) ", text)
    return failed if found is None else int(found.group(1))


@pytest.mark.parametrize(("length", "gram", "alphabet"), [(4, 2, 3), (5, 3, 2), (4, 4, 2), (3, 2, 0)])
def test_every_input_is_the_definition(length, gram, alphabet):
    task = NgramRetrieval(length, gram, alphabet, least_length=gram)
    asked = gram - 1
    task_laws.check_task_answers(task, length, lambda word: by_text(word[:-asked], word[-asked:], alphabet or length))


@pytest.mark.parametrize("evaluate", [False, True])
@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_examples_ask_for_a_gram_that_occurs(task, evaluate):
    batch = task.sample(0, 400, 2, evaluate)
    asked = task.gram - 1
    seen = set()
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        symbols = tuple(inputs[: tokens - asked])
        found = by_text(symbols, tuple(inputs[tokens - asked : tokens]), task.vocabulary)
        assert targets[tokens - 1] == found < task.vocabulary
        assert {*targets[: tokens - 1], *targets[tokens:]} <= {NOTHING_ASKED}
        assert set(inputs[tokens:]) <= {0}
        seen.add(len(symbols))
    assert seen == ({task.length} if evaluate else set(range(task.least_length, task.length + 1)))


def test_distribution():
    """Symbols, and the place of the gram that is asked for: all uniform."""
    batch = NgramRetrieval(3, gram=2, alphabet=2, least_length=3).sample(0, 32_000, 5)
    expected: Counter = Counter()
    for symbols, place in itertools.product(itertools.product(range(2), repeat=3), range(2)):
        expected[*symbols, symbols[place]] += 1 / 16
    assert_counts_are_near(Counter(map(tuple, batch.inputs.tolist())), expected, 32_000)


@pytest.mark.parametrize(("alphabet", "least", "most"), [(0, 0.62, 0.68), (16, 0.32, 0.38)])
def test_shortcut_stated(alphabet, least, most):
    """The last symbol of the question alone, at its first occurrence."""
    batch = NgramRetrieval(64, alphabet=alphabet).sample(0, 5000, 3, evaluate=True)
    first = (batch.inputs[:, 1:63] == batch.inputs[:, 65:66]).argmax(axis=1) + 1
    right = (batch.inputs[np.arange(5000), first + 1] == batch.targets[:, 65]).mean()
    assert least < right < most


def test_answer_bits_are_those_of_the_theorem():
    for length in (16, 32, 64):
        assert NgramRetrieval(length).answer_bits() == recall_state.least_bits(length, gram=3)
        pairs = NgramRetrieval(length, gram=2).answer_bits()
        assert pairs <= recall_state.least_bits(length)
    assert NgramRetrieval(12, gram=2, alphabet=3).answer_bits() is None


@pytest.mark.parametrize("task", [NgramRetrieval(4, 3, 3, 3), NgramRetrieval(3, 2, 4, 2), NgramRetrieval(3, 3, 2, 3)], ids=repr)
def test_answer_bits_are_needed(task):
    """Rows of answers to all questions, by brute force, are at least so many."""
    symbols = range(task.vocabulary)
    questions = list(itertools.product(symbols, repeat=task.gram - 1))
    rows = {
        tuple(task.solve((*data, *question)) for question in questions)
        for data in itertools.product(symbols, repeat=task.length)
    }
    assert task.answer_bits() <= (len(rows) - 1).bit_length()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: NgramRetrieval(20, gram=1), "gram is 2 to 64 symbols, found 1"),
        (lambda: NgramRetrieval(2), "length is gram, 3, to 2^20 symbols, found 2"),
        (lambda: NgramRetrieval(20, alphabet=-1), "alphabet is 0 to 2^30 symbols, found -1"),
        (lambda: NgramRetrieval(20, least_length=2), "least_length is at least gram, 3, found 2"),
        (lambda: NgramRetrieval(20).solve((1, 2, 3, 4)), "at least 3 symbols before the question, found 2"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)) as raised:
        make()
    assert "\n" not in str(raised.value)


def test_readable_and_configuration():
    task = NgramRetrieval(4)
    assert task.readable((3, 1, 3, 2, 1, 3), 2) == {"tokens": [3, 1, 3, 2], "query": [1, 3], "answer": 2}
    assert task.readable((3, 1, 3, 2, 2, 2), 4)["answer"] is None
    assert NgramRetrieval(12, alphabet=12) == NgramRetrieval(12)
    assert NgramRetrieval(12, gram=2).configuration() == {"name": "ngram-retrieval", "length": 12, "gram": 2}
