"""Associative recall and c-gram retrieval: the task from its definition, its tokens, and a user's input.

N tokens x_1 .. x_N, then c - 1 tokens g: the answer is the token after the first occurrence of g among the N, and FAILED if
there is none. With c = 2 it is associative recall. Symbols are 0 .. S - 1; to the network [BOS] is token 0 and symbol s is
token s + 1, so that class 0 is FAILED and class s + 1 is symbol s.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.theorems.base import symbols_in

FAILED = 0


def solve(symbols: Sequence[int], query: Sequence[int]) -> int | None:
    """The symbol after the first occurrence of the query, from the definition; None for FAILED.

    >>> solve([3, 1, 3, 2], [3]), solve([3, 1, 3, 2], [1, 3]), solve([3, 1, 3, 2], [2])
    (1, 2, None)
    """
    count = len(query)
    for first in range(len(symbols) - count):
        if list(symbols[first : first + count]) == list(query):
            return symbols[first + count]
    return None


@dataclass(frozen=True)
class RecallEncoding:
    """The task for at most N = `length` symbols out of S = `alphabet`, and c-grams for c = `gram`.

    Raises ValueError for a length or alphabet below 1, or grams below 2.

    >>> task = RecallEncoding(length=4, alphabet=5, gram=2)
    >>> task.base, task.inputs(np.array([[3, 1, 3, 2]]), np.array([[3]])).tolist()
    (6, [[0, 4, 2, 4, 3, 4]])
    """

    length: int
    alphabet: int
    gram: int

    def __post_init__(self) -> None:
        if min(self.length, self.alphabet) < 1 or self.gram < 2:
            raise ValueError(
                f"RecallEncoding(length={self.length}, alphabet={self.alphabet}, gram={self.gram}): "
                "length and alphabet are at least 1, gram is at least 2"
            )

    @property
    def tokens(self) -> int:
        """The most tokens of an input: [BOS], N symbols, c - 1 symbols of the query."""
        return self.length + self.gram

    @property
    def base(self) -> int:
        """n0 = max(N + c, S + 1): the tokens, or the vocabulary if that is more."""
        return max(self.tokens, self.alphabet + 1)

    def inputs(self, sequences: Int64[np.ndarray, "batch n"], queries: Int64[np.ndarray, "batch asked"]) -> np.ndarray:
        """The tokens [BOS], sequence, query of each example."""
        bos = np.zeros((len(sequences), 1), dtype=np.int64)
        return np.concatenate([bos, sequences + 1, queries + 1], axis=1)

    def classes(
        self, sequences: Int64[np.ndarray, "batch n"], queries: Int64[np.ndarray, "batch asked"]
    ) -> Int64[np.ndarray, "batch"]:
        """The right class of each example: `solve` for a batch, the earlier of two occurrences written last."""
        count = queries.shape[1]
        classes = np.full(len(sequences), FAILED)
        for first in reversed(range(sequences.shape[1] - count)):
            occurs = (sequences[:, first : first + count] == queries).all(axis=1)
            classes = np.where(occurs, sequences[:, first + count] + 1, classes)
        return classes


def read(given: Mapping[str, Any], alphabet: int, gram: int, *, least: int = 1, most: int) -> tuple[list[int], list[int]]:
    """A user's {"tokens": [..], "query": [..]}, a query of c - 1 tokens. Raises ValueError with the field's name.

    >>> read({"tokens": [3, 1, 3, 2], "query": [3]}, alphabet=4, gram=2, most=8)
    ([3, 1, 3, 2], [3])
    """
    symbols = symbols_in(given, "tokens", alphabet, least=least, most=most)
    return symbols, symbols_in(given, "query", alphabet, least=gram - 1, most=gram - 1)
