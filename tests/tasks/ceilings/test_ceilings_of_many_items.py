"""One question about different values, phonebooks, errors by place, and lists too many to count: no function does better."""

import itertools
import math
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from seqsep.tasks import Equality, IndexLookup, MultiQueryRecall, NearestNeighbor
from seqsep.tasks.ceilings import (
    best_accuracy,
    carried_bits,
    carried_bits_by_place,
    ceiling,
    counting_ceiling,
    distinct_values_ceiling,
    index_lookup_ceiling,
    phonebook_ceiling,
)
from seqsep.tasks.ceilings.answer_lists import large_counting_ceiling, nats_of_distinct
from seqsep.tasks.ceilings.fano import highest_accuracy
from seqsep.tasks.ceilings.forms import form_of
from seqsep.tasks.ceilings.one_of_many import bits_of_a_symbol


def accuracies_by_place(lists: Sequence[tuple[int, ...]], values: int, states: int) -> list[list[Fraction]]:
    """For every function from lists to states: how often the most frequent value of a state is right, place by place."""
    has = np.array(lists)[:, :, None] == np.arange(values)
    found = []
    for function in itertools.product(range(states), repeat=len(lists) - 1):
        state = np.array((0, *function))
        right = sum(has[state == one].sum(axis=0).max(axis=-1) for one in range(states))
        found.append([Fraction(int(count), len(lists)) for count in right])
    return found


@pytest.mark.parametrize(
    ("values", "items", "state_bits"),
    [(2, 1, 0), (2, 2, 0), (2, 2, 1), (3, 1, 1), (3, 2, 0), (3, 2, 1), (3, 3, 0), (3, 3, 1), (3, 2, 2), (4, 2, 1), (4, 1, 1)],
)
def test_no_function_knows_more_of_different_values(values: int, items: int, state_bits: int) -> None:
    lists = list(itertools.permutations(range(values), items))
    best = max(sum(places) / items for places in accuracies_by_place(lists, values, 2**state_bits))
    highest = distinct_values_ceiling(values, items, state_bits)
    assert best <= Fraction(highest)
    assert highest < 1.0 or len(lists) <= 2**state_bits
    assert highest < best + Fraction(32, 100)  # Fano's inequality is far from the best code where items are so few
    if state_bits == 0:
        assert Fraction(1, values) == best > Fraction(math.nextafter(highest, 0)) - Fraction(1, 2**50)


def by_each_number_of_items(values: int, items: int, state_bits: int) -> list[float]:
    found = []
    for asked in range(1, items + 1):
        with localcontext(Context(prec=50)):
            missing = (Decimal(math.perm(values, asked)).ln() - state_bits * Decimal(2).ln()) / asked
        found.append(highest_accuracy(missing, values))
    return found


@pytest.mark.parametrize(("values", "items"), [(8, 8), (9, 4), (16, 16), (64, 10), (5, 1)])
def test_the_sharpest_number_of_items_is_taken(values: int, items: int) -> None:
    """Less than all of them matter where values run out: 16 of 16, and few bits."""
    for state_bits in range(math.perm(values, items).bit_length() + 1):
        each = by_each_number_of_items(values, items, state_bits)
        assert distinct_values_ceiling(values, items, state_bits) == pytest.approx(min(each), rel=1e-15)
    assert min(by_each_number_of_items(16, 16, 8)) < by_each_number_of_items(16, 16, 8)[-1] - 0.05


def test_different_values_of_zoology_at_its_sizes() -> None:
    """4,096 values, 256 pairs: 3,061 bits hold all, and with half of them the ceiling is 0.5835."""
    needed = MultiQueryRecall.zoology(1024, 256).answer_bits()
    assert needed == math.ceil(math.log2(math.perm(4096, 256))) == 3061
    assert distinct_values_ceiling(4096, 256, needed) == 1.0 > distinct_values_ceiling(4096, 256, needed - 1)
    assert distinct_values_ceiling(4096, 256, needed // 2) == pytest.approx(0.5835, abs=1e-4)
    assert distinct_values_ceiling(4096, 256, 700) <= index_lookup_ceiling(256, 4096, 700) + 0.01


@pytest.mark.parametrize(("values", "items", "state_bits"), [(1, 1, 0), (3, 4, 0), (3, 0, 0), (3, 2, -1)])
def test_sizes_of_different_values(values: int, items: int, state_bits: int) -> None:
    with pytest.raises(ValueError, match=r"values is at least 2, items from 1 to values|state_bits is at least 0"):
        distinct_values_ceiling(values, items, state_bits)


@pytest.mark.parametrize(
    ("entries", "digits", "state_bits"), [(1, 1, 0), (1, 1, 1), (2, 1, 0), (2, 1, 1), (1, 2, 1), (1, 2, 2)]
)
def test_no_state_knows_more_of_a_phonebook(entries: int, digits: int, state_bits: int) -> None:
    if 100 ** (entries * digits - 1) <= 10_000:
        assert best_accuracy(entries, 10**digits, state_bits) <= Fraction(phonebook_ceiling(entries, digits, state_bits))
    if 10 ** (entries * digits) <= 100 and state_bits < 2:
        best = best_accuracy(entries * digits, 10, state_bits)
        assert best <= Fraction(phonebook_ceiling(entries, digits, state_bits, by_digit=True))


def test_phonebooks_hold_what_their_digits_need() -> None:
    """100 numbers of 10 digits are 10^1000: 3,322 bits; a digit is easier than a number."""
    assert phonebook_ceiling(100, 10, 3322) == phonebook_ceiling(100, 10, 3322, by_digit=True) == 1.0
    assert phonebook_ceiling(100, 10, 3321) < phonebook_ceiling(100, 10, 3321, by_digit=True) < 1.0
    assert 10**7 * bits_of_a_symbol(10**10, phonebook_ceiling(10**7, 10, 10**8)) == pytest.approx(10**8)
    for wrong in ((0, 1, 0), (1, 0, 0), (1, 1, -1)):
        with pytest.raises(ValueError, match="entries and digits at least 1, state_bits at least 0"):
            phonebook_ceiling(*wrong)


@pytest.mark.parametrize(
    ("length", "alphabet", "states"), [(1, 2, 1), (2, 2, 2), (2, 2, 3), (3, 2, 2), (3, 2, 4), (2, 3, 2), (2, 3, 3)]
)
def test_no_function_is_below_the_bits_of_its_places(length: int, alphabet: int, states: int) -> None:
    lists = list(itertools.product(range(alphabet), repeat=length))
    for exact in {tuple(places) for places in accuracies_by_place(lists, alphabet, states)}:
        places = [float(one) for one in exact]
        carried = carried_bits_by_place(alphabet, places)
        assert carried <= math.log2(states) + 1e-12
        assert carried >= carried_bits(IndexLookup(length, alphabet), math.fsum(places) / length) - 1e-12


def test_places_that_differ_say_more_than_their_mean() -> None:
    """A state that holds some symbols and guesses the others meets the bound by place with equality."""
    held = carried_bits_by_place(2, [1.0] * 5 + [0.5] * 5)
    assert held == 5.0 > carried_bits(IndexLookup(10, 2), 0.75) == pytest.approx(10 * (1 - 0.8112781), abs=1e-6)
    assert carried_bits_by_place(64, [1 / 64, 0.0, 0.01]) == 0.0
    assert carried_bits_by_place(4, [0.75, 1.0]) == pytest.approx(4 - 0.8112781 - 0.25 * math.log2(3), abs=1e-6)
    assert carried_bits_by_place(1, [0.0, 1.0]) == 0.0
    for alphabet, accuracy in ((0, 0.5), (2, -0.1), (2, 1.1), (2, math.nan)):
        with pytest.raises(ValueError, match="alphabet at least 1, accuracies from 0 to 1"):
            carried_bits_by_place(alphabet, [1.0, accuracy])


@pytest.mark.parametrize("missing", [0, 1, 2, 40, 500, 1070, 1080, 4700])
def test_many_lists_are_counted_by_their_logarithm(missing: int) -> None:
    """3^3000 lists, beside the quotient of whole numbers: never below it, and at most the next float."""
    state_bits = (3**3000).bit_length() - 1 - missing
    exact = counting_ceiling(3**3000, state_bits)
    with localcontext(Context(prec=60)):
        found = large_counting_ceiling(3000 * Decimal(3).ln(), state_bits)
    assert exact <= found <= math.nextafter(exact, 1)
    form = form_of(MultiQueryRecall(6000, values=3))
    assert form is not None
    assert form.form.ceiling(3000, state_bits) == found
    assert form.form.ceiling(3000, state_bits + missing + 1) == 1.0


def test_many_different_values_are_counted_by_their_logarithm() -> None:
    many = math.perm(10_000, 500)
    task = MultiQueryRecall(1000, values=10_000, form="zoology", pairs=500)
    assert abs(nats_of_distinct(10_000, 500) - Context(prec=60).ln(Decimal(many))) < Decimal(10) ** -45
    for missing in (1, 30, 900):
        state_bits = many.bit_length() - missing
        highest = ceiling(task, state_bits)
        assert highest is not None
        assert counting_ceiling(many, state_bits) <= highest <= math.nextafter(counting_ceiling(many, state_bits), 1)
    assert ceiling(task, many.bit_length()) == 1.0


def test_every_form_at_the_greatest_lengths() -> None:
    """No number of so many digits is formed, and nothing overflows."""
    for task in (
        MultiQueryRecall(2**20, values=2**30 - 1),
        MultiQueryRecall(2**20, values=2**30 - 1, form="zoology", pairs=2**19),
        NearestNeighbor(2**16, classes=3),
        Equality(2**20, "next", alphabet=2**31 - 1),
        Equality(2**20),
    ):
        assert ceiling(task, 10**9) == 1.0
        smallest = ceiling(task, 0)
        assert smallest is not None
        assert 0 < smallest <= 0.5 + 1e-15
