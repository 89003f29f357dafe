"""Theorem 7 as printed: what its width would have to be, and what it answers at a width that can be run."""

from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.networks.executor import run
from seqsep.theorems.nearest_neighbor import _printed as as_printed
from seqsep.theorems.nearest_neighbor import two_layers as theorem
from seqsep.theorems.nearest_neighbor._drawn import SettingSampler
from seqsep.theorems.nearest_neighbor._settings import measured, tokens

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def test_the_printed_construction_errs_at_a_feasible_width():
    """N = 100, gamma = 0.1: the printed k is 47,931,717; with random signs at k = 16,384 about half the answers are wrong."""
    assert as_printed.PrintedPlan(100, 4, 2, Fraction(1, 10)).needed_code_width == 47_931_717
    assert all(as_printed.PrintedPlan(n, 4, 2, Fraction(1, n)).needed_code_width > n**2 for n in (4, 64, 1024))
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
    plan = as_printed.PrintedPlan(length, 3, 2, gamma, code_width=256)
    network = as_printed.build(plan)
    assert network.width == plan.width
    settings = SettingSampler(2, network.grid, np.random.default_rng(1), batch=40).crowded(length, 3, gamma)
    direct = as_printed.answers(plan, settings.points / network.grid.steps, settings.labels)
    assert np.array_equal(run(network, tokens(settings, 2, network.grid), at=-1).answers[:, 0], direct)
    expected, _ = measured(settings, np.full((40, 1), length - 1), network.grid)
    assert ((direct == expected[:, 0]).mean() > 0.9) == right


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


def test_a_code_width_that_is_not_on_the_grid():
    with pytest.raises(ValueError, match=r"build\(code_width=48\)"):
        as_printed.build(as_printed.PrintedPlan(4, 2, 2, Fraction(1), code_width=48))


def test_errata_name_tests_that_exist():
    for erratum in theorem.THEOREM.errata:
        assert erratum.test.split("::")[1] in globals()


def test_the_printed_scales_are_those_of_the_formulas():
    """ceil(5/(4 gamma) ln 18 N) and ceil(ln(18 N) / (1 - gamma/50)), where 49 or 17 in place of a number would show."""
    sizes = [(length, gamma) for length in range(2, 400) for gamma in (Fraction(1), Fraction(1, 3))]
    shown = [as_printed.PrintedPlan(length, 4, 2, gamma) for length, gamma in sizes]
    for one, (length, gamma) in zip(shown, sizes, strict=True):
        assert one.first_eta - 1 < 5 / (4 * float(gamma)) * np.log(18 * length) <= one.first_eta
        assert one.second_eta - 1 < np.log(18 * length) / (1 - float(gamma) / 50) <= one.second_eta
    with_49 = [int(np.ceil(np.log(18 * length) / (1 - float(gamma) / 49))) for length, gamma in sizes]
    assert with_49 != [one.second_eta for one in shown]
