"""Bounds for partial functions enclose the least state over all their extensions."""

import itertools

import numpy as np
import pytest

from seqsep.maths.automata import least_state, partial_states
from seqsep.maths.automata.enumeration import OUTSIDE, Tabulated, alphabet_ranges, tabulate
from seqsep.maths.automata.layered import of_values
from seqsep.maths.automata.partial_states import Clique


def least_partial(table: Tabulated) -> int:
    """The least widest layer over all total functions that extend a partial one."""
    open_inputs = np.flatnonzero(table.labels == OUTSIDE)
    most = 10**9
    for answers in itertools.product(range(len(table.answers)), repeat=len(open_inputs)):
        labels = table.labels.copy()
        labels[open_inputs] = answers
        most = min(most, max(of_values(labels.reshape(table.alphabets)).widths))
    return most


@pytest.mark.parametrize("seed", range(60))
def test_partial_functions_are_bounded(seed):
    """Lower bound <= the least over every extension <= upper bound, and both are what their witnesses show."""
    draws = np.random.default_rng(seed)
    labels = draws.integers(0, 2, 16)
    labels[draws.choice(16, int(draws.integers(1, 9)), replace=False)] = OUTSIDE
    table = Tabulated(alphabet_ranges([2] * 4), labels, (0, 1))
    state = partial_states.bounds(table)
    state.clique.verify(table)
    exactly = least_partial(table)
    assert state.lower_bits <= (exactly - 1).bit_length() <= state.upper_bits
    assert len(state.clique.prefixes) <= exactly <= max(state.automaton.widths)
    inside = labels != OUTSIDE
    np.testing.assert_array_equal(least_state.every_label(state.automaton)[inside], labels[inside])


def test_partial_functions_where_the_bounds_are_sharp():
    """Index lookup where a question past the middle is outside the domain: half of the symbols are enough."""
    length = 6
    table = tabulate(lambda word: word[word[-1]] if word[-1] < 3 else None, alphabet_ranges([2] * length + [length]))
    state = partial_states.bounds(table)
    assert state.lower_bits == state.upper_bits == 3
    with pytest.raises(ValueError, match="compatible"):
        Clique(length, (0, 1)).verify(table)
    empty = partial_states.bounds(tabulate(lambda word: None, alphabet_ranges([2, 2])))
    assert (empty.lower_bits, empty.upper_bits, empty.domain) == (0, 0, 0)


def test_cliques_are_maximum_where_the_search_ends():
    for seed in range(30):
        rows = np.random.default_rng(seed).integers(-1, 2, (9, 3))
        clashes = partial_states.incompatible(rows)
        best = max(len(some) for some in subsets(9) if is_clique(clashes, some))
        largest = partial_states.clique(rows)
        assert len(largest) == len(partial_states._search(clashes, [])) == best
        assert is_clique(clashes, largest)


def subsets(size: int):
    for members in range(1, size + 1):
        yield from itertools.combinations(range(size), members)


def is_clique(clashes: np.ndarray, rows) -> bool:
    return all(clashes[one, other] for one, other in itertools.combinations(rows, 2))
