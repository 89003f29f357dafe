"""The read-out that the canaries which walk share, and the lead that follows from the sizes of what they find.

Read-out, in units of the normed constant. ACK has 1, and 0 on a step. On steps r_j has 3 f_j + d_j, and q_j has 3 f_j + d_j +
4 l - 2. Here f_j is about 1 if the next key j was read, d_j is 1 if j is the first next key of the token, and l is about 1 if
the letter is q. All three are 0 otherwise. If f_j and l are 1, the right logit has:

    letter  row      right logit  greatest other ones
    r       empty    1            r_j and ACK have 0, q_j at most -1
    r       another  3            q_j of the same j has 1, and d_j is 1 for another r_j
    r       first    4            q_j of the same j has 2
    q       another  5            r_j of the same j has 3, another q_j has 3
    q       first    6            r_j of the same j has 4, another q_j has 2
"""

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np

from seqsep.theorems.canary.canary import Canary
from seqsep.theorems.canary.stream import LONGEST, WIDTH, Matrix, zeros
from seqsep.theorems.canary.vocabulary import ACK, FIRST_FINE, FIRST_QUESTION, FIRST_RECALL, KEYS, LEAK, SIZE, V0, V1
from seqsep.theorems.canary.walk import RULES, STEPS, WalkOracle, first_next, walk_conversation

READ = 3
FIRST = 1
GIVEN = 4
WITHOUT = -2
"""Weights of a logit: the next key that was read, the first next key, and for q the letter and its lack."""

ONE = SIZE
CODE = range(ONE + 1, ONE + 1 + KEYS)
REACHED = range(CODE.stop, CODE.stop + KEYS)
SPILT = REACHED.stop
LETTER = SPILT + 1
SPILT_BY_ATTENTION = LETTER + 1
"""Coordinates of the residual stream after those of the tokens: the constant, the key before, the next key, and the letter."""
NOTE = "\n* The recurrence knows the next key, and attention the letter."
"""A rule of canaries that have both."""
WRITERS = (V0, V1, *STEPS, *range(FIRST_FINE, FIRST_FINE + KEYS))
SUMS = 2**-17
"""More than the error of a logit's sum, in units of the constant."""


def read_out() -> Matrix:
    """Return the rows of the logits."""
    rows = zeros(SIZE, WIDTH)
    rows[ACK, ONE] = 1
    rows[ACK, list(STEPS)] = -1
    rows[LEAK, [SPILT, SPILT_BY_ATTENTION]] = 16
    for key in range(KEYS):
        for first in (FIRST_QUESTION, FIRST_RECALL):
            rows[first + first_next(key), [FIRST_QUESTION + key, FIRST_RECALL + key]] = FIRST
    for token in STEPS:
        rows[token, REACHED[(token - FIRST_QUESTION) % KEYS]] = READ
    letters = slice(FIRST_QUESTION, FIRST_QUESTION + KEYS)
    rows[letters, LETTER] = GIVEN
    rows[letters, list(STEPS)] += WITHOUT
    return rows


def lead(
    found: tuple[float, float], given: tuple[float, float], none: tuple[float, float], unit: float, *, wrong: float = 0.0
) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        found: the least and the greatest f of a row that was read.
        given: the least and the greatest l if the letter is q.
        none: the same if it is r.
        unit: the relative error of one rounding.
        wrong: the most that is read of other rows, in units of the constant.
    """
    sums = SUMS + READ * wrong
    leads = [1 - (GIVEN * none[1] + sums)]
    """Of ACK."""
    for is_read, is_first in ((0, 1), (1, 0), (1, 1)):
        for has_letter, letters in ((0, none), (1, given)):
            if has_letter and not is_read:
                continue
            for f, extra in product(found, letters):
                plain = READ * f * is_read + FIRST * is_first
                with_letter = plain + GIVEN * extra + WITHOUT
                right, other = (with_letter, plain) if has_letter else (plain, with_letter)
                elsewhere = FIRST * (1 - is_first) + max(0.0, GIVEN * extra + WITHOUT)
                others = max(other, elsewhere, 0.0)
                if not right > sums:
                    return 0.0
                leads.append(1 - (others + sums) * (1 + unit) / ((right - sums) * (1 - unit)))
    least = min(leads)
    return max(0.0, least) if math.isfinite(least) else 0.0


def walking(
    name: str,
    configuration: Callable[[], Mapping[str, Any]],
    tensors: Callable[[], Mapping[str, np.ndarray]],
    proved_lead: Callable[[int, float], float],
    *,
    model: str,
    note: str = NOTE,
) -> Canary:
    """Return the record of a canary that walks and has a recurrent state.

    Arguments as the fields of `Canary`, and:
        model: the class with its article, its layers and its width.
        note: one more rule.
    """
    return Canary(
        name=name,
        statement=f"{model} walks over 24 keys, so that every decoded token reads and changes its state, in conversations of "
        "up to 131,072 tokens in fp32, fp16 and bf16",
        configuration=configuration,
        tensors=tensors,
        oracle=WalkOracle,
        conversation=walk_conversation,
        proved_lead=proved_lead,
        longest=LONGEST,
        settled=1,
        rules=RULES + note,
        example="<bos> k3 v1 k3 w7 r3 -> q7",
    )
