"""Ranges and choices: one declaration for options of theorems, fields of tasks and settings of runs."""

from fractions import Fraction
from typing import Annotated

import pytest

from seqsep.core.options import OneOf, Range, option_of, shown_end


@pytest.mark.parametrize(
    ("end", "shown"),
    [
        (0, "0"),
        (-1, "-1"),
        (2**20 - 2, "1,048,574"),
        (2**20 - 1, "2^20 - 1"),
        (2**20, "2^20"),
        (2**20 + 1, "1,048,577"),
        (2**63 - 1, "2^63 - 1"),
        (Fraction(1, 2**30), "2^-30"),
        (Fraction(2**22, 3), "4194304/3"),
        (Fraction(3, 2**20), "3/1048576"),
        (Fraction(1), "1"),
        (0.00001, "0.00001"),
        (2.0, "2"),
    ],
)
def test_the_end_of_a_range_in_digits_or_as_a_power(end, shown):
    assert shown_end(end) == shown


ENDS = [(above, below) for above in (False, True) for below in (False, True)]


@pytest.mark.parametrize(("above", "below"), ENDS)
def test_a_range_has_its_ends_unless_it_says_so(above, below):
    allowed = Range(0, 1, above=above, below=below)
    assert [allowed.has(value) for value in (-1, 0, 0.5, 1, 2)] == [False, not above, True, not below, False]
    assert [Range(0, above=above).has(value) for value in (0, 2**70)] == [not above, True]
    assert not allowed.has(float("nan"))


def test_ends_and_unit_in_words():
    assert str(Range(0, 1, above=True)) == Range(0, 1, above=True).expected == "above 0 and at most 1"
    assert (str(Range(5, unit="pairs")), Range(5, unit="pairs").expected) == ("from 5", "at least 5 pairs")
    assert (str(Range(1, 9, also="and even")), Range(1, 9, also="and even").expected) == ("1 to 9, and even", "1 to 9")


def test_a_fraction_is_in_a_range_with_whole_ends():
    """Its type says if a value is a whole number, and not the ends of the range."""
    share, count = (option_of("size", Annotated[kind, Range(0, 100)]) for kind in (float, int))
    assert share.fault(0.5) is None
    assert count.fault(0.5) == "is a whole number, 0 to 100, found 0.5"
    assert share.fault(True) == "is a number, 0 to 100, found True"


def test_words_and_files_are_taken():
    either = [option_of("mixer", Annotated[str, OneOf("lstm", or_file=is_file)]) for is_file in (False, True)]
    assert [option.fault("own.py:Layer") for option in either] == ["is one of lstm, found 'own.py:Layer'", None]


def test_the_earlier_imports_work_until_0_5():
    from seqsep.tasks import fields
    from seqsep.theorems import options

    assert (fields.Values, fields.Words, options.Range, options.OneOf) == (Range, OneOf, Range, OneOf)
