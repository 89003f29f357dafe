"""Limits agree with the ceilings, from the other side."""

from fractions import Fraction
from math import perm

import pytest

from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.limits import EQUALITY, PHONEBOOK, limits, longest, most_different, never_excluded
from seqsep.tasks import Equality
from seqsep.tasks.ceilings import (
    carried_bits_by_place,
    distinct_values_ceiling,
    index_lookup_ceiling,
    random_equality_accuracy,
)


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
    assert [limit.beyond for limit in found if limit.task == PHONEBOOK] == [None]


@pytest.mark.parametrize("values", [2, 5, 64, 5000])
@pytest.mark.parametrize("bits", [0, 1, 9, 100, 295, 3000])
def test_different_values_fit_exactly_as_counted(values, bits):
    """Also as the ceiling of different values has it: 1 up to here, and below 1 after it."""
    most = most_different(values, bits)
    if most is None:
        assert perm(values, values) <= 1 << bits
        return
    assert perm(values, most) <= 1 << bits < perm(values, most + 1)
    if values <= 64:
        assert distinct_values_ceiling(values, most + 1, bits) < 1
        assert most == 0 or distinct_values_ceiling(values, most, bits) == 1


def test_different_values_of_a_vocabulary_never_too_few():
    """Beyond what is counted exactly: never below the count, and above it by one at most."""
    for values, bits in ((65_024, 10_000), (200_000, 54_321)):
        most = most_different(values, bits)
        assert perm(values, most - 1) <= 1 << bits < perm(values, most + 1)


@pytest.mark.parametrize("alphabet", [2, 3, 64])
@pytest.mark.parametrize("bits", [7, 100])
def test_equality_is_limited_by_its_halves(alphabet, bits):
    """As the task has it, whose answer needs (N / 2) log2 S bits."""
    [limit] = [one for one in limits(bits, Fraction(0), alphabet) if (one.task, one.alphabet) == (EQUALITY, alphabet)]
    assert Equality(length=limit.beyond, alphabet=alphabet).answer_bits() <= bits
    assert Equality(length=limit.beyond + 2, alphabet=alphabet).answer_bits() > bits
    growing = longest(alphabet, None, bits, Fraction(1, 2))
    [limit] = [one for one in limits(bits, Fraction(1, 2), alphabet) if (one.task, one.alphabet) == (EQUALITY, alphabet)]
    assert limit.beyond == 2 * growing


@pytest.mark.parametrize("bits", [1, 3, 8])
def test_random_halves_exclude_no_length(bits):
    """The ceiling of random halves falls to this number, and stays above it."""
    reached = never_excluded(bits)
    heights = [random_equality_accuracy(words=2**half, states=2**bits) for half in range(bits + 1, 40)]
    assert heights == sorted(heights, reverse=True)
    assert min(heights) > reached
    assert min(heights) - reached < Fraction(1, 2**38)


@pytest.mark.parametrize("limit", [one for one in limits(600, Fraction(0), 1000) if one.places is not None])
def test_places_carry_no_more_than_the_state(limit):
    """This number of places with this accuracy, and all others guessed, is within the bound by position; one more is not."""
    right = float(limit.accuracy or 1)
    others = [1 / limit.alphabet] * 50
    assert carried_bits_by_place(limit.alphabet, [right] * limit.places + others) <= 600 + 1e-9
    assert carried_bits_by_place(limit.alphabet, [right] * (limit.places + 1) + others) > 600


def test_wider_numbers_raise_the_limits():
    config = {"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 1}
    narrow, wide = capacity(config), capacity(config, state_bits=32)
    assert wide.limits[0].beyond == 2 * narrow.bits() // 6
    assert wide.bits() == 2 * narrow.bits()
