"""Words for the evidence of a certificate: every one if there are few, else drawn ones with many repeats."""

from itertools import product

import numpy as np
from jaxtyping import Int64

EVERY_WORD_UP_TO = 256
DRAWN = 32
DIFFERENT = 3


def words(alphabet: int, length: int, seed: int) -> Int64[np.ndarray, "words length"]:
    """Every word of `length` symbols 0 .. S - 1, or up to 32 different ones of at most three symbols each.

    >>> words(alphabet=2, length=2, seed=0).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    if alphabet**length <= EVERY_WORD_UP_TO:
        return np.array(list(product(range(alphabet), repeat=length)), dtype=np.int64)
    random = np.random.default_rng(seed)
    symbols = random.integers(alphabet, size=(DRAWN, DIFFERENT))
    return np.unique(np.take_along_axis(symbols, random.integers(DIFFERENT, size=(DRAWN, length)), axis=1), axis=0)
