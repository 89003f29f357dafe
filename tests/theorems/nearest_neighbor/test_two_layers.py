"""Theorem 7: nearest neighbour and recall by two attention layers, repaired and as printed; a spoiled weight is found out."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from seqsep.exact.executor import run
from seqsep.exact.grid import Array, Grid
from seqsep.exact.network import AttentionLayer, Network
from seqsep.model.model import Model
from seqsep.theorems import TheoremFails
from seqsep.theorems.nearest_neighbor import _inputs as drawn
from seqsep.theorems.nearest_neighbor import _printed as as_printed
from seqsep.theorems.nearest_neighbor import two_layers as theorem

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
            found = theorem.exponent(length, Fraction(1, max(4, 2 * length - 1) ** c))
            assert found <= c + 2
            assert found == c + 1 or length < 12
    assert theorem.exponent(11, Fraction(1, 21)) == 3
    assert all(theorem.proved(length, max(4, 2 * length - 1) ** 2) > 1 / 2 for length in range(2, 3000))
    assert theorem.proved(2, 16) > 0.63
    assert 0.53 < theorem.proved(3, 25) < 0.54


@pytest.mark.parametrize(("length", "dimension", "classes"), [(2, 1, 2), (6, 3, 4), (20, 2, 3)])
def test_answers_are_those_of_a_slow_solution(length, dimension, classes):
    gamma = Fraction(1, 2 * length)
    network = theorem.build(length, dimension, classes, gamma)
    random = np.random.default_rng(0)
    settings = next(drawn.hard(length, dimension, classes, network.grid, random, 20))
    answers = run(network, drawn.tokens(settings, classes, network.grid)).answers
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
    asked = np.broadcast_to(drawn.askable(7), (30, 4))
    answers, margins = drawn.measured(points, labels, asked, grid)
    for row in range(30):
        for place, k in enumerate((3, 4, 5, 6)):
            label, margin = nearest(points[row].tolist(), labels[row].tolist(), k)
            if len(set(labels[row, :k].tolist())) == 1:
                margin = 2 * grid.steps**2
            assert margins[row, place] == margin
            assert margin == 0 or answers[row, place] == label
    huge = drawn.measured(points * 10**12, labels, asked, Grid(10**14))[1]
    alone = margins == 2 * grid.steps**2
    assert all(huge[~alone] == margins[~alone].astype(object) * 10**24)


def test_the_question_does_not_meet_itself_nor_the_first_token():
    """Everything lies opposite: the nearest label scores about -eta2, a point as a key would score +eta2."""
    network = theorem.build(4, 1, 2, Fraction(1, 7))
    steps = network.grid.steps
    points = np.array([[[steps], [-steps], [-steps // 2], [-steps]], [[-steps], [-steps], [-steps // 2], [steps]]])
    labels = np.array([[0, 1, 1, 0], [0, 0, 1, 0]])
    answers = run(network, drawn.tokens(drawn.Settings(points, labels), 2, network.grid), at=-1).answers[:, 0]
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
    integers[place] = (
        -integers[place] if integers[place] and random.integers(2) else integers[place] + random.choice([-2, -1, 1, 2])
    )
    array = Array(integers, array.unit, array.by_index)
    if "." not in name:
        return dataclasses.replace(network, **{name: array})
    layers, entry = list(network.layers), name.rsplit(".", 1)[1]
    layer = int(name.split(".")[1])
    attention, feed_forward = layers[layer]
    if "feed_forward" in name:
        layers[layer] = (attention, dataclasses.replace(feed_forward, **{entry: array}))
    else:
        layers[layer] = (AttentionLayer((dataclasses.replace(attention.heads[0], **{entry: array}),)), feed_forward)
    return dataclasses.replace(network, layers=tuple(layers))


def test_30_defects_that_change_the_function_are_all_caught(monkeypatch):
    honest = theorem.build
    network = honest(5, 2)
    settings = drawn.on_circle(2, network.grid, Fraction(1, 9))
    inputs = drawn.tokens(settings, 2, network.grid)[::7]  # what changes some of these changes the function
    at = np.broadcast_to([4, 6, 8], (len(inputs), 3))
    answers = run(network, inputs, at).answers
    random, caught, arrays = np.random.default_rng(0), 0, set()
    for number in list(range(len(list(network.arrays())))) * 9:
        spoiled = changed(network, number, random)
        if np.array_equal(run(spoiled, inputs, at).answers, answers):
            continue
        monkeypatch.setattr(
            theorem, "build", lambda length, dimension, *more, spoiled=spoiled: spoiled if dimension == 2 else honest(5, 6)
        )
        with pytest.raises(TheoremFails, match="points"):
            theorem.check(length=5, dimension=2)
        caught += 1
        arrays.add(number)
        if caught >= 30 and len(arrays) >= 8:
            break
    assert caught >= 30
    assert len(arrays) >= 8


def test_an_oversized_network_is_found_out(monkeypatch):
    honest = theorem.build

    def build(*given):
        network = honest(*given)
        return dataclasses.replace(network, grid=Grid(network.grid.steps * 2))

    monkeypatch.setattr(theorem, "build", build)
    with pytest.raises(TheoremFails, match="precision"):
        theorem.check(length=5, dimension=2, classes=1)


def test_a_model_in_floats_agrees():
    network = theorem.build(12, 3, 4)
    settings = drawn.crowded(12, 3, 4, network.grid, Fraction(1, 23), np.random.default_rng(0), 40)
    inputs = drawn.tokens(settings, 4, network.grid)
    result = run(network, inputs, at=-1)
    with torch.no_grad():
        logits = Model.load(network)(torch.from_numpy(inputs / network.grid.steps), torch.full((40,), 22))
    assert np.array_equal(logits.argmax(-1).numpy(), result.answers[:, 0])
    assert np.abs(logits.numpy() - result.logits.floats()[:, 0]).max() < 0.1


def test_recall_has_margin_two_over_the_digits():
    grid = Grid(10_000)
    points = drawn.symbol_points(np.arange(64), 64, grid)
    products = points @ points.T
    np.fill_diagonal(products, -(10**9))
    least = Fraction(int((points[0] ** 2).sum() - products.max()), grid.steps**2)
    assert Fraction(2, 6) * Fraction(99, 100) < least <= Fraction(2, 6)
    for digits in range(1, 21):
        symbols = drawn.symbol_points(np.array([0, 1]), 1 << digits, Grid(16))
        assert 2 * int(symbols[0, 0]) ** 2 * digits >= 16**2
    for alphabet in (1, 2, 1000):
        _, recall = theorem.check(length=5, dimension=2, classes=1, alphabet=alphabet)
        assert "recall" in recall.variant


def test_verify_counts_and_covers_every_length():
    outcomes = theorem.verify(99, 0)
    lengths = [outcome.length for outcome in outcomes]
    assert {2, 64, 250, 1024, 4096} - set(lengths) <= {1024, 4096}
    assert sum(outcome.inputs for outcome in outcomes) >= 99


def test_apply_nearest_neighbour():
    answer = theorem.applier(length=10)
    given = {"points": [[0.6, 0.8], [1, 0], [-1.0, 0]], "labels": [7, 3, 63]}
    assert answer({**given, "query": [0.9, 0.1], "label": 5}) == 3
    assert answer({**given, "queries": [[0.6, 0.8], [-0.5, 0.0]]}) == [7, 63]
    assert answer({"points": [[1], [1], [0]], "labels": [2, 2, 4], "query": [1]}) == 2
    assert theorem.applier(length=8, gamma=1.0, variant="printed")({"points": [[1], [0]], "labels": [2, 4], "query": [1]}) == 2


def test_apply_recall():
    answer = theorem.applier(length=6)
    given = {"pairs": [[5, 1], [63, 2], [0, 33], [5, 1]]}
    assert answer({**given, "query": 63}) == 2
    assert answer({**given, "queries": [0, 5, 63]}) == [33, 1, 2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "query: missing; found no fields"),
        ({"labels": [0], "query": [1]}, "points: missing"),
        ({"points": [[1]], "query": [1]}, "labels: missing"),
        ({"points": [[1]], "labels": [0]}, "query: missing"),
        ({"points": [[1, 0]], "labels": [0, 1], "query": [1, 0]}, "labels: expected 1, one a point, found 2"),
        ({"points": [[1, 0]], "labels": [64], "query": [1, 0]}, "labels: expected 0 to 63, found 64"),
        ({"points": [[1, 0]], "labels": [0], "query": [1]}, "query: expected 2 coordinates, found 1"),
        ({"points": [[1, 0], [1]], "labels": [0, 1], "query": [1]}, "points: expected 2 coordinates, found 1"),
        ({"points": [[1, "x"]], "labels": [0], "query": [1, 0]}, "points: expected vectors of finite numbers"),
        ({"points": [[math.nan]], "labels": [0], "query": [1]}, "points: expected vectors of finite numbers"),
        ({"points": [], "labels": [], "query": [1]}, "points: expected vectors"),
        ({"points": [[1]], "labels": [0], "query": 1}, "query: expected vectors"),
        ({"points": [[1]], "labels": [0], "queries": []}, "queries: expected vectors"),
        ({"points": [[1]], "labels": [0], "queries": 3}, "queries: expected vectors"),
        ({"points": [[0.8, 0.7]], "labels": [0], "query": [1, 0]}, "points: expected vectors of norm at most 1"),
        ({"points": [[0.8], [0.801]], "labels": [0, 1], "query": [1]}, "query: the question has a margin of"),
        ({"points": [[0.8], [0.5]], "labels": [0, 1], "queries": [[1], [0]]}, "queries: question 2 has a margin of 0 "),
        ({"points": [[0.8]] * 5, "labels": [0] * 5, "query": [1]}, "points: expected 1 to 4 of them, found 5"),
        ({"pairs": [[1, 2]], "query": 3}, "query: 3 is not the key of any pair"),
        ({"pairs": [[1, 2]], "queries": [1, 3]}, "queries: 3 is not the key of any pair"),
        ({"pairs": [[1, 2], [1, 3]], "query": 1}, "pairs: key 1 has the values 2 and 3"),
        ({"pairs": [[64, 2]], "query": 64}, "pairs: expected keys 0 to 63, found 64"),
        ({"pairs": [[1, 64]], "query": 1}, "pairs: expected values 0 to 63, found 64"),
        ({"pairs": [[1, 2, 3]], "query": 1}, "pairs: expected a list of"),
        ({"pairs": [], "query": 1}, "query: 1 is not the key"),
        ({"pairs": [[1, 2]], "queries": []}, "queries: "),
        ({"pairs": [[1, 2]], "query": "1"}, "query: expected a whole number"),
        ({"pairs": [[k, 0] for k in range(5)], "query": 1}, "pairs: expected 1 to 4 of them, found 5"),
    ],
)
def test_apply_names_what_is_wrong(given, message):
    with pytest.raises(ValueError, match="^" + message):
        theorem.applier(length=5)(given)


@pytest.mark.parametrize(
    "options",
    [{"length": 1}, {"gamma": 0.0}, {"gamma": 1.5}, {"classes": 0}, {"alphabet": 0}, {"variant": "other"}],
)
def test_wrong_options(options):
    for call in (theorem.check, theorem.applier):
        with pytest.raises(ValueError, match=rf"^{call.__name__}\(.*{next(iter(options))}="):
            call(**{"length": 8, **options})
    with pytest.raises(ValueError, match=r"build\(code_width=48\)"):
        as_printed.build(4, 2, Fraction(1), 48)


def test_the_printed_construction_errs_at_a_width_that_can_be_run():
    """N = 100, gamma = 0.1: the printed k is 47,931,717; with random signs at k = 16,384 about half the answers are wrong."""
    assert as_printed.needed_code_width(100, Fraction(1, 10)) == 47_931_717
    assert all(as_printed.needed_code_width(n, Fraction(1, n)) > n**2 for n in (4, 64, 1024))
    (outcome,) = theorem.check(length=100, gamma=Fraction(1, 10), variant="printed")
    assert not outcome.holds
    assert outcome.measured["width"] == 3 * 16_384 + 4 + 2
    assert outcome.bound["width"] == 3 * 47_931_717 + 4 + 2
    assert outcome.witness["right_where_others_disagree"] == 30
    assert outcome.witness["right_where_others_are_random"] == 67
    assert theorem.build(100, gamma=Fraction(1, 10)).width == 4 + 4


@pytest.mark.parametrize("length", [2, 8, 32])
def test_the_printed_construction_works_at_a_large_margin(length):
    (outcome,) = theorem.check(length=length, variant="printed")
    assert outcome.holds
    assert outcome.inputs == 200


@pytest.mark.parametrize(("length", "gamma", "right"), [(6, Fraction(1), True), (12, Fraction(1, 10), False)])
def test_the_printed_arrays_and_the_direct_computation_agree(length, gamma, right):
    network = as_printed.build(length, 3, gamma, 256)
    assert network.width == as_printed.width(256, 3, 1)
    settings = drawn.crowded(length, 3, 2, network.grid, gamma, np.random.default_rng(1), 40)
    direct = as_printed.answers(settings.points / network.grid.steps, settings.labels, 1, gamma, 256)
    assert np.array_equal(run(network, drawn.tokens(settings, 2, network.grid), at=-1).answers[:, 0], direct)
    wanted, _ = drawn.measured(settings.points, settings.labels, np.full((40, 1), length - 1), network.grid)
    assert ((direct == wanted[:, 0]).mean() > 0.9) == right


def test_the_printed_products():
    """Q and K as printed in G.2, times products of random T: + 3 where one line prints + 2 and the last none."""
    k, root = 256, 16
    signs = as_printed.signs(4, k) / root
    x, question = np.array([0.6, 0.8]), np.array([1.0, 0.0])
    asked = np.concatenate([question, [1], -10 * signs[6]])
    key = np.concatenate([x, [3 * 1], signs[2]])
    label = np.concatenate([0 * x, [3 * -2], signs[3]])
    apart = signs[6] @ signs[2]
    assert asked @ key == pytest.approx(question @ x + 3 - 10 * apart)
    assert asked @ key != pytest.approx(question @ x + 2 - 10 * apart)
    assert asked @ label == pytest.approx(-6 - 10 * signs[6] @ signs[3])
    assert (root * signs[3]) @ signs[3] == pytest.approx(16)


def test_errata_name_tests_that_exist():
    for erratum in theorem.THEOREM.errata:
        assert erratum.test.split("::")[1] in globals()
