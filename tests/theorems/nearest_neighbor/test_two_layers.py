"""Theorem 7: nearest neighbour and recall by two attention layers, repaired and as printed; a spoiled weight is found out."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network
from seqsep.models.model import Model
from seqsep.theorems import TheoremFails
from seqsep.theorems.nearest_neighbor import two_layers as theorem
from seqsep.theorems.nearest_neighbor._drawn import SettingSampler, on_circle
from seqsep.theorems.nearest_neighbor._plan import exponent
from seqsep.theorems.nearest_neighbor._settings import Settings, askable, measured, symbol_points, tokens
from support.networks import with_array

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def nearest(points: list[list[int]], labels: list[int], asked: int) -> tuple[int, int]:
    """The label of the greatest product with point `asked` among those before it, and the margin to other labels, slowly."""
    products = [sum(a * b for a, b in zip(points[asked], other, strict=True)) for other in points[:asked]]
    best = max(range(asked), key=lambda i: products[i])
    others = [products[i] for i in range(asked) if labels[i] != labels[best]]
    return labels[best], products[best] - max(others, default=-(10**40))


@pytest.mark.parametrize("classes", [1, 2])
def test_every_order_and_labelling_of_four_points_of_a_circle(classes):
    outcome, recall = theorem.check(length=5, dimension=2, classes=classes)
    assert outcome.exhaustive
    assert outcome.inputs >= 24 * classes**4 * 20
    assert outcome.measured == outcome.bound
    assert not recall.exhaustive
    assert recall.measured == recall.bound


@pytest.mark.parametrize(
    ("length", "dimension", "classes", "gamma"),
    [
        (2, 1, 2, None),
        (9, 1, 2, Fraction(1, 17**2)),
        (64, 4, 5, 0.05),
        (70, 2, 2, Fraction(1, 139**2)),
    ],
)
def test_sizes_and_margins(length, dimension, classes, gamma):
    outcomes = theorem.check(length, dimension, classes, gamma=gamma)
    for outcome in outcomes:
        assert outcome.measured == outcome.bound
        assert 1 / 2 < outcome.margin.proved <= outcome.margin.least
    assert outcomes[0].measured["width"] == dimension + max(1, math.ceil(math.log2(classes))) + 3
    if length > 2:
        asked = outcomes[0].witness["gamma"]
        assert asked <= outcomes[0].witness["least_gamma_met"] < asked + 2 / length**2


def test_the_width_does_not_depend_on_the_margin():
    networks = [theorem.build(64, 4, 2, Fraction(1, 127**c)) for c in (1, 2, 3)]
    assert {network.width for network in networks} == {4 + 4}
    assert all(network.causal and network.heads == 1 and len(network.layers) == 2 for network in networks)


def test_exponents_and_margins_are_as_the_proof_says():
    for c in (1, 2, 3):
        for length in range(2, 400):
            found = exponent(length, Fraction(1, max(4, 2 * length - 1) ** c))
            assert found <= c + 2
            assert found == c + 1 or length < 12
    assert exponent(11, Fraction(1, 21)) == 3
    assert all(theorem.proved(length, max(4, 2 * length - 1) ** 2) > 1 / 2 for length in range(2, 3000))
    assert theorem.proved(2, 16) > 0.63
    assert 0.53 < theorem.proved(3, 25) < 0.54


@pytest.mark.parametrize(("length", "dimension", "classes"), [(2, 1, 2), (6, 3, 4), (20, 2, 3)])
def test_answers_are_those_of_a_slow_solution(length, dimension, classes):
    gamma = Fraction(1, 2 * length)
    network = theorem.build(length, dimension, classes, gamma)
    source = SettingSampler(classes, network.grid, np.random.default_rng(0), batch=20)
    settings = next(source.hard(length, dimension))
    answers = run(network, tokens(settings, classes, network.grid)).answers
    asked = 0
    for row, (points, labels) in enumerate(zip(settings.points.tolist(), settings.labels.tolist(), strict=True)):
        for k in range(1, length):
            label, margin = nearest(points, labels, k)
            if margin >= gamma * network.grid.steps**2:
                asked += 1
                assert answers[row, 2 * k] == label
    assert asked >= 20


def test_measured_margins_are_those_of_a_slow_solution():
    grid = Grid(100)
    random = np.random.default_rng(0)
    points, labels = random.integers(-9, 10, (30, 7, 2)), random.integers(3, size=(30, 7))
    asked = np.broadcast_to(askable(7), (30, 4))
    answers, margins = measured(Settings(points, labels), asked, grid)
    for row in range(30):
        for place, k in enumerate((3, 4, 5, 6)):
            label, margin = nearest(points[row].tolist(), labels[row].tolist(), k)
            if len(set(labels[row, :k].tolist())) == 1:
                margin = 2 * grid.steps**2
            assert margins[row, place] == margin
            assert margin == 0 or answers[row, place] == label
    huge = measured(Settings(points * 10**12, labels), asked, Grid(10**14))[1]
    alone = margins == 2 * grid.steps**2
    assert all(huge[~alone] == margins[~alone].astype(object) * 10**24)


def test_the_question_does_not_meet_itself_nor_the_first_token():
    """Everything lies opposite: the nearest label scores about -eta2, a point as a key would score +eta2."""
    network = theorem.build(4, 1, 2, Fraction(1, 7))
    steps = network.grid.steps
    points = np.array([[[steps], [-steps], [-steps // 2], [-steps]], [[-steps], [-steps], [-steps // 2], [steps]]])
    labels = np.array([[0, 1, 1, 0], [0, 0, 1, 0]])
    answers = run(network, tokens(Settings(points, labels), 2, network.grid), at=-1).answers[:, 0]
    assert answers.tolist() == [1, 1]


def test_tightness():
    (outcome,) = theorem.check(length=3, dimension=2, gamma=0.5, tightness=True)
    assert outcome.variant == "tightness, repaired"
    assert not outcome.exhaustive
    assert 0 < outcome.measured["eta"] < outcome.bound["eta"] == 5
    assert outcome.measured["precision"] < outcome.bound["precision"]
    assert outcome.as_printed["eta"] > outcome.bound["eta"]


def changed(network: Network, number: int, random: np.random.Generator) -> Network:
    """One entry of array `number` in `arrays()` changed."""
    name, array = list(network.arrays())[number]
    integers = array.integers.copy()
    place = tuple(random.integers(side) for side in integers.shape)
    if integers[place] and random.integers(2):
        integers[place] = -integers[place]
    else:
        integers[place] += random.choice([-2, -1, 1, 2])
    return with_array(network, name, Array(integers, array.unit, array.by_index))


def test_30_defects_that_change_the_function_are_all_caught(monkeypatch):
    honest = theorem.assemble
    network = theorem.build(5, 2)
    settings = on_circle(2, network.grid, Fraction(1, 9))
    inputs = tokens(settings, 2, network.grid)[::7]  # what changes some of these changes the function
    at = np.broadcast_to([4, 6, 8], (len(inputs), 3))
    answers = run(network, inputs, at).answers
    random, caught, arrays = np.random.default_rng(0), 0, set()
    for number in list(range(len(list(network.arrays())))) * 9:
        spoiled = changed(network, number, random)
        if np.array_equal(run(spoiled, inputs, at).answers, answers):
            continue
        monkeypatch.setattr(theorem, "assemble", lambda plan, spoiled=spoiled: spoiled if plan.dimension == 2 else honest(plan))
        with pytest.raises(TheoremFails, match="points"):
            theorem.check(length=5, dimension=2)
        caught += 1
        arrays.add(number)
        if caught >= 30 and len(arrays) >= 8:
            break
    assert caught >= 30
    assert len(arrays) >= 8


def test_an_oversized_network_is_found_out(monkeypatch):
    honest = theorem.assemble

    def too_precise(plan):
        network = honest(plan)
        return dataclasses.replace(network, grid=Grid(network.grid.steps * 2))

    monkeypatch.setattr(theorem, "assemble", too_precise)
    with pytest.raises(TheoremFails, match="precision"):
        theorem.check(length=5, dimension=2, classes=1)


def test_a_model_in_floats_agrees():
    network = theorem.build(12, 3, 4)
    source = SettingSampler(4, network.grid, np.random.default_rng(0), batch=40)
    settings = source.crowded(12, 3, Fraction(1, 23))
    inputs = tokens(settings, 4, network.grid)
    result = run(network, inputs, at=-1)
    with torch.no_grad():
        logits = Model.load(network)(torch.from_numpy(inputs / network.grid.steps), torch.full((40,), 22))
    assert np.array_equal(logits.argmax(-1).numpy(), result.answers[:, 0])
    assert np.abs(logits.numpy() - result.logits.floats()[:, 0]).max() < 0.1


def test_recall_has_margin_two_over_the_digits():
    grid = Grid(10_000)
    points = symbol_points(np.arange(64), 64, grid)
    products = points @ points.T
    np.fill_diagonal(products, -(10**9))
    least = Fraction(int((points[0] ** 2).sum() - products.max()), grid.steps**2)
    assert Fraction(2, 6) * Fraction(99, 100) < least <= Fraction(2, 6)
    for digits in range(1, 21):
        symbols = symbol_points(np.array([0, 1]), 1 << digits, Grid(16))
        assert 2 * int(symbols[0, 0]) ** 2 * digits >= 16**2
    for alphabet in (1, 2, 1000):
        _, recall = theorem.check(length=5, dimension=2, classes=1, alphabet=alphabet)
        assert "recall" in recall.variant


def test_verify_counts_and_covers_every_length():
    outcomes = theorem.verify(99, 0)
    lengths = [outcome.length for outcome in outcomes]
    assert {2, 64, 250, 1024, 4096} - set(lengths) <= {1024, 4096}
    assert sum(outcome.inputs for outcome in outcomes) >= 99


@pytest.mark.parametrize(
    "options",
    [{"length": 1}, {"gamma": 0.0}, {"gamma": 1.5}, {"classes": 0}, {"alphabet": 0}, {"variant": "other"}],
)
def test_wrong_options(options):
    for call in (theorem.check, theorem.predictor):
        with pytest.raises(ValueError, match=rf"^{call.__name__}\(.*{next(iter(options))}="):
            call(**{"length": 8, **options})
