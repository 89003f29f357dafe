"""The first calls of a function are checked in each test, in modules of seqsep that declare shapes too."""

import numpy as np
import pytest
from beartype import beartype
from jaxtyping import Int64, TypeCheckError

from seqsep.maths.networks.generation import require_followed
from support.sampled_checks import CHECKED, MOST_CHECKED, check_first_calls

RIGHT = np.zeros((2, 3), dtype=np.int64)
WRONG = np.zeros(3, dtype=np.int64)


@check_first_calls(typechecker=beartype)
def size_of(rows: Int64[np.ndarray, "rows columns"]) -> int:
    return rows.size


@pytest.mark.parametrize("time", ["first", "again"])
def test_a_function_is_checked_anew_in_each_test(time):
    with pytest.raises(TypeCheckError):
        size_of(WRONG)
    assert [size_of(RIGHT) for _ in range(MOST_CHECKED - 1)] == [6] * (MOST_CHECKED - 1)
    assert size_of(WRONG) == 3
    assert CHECKED[size_of.__wrapped__.__code__] == MOST_CHECKED


def test_functions_of_the_package_are_checked():
    with pytest.raises(TypeCheckError):
        require_followed("a network", [[5, 6]], [[1]], answers=np.array([6]), unique_argmax=np.array([[True]]))


@pytest.mark.unchecked
def test_nothing_is_checked_in_a_test_that_says_so():
    assert size_of(WRONG) == 3
