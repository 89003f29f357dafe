"""A Llama that walks in fp32: every decoded token is looked up later, and only the latest of many equal keys is right.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 8,192 in all, in which no key
gets two letters. The model of `tensors` is of the class LlamaForCausalLM of `transformers`, with two layers, width 512, four
heads of 128 and rotary base 1e7. In fp32 its greatest logit after every token is that of the token which the oracle of `walk`
names. This logit leads the next one by at least the share `proved_lead(length, 2**-24)` of itself, which is at least 0.3. In
fp16 and bf16 the proof gives no lead: neighbours in the cache have scores whose difference is lost in rounding.

Source: own. The walk is a rotor-router (Priezzhev et al. 1996) with states that conversations can set.

Construction. The stream is that of `stream`. Layer 0 is that of `llama`: V0, V1, w_j, q_i and r_i read the token before them by
rotary angles, and other tokens read BOS. If the token before is k_h, q_h or r_h, five signs of h are written to HELD. They are
also written to NAMED if it is k_h, and else to SPARE. So all tokens that write a next key have ten more coordinates of the
same size, and the norm after it has the same factor for them.

Layer 1 has two heads for q_i and r_i, and other tokens read BOS in both.
* NEXT: a token whose HELD is the code of i matches with five units, and another one with at most three. BOS has a
  score between them. On pair RECENT a query and a key at the distance n have the score -A sin(n theta). It falls with n, from
  token to token. BOS has no key there. The values are the next keys, one coordinate each, written to REACHED.
* LETTERS_OF: a token whose NAMED is the code of i matches with five units, and V0 and V1 have four more. BOS has 7.75. So q_i
  reads V0 or V1 after k_i, or BOS. V1 is written to LETTER.
PAD has a score above all others, and LEAK as value.

Read-out. `_walk_out` has the rows of the logits and the lead. Here f and l are the factor of the norm, 0.963.

Proof. The weight of all wrong tokens in layer 0 is at most N exp(-g), with g as in `llama`. Scores of layer 1 are bounded as in
`llama`: 13 unit of the amplitudes, and 12 more for a sum of at most twelve products, which here is of the size of 1.3 million.
Let g be the least difference of two matches at neighbouring distances, after these errors: at least 13 for N = 8,192. Then
the older matches have at most exp(-g) / (1 - exp(-g)) of the weight. Other tokens have at most N exp(-g') as in `llama`. In
bf16 the errors are 126,000 and the difference is 17, so nothing follows.

Why no other type. Let a head have scores of at most A. Errors are 8 unit of A or more, which is A / 32 in bf16. Over N
distances a falling score has two neighbours that differ by at most 2 A / (N - 1). Errors of both sides are A / 16. So if N is
33 or more, the latest and the one before it are not distinguished in bf16 by one head whose score is a function of the
distance. In fp16 this is so if N is 257 or more. It does not show that no Llama can walk in these types.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from seqsep.theorems.canary import _llama_weights as weights_of_llama
from seqsep.theorems.canary._llama_run import logits as run
from seqsep.theorems.canary._llama_weights import (
    BOS_PAIR,
    CODE_PAIRS,
    HALF,
    HEAD_WIDTH,
    PAD_PAIR,
    PAIRS,
    angles,
    code,
    direction,
)
from seqsep.theorems.canary._walk_out import LETTER, ONE, REACHED, SPILT, SPILT_BY_ATTENTION, WRITERS, lead, read_out, walking
from seqsep.theorems.canary.llama import apart
from seqsep.theorems.canary.stream import WIDTH, Matrix, embedding, ones, zeros
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import BOS, FIRST_FINE, FIRST_KEY, FIRST_QUESTION, KEYS, PAD, SIZE, V0, V1
from seqsep.theorems.canary.walk import RULES, STEPS, target

LONGEST = 1 << 13
HEADS = weights_of_llama.HEADS
SHARED_HEADS = weights_of_llama.SHARED_HEADS
LETTERS_OF = 2
"""The head of layer 1 that finds letters. NEXT is head 0, and they have keys and values of their own."""
RECENT = 39
VALUE_PAIR = CODE_PAIRS.start - 2
"""Pairs for the distance, and for V0 and V1."""
HELD, NAMED, SPARE = (
    range(first, first + len(CODE_PAIRS)) for first in range(SPILT_BY_ATTENTION + 1, SPILT_BY_ATTENTION + 16, 5)
)
"""Coordinates of the residual stream after those of `_walk_out`: five signs of the key before."""
STRONG = 256
"""Weight of codes in NEXT, in queries and in keys."""
NEAR = 128
"""Weight of the distance, in queries and in keys, and of what finds BOS and PAD in queries."""
SINK = 216
LOUD = 1024
"""Weights of BOS and PAD in NEXT's keys."""
OF_VALUES = 4
SINK_OF_LETTERS = 7.75
LOUD_OF_LETTERS = 16
"""Scores of V0 and V1, of BOS and of PAD in LETTERS_OF, in units of one sign."""
ROOT = math.sqrt(HEAD_WIDTH)
SIGN = 16 * 16 * 2 / ROOT
"""The score of one sign in LETTERS_OF, if the norm's factor is 1."""


def configuration() -> dict[str, Any]:
    """Return the fields of config.json.

    >>> configuration()["max_position_embeddings"]
    8192
    """
    return weights_of_llama.configuration() | {"max_position_embeddings": LONGEST}


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.1.self_attn.k_proj.weight"].shape
    (256, 512)
    """
    found = {"model.embed_tokens.weight": embedding(SIZE), "model.norm.weight": ones(), "lm_head.weight": read_out()}
    for layer, attention in enumerate((_look_back(), _look_up())):
        here = f"model.layers.{layer}."
        found |= {f"{here}self_attn.{name}_proj.weight": matrix for name, matrix in attention.items()}
        found |= {f"{here}{norm}.weight": ones() for norm in ("input_layernorm", "post_attention_layernorm")}
        sizes = {"gate_proj": (HEAD_WIDTH, WIDTH), "up_proj": (HEAD_WIDTH, WIDTH), "down_proj": (WIDTH, HEAD_WIDTH)}
        found |= {f"{here}mlp.{name}.weight": zeros(*size) for name, size in sizes.items()}
    return found


def _empty_attention() -> dict[str, Matrix]:
    shared = SHARED_HEADS * HEAD_WIDTH
    return {name: zeros(rows, WIDTH) for name, rows in zip("qkvo", (HEADS * HEAD_WIDTH, shared, shared, WIDTH), strict=True)}


def _look_back() -> dict[str, Matrix]:
    """Build layer 0: the key before a token that writes."""
    heads = _empty_attention()
    query, key, value, out = (heads[name] for name in "qkvo")
    for pair in PAIRS:
        key[pair, ONE] = 1
        cosine, sine = direction(pair, 1)
        query[pair, list(WRITERS)] = 2 * cosine
        query[HALF + pair, list(WRITERS)] = -2 * sine
    key[BOS_PAIR, BOS] = 4
    query[BOS_PAIR, ONE] = 1
    query[BOS_PAIR, list(WRITERS)] = -1
    for token in range(FIRST_KEY, FIRST_FINE):
        signs = [sign / 16 for sign in code((token - FIRST_KEY) % KEYS)]
        value[:5, token] = signs
        value[slice(5, 10) if token < FIRST_QUESTION else slice(10, 15), token] = signs
    for place, coordinate in enumerate((*HELD, *NAMED, *SPARE)):
        out[coordinate, place] = 64
    return heads


def _look_up() -> dict[str, Matrix]:
    """Build layer 1: the latest token that wrote the next key, and the value that gave a letter."""
    heads = _empty_attention()
    query, key, value, out = (heads[name] for name in "qkvo")
    _signs(query[:HEAD_WIDTH], key[:HEAD_WIDTH], HELD, STRONG)
    query[HALF + RECENT, ONE] = key[RECENT, ONE] = NEAR
    key[RECENT, BOS] = -NEAR
    query[[BOS_PAIR, PAD_PAIR], ONE] = NEAR
    key[BOS_PAIR, BOS] = SINK
    key[PAD_PAIR, PAD] = LOUD
    for token in WRITERS:
        value[target(token), token] = 1 / 16
    value[KEYS, PAD] = 1 / 16
    out[[*REACHED, SPILT], range(KEYS + 1)] = WIDTH
    letters = LETTERS_OF * HEAD_WIDTH
    shared = HEAD_WIDTH
    _signs(query[letters : letters + HEAD_WIDTH], key[shared:], NAMED, 1)
    query[[letters + pair for pair in (BOS_PAIR, PAD_PAIR, VALUE_PAIR)], ONE] = 1
    key[shared + BOS_PAIR, BOS] = 2 * SINK_OF_LETTERS
    key[shared + PAD_PAIR, PAD] = 2 * LOUD_OF_LETTERS
    key[shared + VALUE_PAIR, [V0, V1]] = 2 * OF_VALUES
    value[shared, V1] = value[shared + 1, PAD] = 1 / 16
    out[[LETTER, SPILT_BY_ATTENTION], [letters, letters + 1]] = WIDTH
    return heads


def _signs(query: Matrix, key: Matrix, marks: Sequence[int], strength: int) -> None:
    """Let q_i and r_i find the tokens that have the code of i in the stream.

    Arguments:
        query: the rows of a head.
        key: the rows of its keys.
        marks: the coordinates of the stream that have the code.
        strength: weight in queries; keys have 16 times the weight of one sign, or as much if that is more.
    """
    for place, pair in enumerate(CODE_PAIRS):
        key[pair, marks[place]] = max(16, strength)
        for token in STEPS:
            query[pair, token] = strength * code((token - FIRST_QUESTION) % KEYS)[place]


def proved_lead(length: int, unit: float = 2**-53) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        length: N, tokens of the longest conversation.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.

    >>> round(proved_lead(4096, 2**-24), 3), proved_lead(4096, 2**-8)
    (0.323, 0.0)
    """
    theta = angles()
    drift = length * (2**-22 if unit >= 2**-24 else 4 * unit)
    before = 16 * 32 / ROOT * (apart(length, 1) - drift * float(theta[list(PAIRS)].sum()) - 16 * unit * len(PAIRS))
    first = 1024 / ROOT * (math.cos(theta[BOS_PAIR] * length) - 8 * unit)
    low = length * math.exp(-max(0.0, min(before, first)))
    factor = 32 / math.sqrt(1024 + 8 * 10 * ((1 + 2 * low) * (1 + 3 * unit)) ** 2)
    next_wrong = _wrong_next(length, unit, low, factor)
    letter_wrong = _wrong_letter(length, unit, low, factor)
    if max(next_wrong, letter_wrong) >= 0.25:
        return 0.0
    found = factor * (1 - 2 * next_wrong) * (1 - 7 * unit), (1 + 2 * next_wrong) * factor * (1 + 3 * low) * (1 + 7 * unit)
    given = factor * (1 - 2 * letter_wrong) * (1 - 7 * unit), (1 + 2 * letter_wrong) * factor * (1 + 3 * low) * (1 + 7 * unit)
    return lead(found, given, (0.0, 2 * letter_wrong), unit, wrong=2 * next_wrong)


def _wrong_next(length: int, unit: float, low: float, factor: float) -> float:
    """Return the most weight of wrong tokens in NEXT."""
    theta = angles()
    sign = 16 * STRONG * 2 * STRONG / ROOT
    recent = 16 * NEAR * 16 * NEAR / ROOT
    sink = 16 * NEAR * 16 * SINK / ROOT
    drift = length * (2**-22 if unit >= 2**-24 else 4 * unit)
    error = 25 * unit * (5 * sign + recent) + drift * float(recent * theta[RECENT] + sign * theta[list(CODE_PAIRS)].sum())
    error += 10 * low * sign
    turned = recent * math.sin(theta[RECENT] * length)
    near, far = (math.cos(theta[pair] * length) for pair in (CODE_PAIRS[0], BOS_PAIR))
    match = factor * (5 * sign * near - turned) - error
    other = (4 - near) * sign + error
    beside = min(match - sink - error, sink * far - error - other)
    step = factor * recent * theta[RECENT] * math.cos(theta[RECENT] * length) - 2 * error
    if min(beside, step) <= 0 or theta[RECENT] * length >= math.pi / 2:
        return 1.0
    older = math.exp(-factor * step)
    return older / (1 - older) + 2 * length * math.exp(-factor * beside)


def _wrong_letter(length: int, unit: float, low: float, factor: float) -> float:
    """Return the most weight of wrong tokens in LETTERS_OF."""
    theta = angles()
    near, far = (math.cos(theta[pair] * length) for pair in (VALUE_PAIR, BOS_PAIR))
    error = 25 * unit * (5 + OF_VALUES) + 10 * low
    match = factor * (5 + OF_VALUES) * near - error
    other = factor * (4 - near + OF_VALUES) + error
    beside = min(match - SINK_OF_LETTERS - error, SINK_OF_LETTERS * far - error - other)
    return 2 * length * math.exp(-factor * max(0.0, beside) * SIGN)


CANARY = replace(
    walking("walk-llama", configuration, tensors, proved_lead, model="A Llama"),
    statement="A Llama of two layers and width 512 walks over 24 keys, so that every decoded token is looked up later, in "
    "conversations of up to 8,192 tokens in fp32",
    longest=LONGEST,
    rules=RULES + "\n* This holds in float32 only: in other types the latest next key is not distinguished from older ones.",
)
THEOREM = CanaryProof(CANARY, run).theorem()
