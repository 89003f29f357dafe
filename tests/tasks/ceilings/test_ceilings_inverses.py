"""The least state and the longest input are the border of what the ceiling allows, at any size."""

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import seqsep
from seqsep.core.names import BadInput
from seqsep.tasks import (
    AssociativeRecall,
    BoundedDyck,
    Equality,
    IndexLookup,
    IsTree,
    MultiQueryRecall,
    NearestNeighbor,
    NgramRetrieval,
    Task,
)
from seqsep.tasks.ceilings import ceiling, least_state_bits, length_where_it_bites, longest
from seqsep.tasks.ceilings.forms import form_of
from seqsep.tasks.ceilings.one_of_many import bits_of_a_symbol

LONG = 2**20


def all_tasks(most: int) -> st.SearchStrategy[Task]:
    """Tasks whose ceiling falls with the length alone, with up to 2 `most` symbols."""
    length = st.one_of(st.integers(1, 12), st.integers(1, most))
    symbols = st.one_of(st.integers(2, 70), st.integers(2, 2**30))
    return st.one_of(
        st.builds(IndexLookup, length, alphabet=st.one_of(st.just(1), symbols)),
        st.builds(AssociativeRecall, length, values=symbols),
        st.builds(lambda half, values: MultiQueryRecall(2 * half, values=values), length, symbols),
        st.builds(lambda half, classes: NearestNeighbor(2 * min(half, 2**15), classes=classes), length, st.integers(2, 64)),
        st.builds(lambda half, alphabet: Equality(2 * half, alphabet=alphabet), length, symbols),
        st.builds(lambda half, alphabet: Equality(2 * half, "next", alphabet=alphabet), length, symbols),
    )


accuracies = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 5e-324, 1e-300, 0.5, 0.9, 0.99, math.nextafter(1, 0), 1.0]))


def require_border(task: Task, accuracy: float) -> int:
    """The least state, of which is seen that it is allowed and one bit less is not."""
    bits = least_state_bits(task, accuracy)
    assert (ceiling(task, bits) or 0) >= accuracy
    if bits and accuracy < 1:
        assert (ceiling(task, bits - 1) or 0) < accuracy
    return bits


@settings(max_examples=120, deadline=None)
@given(task=all_tasks(LONG // 2), accuracy=accuracies)
@example(task=IndexLookup(LONG, alphabet=2**31), accuracy=0.5)
@example(task=MultiQueryRecall(LONG, values=2**30 - 1), accuracy=0.9)
def test_one_bit_less_than_the_least_is_below(task: Task, accuracy: float) -> None:
    require_border(task, accuracy)


@settings(max_examples=100, deadline=None)
@given(task=all_tasks(100))
def test_for_all_answers_it_is_exact(task: Task) -> None:
    asked = form_of(task)
    assert asked is not None
    assert least_state_bits(task, 1.0) == (asked.form.symbols**asked.items - 1).bit_length()


@pytest.mark.parametrize("accuracy", [0.0, 0.2, 0.5, 0.7, 0.99, 1.0])
@pytest.mark.parametrize(
    "task",
    [
        NgramRetrieval(20),
        NgramRetrieval(64, gram=2, alphabet=4),
        IsTree(12),
        MultiQueryRecall.zoology(64, 8),
        MultiQueryRecall.zoology(64, 8, vocab_size=18),
        MultiQueryRecall(2000, values=4000, form="zoology", pairs=1000),
    ],
    ids=str,
)
def test_borders_of_other_tasks(task: Task, accuracy: float) -> None:
    require_border(task, accuracy)


def test_different_values_need_as_many_states_as_lists() -> None:
    assert least_state_bits(MultiQueryRecall.zoology(16, 4, vocab_size=16), 1.0) == math.ceil(math.log2(8 * 7 * 6 * 5)) == 11
    assert least_state_bits(MultiQueryRecall.zoology(16, 4, vocab_size=16), 0.25) == 9


@settings(max_examples=60, deadline=None)
@given(task=all_tasks(50), state_bits=st.integers(0, 300))
def test_the_ceiling_of_a_state_asks_for_no_more_than_it(task: Task, state_bits: int) -> None:
    highest = ceiling(task, state_bits)
    assert highest is not None
    needed = least_state_bits(task, highest) if highest < 1 else 0
    assert needed <= state_bits
    assert highest == 1 or ceiling(task, needed) == highest


def forbidden_beyond(task: Task, state_bits: int, accuracy: float) -> int | None:
    """The longest input, of which is seen that one item more is not allowed; its items."""
    asked = form_of(task)
    found = longest(task, state_bits, accuracy)
    assert asked is not None
    assert asked.length is not None
    if found is None:
        for items in (1, 1000, 10**7, 10**30):
            assert asked.form.ceiling(items, state_bits) >= accuracy
        return None
    times, more = asked.length
    items = (found - more) // times if found else 0
    assert found == (times * items + more if items else 0)
    if items:
        assert asked.form.ceiling(items, state_bits) >= accuracy
    if accuracy < 1:
        assert asked.form.ceiling(items + 1, state_bits) < accuracy
    else:
        symbols = asked.form.symbols
        assert (items + 1) * math.log2(symbols) > state_bits * (1 - 1e-12)
        assert items * math.log2(symbols) <= state_bits * (1 + 1e-12)
    return items


@settings(max_examples=120, deadline=None)
@given(task=all_tasks(20), state_bits=st.one_of(st.integers(0, 70), st.integers(0, 10**40)), accuracy=accuracies)
@example(task=IndexLookup(1, alphabet=64), state_bits=10**9, accuracy=math.nextafter(1 / 64, 1))
@example(task=IndexLookup(1, alphabet=64), state_bits=10**9, accuracy=1 / 64 + 1e-12)
@example(task=IndexLookup(1, alphabet=1), state_bits=0, accuracy=1.0)
@example(task=Equality(2), state_bits=51, accuracy=math.nextafter(1, 0))
@example(task=Equality(2), state_bits=0, accuracy=0.5)
@example(task=MultiQueryRecall(2, values=3), state_bits=10**9, accuracy=1e-300)
def test_one_item_more_than_the_longest_is_below(task: Task, state_bits: int, accuracy: float) -> None:
    forbidden_beyond(task, state_bits, accuracy)


@settings(max_examples=60, deadline=None)
@given(task=all_tasks(400), accuracy=accuracies)
def test_longest_and_least_state_say_the_same(task: Task, accuracy: float) -> None:
    """The longest input of the least state is at least as long, and of one bit less it is shorter."""
    bits = least_state_bits(task, accuracy)
    at_least = longest(task, bits, accuracy)
    assert at_least is None or at_least >= task.length
    if bits:
        shorter = longest(task, bits - 1, accuracy)
        assert shorter is not None
        assert shorter < task.length


def test_lengths_at_states_of_published_sizes() -> None:
    """19 MiB of 64 symbols: 26,563,925 for every input and more for 0.9; N R(64, a) is the state."""
    state_bits = 8 * 19 * 2**20
    assert longest(IndexLookup(1, alphabet=64), state_bits, 1.0) == state_bits // 6 == 26_563_925
    for accuracy in (0.9, 0.5):
        found = longest(IndexLookup(1, alphabet=64), state_bits, accuracy)
        assert found == math.floor(state_bits / bits_of_a_symbol(64, accuracy))
    assert longest(IndexLookup(1, alphabet=64), 10**9, 1.0) == 166_666_666
    assert longest(Equality(2), 10**9, 1.0) == 2 * 10**9
    assert longest(Equality(2), 10**9, math.nextafter(1, 0)) is None
    assert longest(NearestNeighbor(4, classes=4), 10**9, 0.25) == 2 * (5 * 10**8 + 1)
    assert longest(MultiQueryRecall(4, values=4), 10**9, 0.25) == 2 * (5 * 10**8 + 1) + 1


def test_small_values_by_hand() -> None:
    assert longest(IndexLookup(1, alphabet=64), 0, 1.0) == longest(MultiQueryRecall(4), 0, 1.0) == 0
    assert longest(MultiQueryRecall(4, values=2), 1, 1.0) == 3
    assert longest(MultiQueryRecall(4, values=2), 1, 0.5) == 5
    assert longest(Equality(20), 3, 0.95) == 10
    assert longest(Equality(20), 3, 0.9375) is None
    assert longest(Equality(20), 0, 0.5) is None
    assert least_state_bits(Equality(20), 0.5) == least_state_bits(IndexLookup(9), 0.0) == 0
    assert least_state_bits(Equality(20), 0.75) == 1
    assert least_state_bits(Equality(LONG), 0.999) == 9
    assert Fraction(1, 2**11) < Fraction(1, 1000) < Fraction(1, 2**9)


@pytest.mark.unchecked
@pytest.mark.parametrize("accuracy", [-0.1, 1.1, math.nan, math.inf, "0.5", None])
def test_accuracies_are_fractions(accuracy: Any) -> None:
    for wrong in (lambda: least_state_bits(IndexLookup(5), accuracy), lambda: longest(IndexLookup(5), 5, accuracy)):
        with pytest.raises(BadInput, match=r"^accuracy: expected a fraction from 0 to 1, found "):
            wrong()


@pytest.mark.unchecked
@pytest.mark.parametrize("bits", [-1, 1.5, "7", None])
def test_bits_are_whole_numbers(bits: Any) -> None:
    with pytest.raises(BadInput, match=r"^bits: expected a whole number from 0, found "):
        longest(IndexLookup(5), bits, 0.5)


@pytest.mark.unchecked
def test_tasks_have_a_bound() -> None:
    for unbounded in (BoundedDyck(30), Equality(20, "one"), IsTree(12, trace="walk")):
        with pytest.raises(BadInput, match=r"^task: expected one with a known bound on its average accuracy, found "):
            least_state_bits(unbounded, 0.9)
    for other in (NgramRetrieval(20), IsTree(12), MultiQueryRecall.zoology(64, 8)):
        with pytest.raises(BadInput, match=r"^task: expected one whose ceiling falls only with its length, found "):
            longest(other, 10, 0.9)
    strangers: list[Any] = ["index-lookup", None, IndexLookup]
    for none in strangers:
        with pytest.raises(BadInput, match=r"^task: expected a task, as seqsep.IndexLookup\(length=20\), found "):
            least_state_bits(none, 0.9)


@pytest.mark.unchecked
def test_public_from_python_with_whole_numbers_too() -> None:
    assert {"least_state_bits", "longest"} <= set(dir(seqsep))
    assert seqsep.least_state_bits(seqsep.IndexLookup(20), 1) == 120
    assert seqsep.longest(seqsep.IndexLookup(20), 120, 1) == 20


@pytest.mark.parametrize("sizes", [{"state_bits": -1}, {"state_bits": 0, "bits_per_token": -1}])
def test_a_length_for_a_negative_state_is_refused(sizes):
    with pytest.raises(ValueError, match="state_bits and bits_per_token are at least 0"):
        length_where_it_bites(alphabet=64, **sizes)


def test_a_length_of_more_digits_than_are_tried_first():
    """More precision is taken until the two sides of N differ; here with 300 digits, by logarithms of the same library."""
    state_bits = 10**60
    with localcontext(Context(prec=300)):
        exact = state_bits * Decimal(2).ln() / Decimal(3).ln()
    assert length_where_it_bites(alphabet=3, state_bits=state_bits) == int(exact) + 1
