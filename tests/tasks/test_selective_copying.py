"""Selective copying against its definition, its distribution, and the states of exact lengths."""

import itertools
import re
from collections import Counter
from math import comb

import pytest

from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, SelectiveCopying
from support.task_examples import assert_counts_are_near, states_before_tokens

TASKS = [SelectiveCopying(20), SelectiveCopying(1, 1), SelectiveCopying(9, 9, 2), SelectiveCopying(9, 2, 3, least_length=1)]


def every_input(task: SelectiveCopying):
    for places in itertools.combinations(range(task.length), task.items):
        for items in itertools.product(range(task.alphabet), repeat=task.items):
            tokens = [task.blank] * task.length
            for place, item in zip(places, items, strict=True):
                tokens[place] = item
            yield (*tokens, *(task.blank + 1,) * task.items)


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 60)


@pytest.mark.parametrize("task", TASKS, ids=repr)
@pytest.mark.parametrize("evaluate", [False, True])
def test_examples_are_the_definition(task, evaluate):
    batch = task.sample(0, 100, 2, evaluate)
    lengths = set()
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        given = tokens - task.items
        lengths.add(given)
        assert targets[given:tokens] == [token for token in inputs[:given] if token != task.blank]
        assert inputs[given:tokens] == [task.blank + 1] * task.items
        assert {*inputs[tokens:], 0} == {0}
        assert {*targets[:given], *targets[tokens:]} <= {NOTHING_ASKED}
    assert lengths == ({task.length} if evaluate else set(range(task.least_length, task.length + 1)))


def test_distribution():
    """Sets of places and lists of items are uniform and independent."""
    task = SelectiveCopying(4, 2, 2, least_length=4)
    words = Counter(map(tuple, task.sample(0, 20_000, 1).inputs.tolist()))
    assert_counts_are_near(words, dict.fromkeys(every_input(task), 1 / comb(4, 2) / 4), 20_000)


@pytest.mark.parametrize(("length", "items", "alphabet"), [(2, 2, 2), (3, 2, 2), (4, 2, 3), (4, 3, 2), (3, 1, 4)])
def test_answer_bits_are_enough_and_needed(length, items, alphabet):
    """Needed by the answers of all inputs; enough as a shift register that does not count the items."""
    task = SelectiveCopying(length, items, alphabet)
    states = alphabet**items
    assert states_before_tokens(task, every_input(task)) == states
    assert task.answer_bits() == (states - 1).bit_length()
    for word in every_input(task):
        register = 0
        for read, token in enumerate(word, start=1):
            if token == task.blank + 1:
                answer, register = divmod(register * alphabet, states)
                assert answer == task.solve(word[:read])
            elif token != task.blank:
                register = (register * alphabet + token) % states


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SelectiveCopying(0), "length is 1 to 2^20 tokens, found 0"),
        (lambda: SelectiveCopying(3), "items is 1 to length, 3, found 4"),
        (lambda: SelectiveCopying(9, alphabet=1), "alphabet is 2 to 2^30 items, found 1"),
        (lambda: SelectiveCopying(9, 1).solve((16, 3)), "expected 1 items, then 1 to 1 copy tokens 17, found (16, 3)"),
        (lambda: SelectiveCopying(9, 1).solve((17, 3)), "expected 1 items, then 1 to 1 copy tokens 17, found (17, 3)"),
        (lambda: SelectiveCopying(9, 1).solve((3, 4, 17)), "expected 1 items, then 1 to 1 copy tokens 17"),
        (lambda: SelectiveCopying(9).alphabets(9), "the inputs are not a product of alphabets, since 4 tokens are items"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()


def test_readable_and_configuration():
    shown = SelectiveCopying(3, 2, 8).readable((7, 8, 3, 9, 9), 3)
    assert shown == {"tokens": [7, None, 3], "answers": [7, 3]}
    assert SelectiveCopying(20, 6, least_length=2).least_length == 6
