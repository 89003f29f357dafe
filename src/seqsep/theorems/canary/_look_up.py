"""The attention of a Qwen3-Next that finds the value of a key by its code, and how much it reads of other tokens.

A token without a code has the key 0. BOS has the sum of all codes as key. A question about key i has code i as query, every
other token the sum of all codes, and each query has twice the code of PAD. So a question reads the token that has its code. If
there is none, it reads BOS, whose value is 0. Rotary angles turn the first 16 coordinates of a head, which are 0.

Let u = 8 * 4 * 16 = 512 be the score of equal unit vectors. A token with the right code has u / sqrt 5, BOS has
u / sqrt(5 * 24) for a question about a key, and every other token has 0. A query of all codes gives BOS u / sqrt 5, and a token
with one code u / sqrt(5 * 24). Scores have an error of at most 8 unit of their size: two for the code, two for each norm, and
two for the product and its scaling.
"""

import math
from collections.abc import Mapping, Sequence

from seqsep.theorems.canary import _qwen
from seqsep.theorems.canary.stream import HEIGHT, NORMED
from seqsep.theorems.canary.vocabulary import BOS, KEYS, PAD, SIZE

CARRIES = 40
"""Weight of what attention reads."""
CARRIED = CARRIES * NORMED / HEIGHT
"""A value of 16 adds this to the stream, in units of the constant."""
QUERY_SCALE = 4
KEY_SCALE = 16
"""Scales of the norms of queries and keys."""
LOUDNESS = 2
"""Weight of PAD's code in each query, in those of a key's code."""
OPEN = 2
"""Weight that makes 16 of the normed stream 32, for gates, keys, queries and values."""


def look_up(asks: Sequence[int], marks: Sequence[int], values: Mapping[int, int]) -> _qwen.OneHead:
    """Build the head that finds values by the codes of their keys.

    Arguments:
        asks: the first question of each kind; question number i comes i tokens later.
        marks: the coordinate of the stream that a token with code i has.
        values: the token of each value, and the coordinate of the stream to which it is written.
    """
    head = _qwen.OneHead()
    codes = range(_qwen.TURNED, _qwen.TURNED + KEYS)
    pad = codes.stop
    constant = SIZE
    head.query[codes.start : codes.stop, constant] = 1
    for first in asks:
        head.query[codes.start : codes.stop, first : first + KEYS] = -1
    head.query[pad, constant] = LOUDNESS
    head.key[pad, PAD] = 1
    head.key[codes.start : codes.stop, BOS] = 1
    for number, code in enumerate(codes):
        head.query[code, [first + number for first in asks]] = 0
        head.key[code, marks[number]] = 1
    for number, (token, coordinate) in enumerate(values.items()):
        head.value[number, token] = 1
        head.out[coordinate, number] = CARRIES
    head.gate[:, constant] = OPEN
    head.query_scale = QUERY_SCALE
    head.key_scale = KEY_SCALE
    return head


def of_others(length: int, unit: float) -> tuple[float, float]:
    """Return the most weight of wrong tokens if a code is found, and the most that is written if BOS is found.

    Arguments:
        length: N, tokens of the longest conversation.
        unit: the relative error of one rounding.

    >>> max(of_others(1 << 17, 2**-8)) < 1e-10
    True
    """
    whole = math.sqrt(_qwen.ATTENTION_SIZE) * QUERY_SCALE * KEY_SCALE
    side = math.sqrt(1 + LOUDNESS**2)
    match = whole / side
    sink = whole / (side * math.sqrt(KEYS))
    error = 8 * unit
    missed = length * math.exp(-max(0.0, match * (1 - error) - sink * (1 + error)))
    missed += length * math.exp(-max(0.0, match * (1 - error)))
    return missed, length * math.exp(-sink * (1 - error)) * CARRIED
