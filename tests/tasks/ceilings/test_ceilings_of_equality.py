"""Equality of random halves: the best of all functions to states has exactly the stated accuracy, on the task's examples."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from seqsep.tasks import Equality
from seqsep.tasks.ceilings import ceiling, first_bitten_length, random_equality_accuracy, random_equality_ceiling


def best_of_all_functions(words: int, states: int) -> Fraction:
    """By trying every function from words to states, for a state and a second half the more frequent answer.

    The cases are a word, a coin, and a word that is the second half if the coin says so: all equally likely.
    """
    cases = [(a, a if coin else b) for a in range(words) for coin in (0, 1) for b in range(words)]
    counts = np.zeros((words, words, 2), dtype=np.int64)
    for a, b in cases:
        counts[a, b, int(a == b)] += 1
    best = 0
    for function in itertools.product(range(states), repeat=words - 1):
        state = np.array((0, *function))
        best = max(best, sum(int(counts[state == one].sum(axis=0).max(axis=-1).sum()) for one in range(states)))
    return Fraction(best, len(cases))


SIZES = [
    (1, 1),
    (1, 3),
    (2, 1),
    (2, 2),
    (3, 2),
    (4, 1),
    (4, 2),
    (4, 3),
    (4, 4),
    (5, 2),
    (5, 3),
    (5, 4),
    (7, 2),
    (7, 4),
    (8, 2),
    (8, 3),
]


@pytest.mark.parametrize(("words", "states"), SIZES)
def test_the_best_function_is_exactly_at_the_ceiling(words: int, states: int) -> None:
    assert best_of_all_functions(words, states) == random_equality_accuracy(words, states)


@pytest.mark.parametrize(("alphabet", "half"), [(2, 1), (2, 2), (2, 3), (3, 1), (5, 1), (3, 2)])
def test_the_ceiling_of_the_task_is_attained(alphabet: int, half: int) -> None:
    for state_bits in (0, 1, 2):
        if alphabet**half > 8 and state_bits == 2:
            continue
        best = best_of_all_functions(alphabet**half, 2**state_bits)
        highest = ceiling(Equality(2 * half, alphabet=0 if alphabet == 2 else alphabet), state_bits)
        assert highest is not None
        assert Fraction(math.nextafter(highest, 0)) < best <= Fraction(highest)


def test_examples_are_drawn_as_the_proof_has_them() -> None:
    """Each pair of halves of two symbols out of two as often as said, within five deviations."""
    count = 40_000
    batch = Equality(length=4).sample(0, count, seed=1, evaluate=True)
    found = Counter((tuple(row[:2]), tuple(row[3:])) for row in batch.inputs.tolist())
    words = list(itertools.product((0, 1), repeat=2))
    for a, b in itertools.product(words, repeat=2):
        chance = 1 / 32 + (1 / 8 if a == b else 0)
        assert abs(found[a, b] - count * chance) < 5 * math.sqrt(count * chance * (1 - chance))


def test_the_rounded_classes_sharpen_the_formula() -> None:
    """1 - (1/K - 1/M) / 2 where K divides M; elsewhere less by r (K - r) / (2 K M^2)."""
    for words, states in itertools.product(range(1, 40), range(1, 40)):
        exact = random_equality_accuracy(words, states)
        if states >= words:
            assert exact == 1
            continue
        rest = words % states
        formula = 1 - (Fraction(1, states) - Fraction(1, words)) / 2
        assert formula - exact == Fraction(rest * (states - rest), 2 * states * words**2) <= Fraction(states, 8 * words**2)
        assert random_equality_accuracy(words, states + 1) - exact > 0
        assert exact - random_equality_accuracy(words + 1, states) > 0


@pytest.mark.parametrize(("half", "alphabet"), [(255, 2), (256, 2), (257, 2), (300, 3), (2**19, 2**31)])
@pytest.mark.parametrize("state_bits", [0, 1, 7, 40])
def test_long_halves_are_as_if_endless(half: int, alphabet: int, state_bits: int) -> None:
    highest = random_equality_ceiling(half, alphabet, state_bits)
    endless = 1 - Fraction(1, 2 * 2**state_bits)
    assert highest == math.nextafter(float(endless), 1)
    if half <= 300:
        assert random_equality_accuracy(alphabet**half, 2**state_bits) <= Fraction(highest)


def test_from_52_bits_on_a_float_shows_no_error() -> None:
    assert random_equality_ceiling(100, 2, 51) == 1 - 2.0**-52 + 2.0**-53
    assert random_equality_ceiling(100, 2, 52) == random_equality_ceiling(2**19, 3, 10**9) == 1.0
    assert random_equality_ceiling(5, 2, 5) == random_equality_ceiling(5, 1, 0) == 1.0 > random_equality_ceiling(5, 2, 4)


def test_first_bitten_lengths_of_random_equality() -> None:
    assert first_bitten_length(Equality(20), 5) == 12
    assert first_bitten_length(Equality(20, alphabet=3), 5) == 8
    assert first_bitten_length(Equality(20), 51) == 104
    assert first_bitten_length(Equality(20), 52) is None
    assert first_bitten_length(Equality(20), 10**9) is None
    assert first_bitten_length(Equality(20, alphabet=64), 0, 2) == 2
    assert first_bitten_length(Equality(20, alphabet=64), 30, 2) is None
    for alphabet, state_bits in (*((3, bits) for bits in range(45, 52)), (5, 51), (6, 51)):
        first = first_bitten_length(Equality(20, alphabet=alphabet), state_bits)
        assert first is not None
        below, at = (random_equality_ceiling(half, alphabet, state_bits) for half in (first // 2 - 1, first // 2))
        assert at < 1 == below


@pytest.mark.parametrize(("half", "alphabet", "state_bits"), [(0, 2, 1), (1, 0, 1), (1, 2, -1)])
def test_wrong_sizes(half: int, alphabet: int, state_bits: int) -> None:
    with pytest.raises(ValueError, match="half and alphabet at least 1, state_bits at least 0"):
        random_equality_ceiling(half, alphabet, state_bits)
    for words, states in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="words and states are at least 1"):
            random_equality_accuracy(words, states)
