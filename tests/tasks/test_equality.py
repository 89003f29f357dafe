"""Equality in its variants against its definition, its stated distribution, its shortcuts, and its counted states."""

import itertools

import numpy as np
import pytest
import torch

from seqsep.lab.run import Run
from seqsep.lab.step import total_loss
from seqsep.lab.train import train
from seqsep.models.laws import task as task_laws
from seqsep.tasks import EVERY_CLASS, NOTHING_ASKED
from seqsep.tasks.equality import Equality

TASKS = [
    Equality(20),
    Equality(2),
    Equality(50, "one"),
    Equality(8, "one", 2, least_length=6),
    Equality(22, "next"),
    Equality(6, "next", 3),
    Equality(600, "random"),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 40 if task.length > 100 else 200)


@pytest.mark.parametrize("task", TASKS, ids=repr)
@pytest.mark.parametrize("evaluate", [False, True])
def test_examples_are_the_definition(task, evaluate):
    """Read as text would be, cut at the separator."""
    batch, symbols = task.sample(0, 300, 2, evaluate), task.alphabet or {"random": 2}.get(task.variant, 1024)
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        half = tokens // 2
        left, separator, right = inputs[:half], inputs[half], inputs[half + 1 : tokens]
        assert separator == symbols
        assert len(left) == len(right)
        assert all(0 <= symbol < symbols for symbol in left + right)
        assert set(inputs[tokens:]) <= {0}
        if task.variant == "next":
            assert left == right
            assert targets == [EVERY_CLASS] * half + left + [NOTHING_ASKED] * (task.longest - 2 * half)
        else:
            assert targets[tokens - 1] == int(left == right)
            assert {*targets[: tokens - 1], *targets[tokens:]} <= {NOTHING_ASKED}
        if task.variant == "one":
            assert sum(a != b for a, b in zip(left, right, strict=True)) == 1 - targets[tokens - 1]


def test_examples_do_not_depend_on_where_blocks_are_cut():
    """A length of which few examples are generated at a time."""
    task = Equality(600)
    whole = task.sample(0, 500, 3)
    for start in (1, 217, 499):
        assert np.array_equal(task.sample(start, 500 - start, 3).inputs, whole.inputs[start:])


@pytest.mark.parametrize("variant", ["random", "one"])
@pytest.mark.parametrize(("length", "alphabet"), [(2, 2), (4, 3), (6, 2), (8, 2)])
def test_solve_is_the_definition_on_every_input(variant, length, alphabet):
    half = length // 2
    task_laws.check_task_answers(
        Equality(length, variant, alphabet),
        length,
        lambda word: int(all(word[place] == word[half + 1 + place] for place in range(half))),
    )


@pytest.mark.parametrize("alphabet", [2, 3])
def test_next_is_what_follows_in_some_word(alphabet):
    """Every prefix of every word with halves of up to 3, against the list of all words with halves of up to 4."""
    task, symbols = Equality(6, "next", alphabet), range(alphabet)
    words = [(*half, alphabet, *half) for size in range(5) for half in itertools.product(symbols, repeat=size)]
    prefixes = {word[:read] for word in words if len(word) <= 7 for read in range(1, len(word))} - {(alphabet,)}
    assert len(prefixes) > 20
    for prefix in prefixes:
        following = {word[len(prefix)] for word in words if len(word) > len(prefix) and word[: len(prefix)] == prefix}
        expected = EVERY_CLASS if following >= set(symbols) else following.pop()
        assert following <= {*symbols, alphabet} if expected == EVERY_CLASS else not following
        assert task.solve(prefix) == expected


def test_the_printed_lengths_are_odd_and_end_before_50():
    """N/10, N/10 + 2, ... up to N, for figure 4's N: at 50 all are odd and 50 is none; elsewhere they are even and end at N."""
    lengths = {n: range(n // 10, n + 1, 2) for n in (20, 50, 100, 200, 400)}
    assert (lengths[50][0], lengths[50][-1]) == (5, 49)
    assert all(k % 2 == 1 for k in lengths[50])
    assert all(k % 2 == 0 for n in (20, 100, 200, 400) for k in lengths[n])
    assert all(lengths[n][-1] == n for n in (20, 100, 200, 400))
    assert set((Equality(50).sample(0, 500, 1).lengths - 1).tolist()) == set(range(6, 51, 2))


@pytest.mark.parametrize(("length", "least"), [(2, 2), (20, 2), (22, 4), (50, 6), (100, 10), (400, 40), (410, 42)])
def test_lengths_begin_at_the_even_number_at_or_above_a_tenth(length, least):
    assert least >= length / 10 > least - 2
    lengths = Equality(length).sample(0, 6000, 1).lengths - 1
    counts = np.bincount(lengths, minlength=length + 1)[least::2]
    assert counts.sum() == 6000
    share = 6000 / len(counts)
    assert abs(counts - share).max() < 6 * np.sqrt(share)
    assert set(Equality(length).sample(0, 50, 1, evaluate=True).lengths.tolist()) == {length + 1}
    assert Equality(length, least_length=least) == Equality(length)


@pytest.mark.parametrize(("length", "alphabet"), [(2, 2), (4, 2), (2, 5), (6, 2), (40, 2)])
def test_random_has_label_1_with_half_and_a_little_more(length, alphabet):
    """1/2 + S^-h / 2; the halves' symbols are uniform, and independent where they are not copied."""
    batch = Equality(length, alphabet=alphabet).sample(0, 40_000, 5, evaluate=True)
    chance = 1 / 2 + alphabet ** -(length // 2) / 2
    assert abs(batch.targets[:, -1].mean() - chance) < 5 * 0.5 / 200
    left, right = batch.inputs[:, 0], batch.inputs[:, length // 2 + 1]
    table = np.zeros((alphabet, alphabet))
    np.add.at(table, (left, right), 1 / 40_000)
    expected = np.full((alphabet, alphabet), 1 / 2 / alphabet**2) + np.eye(alphabet) / 2 / alphabet
    assert abs(table - expected).max() < 0.0125


def test_one_changes_a_uniform_place_into_a_uniform_other_symbol():
    batch = Equality(10, "one", 4).sample(0, 40_000, 5, evaluate=True)
    left, right = batch.inputs[:, :5], batch.inputs[:, 6:]
    rows, places = np.nonzero(left != right)
    assert abs(len(rows) - 20_000) < 5 * 100
    assert np.array_equal(rows, np.flatnonzero(batch.targets[:, -1] == 0))
    assert abs(np.bincount(places, minlength=5) - len(rows) / 5).max() < 5 * np.sqrt(len(rows) / 5)
    moved = (right - left)[rows, places] % 4
    assert abs(np.bincount(moved, minlength=4)[1:] - len(rows) / 3).max() < 5 * np.sqrt(len(rows) / 3)


def test_one_changes_a_place_within_the_drawn_length():
    batch = Equality(40, "one", 4).sample(0, 5000, 1)
    half = batch.lengths // 2
    for offset in np.flatnonzero(batch.targets.max(axis=1) == 0)[:500]:
        left, right = batch.inputs[offset, : half[offset]], batch.inputs[offset, half[offset] + 1 : batch.lengths[offset]]
        assert (left != right).sum() == 1


@pytest.mark.parametrize(("half", "alphabet"), [(3, 2), (4, 2), (3, 3)])
def test_shortcut_of_random_by_counting_every_pair(half, alphabet):
    """Comparing the first j symbols errs with probability (S^-j - S^-h) / 2."""
    words = list(itertools.product(range(alphabet), repeat=half))
    for compared in range(half + 1):
        wrong = sum(a[:compared] == b[:compared] and a != b for a in words for b in words) / len(words) ** 2
        assert wrong / 2 == pytest.approx((alphabet**-compared - alphabet**-half) / 2)


@pytest.mark.parametrize("task", [Equality(50, "one"), Equality(8, "one", 2)], ids=repr)
def test_shortcut_of_one(task):
    """The sum of the first half less that of the second is 0 modulo S exactly for label 1, on all that is drawn."""
    batch = task.sample(0, 1000, 4)
    for inputs, targets, tokens in zip(batch.inputs, batch.targets, batch.lengths, strict=True):
        half = tokens // 2
        difference = int(inputs[:half].sum() - inputs[half + 1 : tokens].sum()) % task.symbols
        assert int(difference == 0) == targets[tokens - 1]


@pytest.mark.parametrize(("length", "alphabet"), [(2, 2), (6, 2), (4, 3), (2, 5)])
def test_answer_bits_by_counting_prefix_classes(length, alphabet):
    """Two prefixes are one class if every suffix gives both the same answers."""
    task = Equality(length, alphabet=alphabet)
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
    assert task.answer_bits() == (most - 1).bit_length()
    follows = Equality(length, "next", alphabet)
    halves = itertools.product(range(alphabet), repeat=length // 2)
    answers = {tuple(follows.solve((*half, alphabet, *half[:read])) for read in range(length // 2)) for half in halves}
    assert follows.answer_bits() == (len(answers) - 1).bit_length()


@pytest.mark.parametrize(("alphabet", "nats"), [(1024, 0.004), (4, 0.281)])
def test_loss_of_a_model_that_knows_nothing_of_the_first_half(alphabet, nats):
    task = Equality(8, "next", alphabet)
    targets = torch.from_numpy(task.sample(0, 50, 1).targets)
    targets = targets[targets != NOTHING_ASKED]
    logits = torch.where(targets == EVERY_CLASS, 30.0, -np.log(alphabet - 1))[:, None].expand(-1, alphabet)
    assert float(total_loss(task, logits, targets)) / len(targets) == pytest.approx(nats, abs=0.0005)


def test_next_is_learned_and_scored_by_whole_words():
    """Two layers of attention copy 4 symbols; before that, no word is right at every prefix though the loss falls."""
    run = Run(
        task=Equality(8, "next", 4),
        layers=("attention",) * 2,
        width=64,
        learning_rate=3e-3,
        steps=400,
        evaluation=500,
        evaluate_every=20,
        embedding_scale=0.5,
        weight_scale=0.1,
    )
    _, result = train(run)
    assert result.status == "converged"
    assert result.curve[0].accuracy < 0.5
    assert result.curve[-1].loss_nats < result.curve[0].loss_nats < np.log(2)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Equality(0), "length"),
        (lambda: Equality(7), "length is an even"),
        (lambda: Equality(8, "two"), "variant is one of random, one, next"),
        (lambda: Equality(8, alphabet=1), "alphabet"),
        (lambda: Equality(8, alphabet=-2), "alphabet"),
        (lambda: Equality(8, least_length=3), "least_length"),
        (lambda: Equality(8, least_length=-2), "least_length"),
        (lambda: Equality(4).solve((0, 1, 2, 0)), "a separator and as many again"),
        (lambda: Equality(4).solve((0, 1, 1, 0)), "a separator and as many again"),
        (lambda: Equality(4).solve((0, 2, 2, 0)), "one separator"),
        (lambda: Equality(4, "next", 2).solve((0, 1, 2, 1)), "no symbol follows"),
        (lambda: Equality(4, "next", 2).solve((0, 1, 2, 0, 1)), "no symbol follows"),
        (lambda: Equality(4, "next").alphabets(4), "random and one"),
        (lambda: Equality(4).alphabets(3), "even"),
        (lambda: Equality(4).function(4)((0, 2, 0)), "5 tokens"),
    ],
)
def test_bad_arguments_are_named(make, field):
    with pytest.raises(ValueError, match=field):
        make()


def test_equal_tasks_have_one_configuration():
    assert Equality(20, "one", 1024, 2).configuration() == {"name": "equality", "length": 20, "variant": "one"}
    assert Equality(20, "random", 1024).configuration()["alphabet"] == 1024
    assert Equality(4, least_length=10) == Equality(4, least_length=4) != Equality(4)
    assert [(task.vocabulary, task.classes, task.longest, task.loss) for task in (Equality(6), Equality(6, "next"))] == [
        (3, 2, 7, "cross-entropy"),
        (1025, 1024, 7, "binary-cross-entropy"),
    ]


def test_readable():
    assert Equality(4).readable((0, 1, 2, 0, 0), 0) == {"left": [0, 1], "right": [0, 0], "label": 0}
    assert Equality(4, "next", 9).readable((5, 7, 9, 5, 7), 7) == {"left": [5, 7], "right": [5, 7], "label": 1}
