"""Parity-conditioned recall against its definition, its distribution, and the states of exact lengths."""

import itertools
import re
from collections import Counter

import pytest

from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, ParityConditionedRecall
from support.task_examples import assert_counts_are_near, states_before_tokens

TASKS = [
    ParityConditionedRecall(12),
    ParityConditionedRecall(1, 3),
    ParityConditionedRecall(6, 5, "fixed", least_length=2),
]


def every_input(task: ParityConditionedRecall):
    keys = range(task.length)
    for order in itertools.permutations(keys) if task.order == "any" else [tuple(keys)]:
        for values in itertools.product(range(task.length, task.vocabulary), repeat=task.length):
            for asked in keys:
                yield (*itertools.chain(*zip(order, values, strict=True)), asked)


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 100)


@pytest.mark.parametrize("values", [2, 3, 4])
def test_every_input_is_the_definition(values):
    """Each odd value turns the list of values around once."""
    task = ParityConditionedRecall(3, values, "fixed")

    def expected(word: tuple[int, ...]) -> int:
        scale = list(range(values))
        for token in word[1:-1:2]:
            scale = scale[::-1] if (token - 3) % 2 else scale
        return scale[word[2 * word[-1] + 1] - 3]

    task_laws.check_task_answers(task, 3, expected)


def test_distribution():
    task = ParityConditionedRecall(2, 2, least_length=2)
    words = Counter(map(tuple, task.sample(0, 20_000, 1).inputs.tolist()))
    assert_counts_are_near(words, dict.fromkeys(every_input(task), 1 / 16), 20_000)


@pytest.mark.parametrize("order", ["any", "fixed"])
def test_lengths_and_queries(order):
    task = ParityConditionedRecall(5, 3, order, least_length=2)
    for evaluate, lengths in ((False, {2, 3, 4, 5}), (True, {5})):
        batch = task.sample(0, 200, 1, evaluate)
        assert {(tokens - 1) // 2 for tokens in batch.lengths.tolist()} == lengths
        for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
            keys = inputs[: tokens - 1 : 2]
            assert len(set(keys)) == len(keys)
            assert order == "any" or keys == list(range(len(keys)))
            assert inputs[tokens - 1] in keys
            assert {*targets[: tokens - 1], *targets[tokens:]} == {NOTHING_ASKED}
            assert {*inputs[tokens:], 0} == {0}


@pytest.mark.parametrize(("length", "states"), [(1, 1), (2, 4), (3, 4), (4, 16), (5, 16), (6, 64)])
def test_index_lookup_by_parity_of_bits(length, states):
    """2^N states for even N, and 2^(N - 1) for odd N."""
    task = ParityConditionedRecall(length, 2, "fixed")
    assert states_before_tokens(task, every_input(task)) == states
    assert task.answer_bits() == (states - 1).bit_length()


@pytest.mark.parametrize(
    ("length", "values", "order"),
    [
        *((1, 3, "any"), (1, 4, "any"), (2, 2, "any"), (2, 3, "any"), (2, 5, "any"), (3, 2, "any"), (4, 2, "any")),
        *((1, 6, "fixed"), (2, 4, "fixed"), (3, 3, "fixed"), (3, 4, "fixed")),
    ],
)
def test_answer_bits_by_counting_states(length, values, order):
    task = ParityConditionedRecall(length, values, order)
    needed = states_before_tokens(task, every_input(task))
    assert task.answer_bits() == (needed - 1).bit_length()
    last_keys = length if order == "any" else 1
    assert needed == max(task.answer_lists, last_keys * values ** (length - 1))


@pytest.mark.parametrize(("length", "values"), [(2, 2), (3, 2), (3, 3), (3, 4), (4, 3)])
def test_a_list_of_values_is_enough(length, values):
    """One machine: values by key, 0 for keys to come; before a value, the key instead of its value."""
    task = ParityConditionedRecall(length, values)
    states = [set() for _ in range(2 * length)]
    for word in every_input(task):
        held: list[int | None] = [0] * length
        for read, token in enumerate(word[:-1]):
            if read % 2 == 0:
                held[token] = None
            else:
                held[held.index(None)] = token - length
            if read < 2 * length - 1:
                states[read].add(tuple(held))
        lists = [value if sum(held) % 2 == 0 else values - 1 - value for value in held]
        states[-1].add(tuple(lists))
        assert lists[word[-1]] == task.solve(word)
    assert max(map(len, states)) == max(task.answer_lists, length * values ** (length - 1))


def test_shortcut_of_recall_without_parity():
    batch = ParityConditionedRecall(9).sample(0, 4000, 1, evaluate=True)
    guesses = [
        inputs[inputs.index(inputs[-1]) + 1] - 9 if inputs.index(inputs[-1]) % 2 == 0 else None
        for inputs in batch.inputs.tolist()
    ]
    right = sum(guess == answer for guess, answer in zip(guesses, batch.targets[:, -1].tolist(), strict=True))
    assert abs(right / 4000 - 0.5) < 0.05


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ParityConditionedRecall(0), "length is 1 to 2^20 pairs, found 0"),
        (lambda: ParityConditionedRecall(9, 1), "values is 2 to 2^30, found 1"),
        (lambda: ParityConditionedRecall(9, order="none"), "order is one of any, fixed, found 'none'"),
        (lambda: ParityConditionedRecall(2).solve((1, 2, 0)), "the question asks for key 0, which is not among [1]"),
        (lambda: ParityConditionedRecall(2).alphabets(2), "a product of alphabets only with order='fixed'"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()


def test_readable():
    shown = ParityConditionedRecall(2, 8).readable((1, 9, 0, 5, 1), 7)
    assert shown == {"pairs": [[1, 7], [0, 3]], "query": 1, "answer": 7}
