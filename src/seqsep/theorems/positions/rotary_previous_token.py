"""Upper bound: one rotary head of constant width attends to the token before.

Source: own. Rotary positions are those of Su et al. 2021 (arXiv:2104.09864).

Proof, as code: every key is (1, 0) on each of k pairs, and every query is (cos theta_i, -sin theta_i), whatever the tokens are.
Rotary positions turn pair i of token j by j theta_i. So the score at distance D is the sum of cos(theta_i (D - 1)), which is k
at D = 1. At another distance it is lower by gap(n), n = |D - 1| <= N - 1. `gap` encloses the least of these from below. With
scores times ln(4 N) / gap, every other token has at most 1 / (4 N) of the weight of the token before. Together these are below
1/4, so a threshold at 1/2 reads the token.

Rounding: the enclosure is of real angles. The network of the check runs in float64, where an angle of at most N and its
product are wrong by less than N 2^-51. The proved margin is lower by k times N 2^-49 for that.
"""

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np
from jaxtyping import Float64

from seqsep.core.options import Number, Range
from seqsep.theorems.base import Claim, Margin, Outcome, Theorem, symbols_in
from seqsep.theorems.options import Length, Seed, Sequences
from seqsep.theorems.positions._rotary_gap import angle, least_gap

CLAIM = Claim(
    name="rotary-previous-token",
    source="own",
    statement="One softmax head with rotary positions attends to the token before: with 64 pairs at base 500,000, its score is "
    "1.4 above every other one at all distances up to 1,000,000",
)
Pairs = Annotated[int, Range(4, 128), "k, the number of rotary pairs: the head has 2 k coordinates."]
Base = Annotated[int, Range(100, 10**9), "The base of the angles: rope_theta in a config.json."]
ALPHABET = 4
STOCK = ((64, 500_000), (64, 10_000), (32, 500_000), (32, 10_000), (16, 10_000), (8, 10_000))
"""Pairs and base of heads whose gap is enclosed to 10^6."""


def gap(length: int, pairs: int, base: int) -> float:
    """Return a number that the score of the token before is above every other score by, for all inputs of a length.

    >>> round(gap(4096, 64, 500_000), 2), round(gap(4096, 16, 10_000), 2)
    (1.41, 0.69)
    """
    return least_gap(tuple(angle(base, pairs, pair) for pair in range(pairs)), max(1, length - 1))[0]


class RotaryHead:
    """The head in float64: rotary queries and keys, softmax, and one-hot values.

    Raises ValueError if float64 is too coarse for the gap of these angles at this length.
    """

    def __init__(self, length: int, pairs: int, base: int) -> None:
        self.gap = gap(length, pairs, base) - pairs * length * 2.0**-49
        if self.gap <= 0:
            raise ValueError(f"rotary-previous-token: no gap at length {length} with {pairs} pairs and base {base}")
        self.scale = math.log(4 * length) / self.gap
        self.theta = float(base) ** (-np.arange(pairs) / pairs)
        self.query = (np.cos(self.theta), -np.sin(self.theta))

    def scores(self, length: int) -> Float64[np.ndarray, "length length"]:
        """Return the unscaled scores of all pairs of tokens: row t is the query at t."""
        turned = np.outer(np.arange(length), self.theta)
        cosine = np.cos(turned)
        sine = np.sin(turned)
        keys = np.concatenate([cosine, sine], axis=1)
        queries = [cosine * self.query[0] - sine * self.query[1], cosine * self.query[1] + sine * self.query[0]]
        return np.asarray(np.concatenate(queries, axis=1) @ keys.T)

    def weights(self, length: int) -> Float64[np.ndarray, "length length"]:
        """Return the weights of causal softmax."""
        masked = np.where(np.tri(length, dtype=bool), self.scale * self.scores(length), -np.inf)
        powers = np.exp(masked - masked.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def check(
    length: Annotated[Length, Range(3, 4096)] = 300,
    pairs: Pairs = 16,
    base: Base = 10_000,
    sequences: Sequences = 20,
    seed: Seed = 0,
) -> list[Outcome]:
    """Run the head on random sequences: at every token after the first it returns the token before.

    Raises TheoremFails with the place if the head returns another token, or its scores are closer than is proved.
    """
    head = RotaryHead(length, pairs, base)
    weights = head.weights(length)
    drawn = np.random.Generator(np.random.Philox(seed)).integers(0, ALPHABET, size=(sequences, length))
    for symbols in drawn:
        wrong = np.flatnonzero((weights @ np.eye(ALPHABET)[symbols])[1:].argmax(axis=1) != symbols[:-1])
        if wrong.size:
            raise CLAIM.fails({"symbols": symbols.tolist(), "place": int(wrong[0]) + 1})
    return [
        CLAIM.upper(
            length=length,
            inputs=sequences,
            measured={"width": 2 * len(head.theta), "heads": 1, "layers": 1},
            bound=sizes(length, pairs),
            variant=f"{pairs} pairs, base {base}",
            margin=Margin(_least_margin(head.scores(length)), head.gap, "the scores"),
        )
    ]


def _least_margin(scores: Float64[np.ndarray, "length length"]) -> float:
    """Return the least lead of the token before, over all queries after the first."""
    lead = np.diagonal(scores, -1)[:, None] - scores[1:]
    rows, keys = np.indices(lead.shape)
    others = (keys <= rows + 1) & (keys != rows)
    return float(lead[others].min())


def verify(seed: int = 0) -> list[Outcome]:
    """Run 64 pairs on 4,096 tokens, and enclose the gap of stock heads at every distance to 10^6."""
    found = check(4096, 64, 500_000, sequences=25, seed=seed) + check(4096, 16, 10_000, sequences=25, seed=seed)
    for pairs, base in STOCK:
        margin = Margin(gap(10**6, pairs, base), None, "the scores, enclosed from below")
        found.append(
            CLAIM.upper(
                length=10**6,
                inputs=10**6 - 1,
                exhaustive=True,
                measured={"width": 2 * pairs},
                bound={"width": 2 * pairs},
                variant=f"{pairs} pairs, base {base}, distances",
                margin=margin,
                computed=True,
            )
        )
    return found


def sizes(length: Length, pairs: Pairs = 16) -> dict[str, Number]:
    """The sizes of the head; they do not depend on the length."""
    return {"width": 2 * pairs, "heads": 1, "layers": 1}


def predictor(length: Length, pairs: Pairs = 16, base: Base = 10_000) -> Callable[[Mapping[str, Any]], list[int]]:
    """Answer {"symbols": [..]}, at most `length` numbers of 0 to 3, with the token before each token after the first."""
    head = RotaryHead(length, pairs, base)

    def answer(given: Mapping[str, Any]) -> list[int]:
        symbols = symbols_in(given, "symbols", ALPHABET, most=length)
        attended = head.weights(len(symbols)) @ np.eye(ALPHABET)[symbols]
        return [int(symbol) for symbol in attended[1:].argmax(axis=1)]

    return answer


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="The head runs in float64 on random sequences, and its answer is compared with the token before at every place. The "
    "least lead of its scores is measured at every place. The proved gap is enclosed with whole numbers and IEEE 754.",
    not_shown="This does not show a gap for angles that a model rounds to bfloat16, nor that training finds this head.",
    bound=sizes,
    predictor=predictor,
    verify=verify,
    nothing_to_certify="a certificate holds networks on a grid, and rotary angles are real numbers",
)
