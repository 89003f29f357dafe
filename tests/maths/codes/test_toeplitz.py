"""Toeplitz codes: entries by the definition, uniform words over all seeds, and half of the seeds good where that is proved."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.codes.code_sizes import too_near
from seqsep.maths.codes.toeplitz import Toeplitz, closed_form, proved_dimension, seed_bits, seeds


def vector(address: int, digits: int, dimension: int, seed: int) -> list[int]:
    """By the definition, bit by bit."""
    return [(-1) ** sum((address >> t & 1) * (seed >> (r + t) & 1) for t in range(digits)) for r in range(dimension)]


@pytest.mark.parametrize("count", [2, 3, 8, 13, 40])
def test_entries_gap_and_coherence_by_the_definition(count):
    digits = max(1, (count - 1).bit_length())
    bits = seed_bits(count, 20)
    for seed in (0x5A3C9F1, 0x1234567, 0x2B7E151):
        code = Toeplitz(count, 20, seed % (1 << bits))
        table = np.array([vector(i, digits, 20, code.seed) for i in range(count)])
        assert np.array_equal(code.keys(np.arange(count)), table)
        products = (table @ table.T)[~np.eye(count, dtype=bool)]
        assert code.gap == 20 - products.max()
        assert code.greatest == products.max()
        assert code.one_sided_coherence == Fraction(int(products.max()), 20)
        assert code.two_sided_coherence == Fraction(int(np.abs(products).max()), 20)
        assert code.parameter_bits == 20 + digits - 1


def test_each_word_is_uniform_over_the_seeds():
    """Of the 2^(k + b - 1) seeds each gives address i > 0 each of the 2^k vectors equally often."""
    for address in range(1, 8):
        found = Counter(tuple(vector(address, 3, 4, seed)) for seed in range(1 << 6))
        assert set(found.values()) == {1 << 2}
        assert len(found) == 16


@pytest.mark.parametrize(("count", "gamma"), [(2, Fraction(1, 4)), (4, Fraction(1, 2)), (8, Fraction(2, 3))])
def test_half_of_the_seeds_are_good(count, gamma):
    k = proved_dimension(count, gamma, two_sided=True)
    digits = (count - 1).bit_length()
    assert 2 * (count - 1) * too_near(k, gamma, two_sided=True) <= 1 << k
    bits = seed_bits(count, k)
    assert bits <= 16
    good = 0
    for seed in range(1 << bits):
        sums = [k - 2 * sum((i & seed >> r).bit_count() & 1 for r in range(k)) for i in range(1, 1 << digits)]
        good += all(abs(value) <= gamma * k for value in sums)
    assert 2 * good >= 1 << bits


def test_the_order_of_seeds_meets_each_once():
    for bits in range(1, 13):
        assert sorted(seeds(bits)) == list(range(1 << bits))


@pytest.mark.parametrize("gamma", [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)])
def test_the_closed_form_is_enough(gamma):
    for count in (2, 3, 16, 1000, 1024, 4096, 1 << 20):
        digits = max(1, (count - 1).bit_length())
        for two_sided in (False, True):
            k = closed_form(count, gamma, two_sided)
            assert proved_dimension(count, gamma, two_sided) <= k
            assert 2 * ((1 << digits) - 1) * (1 + two_sided) * math.exp(-k * gamma**2 / 2) <= 1
            assert k <= 2 * math.log((4, 8)[two_sided] * count) / gamma**2 + 1


def test_bad_input_is_named():
    for given in ({"count": 0, "dimension": 3}, {"count": 1 << 25, "dimension": 3}, {"count": 4, "dimension": 0}):
        with pytest.raises(ValueError, match="at least 1"):
            Toeplitz(**given, seed=1)
    for seed in (-1, 16):
        with pytest.raises(ValueError, match="expected a seed of 4 bits"):
            Toeplitz(4, 3, seed)
    with pytest.raises(ValueError, match="the same vector"):
        Toeplitz(4, 3, 0)
