"""Ranks by three eliminations: of matrices whose rank is known, and over GF(2) and another field where they differ."""

import numpy as np
import pytest

from seqsep.maths.communication._elimination import (
    independent_gf2,
    independent_in_floats,
    independent_modulo,
    nonsingular_gf2,
    nonsingular_modulo,
)

PRIME = 251


@pytest.mark.parametrize("rank", [0, 1, 2, 5])
@pytest.mark.parametrize("shape", [(5, 5), (7, 12), (12, 7)])
def test_the_minor_has_the_rank_of_the_matrix(rank, shape):
    """Products of a lower and an upper triangle of ones: `rank` rows and columns that are independent, the others sums."""
    random = np.random.default_rng(rank)
    tall = np.concatenate([np.tri(rank, dtype=np.int64), random.integers(0, 3, (shape[0] - rank, rank))])
    wide = np.concatenate([np.tri(rank, dtype=np.int64).T, random.integers(0, 3, (rank, shape[1] - rank))], axis=1)
    matrix = (tall @ wide)[random.permutation(shape[0])][:, random.permutation(shape[1])]
    for find in (independent_modulo, independent_in_floats):
        rows, columns = find(matrix, PRIME)
        assert len(rows) == len(columns) == rank
        assert nonsingular_modulo(matrix[np.ix_(rows, columns)], PRIME)


def test_the_field_matters():
    """Three pairs of three have rank 3, but 2 over GF(2), where the third is the sum of the others; modulo 2 as well."""
    pairs = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    assert len(independent_gf2(pairs)[0]) == len(independent_modulo(pairs, 2)[0]) == 2
    assert len(independent_modulo(pairs, PRIME)[0]) == 3
    assert nonsingular_modulo(pairs, PRIME)
    assert not nonsingular_modulo(pairs, 2)


@pytest.mark.parametrize("size", [2, 3, 6])
def test_a_matrix_of_less_rank_has_no_inverse(size):
    """Over both fields; pivots are other numbers than 1, so that a wrong inverse of one leaves something standing."""
    random = np.random.default_rng(size)
    for _ in range(20):
        square = random.integers(2, 9, (size, size - 1)) @ random.integers(2, 9, (size - 1, size))
        assert not nonsingular_modulo(square, PRIME)
        assert not nonsingular_gf2(square)
        assert nonsingular_gf2(2 * square + np.eye(size, dtype=np.int64))
        assert nonsingular_modulo(PRIME * square + 3 * np.eye(size, dtype=np.int64), PRIME)
