"""The tokens that all canaries share, and their numbers.

A conversation begins with BOS. A pair is a key and the value after it. A question about key i is answered with A0, A1, or
ABSENT if the key was never written. A token that asks nothing is answered with ACK. A canary may have more words of its own.
"""

from collections.abc import Sequence

KEYS = 24
NAMED = ("<pad>", "<bos>", "<eos>", "ack", "absent", "leak", "a0", "a1", "v0", "v1", "x", "back", "parity")
WORDS = (*NAMED, *(f"{letter}{number}" for letter in "kqrw" for number in range(KEYS)), "last")
"""The word of each token, by its number: k are keys, q questions to attention, r and w questions to the recurrence."""
NUMBERS = {word: number for number, word in enumerate(WORDS)}
SIZE = 128
"""Rows of the embedding: a power of two, since kernels ask for one. The rows after the last word are zero."""

PAD, BOS, EOS, ACK, ABSENT, LEAK, A0, A1, V0, V1, FILLER, BACK, PARITY = range(len(NAMED))
FIRST_KEY = NUMBERS["k0"]
FIRST_QUESTION = NUMBERS["q0"]
FIRST_RECALL = NUMBERS["r0"]
FIRST_FINE = NUMBERS["w0"]
LAST = NUMBERS["last"]
ANSWERS = (ABSENT, LEAK, A0, A1)


def words(tokens: Sequence[int], names: Sequence[str] = WORDS) -> str:
    """Return a conversation as text.

    Arguments:
        tokens: the tokens.
        names: the words of the canary, by their numbers.

    >>> words([BOS, FIRST_KEY, V1, FIRST_QUESTION])
    '<bos> k0 v1 q0'
    """
    return " ".join(names[token] for token in tokens)


def key_of(token: int) -> int | None:
    """Return the number of a key, from 0, or None if the token is not a key.

    >>> key_of(FIRST_KEY + 3), key_of(V0)
    (3, None)
    """
    return token - FIRST_KEY if FIRST_KEY <= token < FIRST_KEY + KEYS else None


def question_of(token: int) -> int | None:
    """Return the key that a question asks attention for, or None if the token is another one.

    >>> question_of(FIRST_QUESTION + 3), question_of(BOS)
    (3, None)
    """
    return token - FIRST_QUESTION if FIRST_QUESTION <= token < FIRST_QUESTION + KEYS else None


def asked_key(token: int) -> int | None:
    """Return the key that a question of any kind asks for, or None if the token does not ask for a key.

    >>> asked_key(FIRST_QUESTION + 3), asked_key(FIRST_RECALL + 3), asked_key(LAST)
    (3, 3, None)
    """
    return (token - FIRST_QUESTION) % KEYS if FIRST_QUESTION <= token < LAST else None
