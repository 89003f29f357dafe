"""The record of a canary: its weights, and the oracle that knows each answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from seqsep.theorems.canary.vocabulary import WORDS


class Oracle(Protocol):
    """Knows the answers to one conversation."""

    def read(self, token: int) -> int:
        """Read the next token and return the answer to it. Raises ValueError for a conversation without answers."""


@dataclass(frozen=True)
class Canary:
    """A checkpoint whose greedy answer after every token is known.

    Fields:
        name: name on the command line.
        statement: what the weights do, in one sentence.
        configuration: function that returns the fields of config.json.
        tensors: function that returns the weights by their names in a checkpoint; each is exact in bf16 and fp16.
        oracle: function that begins a conversation.
        conversation: function that draws a conversation from a length and a random generator.
        proved_lead: function from a length and the relative error of one rounding to the proved lead of the right logit.
        longest: tokens of the longest conversation.
        settled: the first place at which all tokens have an answer.
        rules: what each token asks for, as Markdown.
        example: a conversation, an arrow, and the answer.
        words: the word of each token, by its number.

    >>> from seqsep.theorems.canary import CANARIES
    >>> CANARIES["llama"].longest
    131072
    """

    name: str
    statement: str
    configuration: Callable[[], Mapping[str, Any]]
    tensors: Callable[[], Mapping[str, np.ndarray]]
    oracle: Callable[[], Oracle]
    conversation: Callable[[int, np.random.Generator], list[int]]
    proved_lead: Callable[[int, float], float]
    longest: int
    settled: int
    rules: str
    example: str
    words: Sequence[str] = WORDS

    def truth(self, tokens: Sequence[int]) -> list[int]:
        """Return the answer after each token of a conversation. Raises ValueError for a conversation without answers.

        >>> from seqsep.theorems.canary import CANARIES
        >>> CANARIES["llama"].truth([1, 13, 9, 37])
        [3, 3, 3, 7]
        """
        oracle = self.oracle()
        return [oracle.read(token) for token in tokens]

    def continued(self, prompt: Sequence[int], count: int) -> list[int]:
        """Return the tokens that greedy decoding must give after a prompt.

        Arguments:
            prompt: tokens, BOS first.
            count: number of tokens to decode, at least 1.

        Raises ValueError for a conversation without answers.

        >>> from seqsep.theorems.canary import CANARIES
        >>> CANARIES["llama"].continued([1, *[10] * 70, 13, 9, 37], 3)
        [7, 11, 4]
        """
        oracle = self.oracle()
        *_, answer = (oracle.read(token) for token in prompt)
        answers = [answer]
        while len(answers) < count:
            answers.append(oracle.read(answers[-1]))
        return answers
