"""Codes: gaps, coherences and sums by brute force over every pair; vectors by index; bounds never too small."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqsep.maths.codes.codes import BY_NAME, CODES, Binary, Circle, DualBCH, Kerdock, OneHot, Parabola, Signs, position_code


def scores(code):
    addresses = np.arange(code.count)
    return code.queries(addresses) @ code.keys(addresses).T


@pytest.mark.parametrize("make", CODES, ids=lambda code: code.name)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 17, 33, 64, 100, 129, 257])
def test_gap_and_leakage_over_every_pair(make, count):
    code = make(count)
    table = scores(code)
    away = table.diagonal()[:, None] - table
    np.fill_diagonal(away, np.iinfo(np.int64).max)
    assert code.gap > 0
    assert count == 1 or int(away.min()) * code.unit**2 == code.gap
    for eta in (1, 2, 3, code.least_scale()):
        each = eta * away.astype(float) * float(code.unit**2)
        sums = np.where(np.eye(count, dtype=bool), 0, np.exp(-np.minimum(each, 700))).sum(1)
        assert sums.max() <= code.leakage(eta) * (1 + 1e-12) + count * math.exp(-700)
        assert code.leakage(eta + 1) <= code.leakage(eta)


@pytest.mark.parametrize("make", [code for code in CODES if code.of_one_length], ids=lambda code: code.name)
@pytest.mark.parametrize("count", [1, 2, 3, 5, 31, 33, 64, 100, 200, 300])
def test_coherence_over_every_pair_and_welch(make, count):
    code = make(count)
    table = scores(code)
    square = int(table[0, 0])
    assert (table.diagonal() == square).all()
    table = table[~np.eye(count, dtype=bool)]
    if count == 1:
        assert code.one_sided_coherence is code.two_sided_coherence is code.welch_bound is None
        return
    assert code.one_sided_coherence == Fraction(int(table.max()), square)
    assert code.two_sided_coherence == Fraction(int(np.abs(table).max()), square)
    assert (code.welch_bound is None) == (count <= code.dimension)
    assert (code.welch_bound or 0) <= code.two_sided_coherence + 1e-12


def test_welch_bound_is_met_by_the_simplex_code():
    simplex = DualBCH(32)  # 32 vectors in 31 coordinates with products -1
    assert simplex.two_sided_coherence == Fraction(1, 31)
    assert simplex.welch_bound == pytest.approx(1 / 31)
    assert Parabola(100).welch_bound is Circle(100).welch_bound is Circle(100).one_sided_coherence is None


@pytest.mark.parametrize("make", CODES, ids=lambda code: code.name)
def test_vectors_by_index_equal_the_table(make):
    code = make(90)
    table = code.keys(np.arange(90))
    assert table.shape == (90, code.dimension)
    for pick in ([5], [89, 0, 44], []):
        assert np.array_equal(code.keys(np.array(pick, dtype=np.int64)), table[pick])


@pytest.mark.parametrize("make", CODES, ids=lambda code: code.name)
def test_least_scale_is_least(make):
    for count in (2, 30, 300):
        code = make(count)
        eta = code.least_scale()
        assert code.leakage(eta) < 1 / 3
        assert eta == 1 or code.leakage(eta - 1) >= 1 / 3


def test_constants_of_the_findings():
    assert Signs(1023).dimension == 976
    assert Parabola(10).least_scale() == 2
    assert 0.27 < Parabola(10).leakage(2) < 0.272
    assert Binary(1001).dimension == 10
    assert Binary(1001).least_scale() == 2
    assert [OneHot(count).least_scale() for count in (1000, 1 << 20)] == [9, 15]
    assert [DualBCH(count).least_scale() for count in (1000, 1 << 20)] == [1, 1]
    assert [DualBCH(count).dimension for count in (1000, 1 << 20)] == [31, 127]
    assert Kerdock(1000).dimension == 64
    assert list(BY_NAME) == ["signs", "binary", "parabola", "dual-bch", "kerdock", "one-hot", "circle"]


def test_signs_are_verified_and_drawn_again_until_they_hold(monkeypatch):
    code = Signs(300)
    table = scores(code)
    np.fill_diagonal(table, -code.dimension)
    assert table.max() == code.dimension - code.gap
    assert 4 * table.max() <= code.dimension
    monkeypatch.setattr(Signs, "dimension", property(lambda self: 40))
    short = Signs(14)
    table = scores(short)
    np.fill_diagonal(table, -40)
    assert 4 * table.max() <= 40
    assert short.attempt > 0  # at this small dimension the first draws fail


@settings(max_examples=30)
@given(st.integers(1, 1 << 32))
def test_parabola_at_any_count(count):
    code = Parabola(count)
    p = np.array([0, count // 3, count - 1])
    assert np.abs(code.keys(p)).max() <= max(1, (count // 2 + 1) ** 2)
    own = (code.queries(p) * code.keys(p)).sum(1)
    for offset in (1, 2, -1):
        other = (p + offset).clip(0, count - 1)
        apart = own - (code.queries(p) * code.keys(other)).sum(1)
        assert np.array_equal(apart, (other - p) ** 2)


def test_bad_counts_are_named():
    for make in CODES:
        with pytest.raises(ValueError, match="at least 1"):
            make(0)
    assert int(Parabola(1 << 32).keys(np.array([0]))[0, 1]) == 1 << 62


@pytest.mark.parametrize(
    ("make", "capacity", "named"),
    [
        (Signs, 20_000, "20,000"),
        (Parabola, 1 << 32, "2\\^32"),
        (DualBCH, 1 << 30, "1,073,741,824"),
        (Kerdock, 1 << 16, "65,536"),
        (Circle, (1 << 21) - 1, "2,097,151"),
    ],
)
def test_capacity_is_named(make, capacity, named):
    with pytest.raises(ValueError, match=rf"{make.__name__}\(count={capacity + 1}\): .*{named}"):
        make(capacity + 1)
    if make is not Signs:
        code = make(capacity)
        assert code.keys(np.array([capacity - 1])).shape == (1, code.dimension)


def test_parameter_bits_are_what_the_vectors_are_made_of():
    """A seed for random signs, the generator's symbols for the algebraic codes, nothing but the count for the others."""
    assert {name: position_code(name, 1000).parameter_bits for name in BY_NAME} == {
        "signs": 64,
        "binary": 0,
        "parabola": 0,
        "dual-bch": 10 * 31,
        "kerdock": 2 * 6 * 32,
        "one-hot": 0,
        "circle": 0,
    }
    made = position_code("dual-bch", 1000)
    flipped = DualBCH(1000)
    flipped.generator = made.generator ^ np.eye(*made.generator.shape, dtype=np.int64)
    assert not np.array_equal(flipped.keys(np.arange(1000)), made.keys(np.arange(1000)))
    assert made.generator.max() == 1
