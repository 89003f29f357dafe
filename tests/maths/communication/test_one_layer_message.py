"""Bits that pass through one layer: against counting by hand and by brute force, and that too few stay too few."""

from itertools import product
from math import ceil, log2

import pytest

from seqsep.maths.communication.one_layer_message import (
    cells,
    composition_bites_from,
    composition_bits,
    exact_bits,
    induction_bites_from,
    induction_bits,
    least_width,
    sums_bits,
    word_bits,
)


@pytest.mark.parametrize("symbols", [1, 2, 3, 5, 8, 1000])
def test_bits_of_words_are_counted_exactly(symbols):
    for length in (0, 1, 2, 3, 10, 97, 500):
        assert word_bits(symbols, length) == (symbols**length - 1).bit_length()


def test_bits_of_words_near_a_power_of_two():
    """The 7th powers are beside 2^2100, by less than 50 digits of the logarithm can tell."""
    assert word_bits((1 << 100) + 1, 1) == 101
    assert word_bits((1 << 300) + 1, 7) == 2101
    assert word_bits((1 << 300) - 1, 7) == 2100


def test_messages_by_hand():
    """Llama-3.1-8B at 16 bits: 32 heads of 128 coordinates, a maximum and a sum of weights."""
    assert sums_bits(32, 128, 16) == 32 * 130 * 16 == 66_560
    assert cells(1, 7 * 5) == 1 + 35 + 35 * 34 // 2
    assert exact_bits(heads=2, width=1, precision=3, questions=5) == ceil(2 * log2(631))
    assert composition_bits(6) == ceil(6 * log2(6))
    assert induction_bits(7, symbols=4) == ceil(3 * log2(3))


def test_a_layer_of_llama_bites_where_a_hand_computation_says():
    """n log2 n passes 66,560 between 5,371 and 5,372; and likewise with exact weights, by logarithms in floats."""
    bites = composition_bites_from(lambda values: sums_bits(32, 128, 16))
    assert bites == 5372
    assert 5371 * log2(5371) < 66_560 < 5372 * log2(5372)
    assert composition_bites_from(lambda values: exact_bits(32, 128, 16, values)) == 9559
    assert 9558 * log2(9558) < 32 * log2(cells(128, 65_535 * 9558))
    assert 9559 * log2(9559) > 32 * log2(cells(128, 65_535 * 9559))
    assert induction_bites_from(lambda questions: exact_bits(32, 128, 16, questions), 64) == 2 * 21_974
    assert 21_973 * log2(63) < 32 * log2(cells(128, 65_535 * 21_973))
    assert 21_974 * log2(63) > 32 * log2(cells(128, 65_535 * 21_974))


@pytest.mark.parametrize(("heads", "width", "precision"), [(1, 1, 8), (1, 9, 8), (12, 3, 16), (3, 64, 32)])
def test_what_is_too_short_stays_too_short(heads, width, precision):
    def message(questions):
        return exact_bits(heads, width, precision, questions)

    first = composition_bites_from(message)
    assert message(first - 1) >= composition_bits(first - 1)
    assert all(message(n) < composition_bits(n) for n in range(first, first + 100))
    for symbols in (4, 5000):
        length = induction_bites_from(message, symbols)
        assert message(length // 2 - 1) >= induction_bits(length - 1, symbols)
        assert all(message(b) < induction_bits(2 * b, symbols) for b in range(length // 2, length // 2 + 100))


def test_least_widths_are_least():
    for needed in (1, 17, 1000):
        width = least_width(needed, lambda width: sums_bits(3, width, 8))
        assert sums_bits(3, width, 8) >= needed
        assert width == 1 or sums_bits(3, width - 1, 8) < needed


def test_three_symbols_are_refused():
    with pytest.raises(ValueError, match="at least 4 symbols"):
        induction_bites_from(lambda questions: 10, symbols=3)


def test_cells_bound_the_patterns_of_lines_in_the_plane():
    lines = [(1, 0, 0), (0, 1, 0), (1, 1, 1), (1, -1, 2), (2, 1, -3)]
    points = product([step / 7 for step in range(-60, 61)], repeat=2)
    assert len({tuple(a * x + b * y >= c for a, b, c in lines) for x, y in points}) == cells(1, 5) == 16
