"""The circle code: points where they should be, the gap over every pair, the sum of the others."""

import math
from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.codes.circle import BITS, PI, Circle


def arctangent_of_inverse(x, one):
    total, power, place = 0, one // x, 1
    while power:
        total += power // place if place % 4 == 1 else -(power // place)
        power, place = power // (x * x), place + 2
    return total


def test_pi_by_machin():
    one = 1 << BITS + 20
    assert 4 * (4 * arctangent_of_inverse(5, one) - arctangent_of_inverse(239, one)) >> 20 == PI


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 12, 1000, 99_999, 1 << 20, (1 << 21) - 1])
def test_points_are_within_half_a_unit(count):
    mpmath = pytest.importorskip("mpmath")
    code = Circle(count)
    radius = max(4, count) ** 3
    assert code.unit == Fraction(1, radius)
    addresses = np.unique(np.linspace(0, count - 1, 25).astype(np.int64))
    with mpmath.workdps(60):
        for address, (x, y) in zip(addresses.tolist(), code.keys(addresses).tolist(), strict=True):
            angle = 2 * mpmath.pi * address / count
            for rounded, exact in ((x, mpmath.cos(angle)), (y, mpmath.sin(angle))):
                assert abs(rounded - radius * exact) <= mpmath.mpf(1) / 2 + mpmath.mpf(2) ** -50


@pytest.mark.parametrize("count", [*range(2, 42), 65, 128, 131, 500, 700])
def test_gap_is_exact_and_near_that_of_the_circle(count):
    code = Circle(count)
    points = code.keys(np.arange(count))
    table = points @ points.T
    away = table.diagonal()[:, None] - table
    np.fill_diagonal(away, np.iinfo(np.int64).max)
    assert code.gap == int(away.min()) * code.unit**2
    assert abs(float(code.gap) - 2 * math.sin(math.pi / count) ** 2) < 3 * code.unit


def test_blocks_do_not_change_the_gap():
    code = Circle(70_001)
    points = [tuple(point) for point in code.keys(np.arange(70_001)).tolist()]
    least = min(
        x * (x - a) + y * (y - b)
        for (x, y), left, right in zip(points, points[-1:] + points[:-1], points[1:] + points[:1], strict=True)
        for a, b in (left, right)
    )
    assert code.gap == least * code.unit**2


@pytest.mark.parametrize("count", [10, 129, 130, 131, 700, 1000])
def test_the_bound_of_the_others_is_tight_at_the_least_scale(count):
    code = Circle(count)
    points = code.keys(np.arange(count)) * float(code.unit)
    away = (points**2).sum(1)[:, None] - points @ points.T
    np.fill_diagonal(away, np.inf)
    eta = code.least_scale()
    true = np.exp(-eta * away).sum(1).max()
    assert true <= code.leakage(eta) < 1 / 3
    assert code.leakage(eta) < true * (1 + 10 / count)


def test_any_count_has_a_scale():
    for count in (1 << 20, (1 << 21) - 1):
        assert Circle(count).least_scale() / count**2 == pytest.approx(0.091, abs=1e-4)
