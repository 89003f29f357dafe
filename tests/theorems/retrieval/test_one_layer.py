"""One layer with exact weights: its message does not depend on Bob's tokens, and few behaviours are possible."""

import itertools
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.communication.one_layer_message import cells
from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols.one_layer_trials import LayerSizes, random_network
from seqsep.theorems.retrieval import _exact_attention as attention
from seqsep.theorems.retrieval import counting_one_layer, one_layer
from seqsep.theorems.retrieval.one_layer import (
    bob_sums,
    certificate_witness,
    check,
    constants,
    distinguished_inputs,
    first_impossible,
    least_width,
    responses,
    share,
)

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


@pytest.mark.parametrize(
    ("task", "length", "alphabet", "gram"),
    [
        ("recall", 4, 4, 2),
        ("recall", 5, 3, 2),
        ("recall", 7, 4, 3),
        ("recall", 8, 3, 4),
        ("counting", 3, 4, 2),
        ("counting", 4, 4, 2),
    ],
)
def test_the_shares_tell_every_two_of_alices_inputs_apart(task, length, alphabet, gram):
    shared = share(task, length, alphabet, gram)
    alices = shared.alices()
    rows = []
    for alice in alices:
        words = [shared.whole(alice, question) for question in range(len(shared.bobs))]
        assert {len(word) for word in words} == {length + (2 if task == "counting" else gram - 1)}
        for word in words:
            assert word[-1] == shared.last[1]
            assert max(word) < alphabet
            data = word[:length]
            if task == "counting":
                expected = int(data.count(word[-2]) > 0)
            else:
                asked = word[length:]
                places = [end for end in range(gram - 1, length) if data[end - gram + 1 : end] == asked]
                assert len(places) == 1
                expected = data[places[0]]
            assert shared.answers(word) == expected
        rows.append(tuple(shared.answers(word) for word in words))
    assert len(set(rows)) == len(rows)
    apart, questions = distinguished_inputs(task, length, alphabet, gram)
    assert questions == len(shared.bobs)
    assert len(alices) == apart


def test_cells_against_points_of_the_plane():
    """Three lines in general position make seven parts, and no more patterns are met; parallel ones make fewer."""
    grid = [(Fraction(x, 7), Fraction(y, 7)) for x in range(-60, 61) for y in range(-60, 61)]

    def patterns(lines):
        return {tuple(a * x + b * y >= c for a, b, c in lines) for x, y in grid}

    assert len(patterns([(1, 0, 0), (0, 1, 0), (1, 1, 1)])) == cells(1, 3) == 7
    assert len(patterns([(1, 0, 0), (1, 0, 1), (1, 0, 2)])) == 4 < cells(1, 3)
    assert len(patterns([(1, 0, 0), (0, 1, 0), (1, 1, 1), (1, -1, 2), (2, 1, -3)])) == cells(1, 5) == 16
    assert [cells(width, 1) for width in (1, 2, 3)] == [2, 4, 8]


@pytest.mark.parametrize("seed", range(6))
def test_a_mean_is_on_one_side_of_a_hyperplane(seed):
    """The steps of a mean count the k with S - theta_k Z >= theta_k Z' - S'."""
    random = np.random.default_rng(seed)
    grid = Grid(4, "nearest" if seed % 2 else "floor")
    shared = share("recall", 4, 4)
    network = random_network(random, LayerSizes(5, 2, 3, 2), grid, harsh=False)
    bobs = bob_sums(network, shared)
    shift = Fraction(1, 2) if grid.rounding == "nearest" else 0
    for alice in shared.alices():
        message = attention.sums(network, alice, shared.last)
        for theirs, means in zip(bobs, responses(network, message, bobs), strict=True):
            for mine, others, found in zip(message, theirs, means, strict=True):
                for place, steps in enumerate(found):
                    above = 0
                    for k in range(-(grid.steps**2) + 1, grid.steps**2 + 1):
                        theta = (k - shift) / grid.steps
                        above += mine.values[place] - theta * mine.weight >= theta * others.weight - others.values[place]
                    assert steps == above - grid.steps**2


@pytest.mark.parametrize("task", ["recall", "counting"])
def test_the_protocol_runs_and_a_layer_errs(task):
    run, bounded = check(task=task, length=300)
    assert run.inputs > 200
    assert run.measured["behaviours"] <= run.bound["behaviours"]
    shared = share(task, run.length, 4)
    tokens = tuple(run.witness["errs_on"])
    assert shared.answers(tokens) == run.witness["expected"] != run.witness["answer"]
    assert bounded.measured["message_bits"] < bounded.bound["message_bits"]


def test_a_message_that_depends_on_bob_is_found_out(monkeypatch):
    """Exponentials relative to the greatest score of one's own positions are no function of the score alone."""
    honest = attention._head_sums

    def relative(network, head, asking, rows):
        found = honest(network, head, asking, rows)
        return attention.HeadSums(Fraction(1), tuple(value / found.weight for value in found.values))

    monkeypatch.setattr(attention, "_head_sums", relative)
    with pytest.raises(TheoremFails, match="bob"):
        check(task="recall", length=10)


def test_least_widths():
    assert [least_width("recall", length) for length in (64, 256, 1024)] == [6, 24, 99]
    assert [least_width("counting", length) for length in (64, 256, 1024)] == [2, 6, 19]
    assert least_width("recall", 1024, heads=2) == 49
    assert least_width("recall", 1024, gram=3) == 67
    for task in ("recall", "counting"):
        width = least_width(task, 200)
        apart, questions = distinguished_inputs(task, 200)
        thresholds = 2 * 202**4 * questions
        assert cells(width - 1, thresholds) < apart <= cells(width, thresholds)


@pytest.mark.parametrize(
    ("task", "width", "heads"), [("recall", 5, 1), ("counting", 3, 1), ("recall", 3, 2), ("counting", 1, 2)]
)
def test_from_some_length_on_it_is_impossible(task, width, heads):
    first = first_impossible(task, width, heads)
    assert least_width(task, first - 1, heads) <= width
    assert all(least_width(task, length, heads) > width for length in range(first, 4 * first))


def test_the_layer_of_rounded_weights_errs_with_exact_ones():
    """It answers all of counting with weights that are rounded; the bound excludes its size for exact weights."""
    assert first_impossible("counting", width=1, heads=2) < 1024
    network = counting_one_layer.build(8, 8)
    answers = []
    for query in range(8):
        tokens = np.array([0, 1, 2, 3, 4, 5, 6, 7, query, 0])
        answers.append(attention.forward(network, tokens))
    assert answers != [1] * 8


def test_what_is_shown_is_of_the_task_asked_for():
    shown = certificate_witness(3, 3, task="counting")
    assert (shown.task, shown.parameters) == ("counting", {"length": 3, "alphabet": 3})
    shown = certificate_witness(4, 3)
    assert (shown.task, shown.parameters) == ("ngram", {"length": 4, "alphabet": 3, "gram": 2})
    # Bob asks for the greatest symbol, 3 here, that stands before Alice's second or first; his other one is 1.
    assert sorted(shown.witness.columns) == [[0, 1, 3, 3], [0, 3, 1, 3]]
    assert sorted(shown.witness.rows) == [[1, 1], [1, 2], [2, 1], [2, 2]]


def test_wrong_arguments():
    for options in ({"task": "copy"}, {"length": 2}, {"heads": 0}, {"exponent": 0}):
        with pytest.raises(ValueError, match="task is one of"):
            check(**options)
    with pytest.raises(ValueError, match="2 <= gram <= length, 3 symbols"):
        share("recall", 4, 2)
    with pytest.raises(ValueError, match="1 to alphabet tokens"):
        share("counting", 4, 3)


def test_pairs_of_inputs_in_one_part_are_answered_alike():
    random = np.random.default_rng(0)
    shared = share("counting", 3, 4)
    network = random_network(random, LayerSizes(5, 1, 3, 1), Grid(2), harsh=False)
    bobs = bob_sums(network, shared)
    by_behaviour = {}
    for alice in shared.alices():
        behaviour = responses(network, attention.sums(network, alice, shared.last), bobs)
        by_behaviour.setdefault(behaviour, []).append(alice)
    pairs = [pair for group in by_behaviour.values() for pair in combinations(group, 2)]
    assert pairs
    for first, second in pairs:
        for question in range(3):
            answers = {attention.forward(network, np.array(shared.whole(alice, question))) for alice in (first, second)}
            assert len(answers) == 1
    assert one_layer.THEOREM.name == "retrieval-one-layer"


@pytest.mark.parametrize("task", ["recall", "counting"])
def test_the_constants_are_the_least_width_of_the_bound(task):
    for length in (64, 300):
        width = constants(length, heads=2, task=task)["least_width"]
        outcome = check(length=length, heads=2, task=task)[1]
        assert outcome.bound["least_width"] == width
        apart, questions = distinguished_inputs(task, length)
        thresholds = 2 * (length + 2) ** 4 * questions
        assert cells(width, thresholds) ** 2 >= apart
        assert width == 1 or cells(width - 1, thresholds) ** 2 < apart


def test_an_unrounded_mean_distinguishes_all_lists():
    """Weights S^-i make the mean a number whose digits are the list: the bound needs means of p bits."""
    symbols, length = 3, 5
    weights = [Fraction(1, symbols**place) for place in range(length)]
    lists = list(itertools.product(range(symbols), repeat=length))
    means = {sum(weight * value for weight, value in zip(weights, one, strict=True)) / sum(weights) for one in lists}
    assert len(means) == len(lists)
