"""The two layers of the canaries that have a Mamba-2 and an attention, and the proof that they share.

Construction. The stream is that of `stream`. Layer 0 has a Mamba-2 of eight heads of 64 in two groups, and four of them are
used. `_mamba` has their weights.
* MEMORY, in the first group: V0, V1 and PAD write, with the token before as key and the token as value. r_i reads row i and the
  row of PAD. The decay is exactly 1, and other tokens write nothing.
* KEYS_BEFORE and QUESTIONS_BEFORE, in the second group: every token overwrites the row with the token before it. V0 and V1 open
  the gate of the first, and answers that of the second. So values have the code of their key in the stream, and answers that of
  their question.
* LATEST, in the second group: V0, V1 and PAD overwrite the row with themselves. LAST reads it.
At most one of these heads is open at a token, so the norm of its group sees one head. Its one large entry becomes sqrt(256).

Layer 1 has an attention of eight heads of 64, and one is used. Queries and keys are not normed, so a score is a product of
entries of the normed stream. q_i has code i as query and a value of key i has code i as key: their score is m. Every token
has a query for BOS of the score SINK, for PAD of the score 512, and for V0 and V1 of the score WEAK or less. V0, V1 and PAD
have values, and BOS has the value 0. So q_i reads its value, or BOS if there is none, and every other token reads BOS. If the
entry of BOS is lost, tokens read V0 and V1, and are answered with A0 or A1 in place of ACK.

Proof. An entry that MEMORY reads is at least 1,900, as in `mamba2`, and other rows are exactly 0. A register keeps at most
2e-9 of what was there before, after its gate, and the norm divides it by 0.001 or more. That adds at most 3e-6 of a unit. The
norm, the gate SiLU(32) = 32 and the weight 32 make what is read 512 (1 - 2^-16) or more. A value of a key has three equal
entries in the normed stream, each 16 sqrt(2/3). Its score with its question is m = 64 * 32 sqrt(2/3) / 8, and 0 with other
questions, next to WEAK sqrt(2/3). In a class with rotary positions a score is turned by an angle of at most `turned`: m has at
least its cosine, and other codes at most its sine. So the wrong tokens have at most N exp(SINK - m) + N exp(-m) or
N exp(WEAK - SINK) of the weight, with the errors below. A value that is read adds 40 times an entry of the normed stream.

Rounding. Scores have an error of at most 12 unit of m: five for the code, two for each norm, one for each projection, and two
for the product and its scaling. A rotation adds at most 8 unit, as in `llama`. A coordinate of the stream that the
recurrence read has at most six roundings, one that attention read has ten, and a logit three more.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from seqsep.theorems.canary._look_up import CARRIED, CARRIES
from seqsep.theorems.canary._mamba import SHOWS, TAPS, MambaHeads, MambaSizes
from seqsep.theorems.canary._two_ways import ATTENDED, BEFORE, CODE, CYCLE, ONE, RECALLED, WRITTEN, lead
from seqsep.theorems.canary.stream import LONGEST, NORMED, WIDTH, Matrix, zeros
from seqsep.theorems.canary.vocabulary import ANSWERS, BOS, FIRST_KEY, FIRST_QUESTION, KEYS, PAD, SIZE, V0, V1

SIZES = MambaSizes(heads=8, head_size=64, groups=2, states=64)
MEMORY = 0
KEYS_BEFORE, QUESTIONS_BEFORE, LATEST = range(4, 7)
ATTENTION_HEADS = 8
ATTENTION_SIZE = 64
INNER = 64
QUERY = 4
KEY = 2
SINK_KEY = 3
LOUD = 16
"""Weights of a question's code, of a value's code, of BOS and of PAD; all tokens have a query of 16 for the last two."""
FOUND = dict(zip(WRITTEN, ATTENDED, strict=True))
CODES = range(KEYS)
PLACES = (*CODES, KEYS, KEYS + 1, KEYS + 2)
"""Coordinates of a head for the codes, for BOS, for PAD, and for V0 and V1, in a class without positions."""
MATCH = NORMED * QUERY * NORMED * KEY / math.sqrt(ATTENTION_SIZE)
SINK = NORMED * NORMED * SINK_KEY / math.sqrt(ATTENTION_SIZE)
WEAK = NORMED * NORMED / math.sqrt(ATTENTION_SIZE)
ROUNDED = 12
"""Errors of a score without rotary positions, in units of unit."""


def fields(kind: str, model_type: str) -> dict[str, Any]:
    """Return the fields of config.json that all classes have under one name.

    Arguments:
        kind: name of the class.
        model_type: its name in config.json.
    """
    return {
        "architectures": [kind],
        "model_type": model_type,
        "vocab_size": SIZE,
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_attention_heads": ATTENTION_HEADS,
        "num_key_value_heads": ATTENTION_HEADS,
        "max_position_embeddings": LONGEST,
        "tie_word_embeddings": False,
    }


def fields_of_mamba(sizes: MambaSizes) -> dict[str, Any]:
    """Return the fields of a mixer by their names in Granite-4-H and Falcon-H1."""
    return {
        "mamba_n_heads": sizes.heads,
        "mamba_d_head": sizes.head_size,
        "mamba_n_groups": sizes.groups,
        "mamba_d_state": sizes.states,
        "mamba_expand": sizes.inner // WIDTH,
        "mamba_d_conv": TAPS,
        "mamba_chunk_size": 64,
        "mamba_conv_bias": True,
        "mamba_proj_bias": False,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-6,
    }


def mixer() -> MambaHeads:
    """Build the Mamba-2 of layer 0: the memory, the token before, and the last bit."""
    heads = MambaHeads(SIZES)
    heads.memory(MEMORY, RECALLED)
    heads.before(KEYS_BEFORE, range(FIRST_KEY, FIRST_KEY + KEYS), (V0, V1), CODE)
    heads.before(QUESTIONS_BEFORE, CYCLE, ANSWERS, BEFORE)
    heads.latest(LATEST, RECALLED)
    return heads


def attention(
    places: Sequence[int] = PLACES,
    *,
    asks: Sequence[int] = (FIRST_QUESTION,),
    marks: Sequence[int] = CODE,
    values: Mapping[int, int] = FOUND,
    carries: float = CARRIES,
) -> dict[str, Matrix]:
    """Build the attention that finds the value whose key has the code of a question, or BOS.

    Arguments:
        places: coordinates of a head for the codes, then for BOS, for PAD, and for values.
        asks: the first question of each kind; question number i comes i tokens later.
        marks: the coordinate of the stream that a token with code i has.
        values: the token of each value, PAD last, and the coordinate of the stream to which it is written.
        carries: weight of what is read.
    """
    found = silent_attention()
    query, key, value, out = (found[f"{name}_proj.weight"] for name in "qkvo")
    *codes, sink, pad, weak = places
    for number, place in enumerate(codes):
        query[place, [first + number for first in asks]] = QUERY
        key[place, marks[number]] = KEY
    query[[sink, pad, weak], ONE] = 1
    key[weak, [*values][:-1]] = 1
    key[sink, BOS] = SINK_KEY
    key[pad, PAD] = LOUD
    for number, (token, coordinate) in enumerate(values.items()):
        value[number, token] = 1
        out[coordinate, number] = carries
    return found


def silent_attention() -> dict[str, Matrix]:
    """Return an attention that adds nothing."""
    return {f"{name}_proj.weight": zeros(WIDTH, WIDTH) for name in "qkvo"}


def proved_lead(length: int, unit: float = 2**-53, *, turned: float = 0.0, rounded: int = ROUNDED) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        length: N, tokens of the longest conversation.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.
        turned: the greatest angle by which rotary positions turn a score.
        rounded: errors of a score, in units of `unit`.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.5, 0.474)
    """
    missed, left = of_others(length, rounded * unit, turned)
    size = math.sqrt(SIZES.inner // SIZES.groups) * SHOWS / WIDTH * (1 - 2**-16) * (1 - 6 * unit)
    attended = CARRIED * math.sqrt(2 / 3) * (1 - 2**-16) * (1 - 2 * missed) * (1 - 10 * unit)
    return lead((size, attended), (missed, left * CARRIED), unit)


def of_others(
    length: int, error: float, turned: float, *, query: float = 1.0, key: float = math.sqrt(2 / 3)
) -> tuple[float, float]:
    """Return the most weight of wrong tokens if a code is found, and the most of them if BOS is found.

    Arguments:
        length: N, tokens of the longest conversation.
        error: the relative error of a score.
        turned: the greatest angle by which rotary positions turn a score.
        query: the least entry of a query's token in the normed stream, in units of NORMED.
        key: the same of a value with a code.
    """
    whole = MATCH * key * query
    error = error * whole + 0.01
    aside = math.sin(turned)
    match = whole * math.cos(turned) - error
    least = SINK * query * (math.cos(turned) - aside) - error
    most = SINK * query * (1 + aside) + error
    other = WEAK * query + (whole + WEAK * query) * aside + error
    missed = length * (math.exp(-max(0.0, match - most)) + math.exp(-max(0.0, match - other)))
    return missed, length * math.exp(-max(0.0, least - other))
