"""Associative recall against its definition, its stated distribution, and its counted states; and the orders it draws."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from seqsep.core.stream import Use, draws
from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED
from seqsep.tasks._blocks import TOKENS_AT_ONCE
from seqsep.tasks._orders import distinct, draws_for_distinct, order
from seqsep.tasks._rows import chosen, is_before, write_from
from seqsep.tasks.associative_recall import AssociativeRecall
from support.task_examples import assert_counts_are_near, pairwise_different

TASKS = [
    AssociativeRecall(20),
    AssociativeRecall(1),
    AssociativeRecall(7, keys=9, values=3),
    AssociativeRecall(6, keys=500, values=2, least_length=2),
    AssociativeRecall(9, order="fixed", least_length=4),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task)


@pytest.mark.parametrize("task", TASKS, ids=repr)
@pytest.mark.parametrize("evaluate", [False, True])
def test_examples_are_the_definition(task, evaluate):
    """Read as text would be: pairs into a dictionary, the question looked up."""
    batch = task.sample(0, 500, 2, evaluate)
    keys_there, seen = task.keys or task.length, set()
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        pairs = dict(zip(inputs[: tokens - 1 : 2], inputs[1 : tokens - 1 : 2], strict=True))
        assert tokens % 2 == 1
        assert len(pairs) == tokens // 2
        assert all(0 <= key < keys_there <= value < keys_there + task.values for key, value in pairs.items())
        assert targets[tokens - 1] == pairs[inputs[tokens - 1]] - keys_there
        assert {*targets[: tokens - 1], *targets[tokens:]} <= {NOTHING_ASKED}
        assert set(inputs[tokens:]) <= {0}
        assert evaluate or task.least_length <= len(pairs)
        if task.order == "fixed":
            assert list(pairs) == list(range(len(pairs)))
        seen.add(len(pairs))
    assert seen == ({task.length} if evaluate else set(range(task.least_length, task.length + 1)))


@pytest.mark.parametrize("task", [AssociativeRecall(512), AssociativeRecall(300, keys=2000)], ids=repr)
def test_long_examples_are_equal_for_every_block(task):
    """Across the parts in which a block is made, and one at a time."""
    count = 2 * TOKENS_AT_ONCE // task.longest + 3
    whole = task.sample(5, count, 3)
    for offset in (0, count // 2, count - 1):
        one = task.sample(5 + offset, 1, 3)
        assert np.array_equal(one.inputs[0], whole.inputs[offset])
        assert np.array_equal(one.targets[0], whole.targets[offset])
    assert all(
        len(set(row[: tokens - 1 : 2].tolist())) == tokens // 2 for row, tokens in zip(whole.inputs, whole.lengths, strict=True)
    )


def test_distribution():
    """Lengths, key lists, values and the question: all uniform and independent, as stated."""
    task = AssociativeRecall(3, keys=4, values=2, least_length=3)
    batch = task.sample(0, 40_000, 1)
    cases = Counter(zip(map(tuple, batch.inputs[:, :-1:2].tolist()), map(tuple, batch.inputs[:, 1::2].tolist()), strict=True))
    expected = itertools.product(itertools.permutations(range(4), 3), itertools.product((4, 5), repeat=3))
    assert_counts_are_near(cases, dict.fromkeys(expected, 1 / 192), 40_000)
    asked = (batch.inputs[:, :-1:2] == batch.inputs[:, -1:]).argmax(axis=1)
    assert_counts_are_near(Counter(asked.tolist()), dict.fromkeys(range(3), 1 / 3), 40_000)
    lengths = AssociativeRecall(14).sample(0, 20_000, 1).lengths
    assert_counts_are_near(Counter(lengths.tolist()), {2 * pairs + 1: 1 / 5 for pairs in range(10, 15)}, 20_000)


def test_shortcut_stated():
    """A value that was seen is right with probability 1/N + (1 - 1/N)/S."""
    batch = AssociativeRecall(4, values=5).sample(0, 20_000, 4, evaluate=True)
    right = int((batch.inputs[:, 7] - 4 == batch.targets[:, -1]).sum())
    assert abs(right / 20_000 - (1 / 4 + 3 / 4 / 5)) < 5 * 0.5 / math.sqrt(20_000)


def test_fixed_order_is_a_product_of_alphabets():
    task = AssociativeRecall(3, values=2, order="fixed")
    task_laws.check_task_answers(task, 3, lambda word: word[2 * word[-1] + 1] - 3)
    assert math.prod(map(len, task.alphabets(3))) == 2**3 * 3


def distinguished(task: AssociativeRecall, read: int) -> int:
    """Pairwise different rows of answers after `read` tokens over every continuation, where "no input" agrees with all."""
    n, s = task.length, task.values
    inputs: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
    orders = [tuple(range(n))] if task.order == "fixed" else list(itertools.permutations(range(n)))
    for keys, values, question in itertools.product(orders, itertools.product(range(s), repeat=n), range(n)):
        word = (*itertools.chain(*((key, n + value) for key, value in zip(keys, values, strict=True))), question)
        inputs.setdefault(word[:read], {})[word[read:]] = task.solve(word)
    return pairwise_different(list(inputs.values()))


@pytest.mark.parametrize(
    ("length", "values", "order"), [(3, 2, "fixed"), (3, 2, "any"), (2, 3, "any"), (2, 4, "fixed"), (4, 2, "any")]
)
def test_answer_bits_are_needed(length, values, order):
    """This number of prefixes differ pairwise in the answer to a common continuation; every one needs a state of its own."""
    task = AssociativeRecall(length, values=values, order=order)
    most = max(distinguished(task, read) for read in range(2 * length + 1))
    assert task.answer_bits() == (most - 1).bit_length()


def test_answer_bits():
    assert AssociativeRecall(20).answer_bits() == 120
    assert AssociativeRecall(20, values=2, order="fixed").answer_bits() == 20
    assert AssociativeRecall(20, values=2).answer_bits() == 19 + 5
    assert AssociativeRecall(20, values=1).answer_bits() == 0


def test_order_is_uniform_and_settles_ties():
    uniform = draws(3, Use.CODE, 0, 30_000, 4)
    assert_counts_are_near(
        Counter(map(tuple, order(uniform).tolist())), dict.fromkeys(itertools.permutations(range(4)), 1 / 24), 30_000
    )
    among = np.full(30_000, 3)
    counts = Counter(map(tuple, order(uniform, among).tolist()))
    assert_counts_are_near(counts, {(*case, 3): 1 / 6 for case in itertools.permutations(range(3))}, 30_000)
    wide = draws(4, Use.CODE, 0, 3000, 700)  # in 10 low bits that the first sort does not see: ties in most rows
    assert np.array_equal(order(wide), np.argsort(wide, axis=1, kind="stable"))
    tied = np.array([[8, 5, 8, 5, 0xFFFFFFFF], [1, 0, 1, 0, 0]], dtype=np.uint32)
    assert order(tied).tolist() == [[1, 3, 0, 2, 4], [1, 3, 4, 0, 2]]
    assert order(tied, np.array([5, 3])).tolist() == [[1, 3, 0, 2, 4], [1, 0, 2, 3, 4]]
    low = np.array([[9, 5, 8, 4, 0xFFFFFFFF]] * 2, dtype=np.uint32)  # they differ in bits that the first sort does not see
    assert order(low, np.array([5, 3])).tolist() == [[3, 1, 2, 0, 4], [1, 2, 0, 3, 4]]


@pytest.mark.parametrize(("count", "bound"), [(2, 5), (3, 4)])
def test_distinct_numbers_are_uniform(count, bound):
    each = draws_for_distinct(count, bound)
    numbers = distinct(lambda attempt: draws(9, Use.CODE, 0, 30_000, each, attempt), count, bound)
    cases = list(itertools.permutations(range(bound), count))
    assert_counts_are_near(Counter(map(tuple, numbers.tolist())), {case: 1 / len(cases) for case in cases}, 30_000)


def test_distinct_numbers_may_come_from_further_attempts():
    """Attempt 0 repeats one number; the first different ones of the attempts one after the other are taken."""
    high = np.uint32(1) << 28  # number k below 16 is k * high
    attempts = [[[3, 3, 3, 3], [1, 2, 1, 9]], [[3, 5, 3, 3], [4, 4, 4, 4]], [[5, 5, 0, 7], [8, 8, 8, 8]]]
    numbers = distinct(lambda attempt: np.array(attempts[attempt], dtype=np.uint32) * high, 3, 16)
    assert numbers.tolist() == [[3, 5, 0], [1, 2, 9]]


def test_is_before_and_chosen():
    assert is_before(np.array([0, 2]), 3).tolist() == [[False] * 3, [True, True, False]]
    assert chosen(np.array([[1, 2], [3, 4]]), np.array([[1, 1, 0], [0, 1, 0]])).tolist() == [[2, 2, 1], [3, 4, 3]]


def test_write_from_shifts_every_row():
    out = np.zeros((3, 4, 2), dtype=np.int64)
    values = np.arange(1, 13).reshape(3, 2, 2)
    write_from(np.array([0, 2, 1]), values, out)
    assert out[:, :, 0].tolist() == [[1, 3, 0, 0], [0, 0, 5, 7], [0, 9, 11, 0]]
    assert out[:, :, 1].tolist() == [[2, 4, 0, 0], [0, 0, 6, 8], [0, 10, 12, 0]]
    write_from(np.array([2, 0, 1]), values[:, :, 0], out[:, :, 1])
    assert out[:, :, 1].tolist() == [[2, 4, 1, 3], [5, 7, 6, 8], [0, 9, 11, 0]]
    for starts, whole in (([0, 3, 0], out), ([0, -1, 0], out), ([0, 0, 0], out[:, :3])):
        before_it = out.copy()
        with pytest.raises(ValueError, match="write_from"):
            write_from(np.array(starts), values, whole)
        assert np.array_equal(out, before_it)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: AssociativeRecall(0), "length"),
        (lambda: AssociativeRecall(5, keys=4), "keys"),
        (lambda: AssociativeRecall(5, values=0), "values"),
        (lambda: AssociativeRecall(5, order="sorted"), "order"),
        (lambda: AssociativeRecall(5, keys=6, order="fixed"), "fixed order"),
        (lambda: AssociativeRecall(5, least_length=0), "least_length"),
        (lambda: AssociativeRecall(5).alphabets(5), "order='fixed'"),
        (lambda: AssociativeRecall(5).solve((1, 5, 0, 6, 2)), "key 2"),
    ],
)
def test_bad_arguments_are_named(make, field):
    with pytest.raises(ValueError, match=field):
        make()


def test_readable_and_configuration():
    task = AssociativeRecall(2, values=8)
    assert task.readable((1, 2 + 7, 0, 2 + 3, 1), 7) == {"pairs": [[1, 7], [0, 3]], "query": 1, "answer": 7}
    assert AssociativeRecall(12, keys=12) == AssociativeRecall(12)
    assert AssociativeRecall(12).configuration() == {"name": "associative-recall", "length": 12}
    assert (task.vocabulary, task.classes, task.longest) == (10, 8, 5)
