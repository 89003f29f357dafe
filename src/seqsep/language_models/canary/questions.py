"""Find out from a canary's oracle how it is asked: what is written under a key, and which token asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from seqsep.core.names import BadInput
from seqsep.theorems.canary import CANARIES, Canary
from seqsep.theorems.canary.vocabulary import A0, A1, BOS, FILLER, FIRST_KEY, FIRST_QUESTION, KEYS, NUMBERS, V0, V1

VALUES = ((V0, V1), (NUMBERS["w0"], NUMBERS["w1"]))
QUESTIONS = (FIRST_QUESTION, NUMBERS["r0"])
NOISE = (V0, V1, A0, A1, FILLER)
"""Tokens of random text, if the canary has answers to them."""


@dataclass(frozen=True)
class CanaryWords:
    """How a canary is asked.

    Fields:
        values: the two tokens that are written after a key.
        question: the token that asks for key 0; that of key i is i numbers after it.
        noise: tokens that may be anywhere.
    """

    values: tuple[int, int]
    question: int
    noise: tuple[int, ...]


@cache
def canary_words(name: str) -> CanaryWords:
    """Return the words of a canary. Raises BadInput if it has no question about a key.

    >>> canary_words("llama").question == FIRST_QUESTION
    True
    """
    canary = CANARIES[name]
    noise = tuple(token for token in NOISE if _answer(canary, [token] * 3) is not None) or (FILLER,)
    for values in VALUES:
        for question in QUESTIONS:
            asked = [_answer(canary, [FILLER] * 4 + [FIRST_KEY + 1, value, FILLER, question + 1]) for value in values]
            if None not in asked and asked[0] != asked[1]:
                return CanaryWords(values, question, noise)
    raise BadInput(f"the canary {name}: expected a question about one of {KEYS} keys, found none")


def _answer(canary: Canary, tokens: Sequence[int]) -> int | None:
    """Return the answer to the last token, or None if the conversation has no answers."""
    oracle = canary.oracle()
    try:
        return [oracle.read(token) for token in (BOS, *tokens)][-1]
    except ValueError:
        return None
