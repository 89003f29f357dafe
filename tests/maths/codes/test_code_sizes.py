"""Tails and bounds of codes against counting and search."""

import itertools
import math
from fractions import Fraction

import pytest

from seqsep.maths.codes.code_sizes import (
    enough_coordinates,
    hoeffding_coordinates,
    least_distance,
    least_possible,
    most_words,
    too_near,
)

GAMMAS = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 4), Fraction(2, 7), Fraction(1, 100)]


@pytest.mark.parametrize("gamma", GAMMAS)
def test_tails_by_counting_every_vector(gamma):
    for k in range(1, 11):
        sums = [sum(signs) for signs in itertools.product((-1, 1), repeat=k)]
        assert too_near(k, gamma) == sum(value > gamma * k for value in sums)
        assert too_near(k, gamma, two_sided=True) == sum(abs(value) > gamma * k for value in sums)
        d = least_distance(k, gamma)
        assert k - 2 * d <= gamma * k < k - 2 * (d - 1)


def most_by_search(length: int, distance: int) -> int:
    """The greatest code that contains 0, by trying every choice of words in their order."""

    def grow(words: list[int], chosen: int) -> int:
        best = chosen
        for place, word in enumerate(words):
            if chosen + len(words) - place <= best:
                break
            apart = [other for other in words[place + 1 :] if (word ^ other).bit_count() >= distance]
            best = max(best, grow(apart, chosen + 1))
        return best

    return grow([word for word in range(1, 1 << length) if word.bit_count() >= distance], 1)


@pytest.mark.parametrize("length", range(1, 6))
def test_no_code_has_more_words(length):
    for distance in range(1, length + 2):
        assert most_words(length, distance) >= most_by_search(length, distance)
    assert most_words(length, length) == 2 or length == 1


def test_bounds_of_known_codes_are_met():
    """Even weights, Hamming's [7, 4, 3], Reed-Muller's [8, 4, 4] and [16, 5, 8], the simplex code, and Golay's [23, 12, 7]."""
    met = {(5, 2): 16, (7, 3): 16, (8, 4): 16, (16, 8): 32, (15, 8): 16, (23, 7): 4096, (24, 8): 4096}
    for (length, distance), words in met.items():
        assert most_words(length, distance) == words


def test_least_possible_is_the_first_with_room():
    for count, gamma in itertools.product((2, 5, 16, 100, 1000), GAMMAS):
        least = least_possible(count, gamma)
        assert most_words(least, least_distance(least, gamma)) >= count
        assert all(most_words(k, least_distance(k, gamma)) < count for k in range(1, least))


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("gamma", GAMMAS[:4])
def test_enough_coordinates_are_enough_and_within_hoeffdings(gamma, two_sided):
    for pairs in (1, 2, 3, 7, 100, 10**6):
        k = enough_coordinates(pairs, gamma, two_sided)
        assert pairs * too_near(k, gamma, two_sided) < 2**k
        assert k == 1 or pairs * too_near(k - 1, gamma, two_sided) >= 2 ** (k - 1)
        closed = hoeffding_coordinates(pairs * (1 + two_sided), gamma)
        assert k <= closed
        assert pairs * (1 + two_sided) * math.exp(-closed * gamma**2 / 2) < 1
