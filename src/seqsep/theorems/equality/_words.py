"""Inputs of equality for recurrent models: words of N symbols, which are equal if their halves are."""

import itertools
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

MOST_INPUTS = 1 << 16
DRAWN = 200


def has_equal_halves(word: list[int]) -> bool:
    """Tell whether the first half equals the second: EQ.

    >>> has_equal_halves([0, 1, 0, 1]), has_equal_halves([0, 1, 1, 1])
    (True, False)
    """
    half = len(word) // 2
    return word[:half] == word[half:]


def count_halves(length: int, alphabet: int) -> int:
    """Count the halves that a model must distinguish: S^(N/2)."""
    return alphabet ** (length // 2)


def require(call: str, length: int, alphabet: int) -> None:
    """Raise ValueError for an odd length, or fewer than two symbols."""
    if length < 2 or length % 2 or alphabet < 2:
        raise ValueError(f"{call}(length={length}, alphabet={alphabet}): an even length from 2 and an alphabet from 2")


class SomeWords(NamedTuple):
    """Some words of one length, and whether they are all."""

    words: Int64[np.ndarray, "n length"]
    is_exhaustive: bool


def some_words(length: int, alphabet: int, seed: int) -> SomeWords:
    """List every word if there are at most 65,536, else 200 drawn ones.

    Of these, 50 have equal halves, and 50 have halves that differ in one symbol.
    """
    if alphabet**length <= MOST_INPUTS:
        return SomeWords(np.array(list(itertools.product(range(alphabet), repeat=length)), dtype=np.int64), is_exhaustive=True)
    random = np.random.default_rng(seed)
    words = random.integers(0, alphabet, (DRAWN, length))
    words[:100, length // 2 :] = words[:100, : length // 2]
    changed = random.integers(0, length, 50)
    words[np.arange(50), changed] = (words[np.arange(50), changed] + 1) % alphabet
    return SomeWords(words, is_exhaustive=False)
