"""Ranks, fooling sets and discrepancies against brute force and exact elimination."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.communication import communication
from seqsep.maths.communication._elimination import greatest_prime_below, most_modulus, nonsingular_gf2, nonsingular_modulo
from seqsep.maths.communication.communication import TwoParty
from seqsep.maths.communication.witnesses import Rank
from support.small_matrices import random_matrices


@pytest.mark.parametrize("seed", range(60))
def test_a_minor_is_singular_over_gf2_or_not(seed):
    """Two eliminations agree, of rows as integers and modulo 2, and a singular minor is refused as a witness."""
    draws = np.random.default_rng(seed)
    size = int(draws.integers(1, 12))
    square = draws.integers(0, 3, (size, size))
    assert nonsingular_gf2(square) == nonsingular_modulo(square, 2)
    singular = np.concatenate([square, square.sum(axis=0)[None]])
    wide = np.concatenate([singular, np.zeros((size + 1, 1), dtype=np.int64)], axis=1)
    assert not nonsingular_gf2(wide)
    with pytest.raises(ValueError, match="singular modulo 2"):
        Rank(wide, np.arange(size + 1), np.arange(size + 1), prime=2).verify()


def test_ranks_are_those_of_exact_elimination():
    """Against elimination over fractions, and over GF(2) by listing the row space; small entries with many dependencies."""
    random = np.random.default_rng(6)
    for _ in range(150):
        rows, columns, inner = random.integers(1, 7, size=3)
        matrix = random.integers(0, 3, size=(rows, inner)) @ random.integers(0, 3, size=(inner, columns))
        left = [[Fraction(int(entry)) for entry in row] for row in matrix]
        rank = 0
        for column in range(columns):
            pivot = next((row for row in range(rank, rows) if left[row][column]), None)
            if pivot is None:
                continue
            left[rank], left[pivot] = left[pivot], left[rank]
            for row in range(rank + 1, rows):
                factor = left[row][column] / left[rank][column]
                left[row] = [one - factor * other for one, other in zip(left[row], left[rank], strict=True)]
            rank += 1
        bound = communication.rank_bound(TwoParty(matrix))
        assert bound.value == rank
        bound.witness.verify() if rank else None
        space = {tuple(np.array(sum_) @ (matrix % 2) % 2) for sum_ in itertools.product((0, 1), repeat=int(rows))}
        assert 2 ** communication.rank_bound(TwoParty(matrix), "gf2").value == len(space)


def test_a_rank_below_the_number_of_different_rows_and_columns():
    """Each column of the right half is 1 less one of the left: rank 129 of 256, shown by primes up to Hadamard's bound."""
    left = np.random.default_rng(10).integers(2, size=(256, 128))
    bound = communication.rank_bound(TwoParty(np.concatenate([left, 1 - left], axis=1)))
    assert bound.value == 129
    bound.witness.verify()


def test_a_rank_that_vanishes_modulo_the_first_prime():
    """The determinant is the first prime that is tried: modulo it the rank is 1, over the rationals 2."""
    first = greatest_prime_below(most_modulus(3) + 1)
    matrix = np.array([[first, 0, 0], [0, 1, 0], [0, 1, 0]])
    bound = communication.rank_bound(TwoParty(matrix))
    assert bound.value == 2
    assert bound.witness.prime < first
    bound.witness.verify()


def test_the_largest_fooling_set_is_brute_forces():
    pytest.importorskip("pysat", reason="python-sat, the extra `exact`")
    larger = 0
    for f in random_matrices(120, 2, 8):
        for value in f.answers:
            inputs = np.argwhere(f.matrix == value).tolist()
            bound = communication.fooling_set(f, value, maximum=True)
            bound.witness.verify()
            assert bound.label == "lower"
            if len(inputs) <= 8:
                sets = [[inputs[place] for place in places] for places in subsets(len(inputs))]
                assert bound.value == max(len(some) for some in sets if is_fooling(f.matrix, value, some))
            greedy = communication.fooling_set(f, value).value
            assert greedy <= bound.value
            larger += greedy < bound.value
    meet = TwoParty((np.arange(8)[:, None] & np.arange(8) != 0).astype(np.int64))
    assert communication.fooling_set(meet, 1, maximum=True).value >= 3
    assert communication.fooling_set(meet, 0, maximum=True).value == 8


def is_fooling(matrix, value, inputs) -> bool:
    pairs = itertools.combinations(inputs, 2)
    return all(matrix[x, other] != value or matrix[row, y] != value for (x, y), (row, other) in pairs)


def subsets(size: int) -> list[list[int]]:
    return [list(itertools.compress(range(size), mask)) for mask in itertools.product((0, 1), repeat=size)]


def test_discrepancy_is_exact_and_below_the_spectral_bound():
    random = np.random.default_rng(9)
    for _ in range(60):
        matrix = random.integers(2, size=random.integers(1, 6, size=2))
        signs = 2 * matrix - 1
        rectangles = itertools.product(*map(subsets, matrix.shape))
        worst = max(abs(int(signs[rows][:, columns].sum())) for rows, columns in rectangles)
        bound = communication.discrepancy_bound(TwoParty(matrix))
        assert bound.value == worst
        assert bound.bits == math.ceil(math.log2(matrix.size / worst) - 1e-12)
        norm = int(np.abs(signs @ signs.T).sum(axis=1).max())
        assert math.isqrt(norm * matrix.size) >= worst
    size = 64
    inner = np.array([[bin(x & y).count("1") % 2 for y in range(size)] for x in range(size)])
    bound = communication.discrepancy_bound(TwoParty(inner))
    assert bound.value == 512  # sqrt(64 * 64 * 64): Lindsey's lemma
    assert bound.bits == 3
    bound.witness.verify()
