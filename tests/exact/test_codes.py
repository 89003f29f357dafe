"""Codes: gaps and sums by brute force over every pair; vectors by index; bounds never too small."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqsep.exact.codes import CODES, Binary, Parabola, Signs


def scores(code):
    addresses = np.arange(code.count)
    return code.queries(addresses) @ code.keys(addresses).T


@pytest.mark.parametrize("make", CODES, ids=lambda code: code.name)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 17, 64, 100, 257])
def test_gap_and_others_over_every_pair(make, count):
    code = make(count)
    table = scores(code)
    away = table.diagonal()[:, None] - table
    np.fill_diagonal(away, np.iinfo(np.int64).max)
    assert away.min() >= code.gap
    assert code.gap >= 1
    for eta in (1, 2, 3):
        sums = np.where(np.eye(count, dtype=bool), 0, np.exp(-eta * np.minimum(away, 700).astype(float))).sum(1)
        assert sums.max() <= code.others(eta) * (1 + 1e-12)


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
        assert code.others(eta) < 1 / 3
        assert eta == 1 or code.others(eta - 1) >= 1 / 3


def test_constants_of_the_findings():
    assert Signs(1023).dimension == 976
    assert Parabola(10).least_scale() == 2
    assert 0.27 < Parabola(10).others(2) < 0.272
    assert Binary(1001).dimension == 10
    assert Binary(1001).least_scale() == 2


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
@given(st.integers(1, 10**12))
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
    with pytest.raises(ValueError, match="20,000"):
        Signs(20_001)
    assert math.isfinite(Binary(1).others(1))
