"""Witnesses that are spoiled are rejected, and large ones are checked whole."""

import numpy as np
import pytest

from seqsep.maths.communication import communication
from seqsep.maths.communication.communication import TwoParty
from seqsep.maths.communication.protocol_trees import Bit, Leaf, ProtocolTree
from seqsep.maths.communication.witnesses import Discrepancy, DistinctRows, FoolingSet, IncompatibleRows, Merged, Rank

SPOILED = [
    (lambda: DistinctRows(np.eye(3, dtype=np.int64), np.arange(3), np.arange(1)), "different in the columns"),
    (lambda: DistinctRows(np.eye(3, dtype=np.int64), np.arange(2), np.arange(3)), "not one of them"),
    (lambda: DistinctRows(np.eye(3, dtype=np.int64) - 1, np.arange(3), np.arange(3)), "not defined"),
    (lambda: IncompatibleRows(np.array([[1, -1], [-1, 0]]), np.arange(2)), "rows 0 and 1 may be merged"),
    (lambda: Merged(np.array([[1, 0], [1, 1]]), np.array([0, 0])), "contradict"),
    (lambda: Merged(np.array([[1, 0], [1, 1]]), np.array([0])), "1 classes for 2 rows"),
    (lambda: Rank(np.ones((2, 2), dtype=np.int64), np.arange(2), np.arange(2), 7), "singular modulo 7"),
    (lambda: Rank(np.eye(2, dtype=np.int64), np.arange(2), np.arange(1), 7), "2 rows and 1 columns"),
    # Modulo 9 the "inverse" by Fermat is none, and elimination would pass a singular minor.
    (lambda: Rank(np.full((2, 2), 2), np.arange(2), np.arange(2), 9), "9 is not a prime"),
    (lambda: Rank(np.eye(2, dtype=np.int64), np.arange(2), np.arange(2), 1), "1 is not a prime"),
    (lambda: Rank(np.eye(2, dtype=np.int64), np.array([0, 2]), np.arange(2), 7), "rows are numbers from 0 to 1"),
    (lambda: FoolingSet(np.eye(2, dtype=np.int64), 1, np.array([0]), np.array([-2])), "columns are numbers from 0 to 1"),
    (lambda: IncompatibleRows(np.eye(2, dtype=np.int64), np.array([0, 5])), "rows are numbers from 0 to 1"),
    (lambda: Discrepancy(np.ones((2, 2), dtype=np.int64), 8, np.array([0, 0, 1, 1]), np.arange(2)), "stands twice"),
    (lambda: FoolingSet(np.ones((2, 2), dtype=np.int64), 1, np.arange(2), np.arange(2)), "fool nobody"),
    (lambda: FoolingSet(np.array([[1, -1], [-1, 1]]), 1, np.arange(2), np.arange(2)), "fool nobody"),
    (lambda: FoolingSet(np.eye(2, dtype=np.int64), 1, np.array([0, 0]), np.array([0, 0])), "fool nobody"),
    (lambda: FoolingSet(np.eye(2, dtype=np.int64), 1, np.array([0]), np.array([1])), "answer other than 1"),
    (lambda: FoolingSet(np.eye(2, dtype=np.int64), 1, np.arange(0), np.arange(0)), "0 rows"),
    (lambda: Discrepancy(np.ones((2, 2), dtype=np.int64), 1, np.array([0]), np.array([0])), "a rectangle has 4"),
    (lambda: Discrepancy(np.eye(2, dtype=np.int64), 2, np.array([0]), np.array([0])), "has 1, not 2"),
    (lambda: Discrepancy(np.eye(2, dtype=np.int64), 1), "below the spectral bound"),
    (lambda: Discrepancy(2 * np.eye(2, dtype=np.int64), 1), "not all 0 and 1"),
    (lambda: ProtocolTree(np.eye(2, dtype=np.int64), Bit("bob", frozenset({1}), Leaf(1), Leaf(0)), 1), "answered 1, not 0"),
    (lambda: ProtocolTree(np.zeros((2, 1), dtype=np.int64), Bit("alice", frozenset({1}), Leaf(0), Leaf(0)), 1), "depth 0"),
    (lambda: ProtocolTree(np.zeros((1, 1), dtype=np.int64), Leaf(0), 1), "depth 1 is claimed"),
]


@pytest.mark.parametrize(("spoiled", "wrong"), SPOILED)
def test_spoiled_witnesses_are_rejected(spoiled, wrong):
    with pytest.raises(ValueError, match=wrong):
        spoiled().verify()


def test_large_witnesses_verify():
    """2^11 pairs: blocks of the mixed inputs are compared, none left out."""
    size = 1 << 11
    matrix = np.eye(size, dtype=np.int64)
    fooling = FoolingSet(matrix, 1, np.arange(size), np.arange(size))
    fooling.verify()
    matrix = matrix.copy()
    matrix[size - 1, 0] = matrix[0, size - 1] = 1
    with pytest.raises(ValueError, match="fool nobody"):
        FoolingSet(matrix, 1, np.arange(size), np.arange(size)).verify()
    rows = communication.distinct_rows(TwoParty(np.eye(1 << 10, dtype=np.int64)))
    assert rows.value == 1 << 10
    rows.witness.verify()
    wide = communication.discrepancy_bound(TwoParty(np.random.default_rng(11).integers(2, size=(1000, 12))))
    wide.witness.verify()


@pytest.mark.parametrize(("rows", "least"), [(2, 2), (4, 8)])
def test_the_spectral_bound_is_the_least_that_is_proved(rows, least):
    """Hadamard matrices of side n: |differences| are at most n sqrt(n), so most + 1 is above it, and one less is not."""
    signs = np.ones((1, 1), dtype=np.int64)
    while len(signs) < rows:
        signs = np.block([[signs, signs], [signs, -signs]])
    matrix = (signs + 1) // 2
    Discrepancy(matrix, most=least).verify()
    with pytest.raises(ValueError, match="below the spectral bound"):
        Discrepancy(matrix, most=least - 1).verify()


def test_the_greatest_prime_below_2_to_the_31_will_do():
    Rank(np.eye(2, dtype=np.int64), np.arange(2), np.arange(2), (1 << 31) - 1).verify()
