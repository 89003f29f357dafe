"""Limits agree with the ceilings, from the other side."""

from fractions import Fraction

import pytest

from seqsep.capacity import capacity
from seqsep.capacity.limits import limits, longest
from seqsep.ceilings import index_lookup_ceiling


@pytest.mark.parametrize("alphabet", [2, 3, 7, 64])
@pytest.mark.parametrize("bits", [1, 10, 97, 1000])
def test_every_input_is_decided_by_counting(alphabet, bits):
    most = longest(alphabet, None, bits, Fraction(0))
    assert alphabet**most <= 2**bits < alphabet ** (most + 1)


@pytest.mark.parametrize("alphabet", [2, 3, 64])
@pytest.mark.parametrize("accuracy", [Fraction(9, 10), Fraction(3, 5)])
@pytest.mark.parametrize("bits", [10, 97, 4096])
def test_average_limits_invert_the_ceiling(alphabet, accuracy, bits):
    most = longest(alphabet, accuracy, bits, Fraction(0))
    assert index_lookup_ceiling(most, alphabet, bits) >= float(accuracy) - 1e-12
    assert index_lookup_ceiling(most + 1, alphabet, bits) < float(accuracy)


def test_what_grows_fast_enough_has_no_limit():
    assert all(limit.beyond is None for limit in limits(100, Fraction(7), None))
    growing = longest(64, None, 100, Fraction(5))
    assert 64**growing <= 2 ** (100 + 5 * growing)
    assert 64 ** (growing + 1) > 2 ** (100 + 5 * (growing + 1))
    assert longest(64, None, 100, Fraction(1, 3)) == 17  # 100 / (6 - 1/3) = 17.6


def test_a_phonebook_s_entries_are_no_tokens():
    """A cache that grows by little a token may grow by more an entry: no limit follows."""
    found = limits(100, Fraction(1), None)
    assert found[0].beyond == 20
    assert found[-1].beyond is None


def test_wider_numbers_raise_the_limits():
    config = {"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 1}
    narrow, wide = capacity(config), capacity(config, state_bits=32)
    assert wide.limits[0].beyond == 2 * narrow.bits() // 6
    assert wide.bits() == 2 * narrow.bits()
