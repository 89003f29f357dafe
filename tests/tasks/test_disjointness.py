"""Disjointness against its definition, its stated distribution, what cannot be guessed from it, and its counted states."""

import itertools
from collections import Counter
from math import comb

import numpy as np
import pytest

from seqsep.maths import formulas
from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED
from seqsep.tasks.disjointness import Disjointness

TASKS = [
    Disjointness(20),
    Disjointness(4),
    Disjointness(6, least_length=6),
    Disjointness(62, least_length=30),
    Disjointness(600),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 40 if task.length > 100 else 200)


@pytest.mark.parametrize("task", TASKS, ids=repr)
@pytest.mark.parametrize("evaluate", [False, True])
def test_examples_are_the_definition(task, evaluate):
    """Read as sets of places: both of the stated size, with 0 or 1 place in common."""
    batch = task.sample(0, 300, 2, evaluate)
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        half = tokens // 2
        assert tokens == 2 * half + 1
        assert inputs[half] == 2
        left, right = ({place for place in range(half) if inputs[first + place] == 1} for first in (0, half + 1))
        assert sorted(inputs[:tokens]) == [0] * (2 * half - len(left) - len(right)) + [1] * (len(left) + len(right)) + [2]
        assert len(left) == len(right) == max(1, (half + 1) // 4)
        assert targets[tokens - 1] == len(left & right)
        assert {*targets[: tokens - 1], *targets[tokens:]} <= {NOTHING_ASKED}
        assert set(inputs[tokens:]) <= {0}


@pytest.mark.parametrize("length", [2, 4, 6, 8])
def test_solve_is_the_definition_on_every_input(length):
    half, task = length // 2, Disjointness(max(length, 4))
    task_laws.check_task_answers(
        task, length, lambda word: int(sum(x * y for x, y in zip(word[:half], word[half + 1 :], strict=True)) > 0)
    )
    bits = np.array(list(itertools.product(range(2), repeat=length)))
    answers = [task.function(length)((*word[:half], 2, *word[half:])) for word in bits.tolist()]
    assert answers == formulas.disjointness(length).evaluate(bits).tolist()


@pytest.mark.parametrize(("length", "least"), [(4, 4), (20, 4), (50, 6), (100, 10), (400, 40)])
def test_lengths(length, least):
    assert least == 4 or least >= length / 10 > least - 2
    counts = np.bincount(Disjointness(length).sample(0, 6000, 1).lengths - 1, minlength=length + 1)[least::2]
    assert counts.sum() == 6000
    share = 6000 / len(counts)
    assert abs(counts - share).max() < 6 * np.sqrt(share)
    assert set(Disjointness(length).sample(0, 50, 1, evaluate=True).lengths.tolist()) == {length + 1}
    assert Disjointness(length, least) == Disjointness(length)


@pytest.mark.parametrize(("half", "size"), [(2, 1), (3, 1), (4, 1), (7, 2)])
def test_all_pairs_of_a_label_are_equally_likely(half, size):
    batch = Disjointness(2 * half).sample(0, 40_000, 9, evaluate=True)
    labels = batch.targets[:, -1]
    assert abs(labels.mean() - 0.5) < 5 * 0.5 / 200
    pairs = {
        0: comb(half, size) * comb(half - size, size),
        1: comb(half, size) * size * comb(half - size, size - 1),
    }
    for label in (0, 1):
        seen = Counter(map(tuple, batch.inputs[labels == label].tolist()))
        assert len(seen) == pairs[label]
        share = (labels == label).sum() / pairs[label]
        assert max(abs(count - share) for count in seen.values()) < 6 * np.sqrt(share)


def drawn_pairs(half: int, size: int) -> list[tuple[tuple[frozenset[int], frozenset[int]], int]]:
    """Every pair that can be drawn, with its label."""
    sets = [frozenset(chosen) for chosen in itertools.combinations(range(half), size)]
    return [((x, y), len(x & y)) for x in sets for y in sets if len(x & y) < 2]


def test_neither_set_alone_tells_the_label():
    pairs = drawn_pairs(7, 2)
    for part in (0, 1):
        alone = [Counter(pair[part] for pair, label in pairs if label == wanted) for wanted in (0, 1)]
        assert all(len(set(counts.values())) == 1 and len(counts) == comb(7, 2) for counts in alone)


@pytest.mark.parametrize(("half", "size"), [(3, 1), (7, 2), (11, 3)])
def test_shortcut_of_remembering_some_places(half, size):
    """j of the m places of x: right with probability 1/2 + j / 2m over balanced labels, counted over all pairs."""
    pairs = drawn_pairs(half, size)
    for remembered in range(size + 1):
        right = [
            [label == bool({*sorted(x)[:remembered]} & y) for (x, y), label in pairs if label == wanted] for wanted in (0, 1)
        ]
        assert np.mean([np.mean(share) for share in right]) == pytest.approx(1 / 2 + remembered / 2 / size)


@pytest.mark.parametrize(("half", "size"), [(3, 1), (7, 2), (11, 3)])
def test_state_of_the_drawn_inputs(half, size):
    """Any two first sets that are drawn are told apart by a second one that is drawn with both; binom(h, m) states."""
    answers: dict[frozenset[int], dict[frozenset[int], int]] = {}
    for (x, y), label in drawn_pairs(half, size):
        answers.setdefault(x, {})[y] = label
    assert len(answers) == comb(half, size)
    for some, others in itertools.combinations(answers.values(), 2):
        assert any(label != others.get(y, label) for y, label in some.items())


@pytest.mark.parametrize("length", [4, 6, 8])
def test_answer_bits_by_counting_prefix_classes(length):
    task = Disjointness(length)
    solve, ranges = task.function(length), task.alphabets(length)
    most = max(
        len(
            {
                tuple(solve(prefix + suffix) for suffix in itertools.product(*ranges[read:]))
                for prefix in itertools.product(*ranges[:read])
            }
        )
        for read in range(length + 2)
    )
    assert task.answer_bits() == (most - 1).bit_length() == length // 2


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Disjointness(2), "length is 4 to 2\\^20, found 2"),
        (lambda: Disjointness(5), "length is an even number of symbols from 4"),
        (lambda: Disjointness(7), "length"),
        (lambda: Disjointness(8, 2), "least_length"),
        (lambda: Disjointness(8, 5), "least_length"),
        (lambda: Disjointness(4).solve((0, 1, 1, 0)), "a separator and as many again"),
        (lambda: Disjointness(4).alphabets(5), "even"),
    ],
)
def test_bad_arguments_are_named(make, field):
    with pytest.raises(ValueError, match=field):
        make()


def test_readable_and_configuration():
    task = Disjointness(6)
    assert task.readable((0, 1, 1, 2, 0, 1, 0), 1) == {"left": [0, 1, 1], "right": [0, 1, 0], "label": 1}
    assert Disjointness(6, least_length=4).configuration() == {"name": "disjointness", "length": 6}
    assert (task.vocabulary, task.classes, task.longest, task.loss) == (3, 2, 7, "cross-entropy")
