"""The functions that the theorems of all canaries share: the weights answer random conversations, in float64."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from seqsep.core.options import Number, Range
from seqsep.theorems.base import Claim, Margin, Outcome, Theorem, symbols_in
from seqsep.theorems.canary.canary import Canary
from seqsep.theorems.canary.vocabulary import words
from seqsep.theorems.options import Length, Seed

Forward = Callable[[Mapping[str, np.ndarray], Mapping[str, Any], Sequence[int]], np.ndarray]
LONGEST_INPUT = 4096
SHOWN = "A run checks the answers of the weights in float64 on random conversations, and their lead against the proved one."
NOT_SHOWN = "This does not show that the kernels of an engine round as the proof assumes. `seqsep canary check` asks an engine."
NOTHING_TO_CERTIFY = "a certificate holds networks on a grid, and these weights are for a stock class that divides and rotates"


@dataclass(frozen=True)
class CanaryProof:
    """The functions of a canary's theorem.

    Fields:
        canary: the canary.
        forward: function from weights, configuration and tokens to logits.
    """

    canary: Canary
    forward: Forward

    @property
    def claim(self) -> Claim:
        """The claim of the theorem."""
        return Claim(f"canary-{self.canary.name}", "own", self.canary.statement)

    def check(
        self,
        length: Annotated[Length, Range(2, 4096)] = 200,
        conversations: Annotated[int, Range(1, 10_000), "Random conversations."] = 5,
        seed: Seed = 0,
    ) -> list[Outcome]:
        """Run the model in float64 on random conversations: the right answer and its lead after every token.

        Raises TheoremFails with the conversation if an answer is wrong, or leads by less than is proved.
        """
        random = np.random.default_rng(seed)
        weights = self.canary.tensors()
        fields = self.canary.configuration()
        least = math.inf
        for _ in range(conversations):
            tokens = self.canary.conversation(length, random)
            logits = self.forward(weights, fields, tokens)
            wrong = np.flatnonzero(logits.argmax(axis=1) != self.canary.truth(tokens))
            if len(wrong):
                shown = words(tokens[: wrong[0] + 1], self.canary.words)
                raise self.claim.fails({"conversation": shown, "found": _word(self.canary, logits[wrong[0]])})
            second, first = np.partition(logits, -2, axis=1)[:, -2:].T
            least = min(least, float(((first - second) / first).min()))
        return [
            self.claim.upper(
                length=length,
                inputs=conversations * length,
                measured=measured_sizes(weights),
                bound=self.sizes(),
                margin=Margin(least, self.canary.proved_lead(length, 2**-53), "the right logit above the next, as a share"),
            )
        ]

    def verify(self, seed: int = 0) -> list[Outcome]:
        """Answer 100,000 places of conversations of 500 tokens, and long ones."""
        return [*self.check(500, 200, seed), *self.check(4096, 2, seed + 1)]

    def sizes(self) -> dict[str, Number]:
        """Return the sizes of the model; they do not depend on the length."""
        return declared_sizes(self.canary.configuration())

    def predictor(self) -> Callable[[Mapping[str, Any]], str]:
        """Answer {"tokens": [..]}, a conversation, with the word after its last token."""
        weights = self.canary.tensors()
        fields = self.canary.configuration()

        def answer(given: Mapping[str, Any]) -> str:
            tokens = symbols_in(given, "tokens", len(self.canary.words), most=LONGEST_INPUT)
            try:
                self.canary.truth(tokens)
            except ValueError as error:
                raise ValueError(f"tokens: {str(error).removeprefix('canary: ')}") from None
            return _word(self.canary, self.forward(weights, fields, tokens)[-1])

        return answer

    def theorem(self) -> Theorem:
        """Return the theorem."""
        return Theorem(
            self.claim,
            self.check,
            sides=("upper",),
            shown=SHOWN,
            not_shown=NOT_SHOWN,
            bound=self.sizes,
            predictor=self.predictor,
            verify=self.verify,
            nothing_to_certify=NOTHING_TO_CERTIFY,
        )


def measured_sizes(weights: Mapping[str, np.ndarray]) -> dict[str, Number]:
    """Return the sizes that the weights have.

    >>> norm = np.zeros(6)
    >>> measured_sizes({"lm_head.weight": np.zeros((4, 6)), "layers.0.norm.weight": norm, "layers.1.norm.weight": norm})
    {'layers': 2, 'width': 6}
    """
    layers = {name.split("layers.")[1].split(".")[0] for name in weights if "layers." in name}
    return {"layers": len(layers), "width": weights["lm_head.weight"].shape[1]}


def declared_sizes(fields: Mapping[str, Any]) -> dict[str, Number]:
    """Return the sizes in a configuration.

    >>> declared_sizes({"num_hidden_layers": 1, "hidden_size": 6, "vocab_size": 4})
    {'layers': 1, 'width': 6}
    """
    return {"layers": fields["num_hidden_layers"], "width": fields["hidden_size"]}


def _word(canary: Canary, logits: np.ndarray) -> str:
    token = int(logits.argmax())
    return canary.words[token] if token < len(canary.words) else f"token {token}"
