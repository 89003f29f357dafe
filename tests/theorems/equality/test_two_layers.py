"""Theorem 6: equality of two halves by two layers, on the grid and in floats; where the printed proof slips, in numbers."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from seqsep.maths.arithmetic.grid import Array, Grid, Tally
from seqsep.maths.arithmetic.softmax import attend
from seqsep.maths.codes.codes import CODES, position_code
from seqsep.maths.networks.executor import run
from seqsep.models.model import Model
from seqsep.theorems import TheoremFails
from seqsep.theorems.equality import two_layers as equality_two_layers
from seqsep.theorems.equality._trials import ComparedHalves, answers_hard, every_input, is_equal
from support.networks import defects_that_change

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

NAMES = [code.name for code in CODES]


@pytest.mark.parametrize(("length", "alphabet"), [(2, 1), (2, 2), (2, 5), (4, 2), (4, 3), (6, 2), (8, 2)])
def test_equality_on_every_input(length, alphabet):
    for outcome in equality_two_layers.check(length, alphabet):
        assert outcome.exhaustive
        assert outcome.inputs == alphabet**length
        assert outcome.measured == outcome.bound
        assert 0 < outcome.margin.proved <= outcome.margin.least


@pytest.mark.parametrize("unequal", [False, True])
def test_equality_on_every_input_of_length_12(unequal):
    (outcome,) = equality_two_layers.check(12, 2, "binary", unequal)
    assert outcome.exhaustive


@pytest.mark.parametrize("code", [name for name in NAMES if name != "signs"])
@pytest.mark.parametrize("length", [34, 66])
def test_equality_at_larger_lengths(code, length):
    (outcome,) = equality_two_layers.check(length, 7, code, unequal=length == 34)
    assert not outcome.exhaustive
    assert outcome.measured == outcome.bound
    assert outcome.margin.proved <= outcome.margin.least


def test_30_defects_that_change_the_function_are_all_caught(monkeypatch):
    honest, inputs = equality_two_layers.build(6, 3), every_input(6, 3)

    def right(network):
        result = run(network, inputs, at=-1)
        return bool(np.array_equal(result.answers[:, 0], is_equal(inputs)) and result.unique_argmax.all())

    assert right(honest)
    arrays = set()
    for name, network in defects_that_change(honest, right, count=30):
        arrays.add(name)
        monkeypatch.setattr(equality_two_layers, "assemble", lambda *given, network=network: network)
        with pytest.raises(TheoremFails, match="left"):
            equality_two_layers.check(6, 3, "parabola")
    assert len(arrays) >= 8


def test_the_model_agrees_in_floats():
    network = equality_two_layers.build(20, 4, "binary", unequal=True)
    random = np.random.default_rng(0)
    left = random.integers(4, size=(200, 10))
    right = np.where(random.random((200, 10)) < 0.05, random.integers(4, size=(200, 10)), left)
    inputs = np.concatenate([left, right], axis=1)
    answers = Model.load(network)(torch.from_numpy(inputs), torch.full((200,), 19)).argmax(-1).numpy()
    assert np.array_equal(answers, run(network, inputs, at=-1).answers[:, 0])
    assert 10 < answers.sum() < 190


def test_tightness():
    (tight,) = equality_two_layers.check(30, 2, "parabola", tightness=True)
    assert tight.measured["eta"] <= tight.bound["eta"] == 2
    assert tight.measured["steps"] < tight.bound["steps"] == 900
    below = equality_two_layers.build(30, 2, "parabola", eta=tight.measured["eta"] - 1)
    assert not answers_hard(below, ComparedHalves.plain(30, 2, unequal=False), 0)


def test_binary_code_needs_eta_2_from_64_on():
    """Findings, section 1, give (Kc, eta) = (1, 1) for the binary code: it holds to N = 32 and not at 64."""
    for length, enough in ((16, True), (32, True), (64, False), (256, False)):
        small = equality_two_layers.build(length, code="binary", eta=1)
        built = equality_two_layers.build(length, code="binary")
        assert small.grid.steps == built.grid.steps == length
        halves = ComparedHalves.plain(length, 2, unequal=False)
        assert answers_hard(small, halves, 0) == enough
        assert answers_hard(built, halves, 0)


def worst_weight(length: int, eta: float, gap: float) -> float:
    return 1 / (1 + (length - 1) * math.exp(-eta * gap))


def test_the_printed_eta_is_half_of_what_its_inequality_needs():
    length, exponent = 64, 2
    printed = equality_two_layers.printed(length, 16, exponent)
    assert printed == {"eta": 13.863, "eta_needed": 26.308, "width": 34}
    eta, enough = math.log(length) + exponent * math.log(2 * length), 1 - 1 / (2 * length**exponent)
    needed = 2 * math.log((length - 1) * (2 * length**exponent - 1))
    assert worst_weight(length, eta, 1 / 2) == pytest.approx(0.942, abs=5e-4)  # matching 1/4, others -1/4, as in the inequality
    assert worst_weight(length, eta, 3 / 4) == pytest.approx(0.998, abs=5e-4)  # matching 1 - 1/2, others 1/4 - 1/2
    assert worst_weight(length, eta, 3 / 4) < enough
    assert worst_weight(length, needed, 1 / 2) == pytest.approx(enough, abs=1e-12)
    # The same on the grid, "once" and "nearest", where the printed argument is at its best: products of 1 and 1/4.
    for scale, whole_weight in ((Fraction(eta), False), (Fraction(math.ceil(needed)), True)):
        grid = Grid(length**exponent, "nearest", "once")
        scores = np.full((1, length), int(scale * 1000))
        scores[0, 0] = int(scale * 4000)
        weights = attend(grid, Array(scores, Fraction(1, 4000)), None, Tally(), "")
        assert (weights.steps[0] == grid.steps) == whole_weight


def test_under_floor_no_weight_rounds_to_1():
    length, exponent = 64, 2
    for eta in (27, 60, 200):
        scores = np.zeros((1, length), dtype=np.int64)
        scores[0, 5] = eta
        weight_in_steps = {}
        for rounding in ("floor", "nearest"):
            for softmax in ("once", "stepwise"):
                grid = Grid(length**exponent, rounding, softmax)
                weights = attend(grid, Array(scores, Fraction(1, 2)), None, Tally(), "")
                weight_in_steps[rounding, softmax] = int(weights.steps[weights.key == 5][0])
        assert weight_in_steps == {
            ("floor", "once"): length**exponent - 1,
            ("nearest", "once"): length**exponent,
            ("floor", "stepwise"): length**exponent,
            ("nearest", "stepwise"): length**exponent,
        }


def test_the_printed_embedding_has_one_coordinate_more():
    k = position_code("kerdock", 64).dimension
    parts = {"x_i": 1, "0": 1, "T(i)": k, "T(i - N/2)": k, "1": 1}
    assert sum(parts.values()) == 3 + 2 * k
    assert equality_two_layers.build(64, code="kerdock").width == 2 + 2 * k


def test_the_printed_vectors_of_layer_1_do_not_fit():
    """With orthonormal T, for which the printed bounds of the products hold, and hard attention."""
    length, half = 8, 4
    symbols = np.array([0, 1, 1, 0, 0, 1, 0, 0])
    codes = np.eye(length)
    partners = np.array([*range(half), *range(half)])
    ones, zeros = np.ones((length, 1)), np.zeros((length, 1))
    keys = np.hstack([codes, -ones / 2])
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        codes[partners] @ keys.T
    scores = np.hstack([codes[partners], ones]) @ keys.T
    matching = np.eye(length, dtype=bool)[partners]
    assert scores[matching].min() >= 1 / 4
    assert scores[~matching].max() <= -1 / 4

    inputs = np.hstack([symbols[:, None], zeros, codes, codes[partners], ones])
    values = np.hstack([zeros, symbols[:, None], 0 * codes, 0 * codes])
    with pytest.raises(ValueError, match="could not be broadcast"):
        values[partners] + inputs
    found = np.hstack([values, zeros])[partners] + inputs
    retrieved = np.hstack([symbols[:, None], symbols[partners][:, None], codes])
    assert (found == np.hstack([retrieved, codes[partners], ones])).all()
    assert (found != np.hstack([retrieved, codes, ones])).any(axis=1).tolist() == [False] * half + [True] * half


@pytest.mark.parametrize("length", [2, 4, 6])
def test_the_printed_sum_of_layer_2_begins_too_early(length):
    for bits in itertools.product((0, 1), repeat=length):
        x = dict(enumerate(bits, 1))
        with pytest.raises(KeyError):
            sum(x[i] ^ x[i - length // 2] for i in range(length // 2, length + 1))
        total = sum(x[i] ^ x[i - length // 2] for i in range(length // 2 + 1, length + 1))
        assert (total > 0) == (bits[: length // 2] != bits[length // 2 :])


@pytest.mark.parametrize("length", [2, 4, 6])
def test_inequality_as_a_2_dnf_needs_a_term_for_each_bit(length):
    """Every term that holds only for unequal halves holds for at most one of N inputs; the printed N terms are enough."""
    half = length // 2
    inputs = np.array(list(itertools.product((0, 1), repeat=length)))
    unequal = (inputs[:, :half] != inputs[:, half:]).any(axis=1)
    by_one = (inputs[:, :half] != inputs[:, half:]).sum(axis=1) == 1
    chosen = by_one & (inputs[:, half:].sum(axis=1) + inputs[:, :half].sum(axis=1) == 1)
    assert chosen.sum() == length
    printed = np.zeros(len(inputs), bool)
    for term in itertools.product((0, 1, None), repeat=length):
        holds = np.logical_and.reduce([inputs[:, i] == bit for i, bit in enumerate(term) if bit is not None], initial=True)
        if not (holds & ~unequal).any():
            assert (holds & chosen).sum() <= 1
            if sum(bit is not None for bit in term) == 2:
                printed |= holds
    assert (printed == unequal).all()


def test_the_applier_runs_the_weights_and_names_what_is_wrong():
    equal, unequal = equality_two_layers.predictor(4, 3), equality_two_layers.predictor(4, 3, "binary", unequal=True)
    for left, right in (([0, 2], [0, 2]), ([0, 2], [2, 0]), ([1, 1], [1, 2])):
        given = {"left": left, "right": right, "answer": 7}
        assert equal(given) == (left == right)
        assert unequal(given) == (left != right)
    for given, message in [
        ({"left": [0, 1]}, "right: missing; found left"),
        ({"left": [0], "right": [0, 1]}, "left: expected 2 of them, found 1"),
        ({"left": [0, 1], "right": [0, 3]}, "right: expected 0 to 2, found 0 to 3"),
        ({"left": [0, 1], "right": [0, -1]}, "right: expected 0 to 2, found -1 to 0"),
        ({"left": "ab", "right": [0, 1]}, "left: expected a list of whole numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            equal(given)
    for wrong, message in [((5,), "even number from 2"), ((4, 0), "alphabet at least 1"), ((4, 2, "kerdok"), "code is one of")]:
        with pytest.raises(ValueError, match=message):
            equality_two_layers.predictor(*wrong)
    with pytest.raises(ValueError, match="even number from 2"):
        equality_two_layers.check(3)


def test_the_grid_is_the_least_that_the_proof_allows():
    """L is a power of max(4, N), at least 6: 4 is too coarse for N = 2 and 4, and 6 is enough for N = 6 with scores up to 3."""
    assert [equality_two_layers.build(length, code="one-hot").grid.steps for length in (2, 4, 6, 8)] == [16, 16, 6, 8]
    assert [equality_two_layers.build(length, code="parabola").grid.steps for length in (2, 6, 16)] == [16, 36, 256]


@pytest.mark.parametrize(("code", "length"), [("parabola", 16), ("binary", 64), ("circle", 16)])
def test_the_margin_is_that_of_the_proof(code, length):
    """1/(1 + R) - 1/2 - D, with R the leakage, times e^D if scores are rounded, as those of the circle are."""
    chosen = position_code(code, length)
    steps = equality_two_layers.build(length, code=code).grid.steps
    leakage = chosen.leakage(chosen.least_scale()) * (math.exp(1 / steps) if code == "circle" else 1)
    assert equality_two_layers.proved(chosen, Grid(steps)) == pytest.approx(1 / (1 + leakage) - 1 / 2 - 1 / steps, rel=1e-12)
