"""Nearest neighbour against its definition, the margin it promises, and its stated distribution."""

import math
from collections import Counter

import numpy as np
import pytest

from seqsep.core.stream import Use
from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED
from seqsep.tasks._blocks import TOKENS_AT_ONCE, ExampleDraws
from seqsep.tasks._spherical_code import MOST_NORM, sine_of_turn, spherical_code
from seqsep.tasks.nearest_neighbor import NearestNeighbor
from support.task_examples import assert_counts_are_near

TASKS = [
    NearestNeighbor(20),
    NearestNeighbor(2),
    NearestNeighbor(30, dimension=16, classes=5, margin=0.1),
    NearestNeighbor(12, dimension=3, classes=1, margin=0.001, least_length=3),
    NearestNeighbor(24, dimension=64, margin=0.25),
    NearestNeighbor(6, dimension=64, margin=0.0001),
    NearestNeighbor(10, dimension=24, classes=3, margin=0.002, least_length=2),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, count=60)


@pytest.mark.parametrize("task", TASKS, ids=repr)
@pytest.mark.parametrize("evaluate", [False, True])
def test_examples_are_the_definition_with_its_margin(task, evaluate):
    """By distance in float64, one question at a time; every asked point keeps the margin to every other than the nearest."""
    batch, seen, width = task.sample(0, 80, 3, evaluate), set(), task.dimension
    assert batch.inputs.dtype == np.float32
    for inputs, targets, tokens in zip(batch.inputs.astype(np.float64), batch.targets, batch.lengths.tolist(), strict=True):
        points, labels = inputs[:tokens:2], inputs[1:tokens:2]
        count = len(points)
        assert tokens % 2 == 1
        assert not points[:, width:].any()
        assert not labels[:, :width].any()
        assert not inputs[tokens:].any()
        assert np.array_equal(labels.sum(axis=1), np.ones(count - 1))
        assert set(np.unique(labels)) <= {0, 1}
        assert np.abs(np.linalg.norm(points, axis=1) - 1).max() < 3e-7
        assert np.flatnonzero(targets != NOTHING_ASKED).tolist() == list(range(count, 2 * count, 2))
        for k in range(count // 2, count):
            distance = np.linalg.norm(points[:k] - points[k, None], axis=1)
            nearest = int(distance.argmin())
            assert targets[2 * k] == labels[nearest, width:].argmax()
            assert k == count - 1 or labels[k, width + targets[2 * k]] == 1
            products = points[:k] @ points[k]
            assert products.argmax() == nearest < count // 2
            assert (np.delete(products, nearest) <= products[nearest] - task.margin).all()
        seen.add(count)
    least = min(task.least_length, task.length)
    assert seen == ({task.length} if evaluate else set(range(least, task.length + 1, 2)))


@pytest.mark.parametrize("evaluate", [False, True])
def test_long_examples_are_equal_for_every_block(evaluate):
    """Across the parts in which a block is made, and one at a time."""
    task = NearestNeighbor(512)
    count = TOKENS_AT_ONCE // task.longest + 3
    whole = task.sample(5, count, 3, evaluate)
    for offset in (0, count // 2, count - 1):
        one = task.sample(5 + offset, 1, 3, evaluate)
        assert np.array_equal(one.inputs[0], whole.inputs[offset])
        assert np.array_equal(one.targets[0], whole.targets[offset])


def test_margin_at_length_512():
    task = NearestNeighbor(512)
    points = task.sample(0, 20, 1, evaluate=True).inputs[:, ::2, :8].astype(np.float64)
    products = points @ points.swapaxes(1, 2)
    products[:, np.arange(512)[:, None] <= np.arange(512)] = -2
    two = np.sort(products[:, 256:], axis=2)[:, :, -2:]
    assert (two[:, :, 1] - two[:, :, 0]).min() >= task.margin
    assert two[:, :, 1].mean() > 0.99


def test_distribution():
    """Labels, orders and lengths are uniform; coordinates are exchangeable with uniform signs; noise differs by point."""
    task = NearestNeighbor(4, dimension=4, classes=3, least_length=4)
    batch = task.sample(0, 20_000, 1)
    first, second, *again = batch.inputs[:, ::2, :4].swapaxes(0, 1)
    labels = batch.inputs[:, 1:4:2, 4:].argmax(axis=2)
    swapped = (again[0] * second).sum(axis=1) > (again[0] * first).sum(axis=1)
    cases = Counter(zip(*labels.T.tolist(), swapped.tolist(), strict=True))
    assert_counts_are_near(cases, {(a, b, late): 1 / 18 for a in range(3) for b in range(3) for late in (False, True)}, 20_000)
    signs = Counter(map(tuple, (first > 0).tolist()))
    assert_counts_are_near(signs, {tuple(map(bool, np.unravel_index(case, (2,) * 4))): 1 / 16 for case in range(16)}, 20_000)
    assert_counts_are_near(Counter(np.abs(first).argmax(axis=1).tolist()), dict.fromkeys(range(4), 1 / 4), 20_000)
    assert len(np.unique(first, axis=0)) > 19_990
    assert np.abs(again[0] - np.where(swapped[:, None], second, first)).max() > 0
    lengths = NearestNeighbor(14, least_length=7).sample(0, 20_000, 1).lengths
    assert_counts_are_near(Counter(lengths.tolist()), {2 * points - 1: 1 / 4 for points in (8, 10, 12, 14)}, 20_000)


@pytest.mark.parametrize(
    ("dimension", "gamma", "size"), [(8, 0.05, 1024), (2, 0.0001, 128), (64, 0.25, 500), (24, 0.001, 1024)]
)
def test_directions_keep_the_margin_under_the_worst_noise(dimension, gamma, size):
    """Every pair of directions is apart; and noise at its bound, along or against a neighbour, leaves the margin."""
    code = spherical_code(dimension, gamma, size)
    points, most = code.points.T.astype(np.float64), (2**code.noise_bits - 1) * (code.noise_bits > 0)
    norms = np.linalg.norm(points, axis=1)
    assert norms.max() + most * math.sqrt(dimension) < 4096 <= 2**12  # so that sums of squares are below 2^24
    assert norms.max() < MOST_NORM
    assert np.array_equal(points, np.rint(points))
    assert ((points % 2 == 1) == (code.noise_bits == 0)).all()
    products = points @ points.T / np.outer(norms, norms)
    np.fill_diagonal(products, -1)
    assert products.max() <= 1 - 2 * gamma
    assert most * math.sqrt(dimension) / norms.min() <= sine_of_turn(gamma)
    random = np.random.default_rng(0)
    for one, other in np.argwhere(products >= np.sort(products, axis=None)[-40]):
        towards = (points[other] - points[one]) / np.linalg.norm(points[other] - points[one])
        bound = most * math.sqrt(dimension)  # a ball around each point that holds every noise
        across = random.normal(size=dimension)
        across *= bound / np.linalg.norm(across)
        for noise in (towards * bound, across):
            question, told, rival = points[one] + noise, points[one] - noise, points[other] - noise
            question, told, rival = (vector / np.linalg.norm(vector) for vector in (question, told, rival))
            assert question @ told - question @ rival >= gamma


def test_directions_do_not_depend_on_how_they_are_asked_for():
    small, large = (spherical_code(5, 0.02, size).points for size in (64, 200))
    assert np.array_equal(small, large[:, :64])


def test_noise_is_uniform_on_odd_steps():
    task = NearestNeighbor(16, dimension=8)
    noise = task._noise(ExampleDraws((0, 0, 0, 0, 0, 32), 1, Use.CODE, 0, 500), 4)
    assert noise.shape == (500, 8, 16)
    assert_counts_are_near(Counter(noise.ravel().tolist()), dict.fromkeys(range(-15, 16, 2), 1 / 16), noise.size)


def test_no_room_is_named():
    with pytest.raises(ValueError, match=r"dimension=2, gamma=0.1, size=128.*only \d+ lie"):
        NearestNeighbor(8, dimension=2, margin=0.1).sample(0, 1, 0)


def test_shortcut_stated():
    """The labels of the first half less those of the earlier questions leave the last answer."""
    batch = NearestNeighbor(12, classes=3).sample(0, 200, 1, evaluate=True)
    told, answered = batch.inputs[:, 1:12:2, 8:].sum(axis=1), batch.inputs[:, 13::2, 8:].sum(axis=1)
    assert np.array_equal((told - answered).argmax(axis=1), batch.targets[:, -1])
    assert np.array_equal((told - answered).sum(axis=1), np.ones(200))


def test_answer_bits():
    assert NearestNeighbor(20).answer_bits() == 10
    assert NearestNeighbor(20, classes=3).answer_bits() == math.ceil(10 * math.log2(3))
    assert NearestNeighbor(20, classes=1).answer_bits() == 0


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: NearestNeighbor(1), "length"),
        (lambda: NearestNeighbor(7), "even"),
        (lambda: NearestNeighbor(8, dimension=1), "dimension"),
        (lambda: NearestNeighbor(8, dimension=65), "dimension"),
        (lambda: NearestNeighbor(8, classes=0), "classes"),
        (lambda: NearestNeighbor(8, margin=0.0), "margin"),
        (lambda: NearestNeighbor(8, margin=0.6), "margin"),
        (lambda: NearestNeighbor(8, least_length=1), "least_length"),
        (lambda: NearestNeighbor(8).alphabets(8), "vectors"),
        (lambda: NearestNeighbor(8).solve(((0.0,) * 10,)), "first point"),
        (lambda: NearestNeighbor(8).solve(((0.0,) * 10,) * 2), "odd number"),
    ],
)
def test_bad_arguments_are_named(make, field):
    with pytest.raises(ValueError, match=field):
        make()


def test_readable_solve_and_sizes():
    task = NearestNeighbor(4, dimension=2, classes=2)
    inputs = ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.6, 0.8, 0.0, 0.0))
    expected = {"points": [[1.0, 0.0], [0.0, 1.0]], "labels": [1, 0], "query": [0.6, 0.8], "answer": 0}
    assert task.solve(inputs) == 0
    assert task.readable(inputs, 0) == expected
    assert (task.vocabulary, task.coordinates, task.classes, task.longest) == (0, 4, 2, 7)
    assert NearestNeighbor(9 + 1, least_length=7).least_length == 8
