"""Named spaces and registers at their smallest sizes: nothing, and one token back."""

import numpy as np
import pytest

from seqsep.theorems.blocks import Spaces
from seqsep.theorems.blocks.remember import shift_register


def test_a_space_may_be_empty():
    spaces = Spaces(nothing=0, one=1)
    assert (spaces.width, spaces.size("nothing"), spaces.size("one")) == (1, 0, 1)
    with pytest.raises(ValueError, match="0 coordinates or more"):
        Spaces(fewer=-1)


def test_a_register_reaches_one_token_back():
    register = shift_register(np.array([[1, 0]]), {1: np.array([[0, 1]])})
    assert (register.recurrent.tolist(), register.write.tolist()) == ([[0]], [[0, 1]])
    for taps in ({}, {0: np.array([[0, 1]])}):
        with pytest.raises(ValueError, match="from 1 token back on"):
            shift_register(np.array([[1, 0]]), taps)
