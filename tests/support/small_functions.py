"""Functions of a few tokens, small enough to try every input, and tables drawn at random."""

import math

import numpy as np

from seqsep.maths.automata import least_state
from seqsep.maths.automata.enumeration import OUTSIDE, Tabulated, alphabet_ranges, tabulate
from seqsep.maths.automata.least_state import LeastState


def least(function, alphabets) -> LeastState:
    return least_state.of_table(tabulate(function, alphabet_ranges(alphabets)))


def equal_halves(word):
    return word[: len(word) // 2] == word[len(word) // 2 :]


def random_table(seed: int, most: int = 5, outside: float = 0.0) -> Tabulated:
    """A function of 1 to `most` tokens; a share `outside` of its inputs has no answer."""
    draws = np.random.default_rng(seed)
    alphabets = draws.integers(1, 4, draws.integers(1, most + 1)).tolist()
    count = math.prod(alphabets)
    labels = draws.integers(0, 1 + draws.integers(1, 4), count)
    labels[draws.random(count) < outside] = OUTSIDE
    return Tabulated(alphabet_ranges(alphabets), labels, tuple(range(4)))
