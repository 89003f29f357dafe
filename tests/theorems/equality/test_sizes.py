"""Equality's least state, at the ends of what is tried: which words, which models, and the printed bound."""

import pytest

from seqsep.theorems.equality._by_automata import drops_a_bit
from seqsep.theorems.equality._collision import printed
from seqsep.theorems.equality._words import some_words


def test_the_printed_bound_is_half_a_bit_a_symbol():
    assert printed(6, 2) is None
    assert [printed(length, 4) for length in (2, 6, 8)] == [{"state_bits": bits} for bits in (1, 3, 4)]


def test_one_bit_fewer_is_1_to_11_bits():
    assert [drops_a_bit(states) for states in (1, 2, 3, 4, 2**12, 2**12 + 1)] == [False, False, True, True, True, False]


@pytest.mark.parametrize(("length", "alphabet", "is_whole"), [(4, 2, True), (8, 4, True), (16, 2, True), (10, 4, False)])
def test_all_words_are_tried_up_to_two_to_the_sixteen(length, alphabet, is_whole):
    some = some_words(length, alphabet, seed=0)
    assert some.is_exhaustive == is_whole
    assert (len(some.words) == alphabet**length) == is_whole
