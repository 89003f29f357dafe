"""Hidden units: values kept where a number is 0, and bits."""

import numpy as np

from seqsep.theorems.blocks import at_least_one, bump, feed_forward

ROWS = np.eye(3, dtype=np.int64)


def test_a_bump_keeps_the_value_where_the_number_is_0():
    units = bump(ROWS[:1], ROWS[1:2], most=11, write=ROWS[2:])
    for value in range(12):
        for difference in range(-12, 13):
            assert units.added([value, difference, 0]) == [0, 0, value if difference == 0 else 0]


def test_a_bump_for_smaller_values_lets_larger_ones_through():
    units = bump(ROWS[:1], ROWS[1:2], most=3, write=ROWS[2:])
    assert units.added([7, -1, 0])[2] != 0


def test_at_least_one_is_a_bit_of_whole_numbers():
    units = at_least_one(ROWS[:1] - ROWS[1:2], ROWS[2:], bias=1)
    for first in range(-5, 6):
        for second in range(-5, 6):
            assert units.added([first, second, 0])[2] == (first >= second)


def test_units_stand_side_by_side():
    part = feed_forward([bump(ROWS[:1], ROWS[1:2], 3, ROWS[2:]), at_least_one(ROWS[:1], ROWS[1:2])], ROWS[0])
    assert part.inner.integers.shape == (6, 3)
    assert part.outer.integers.shape == (3, 6)
    assert part.outer_bias.integers.tolist() == [1, 0, 0]
