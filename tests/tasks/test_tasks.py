"""Tasks obey the laws, agree with brute force on every input of small lengths, and make the same examples for ever."""

import itertools
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from seqsep.core.stream import Use, draws
from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, BoundedDyck, IndexLookup

TASKS = [
    IndexLookup(20),
    IndexLookup(1, alphabet=2),
    IndexLookup(7, alphabet=1, least_length=3),
    BoundedDyck(30),
    BoundedDyck(2, kinds=1, depth=1),
    BoundedDyck(14, kinds=3, depth=5),
    BoundedDyck(40, kinds=5, depth=4),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task)


def test_workers_make_the_same_examples():
    task = BoundedDyck(30)
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        shared = {start: pool.submit(task.sample, start, 50, 11) for start in range(250, -1, -50)}
        for start, future in shared.items():
            alone, there = task.sample(start, 50, 11), future.result()
            assert np.array_equal(there.inputs, alone.inputs)
            assert np.array_equal(there.targets, alone.targets)


@pytest.mark.parametrize(("length", "alphabet"), [(1, 1), (1, 4), (3, 3), (4, 2)])
def test_index_lookup_is_the_definition(length, alphabet):
    task_laws.check_task_answers(IndexLookup(length, alphabet), length, lambda word: word[word[-1] - alphabet])


def matched(word: tuple[int, ...], depth: int) -> int:
    """Independent of the task's stack: erase innermost pairs until nothing changes, and measure depth by directions."""
    heights = list(itertools.accumulate(1 - 2 * (token % 2) for token in word))
    text = "".join(chr(97 + token) for token in word)
    while True:
        shorter = text
        for kind in range(0, 26, 2):
            shorter = shorter.replace(chr(97 + kind) + chr(98 + kind), "")
        if shorter == text:
            return int(not text and max(heights) <= depth)
        text = shorter


@pytest.mark.parametrize(("length", "kinds", "depth"), [(2, 1, 1), (8, 1, 3), (8, 2, 2), (6, 3, 1), (6, 2, 3), (6, 2, 9)])
def test_bounded_dyck_is_the_definition(length, kinds, depth):
    task = BoundedDyck(length, kinds, depth)
    task_laws.check_task_answers(task, length, lambda word: matched(word, depth))
    words = np.array(list(itertools.product(range(2 * kinds), repeat=length)), dtype=np.int64)
    assert task.accepts(words).tolist() == [bool(matched(tuple(word), depth)) for word in words.tolist()]


@pytest.mark.parametrize(
    "task", [BoundedDyck(2), BoundedDyck(4, 1, 1), BoundedDyck(12, 2, 6), BoundedDyck(30), BoundedDyck(60)]
)
def test_dyck_examples_are_as_section_h1_says(task):
    batch = task.sample(0, 2000, 3)
    labels = batch.targets[:, -1]
    assert abs(labels.mean() - 0.5) < 5 * 0.5 / np.sqrt(2000)
    assert np.array_equal(task.accepts(batch.inputs), labels == 1)
    closest = changes_from_the_language(task, batch.inputs[labels == 0][:40])
    assert max(closest) <= max(1, task.length // 10)


@pytest.mark.parametrize(
    "task", [BoundedDyck(2), BoundedDyck(40), BoundedDyck(40, 1, 30), BoundedDyck(40, 3, 5), BoundedDyck(40, 2**20, 20)]
)
def test_dyck_words_follow_their_draws(task):
    """One bracket at a time, by the rule of the docstring."""
    uniform = draws(1, Use.CODE, 0, 200, task.length)
    for word, drawn in zip(task._words(uniform).tolist(), uniform.tolist(), strict=True):
        stack: list[int] = []
        for step, token in enumerate(word):
            choice = drawn[step] * (task.kinds + bool(stack)) >> 32
            if choice == task.kinds or len(stack) == min(task.depth, task.length - step):
                assert token == 2 * stack.pop() + 1
            else:
                assert token == 2 * choice
                stack.append(choice)
        assert not stack


def changes_from_the_language(task: BoundedDyck, words: np.ndarray) -> list[int]:
    """Fewest tokens to change to reach a word of the language, by dynamic programming over stacks (depth <= 6, kinds <= 2)."""
    distances = []
    for word in words.tolist():
        costs = {(): 0}
        for token in word:
            after: dict[tuple[int, ...], int] = {}
            for stack, cost in costs.items():
                for choice in range(task.vocabulary):
                    kind, closes = divmod(choice, 2)
                    if (closes and (not stack or stack[-1] != kind)) or (not closes and len(stack) == task.depth):
                        continue
                    new = stack[:-1] if closes else (*stack, kind)
                    after[new] = min(after.get(new, 99), cost + (choice != token))
            costs = after
        distances.append(costs[()])
    return distances


def test_corruption_changes_up_to_a_tenth_of_the_symbols():
    task = BoundedDyck(60)
    words = task._words(np.arange(60_000, dtype=np.uint32).reshape(1000, 60) * np.uint32(71_567))
    uniform = (np.arange(1000 * 19, dtype=np.uint64).reshape(1000, 19) * np.uint64(2654435761) % np.uint64(2**32)).astype(
        np.uint32
    )
    changed = (task._corrupt(words, uniform) != words).sum(1)
    assert changed.min() == 1
    assert changed.max() == 6
    assert np.bincount(changed)[1:].min() > 100


def test_index_lookup_lengths_and_positions():
    task = IndexLookup(14, alphabet=5, least_length=10)
    batch = task.sample(0, 5000, 0)
    counts = np.bincount(batch.lengths - 1, minlength=15)
    assert counts[:10].sum() == 0
    assert abs(counts[10:] - 1000).max() < 5 * np.sqrt(1000)
    for inputs, targets, tokens in zip(batch.inputs, batch.targets, batch.lengths, strict=True):
        assert np.all(inputs[: tokens - 1] < 5)
        assert 5 <= inputs[tokens - 1] < 5 + tokens - 1
        assert np.all(inputs[tokens:] == 0)
        assert np.flatnonzero(targets != NOTHING_ASKED).tolist() == [tokens - 1]
    assert set(task.sample(0, 100, 0, evaluate=True).lengths.tolist()) == {15}


def test_least_length_is_capped():
    assert IndexLookup(4).least_length == 4
    assert IndexLookup(4, least_length=10) == IndexLookup(4, least_length=4)


@pytest.mark.parametrize(("length", "kinds", "depth"), [(2, 2, 2), (4, 2, 2), (6, 2, 2), (6, 1, 3), (4, 3, 2), (8, 1, 2)])
def test_dyck_answer_bits_by_counting_prefix_classes(length, kinds, depth):
    """Two prefixes of a word of this length are one class if every suffix gives both the same answer."""
    task = BoundedDyck(length, kinds, depth)
    most = 0
    for read in range(length + 1):
        suffixes = list(itertools.product(range(2 * kinds), repeat=length - read))
        rows = {
            tuple(matched(prefix + suffix, depth) for suffix in suffixes)
            for prefix in itertools.product(range(2 * kinds), repeat=read)
        }
        most = max(most, len(rows))
    assert task.answer_bits() == (most - 1).bit_length()


def test_answer_bits_of_index_lookup():
    assert IndexLookup(20).answer_bits() == 120
    assert IndexLookup(3, alphabet=5).answer_bits() == 7
    assert BoundedDyck(400).answer_bits() == 3


def test_shortcut_stated_for_short_dyck_words():
    """Below length 20 one position is changed: half of the negative examples have unequal numbers of opens and closes."""
    batch = BoundedDyck(18).sample(0, 4000, 1)
    negative = batch.inputs[batch.targets[:, -1] == 0]
    unequal = ((negative % 2).sum(1) != 9).mean()
    assert abs(unequal - 0.5) < 0.06


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: IndexLookup(0), "length"),
        (lambda: IndexLookup(5, alphabet=0), "alphabet"),
        (lambda: IndexLookup(5, least_length=0), "least_length"),
        (lambda: BoundedDyck(7), "even"),
        (lambda: BoundedDyck(0), "length"),
        (lambda: BoundedDyck(4, kinds=0), "kinds"),
        (lambda: BoundedDyck(4, depth=0), "depth"),
        (lambda: IndexLookup(5).solve((0, 0, 0, 64 + 3)), "position 4"),
        (lambda: IndexLookup(5).function(5)((0, 64)), "6 tokens"),
    ],
)
def test_bad_arguments_are_named(make, field):
    with pytest.raises(ValueError, match=field):
        make()


def test_readable():
    assert IndexLookup(3).readable((5, 6, 7, 65), 6) == {"symbols": [5, 6, 7], "position": 2, "answer": 6}
    assert BoundedDyck(4).readable((0, 2, 3, 1), 1) == {"string": "([])", "label": 1}
    assert BoundedDyck(4, kinds=4).readable((4, 5, 6, 7), 1) == {"string": "{}<>", "label": 1}
    assert BoundedDyck(2, kinds=5).readable((8, 9), 1) == {"string": "(5 )5", "label": 1}


def test_index_lookup_refuses_positions_that_there_are_not():
    """Tokens after the alphabet ask for positions 1 .. N; the last is one, the next and a symbol are none."""
    task = IndexLookup(3, alphabet=4)
    assert [task.solve((2, 0, 1, question)) for question in (4, 5, 6)] == [2, 0, 1]
    for question in (3, 7):
        with pytest.raises(ValueError, match="of 3 symbols"):
            task.solve((2, 0, 1, question))
