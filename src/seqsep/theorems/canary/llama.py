"""A Llama checkpoint whose every greedy answer is known: recall of keyed bits, and of the token 63 places back.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, at most 131,072 in all, in which no key gets two values.
The model of `tensors` has two layers, width 512, four heads of 128 and rotary base 1e7. It is of the class LlamaForCausalLM of
`transformers`. After every token its greatest logit is that of the token which `truth` names. This logit leads the next one by
at least the share `proved_lead(length, unit)` of itself. Here `unit` is the relative error of one rounding: 2^-24 in fp32,
2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.21 in all three.

Its knowledge:
* A question q_i is answered with the value of key i, or with ABSENT if k_i has no value. A value is the token V0 or V1 right
  after its key.
* BACK is answered with the bit of the token 63 places before it, or with ABSENT for a token without a bit. V0 and A0 have the
  bit 0, V1 and A1 have 1. BACK needs 63 tokens before it.
* An answer is followed by BACK. So greedy decoding asks again and again for the bit 63 places back, first in the prompt and
  then among its own tokens. Each step reads the cache at an exact distance.
* Every other token is answered with ACK. LEAK is never right: only a PAD that is not masked leads to it.

So it is an upper bound with rotary positions, as a stock Llama, for two tasks. It solves `multi-query-recall` with up to 24
keys and two values, if keys and questions are different tokens. It solves `induction-heads` with two symbols: the trigger is
a key, and the last trigger is its question. `rotary-previous-token` has the gap of its first layer for other widths and
bases.

Notation. theta_i = base^(-i / 64) is the angle of pair i, and n = t - s is the distance from a key at s to a query at t. On
one pair, a query (a cos(m theta), -a sin(m theta)) and a key (b, 0) have the score a b cos((n - m) theta) / sqrt(128). It is
greatest at the distance m.

Source: own. The task is associative recall (Wen et al. 2025) with bits as values.

Construction. The embedding of token i is 512 on coordinate i and 512 on coordinate ONE. The mean square is 2 * 512^2 / 512 =
1,024. So the first RMSNorm divides by 32, and all normed entries are 16 or 0.

Layer 0 uses the nine fastest pairs, PAIRS. Every token has the key (16, 0) there. V0 and V1 have the query of distance 1 (head
0), and BACK has that of distance 63 (head 1), each of amplitude 32. All other tokens have the query 16 on the slowest pair,
where BOS alone has a key. So V0 and V1 read the token before them, BACK reads the token 63 back, and the others read BOS,
whose value is 0. The value of a key is its code (five signs), and that of V0, V1, A0, A1 is their bit as a sign. They are
written with size 64 to CODE and FAR.

Layer 1 uses head 0. A value after key i has the key code_i on the five pairs 58 to 62, and q_i has the query code_i there. The
score of the right value is five units, and of another one at most three, for two codes differ in a sign. On the slowest pair
all tokens have a query for BOS, of 3.875 units. PAD has a key of eight units for all queries, on pair 57. V1 has the value 1,
V0 has -1, and PAD has LEAK. So q_i reads its value, or BOS, which has the value 0. The result is written with size 512 to
FOUND.

Read-out, in units of the normed constant: ACK has 1. On questions and BACK, A1 has 2 + 2 f, A0 has 2 - 2 f, ABSENT has 3 and
LEAK has 2 + 8 l. Here f is 1, 0 or -1, and l is 0. On answers BACK has 2. So the right logit has 4 to 3, 3 to 2, 2 to 1 or 1
to 0.

Proof. The weight of all wrong tokens in a head is at most N exp(-g), where g is the least difference of the right score and
another one.
* Layer 0, V0, V1 and BACK: g is the least difference of the sums over PAIRS, times 16 * 32 / sqrt(128). `apart` computes it
  for all distances below N: 1.12 for N = 131,072, met at the neighbour of the right distance.
* Layer 0, other tokens: g is the score of BOS, 1,024 cos(theta_63 N) / sqrt(128). Every other key has the score 0.
* Layer 1: the right value has at least 5 cos(theta_58 N) units, BOS between 3.875 cos(theta_63 N) and 3.875, and another value
  at most 4 - cos(theta_58 N). The values are at most 1 in size, so a written coordinate is wrong by at most 2 N exp(-g) of its
  size. A norm's factor is positive and leaves the order of the logits. It is between 1/32 and 1/32.7, which changes the units
  of layer 1 by 2 %.

Rounding. Every stored number is rounded once, with a relative error of at most `unit`. Sums are made in at least fp32. Before
the rotation all queries and keys of layer 0 are exact. A rotated pair is (c x - s y, c y + s x), with c, s, the products and
the sums rounded. So a query is wrong by at most (2 sqrt 2 + 1) unit of its length, which is below 4 unit, and a key with y = 0
by 2 unit. The score and its scaling add 2. That makes 8 unit of the sum of the amplitudes. In layer 1 the written code (3),
the norm (1) and the projection (1) add 5 to a key, and the norm and the projection 2 to a query, whose y is 0. That makes 13
unit. Angles are made in fp32 or better. Theta and its product with the position are rounded on both sides, so the angle of a
distance is wrong by at most N theta 2^-22. `proved_lead` adds these errors where they do the most harm.
"""

import math
from collections.abc import Sequence

import numpy as np

from seqsep.theorems.canary._llama_run import logits as run
from seqsep.theorems.canary._llama_weights import (
    BITS,
    BOS_PAIR,
    CODE_PAIRS,
    DISTANCE,
    HEAD_WIDTH,
    LONGEST,
    PAIRS,
    SINK,
    angles,
    configuration,
    direction,
    tensors,
)
from seqsep.theorems.canary.canary import Canary
from seqsep.theorems.canary.conversations import conversation
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import (
    A0,
    A1,
    ABSENT,
    ACK,
    ANSWERS,
    BACK,
    BOS,
    PAD,
    V0,
    V1,
    key_of,
    question_of,
)

BIT_ANSWERS = {1: A1, -1: A0, 0: ABSENT}


class LlamaOracle:
    """The answers to one conversation, token by token.

    >>> from seqsep.theorems.canary.vocabulary import FIRST_KEY, FIRST_QUESTION
    >>> oracle = LlamaOracle()
    >>> [oracle.read(token) for token in (BOS, FIRST_KEY, V1, FIRST_QUESTION)] == [ACK, ACK, ACK, A1]
    True
    """

    def __init__(self) -> None:
        self._tokens: list[int] = []
        self._values: dict[int, int] = {}

    def read(self, token: int) -> int:
        """Read the next token and return the answer to it.

        Raises ValueError for a conversation outside the statement: no BOS at the start, a later BOS, a PAD, a key with two
        values, BACK before place 63, or too many tokens.
        """
        place = len(self._tokens)
        if (token == BOS) != (place == 0) or token == PAD or place == LONGEST:
            raise ValueError(
                f"canary: expected one BOS, first, no PAD, and at most {LONGEST:,} tokens; found {token} at {place}"
            )
        key = key_of(self._tokens[-1]) if token in (V0, V1) else None
        if key in self._values:
            raise ValueError(f"canary: token {place} gives key k{key} a second value")
        if key is not None:
            self._values[key] = BITS[token]
        self._tokens.append(token)
        asked = question_of(token)
        if token != BACK and asked is None:
            return BACK if token in ANSWERS else ACK
        if asked is not None:
            return BIT_ANSWERS[self._values.get(asked, 0)]
        if place < DISTANCE:
            raise ValueError(f"canary: BACK at token {place}, expected {DISTANCE} tokens before it")
        return BIT_ANSWERS[BITS.get(self._tokens[place - DISTANCE], 0)]


def truth(tokens: Sequence[int]) -> list[int]:
    """Return the answer after each token of a conversation. Raises ValueError as `LlamaOracle.read` does.

    >>> from seqsep.theorems.canary.vocabulary import FIRST_KEY, FIRST_QUESTION
    >>> truth([BOS, FIRST_KEY, V1, FIRST_QUESTION, FIRST_QUESTION + 1]) == [ACK, ACK, ACK, A1, ABSENT]
    True
    """
    oracle = LlamaOracle()
    return [oracle.read(token) for token in tokens]


def apart(length: int, distance: int) -> float:
    """Return how far the score of the right distance is above the next one, in amplitudes of one pair.

    Arguments:
        length: N, the most tokens.
        distance: 1 or 63.

    >>> round(apart(1000, 1), 2)
    1.18
    """
    distances = np.arange(length)
    theta = angles()
    scores = np.zeros(length)
    for pair in PAIRS:
        cosine, sine = direction(pair, distance)
        scores += cosine * np.cos(distances * theta[pair]) + sine * np.sin(distances * theta[pair])
    return float(scores[distance] - np.delete(scores, distance).max()) if distance < length else math.inf


def proved_lead(length: int, unit: float = 2**-53) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        length: N, tokens of the longest conversation.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.241, 0.214)
    """
    theta = angles()
    root = math.sqrt(HEAD_WIDTH)
    drift = length * (2**-22 if unit >= 2**-24 else 4 * unit)
    amplitude = 16 * 32 / root
    margin = min(apart(length, 1), apart(length, DISTANCE)) - drift * float(theta[list(PAIRS)].sum())
    gap = amplitude * (margin - 2 * 8 * unit * len(PAIRS))
    sink = 1024 / root * (math.cos(theta[BOS_PAIR] * length) - 8 * unit)
    low = length * math.exp(-max(0.0, min(gap, sink)))
    return _lead_of_read_out(length, unit, low)


def _lead_of_read_out(length: int, unit: float, low: float) -> float:
    """Return the lead when layer 0 reads wrong tokens with a weight of at most `low`."""
    theta = angles()
    root = math.sqrt(HEAD_WIDTH)
    written = (1 + 2 * low) * (1 + 3 * unit)
    factor = 32 / math.sqrt(1024 + 8 * (6 * written**2))
    near = math.cos(theta[CODE_PAIRS[0]] * length)
    far = math.cos(theta[BOS_PAIR] * length)
    most = 16 * 16 * 2 / root
    unit_of_bos = SINK * most
    least = most * factor * (1 - 2 * low)
    error = 13 * unit * len(CODE_PAIRS) * most
    own = 5 * least * near - error
    other = (4 - near) * most + error
    gap = min(own - max(unit_of_bos * (1 + 13 * unit), other), unit_of_bos * (far - 13 * unit) - other)
    high = length * math.exp(-max(0.0, gap))
    found = factor * (1 - 2 * high - 6 * unit)
    none = (high + low) * (1 + 6 * unit)
    leads = [
        _share(2 + 2 * found, max(3.0, 2 + 8 * none), unit),
        _share(3.0, 2 + 8 * none, unit),
        _share(2.0, 1 + 2 * none, unit),
        _share(1.0, 2 * none, unit),
    ]
    return max(0.0, min(leads))


def _share(right: float, other: float, unit: float) -> float:
    """Return the least share of the lead if the norm, the product and the sum of both logits are rounded."""
    least = right * (1 - 3 * unit)
    return (least - other * (1 + 3 * unit)) / least


CANARY = Canary(
    name="llama",
    statement="A Llama of two layers and width 512 answers every question about 24 keyed bits, and about the token 63 places "
    "back, in conversations of up to 131,072 tokens in fp32, fp16 and bf16",
    configuration=configuration,
    tensors=tensors,
    oracle=LlamaOracle,
    conversation=conversation,
    proved_lead=proved_lead,
    longest=LONGEST,
    settled=DISTANCE,
    rules="""* `k3 v1` gives key 3 the value 1. A key has at most one value.
* `q3` asks for it: `a0`, `a1`, or `absent` if key 3 has no value.
* `back` asks for the bit of the token 63 places before it: `a0`, `a1`, or `absent` if that token is neither a
  value nor an answer.
* After `a0`, `a1`, `absent` and `leak` comes `back`, and after every other token `ack`.
* A prompt begins with `<bos>` and has at least 65 tokens if it is to be continued after an answer.
* `leak` is never right: it shows padding that is not masked.""",
    example="<bos> k3 v1 k7 v0 q3 -> a1",
)
THEOREM = CanaryProof(CANARY, run).theorem()
