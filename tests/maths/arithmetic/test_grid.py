"""The grid agrees with fractions on every pair of small numbers, and with Python's integers on large ones."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqsep.maths.arithmetic import softmax
from seqsep.maths.arithmetic.grid import Array, Grid, Tally, common_unit
from seqsep.maths.arithmetic.integers import Limbs, dot
from seqsep.maths.arithmetic.softmax import _exponential, attend, exponentials, mix, underflow
from support import grid_reference as reference

ROUNDINGS = ("floor", "nearest")
SMALL = [Grid(steps, rounding) for steps in (2, 3, 4, 8) for rounding in ROUNDINGS]  # p = 4, 5, 6, 8
BOTH = [Grid(steps, rounding, softmax) for steps in (4, 8) for rounding in ROUNDINGS for softmax in ("stepwise", "once")]


def name(grid: Grid) -> str:
    return f"{grid.steps}-{grid.rounding}-{grid.softmax}"


def numbers(grid: Grid) -> np.ndarray:
    return np.arange(-(grid.steps**2), grid.steps**2 + 1)


def saturates(grid: Grid, number: Fraction) -> bool:
    shift = Fraction(1, 2) if grid.rounding == "nearest" else 0
    return abs(math.floor(number * grid.steps + shift)) > grid.steps**2


def value(array: Array) -> list[Fraction]:
    return [int(entry) * array.unit for entry in array.integers.ravel()]


@pytest.mark.parametrize("grid", SMALL, ids=name)
def test_every_pair_of_numbers_against_fractions(grid):
    assert grid.precision <= 8
    every = numbers(grid)
    assert len(every) == 2 * grid.steps**2 + 1 <= 2**grid.precision
    assert len(every) > 2 ** (grid.precision - 1)
    first, second = (part.ravel() for part in np.meshgrid(every, every))
    x, y = Array(first[:, None, None], grid.step), Array(second[:, None, None], grid.step)
    pairs = [(Fraction(int(a), grid.steps), Fraction(int(b), grid.steps)) for a, b in zip(first, second, strict=True)]
    tally = Tally()
    assert value(grid.product(x, y, tally, "product")) == [reference.place(grid, a * b) for a, b in pairs]
    assert value(grid.product(x, y, tally, "bias", y)) == [reference.place(grid, a * b + b) for a, b in pairs]
    assert value(grid.place(x.plus(y), tally, "sum")) == [reference.place(grid, a + b) for a, b in pairs]
    moved = sum((a * b * grid.steps).denominator != 1 for a, b in pairs)
    assert tally.rounded["product"] == moved > 0
    beyond = sum(saturates(grid, a + b) for a, b in pairs)
    assert tally.saturated["sum"] == beyond > 0
    assert tally.rounded["sum"] == 0


@pytest.mark.parametrize("grid", SMALL, ids=name)
def test_every_exponential(grid):
    below = numbers(grid)[: grid.steps**2 + 1]
    rounded = exponentials(grid, Array(below, grid.step))
    expected = [reference.place(grid, reference.exponential(Fraction(int(b), grid.steps))) for b in below]
    assert [Fraction(int(e), grid.steps) for e in rounded] == expected


@pytest.mark.parametrize("grid", BOTH, ids=name)
def test_every_softmax_of_a_pair(grid):
    every = numbers(grid)
    first, second = (part.ravel() for part in np.meshgrid(every, every[:: grid.steps - 1]))
    scores = Array(np.stack([first, second], axis=1), grid.step)
    tally = Tally()
    weights = attend(grid, scores, None, tally, "pair")
    dense = np.zeros(scores.integers.shape, dtype=np.int64)
    dense[weights.row, weights.key] = weights.steps
    for (a, b), row in zip(scores.integers.tolist(), dense.tolist(), strict=True):
        expected = reference.softmax(grid, [Fraction(a, grid.steps), Fraction(b, grid.steps)])
        assert [Fraction(f, grid.steps) for f in row] == expected
    if grid.softmax == "stepwise":
        differences = abs(first - second)
        assert tally.saturated["pair minus maximum"] == (differences > grid.steps**2).sum() > 0


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([5, 16, 1000, 2**20, 10**6, 2**40, 3**30, 2**70]),
    st.sampled_from(ROUNDINGS),
    st.sampled_from(("stepwise", "once")),
    st.lists(st.integers(-60, 0), min_size=2, max_size=6),
    st.integers(1, 12),
)
def test_softmax_on_large_grids(steps, rounding, softmax, scores, denominator):
    grid = Grid(steps, rounding, softmax)
    weights = attend(grid, Array(np.array([scores]), Fraction(1, denominator)), None, Tally(), "")
    dense = [0] * len(scores)
    for key, weight in zip(weights.key, weights.steps, strict=True):
        dense[key] = int(weight)
    expected = reference.softmax(grid, [Fraction(score, denominator) for score in scores])
    assert [Fraction(weight, steps) for weight in dense] == expected


def test_exponentials_near_a_grid_line_fall_back(monkeypatch):
    """With a slack that calls everything unclear, the exact path answers all of it, and alike."""
    exponents = Array(-np.arange(1, 400), Fraction(1, 37))
    for rounding in ROUNDINGS:
        grid = Grid(10**9, rounding)
        fast = exponentials(grid, exponents)
        with monkeypatch.context() as patched:
            patched.setattr("seqsep.maths.arithmetic.softmax.FLOAT_SLACK", 0.5)
            assert np.array_equal(fast, exponentials(grid, exponents))
        assert exponentials(grid, Array(np.array([-(2**62)]), Fraction(1, 2**61)))[0] == _exponential(grid, Fraction(-2))


def test_the_slack_covers_numpys_exp():
    """The error of float64 exponentials, times 16, stays within the slack that the fast path allows."""
    for exponent in np.linspace(-45, -1e-6, 3000):
        exact = reference.exponential(Fraction(float(exponent)))
        assert abs(Fraction(float(np.exp(exponent))) / exact - 1) * 16 < Fraction(2.0**-40)


@pytest.mark.parametrize("steps", [2, 3, 4, 1000, 2**20, 10**12, 2**50])
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_the_underflow_bound_loses_nothing_and_is_tight(steps, rounding):
    grid = Grid(steps, rounding)
    assert _exponential(grid, -Fraction(underflow(grid))) == 0
    assert underflow(grid) < np.log(steps) + 1.5


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 60), st.integers(2, 60), st.integers(1, 40), st.sampled_from(ROUNDINGS), st.data())
def test_products_of_any_size_are_exact(x_bits, y_bits, inner, rounding, data):
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    x = random.integers(-(2**x_bits), 2**x_bits, (3, inner))
    y = random.integers(-(2**y_bits), 2**y_bits, (inner, 4))
    if data.draw(st.booleans()):  # large coordinates meet small ones
        x >>= random.integers(0, x_bits, inner)
        y >>= random.integers(0, y_bits, (inner, 1))
    exact = x.astype(object) @ y.astype(object)
    sums, most = dot(x, y, int(abs(x).max()), int(abs(y).max()))
    product = sums.exactly() if isinstance(sums, Limbs) else sums
    assert (product == exact).all()
    assert abs(exact).max() <= most
    steps = data.draw(st.sampled_from([4, 1000, 10**6, 2**25, 3**20, 2**45]))
    grid = Grid(steps, rounding)
    x_unit, y_unit = (data.draw(st.sampled_from([Fraction(1), grid.step, Fraction(1, 3)])) for _ in range(2))
    tally = Tally()
    placed = grid.product(Array(x, x_unit), Array(y, y_unit), tally, "here")
    exactly = [int(e) * x_unit * y_unit for e in exact.ravel()]
    assert value(placed) == [reference.place(grid, number) for number in exactly]
    assert tally.rounded["here"] == sum((number * steps).denominator != 1 for number in exactly)
    assert tally.saturated["here"] == sum(saturates(grid, number) for number in exactly)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 62), st.integers(2, 62), st.sampled_from(ROUNDINGS), st.data())
def test_multiplying_entry_by_entry_is_exact(x_bits, y_bits, rounding, data):
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    x, y = (random.integers(-(2**bits), 2**bits, 40) >> random.integers(0, bits, 40) for bits in (x_bits, y_bits))
    grid = Grid(data.draw(st.sampled_from([4, 1000, 10**6, 3**20])), rounding)
    unit = data.draw(st.sampled_from([Fraction(1), grid.step]))
    tally = Tally()
    products = grid.multiply(Array(x, unit), Array(y, unit), tally, "here")
    exactly = [int(a) * int(b) * unit * unit for a, b in zip(x, y, strict=True)]
    assert value(products) == [reference.place(grid, number) for number in exactly]
    assert tally.saturated["here"] == sum(saturates(grid, number) for number in exactly)


def test_large_coordinates_that_meet_small_ones_stay_in_int64():
    x, y = np.array([[2**50, 3], [-(2**50), 1]]), np.array([[5, -7], [2**55, -(2**55)]])
    sums, most = dot(x, y, 2**50, 2**55)
    assert most == 7 * 2**50 + 3 * 2**55
    assert sums.dtype == np.int64
    assert (sums == x.astype(object) @ y.astype(object)).all()


def test_the_41_bit_product_goes_through_limbs():
    random = np.random.default_rng(1)
    x, y = (random.integers(-(10**12), 10**12, shape) for shape in ((256, 64), (64, 256)))
    sums, _ = dot(x, y, 10**12, 10**12)
    assert isinstance(sums, Limbs)
    assert sums.divides(10**6, 10**12)
    for nearest in (False, True):
        quotient, moved = sums.divided(10**6, nearest)
        exact = x.astype(object) @ y.astype(object)
        expected = (2 * exact + 10**6) // (2 * 10**6) if nearest else exact // 10**6
        near = abs(expected) < 2**60
        assert (quotient[near] == expected[near]).all()
        assert moved == (exact % 10**6 != 0).sum()


def test_arrays_carry_their_unit():
    array = Array(np.array([6, -9, 12]), Fraction(1, 12))
    assert array.lifted().unit == Fraction(1, 4)
    assert value(array.lifted()) == value(array)
    assert array.largest == 1
    assert common_unit(Fraction(1, 4), Fraction(1, 6)) == Fraction(1, 12)
    assert value(array.plus(Array(np.array([1, 1, 1]), Fraction(1, 8)))) == [v + Fraction(1, 8) for v in value(array)]
    with pytest.raises(ValueError, match="read-only"):
        array.integers[0] = 1
    with pytest.raises(ValueError, match="float64"):
        Array(np.zeros(2))
    large = Array(np.array([2**62]), Fraction(1))
    assert value(large.plus(large)) == [2**63]


def test_own_units_saturate_at_the_end_of_the_grid():
    grid, tally = Grid(7), Tally()
    placed = grid.place(Array(np.array([-100, 3, 9]), Fraction(2)), tally, "end")
    assert value(placed) == [-7, 6, 7]
    assert tally.saturated["end"] == 2


def test_precision_and_base():
    assert Grid.of(1000, 2).precision == (2 * 10**12).bit_length() == 41
    assert Grid.of(64, 2).precision == 2 * 2 * 6 + 2  # B.2 prints 2 Kc log N
    assert Grid.of(3, 1).steps == 4  # a uniform weight over 4 tokens is one step, not 0
    with pytest.raises(ValueError, match="at least 2"):
        Grid(1)


@pytest.mark.parametrize("at_once", [1, 3, 7, 100])
def test_means_are_the_same_in_parts(monkeypatch, at_once):
    """Rows of weights are mixed a part at a time, as many as fit; a row that does not fit is a part of its own."""
    random = np.random.default_rng(0)
    scores = Array(random.integers(0, 3, (6, 4)))
    values = Array(random.integers(-5, 6, (2, 4, 3)))
    batch = np.array([0, 1, 0, 1, 1, 0])

    def mixed():
        weights = attend(Grid(100), scores, None, Tally(), "")
        return mix(Grid(100), weights, values, batch, Tally(), "").integers

    whole_batch = mixed()
    monkeypatch.setattr(softmax, "MIXED_AT_ONCE", at_once)
    assert np.array_equal(mixed(), whole_batch)
