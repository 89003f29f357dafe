"""The check that the theorems of all canaries share: the weights answer random conversations, in float64."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqsep.theorems.base import Claim, Margin, Outcome, symbols_in
from seqsep.theorems.canary.canary import Canary
from seqsep.theorems.canary.vocabulary import words
from seqsep.theorems.options import Number

Forward = Callable[[Mapping[str, np.ndarray], Mapping[str, Any], Sequence[int]], np.ndarray]
LONGEST_INPUT = 4096
SHOWN = "A run checks the answers of the weights in float64 on random conversations, and their lead against the proved one."
NOT_SHOWN = "This does not show that the kernels of an engine round as the proof assumes. `seqsep canary check` asks an engine."
NOTHING_TO_CERTIFY = "a certificate holds networks on a grid, and these weights are for a stock class with norms and gates"


@dataclass(frozen=True)
class CanaryTrial:
    """The conversations of one check.

    Fields:
        length: tokens of each, BOS included.
        conversations: number of conversations.
        seed: random seed.
    """

    length: int
    conversations: int
    seed: int


def check_canary(claim: Claim, canary: Canary, forward: Forward, trial: CanaryTrial) -> list[Outcome]:
    """Run the weights on random conversations: the right answer and its lead after every token.

    Arguments:
        claim: the claim of the theorem.
        canary: the canary.
        forward: function from weights, configuration and tokens to logits.
        trial: the conversations.

    Raises TheoremFails with the conversation if an answer is wrong, or leads by less than is proved.
    """
    random = np.random.default_rng(trial.seed)
    weights = canary.tensors()
    fields = canary.configuration()
    least = math.inf
    for _ in range(trial.conversations):
        tokens = canary.conversation(trial.length, random)
        logits = forward(weights, fields, tokens)
        wrong = np.flatnonzero(logits.argmax(axis=1) != canary.truth(tokens))
        if len(wrong):
            shown = words(tokens[: wrong[0] + 1], canary.words)
            raise claim.fails({"conversation": shown, "found": _word(canary, logits[wrong[0]])})
        second, first = np.partition(logits, -2, axis=1)[:, -2:].T
        least = min(least, float(((first - second) / first).min()))
    return [
        claim.upper(
            length=trial.length,
            inputs=trial.conversations * trial.length,
            measured=measured_sizes(weights),
            bound=declared_sizes(fields),
            margin=Margin(least, canary.proved_lead(trial.length, 2**-53), "the right logit above the next, as a share"),
        )
    ]


def measured_sizes(weights: Mapping[str, np.ndarray]) -> dict[str, Number]:
    """Return the sizes that the weights have.

    >>> measured_sizes({"lm_head.weight": np.zeros((4, 6)), "layers.0.norm.weight": np.zeros(6)})
    {'layers': 1, 'width': 6}
    """
    layers = {name.split("layers.")[1].split(".")[0] for name in weights if "layers." in name}
    return {"layers": len(layers), "width": weights["lm_head.weight"].shape[1]}


def declared_sizes(fields: Mapping[str, Any]) -> dict[str, Number]:
    """Return the sizes in a configuration.

    >>> declared_sizes({"num_hidden_layers": 1, "hidden_size": 6, "vocab_size": 4})
    {'layers': 1, 'width': 6}
    """
    return {"layers": fields["num_hidden_layers"], "width": fields["hidden_size"]}


def predictor_of(canary: Canary, forward: Forward) -> Callable[[Mapping[str, Any]], str]:
    """Return a function from {"tokens": [..]}, a conversation, to the word after its last token."""
    weights = canary.tensors()
    fields = canary.configuration()

    def answer(given: Mapping[str, Any]) -> str:
        tokens = symbols_in(given, "tokens", len(canary.words), most=LONGEST_INPUT)
        try:
            canary.truth(tokens)
        except ValueError as error:
            raise ValueError(f"tokens: {str(error).removeprefix('canary: ')}") from None
        return _word(canary, forward(weights, fields, tokens)[-1])

    return answer


def _word(canary: Canary, logits: np.ndarray) -> str:
    token = int(logits.argmax())
    return canary.words[token] if token < len(canary.words) else f"token {token}"
