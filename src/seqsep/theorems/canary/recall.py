"""The oracle and the conversations of canaries that recall keyed bits and, in decoding, ask for one key after another."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, pairwise

from seqsep.theorems.canary.conversations import conversation
from seqsep.theorems.canary.vocabulary import (
    A0,
    A1,
    ABSENT,
    ACK,
    ANSWERS,
    BOS,
    FIRST_FINE,
    FIRST_QUESTION,
    FIRST_RECALL,
    KEYS,
    LAST,
    PAD,
    PARITY,
    V0,
    V1,
    asked_key,
    key_of,
)

BITS = {V0: 0, V1: 1}
FLIPS = (V1, *ANSWERS)
"""Tokens that change the parity."""
BIT_ANSWERS = {0: A0, 1: A1, None: ABSENT}


class RecallOracle:
    """The answers to one conversation, token by token.

    Arguments:
        cycles: the questions that the canary knows, in the order in which decoding asks them; after the last one of a cycle
            comes its first one.

    >>> oracle = RecallOracle(BOTH)
    >>> [oracle.read(token) for token in (BOS, 13, V1, FIRST_RECALL)] == [ACK, ACK, ACK, A1]
    True
    """

    def __init__(self, *cycles: Sequence[int]) -> None:
        self._next = following(*cycles)
        self._before: int | None = None
        self._values: dict[int, int] = {}
        self._parity = 0
        self._last: int | None = None

    def read(self, token: int) -> int:
        """Read the next token and return the answer to it.

        Raises ValueError for a conversation outside the statement: no BOS at the start, a later BOS, a PAD, or a key with two
        values.
        """
        before, self._before = self._before, token
        if (token == BOS) != (before is None) or token == PAD:
            raise ValueError(f"canary: expected one BOS, first, and no PAD; found token {token}")
        if token in BITS:
            self._write(None if before is None else key_of(before), BITS[token])
        if token in FLIPS:
            self._parity ^= 1
        if token in self._next:
            return self._answer(token)
        return self._next.get(before, ACK) if token in ANSWERS and before is not None else ACK

    def _write(self, key: int | None, bit: int) -> None:
        if key in self._values:
            raise ValueError(f"canary: key k{key} gets a second value")
        if key is not None:
            self._values[key] = bit
        self._last = bit

    def _answer(self, question: int) -> int:
        if question == PARITY:
            return BIT_ANSWERS[self._parity]
        if question == LAST:
            return BIT_ANSWERS[self._last]
        key = asked_key(question)
        return BIT_ANSWERS[None if key is None else self._values.get(key)]


def following(*cycles: Sequence[int]) -> dict[int, int]:
    """Return the question after each question.

    >>> following((5, 6, 7))
    {5: 6, 6: 7, 7: 5}
    """
    return {before: after for cycle in cycles for before, after in pairwise((*cycle, cycle[0]))}


BOTH = (*chain.from_iterable((FIRST_QUESTION + key, FIRST_RECALL + key) for key in range(KEYS)), PARITY)
"""Questions to attention and to the recurrence in turn, then the parity."""
FINE = tuple(range(FIRST_FINE, FIRST_FINE + KEYS))
"""Questions to the recurrence about small differences."""
RECURRENT = (*(FIRST_RECALL + key for key in range(KEYS)), LAST)
"""Questions to the recurrence, then the last value."""


def conversations_about(cycle: Sequence[int], *others: int) -> Callable[..., list[int]]:
    """Return a function that draws conversations with these questions, the last one of the cycle as often as six others.

    >>> import numpy as np
    >>> len(conversations_about(BOTH)(100, np.random.default_rng(0)))
    100
    """
    return partial(conversation, asks=(*cycle, *[cycle[-1]] * 5, *others), back_from=None)
