"""Find out from a canary's oracle how it is asked: what is written under a key, and which token asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from seqsep.core.names import BadInput
from seqsep.theorems.canary import CANARIES, Canary
from seqsep.theorems.canary.vocabulary import A0, A1, BOS, FILLER, FIRST_KEY, FIRST_QUESTION, KEYS, NUMBERS, V0, V1

VALUES = ((V0, V1), (NUMBERS["w0"], NUMBERS["w1"]))
FIRST_QUESTIONS = (FIRST_QUESTION, NUMBERS["r0"])
NOISE = (V0, V1, A0, A1, FILLER)
"""Tokens of random text, if the canary has answers to them."""


@dataclass(frozen=True)
class CanaryWords:
    """The tokens with which a canary is asked.

    Fields:
        values: the two tokens that are written after a key.
        questions: for each key the token that asks for it; in a canary without keys the tokens that ask for all of the text.
        noise: tokens that may be anywhere.
    """

    values: tuple[int, int]
    questions: tuple[int, ...]
    noise: tuple[int, ...]

    def question(self, key: int) -> int:
        """Return the token that asks for a key."""
        return self.questions[key % len(self.questions)]


@cache
def canary_words(name: str) -> CanaryWords:
    """Return the words of a canary. Raises BadInput if it has no questions.

    >>> canary_words("llama").question(3) == FIRST_QUESTION + 3
    True
    """
    canary = CANARIES[name]
    noise = tuple(token for token in NOISE if _answer(canary, [token] * 3) is not None) or (FILLER,)
    for values in VALUES:
        for first in FIRST_QUESTIONS:
            if _tells(canary, [FILLER, FIRST_KEY + 1], values, [FILLER, first + 1]):
                return CanaryWords(values, tuple(range(first, first + KEYS)), noise)
    size = canary.configuration()["vocab_size"]
    questions = tuple(token for token in range(size) if _tells(canary, [FILLER], VALUES[0], [FILLER, token]))
    if not questions:
        raise BadInput(f"the canary {name}: expected a token whose answer depends on the tokens before it, found none")
    return CanaryWords(VALUES[0], questions, noise)


def _tells(canary: Canary, before: Sequence[int], values: Sequence[int], after: Sequence[int]) -> bool:
    """Return True if the last token is answered by which of the values was read."""
    answers = [_answer(canary, [*before, value, *after]) for value in values]
    return None not in answers and answers[0] != answers[1]


def _answer(canary: Canary, tokens: Sequence[int]) -> int | None:
    """Return the answer to the last token, or None if the conversation has no answers."""
    oracle = canary.oracle()
    try:
        return [oracle.read(token) for token in (BOS, *tokens)][-1]
    except ValueError:
        return None
