"""Bits of state are whole numbers, Python's or NumPy's."""

import math

import numpy as np
import pytest

from seqsep.tasks import IndexLookup, IsTree
from seqsep.tasks.ceilings import ceiling, first_bitten_length


@pytest.mark.unchecked
@pytest.mark.parametrize("bits", [5.9, -1, math.nan, math.inf, np.float64(0.5), 300.0, True])
def test_bits_are_whole(bits):
    """5.9 bits hold more than 5: the ceiling of 5 would be wrong."""
    with pytest.raises(ValueError, match="state_bits is a whole number from 0"):
        ceiling(IsTree(64, distribution="uniform"), bits)
    with pytest.raises(ValueError, match="bits_per_token is a whole number from 0"):
        first_bitten_length(IndexLookup(length=100, alphabet=64), state_bits=0, bits_per_token=bits)


@pytest.mark.unchecked
def test_whole_numbers_of_numpy_are_bits():
    task = IndexLookup(length=100, alphabet=64)
    assert ceiling(task, np.int64(300)) == ceiling(task, 300)


@pytest.mark.unchecked
def test_other_things_than_tasks_and_bits_are_named():
    with pytest.raises(ValueError, match=r"expected a task, as seqsep.IndexLookup.*, found 'index-lookup'"):
        ceiling("index-lookup", 5)
    with pytest.raises(ValueError, match="the fixed bits, or both to first_bitten_length"):
        ceiling(IndexLookup(length=100, alphabet=64), (512, 0))
