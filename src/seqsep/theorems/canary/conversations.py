"""Random conversations that a canary has an answer to after every token."""

from collections.abc import Sequence

import numpy as np

from seqsep.theorems.canary.vocabulary import (
    ANSWERS,
    BACK,
    BOS,
    FILLER,
    FIRST_KEY,
    FIRST_QUESTION,
    KEYS,
    NAMED,
    V0,
    V1,
)

QUESTIONS = tuple(range(FIRST_QUESTION, FIRST_QUESTION + KEYS))
NOISE = tuple(range(BOS + 1, len(NAMED) - 2))
"""Tokens that may stand anywhere: all named ones but PAD, BOS, BACK and PARITY."""


def conversation(
    length: int, random: np.random.Generator, *, asks: Sequence[int] = QUESTIONS, back_from: int | None = 63
) -> list[int]:
    """Draw a conversation: pairs of distinct keys, questions about written and about absent keys, BACK, and other tokens.

    Arguments:
        length: tokens, BOS included.
        random: the generator.
        asks: tokens that ask, without BACK.
        back_from: the first place at which BACK may stand, or None for a canary that does not know it.

    >>> len(conversation(100, np.random.default_rng(0)))
    100
    """
    unwritten = random.permutation(KEYS).tolist()
    tokens = [BOS]
    while len(tokens) < length:
        kind = random.random()
        if kind < 0.15 and len(unwritten) > 2 and len(tokens) + 2 <= length:
            tokens += [FIRST_KEY + unwritten.pop(), int(random.choice([V0, V1]))]
        elif kind < 0.45:
            tokens.append(asks[int(random.integers(len(asks)))])
        elif kind < 0.65 and back_from is not None and len(tokens) >= back_from:
            tokens.append(BACK)
        elif kind < 0.65 and back_from is None and tokens[-1] in asks:
            tokens.append(int(random.choice(ANSWERS)))
        elif kind < 0.9:
            tokens.append(_apart_from_keys(tokens[-1], int(random.choice(NOISE))))
        else:
            tokens.append(FIRST_KEY + int(random.integers(KEYS)))
    return tokens


def _apart_from_keys(before: int, token: int) -> int:
    """Return the token, or FILLER for a value right after a key: only pairs write."""
    return FILLER if token in (V0, V1) and FIRST_KEY <= before < FIRST_KEY + KEYS else token
