"""The canaries that recall keyed bits in two ways, by their recurrence and by their attention, and the last bit.

Their tokens, coordinates of the residual stream, read-out and lead are the same. Their classes find the values in other ways.

Read-out, in units of the normed constant: ACK has 1. On q_i, r_i and LAST ABSENT has 2. A1 and A0 have 4 for their value from
the recurrence, and 4.08 for their value from attention. The question after the one before has 2. So the right logit has 4 to 2,
2 to 1, or 1 to 0.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from seqsep.theorems.canary._look_up import CARRIED
from seqsep.theorems.canary.canary import Canary
from seqsep.theorems.canary.recall import BOTH, RecallOracle, conversations_about, following
from seqsep.theorems.canary.stream import LONGEST, WIDTH, Matrix, zeros
from seqsep.theorems.canary.vocabulary import A0, A1, ABSENT, ACK, KEYS, LAST, LEAK, PAD, SIZE, V0, V1

CYCLE = (*BOTH[:-1], LAST)
"""Questions to attention and to the recurrence in turn, then the last bit."""
ONE = SIZE
CODE = range(ONE + 1, ONE + 1 + KEYS)
BEFORE = range(CODE.stop, CODE.stop + len(CYCLE))
RECALLED = range(BEFORE.stop, BEFORE.stop + 3)
ATTENDED = range(RECALLED.stop, RECALLED.stop + 3)
"""Coordinates of the residual stream after those of the tokens: the constant, what is before, and what was found."""

WRITTEN = (V0, V1, PAD)
"""Tokens whose value is found, and `SAYS`, the answers to them."""
SAYS = (A0, A1, LEAK)
RESIDUE = 1e-4
"""More than an overwritten row leaves after the norm: at most 3e-6 in Mamba-2, and 3e-5 in a gated delta rule."""


def read_out() -> Matrix:
    """Return the rows of the logits."""
    rows = zeros(SIZE, WIDTH)
    rows[ACK, ONE] = 1
    rows[ABSENT, list(CYCLE)] = 2
    for number, (token, weight) in enumerate(zip(SAYS, (4, 4, 16), strict=True)):
        rows[token, [RECALLED[number], ATTENDED[number]]] = weight
    after = following(CYCLE)
    for question, coordinate in zip(CYCLE, BEFORE, strict=True):
        rows[after[question], coordinate] = 2
    return rows


def lead(found: tuple[float, float], of_others: tuple[float, float], unit: float) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        found: the least value from the recurrence and the least one from attention, in units of the constant.
        of_others: the most weight of wrong tokens if a code is found, and the most that is written if BOS is found.
        unit: the relative error of one rounding.
    """
    size, attended = found
    missed, left = of_others
    if min(found) <= 0:
        return 0.0
    most = 1 + unit
    pairs = [
        (4 * size, 2 * most),
        (4 * attended, 2 * most),
        (4 * attended, 16 * 2 * missed * CARRIED),
        (2 * (1 - unit), max(most, 16 * left, 4 * RESIDUE)),
        (2 * size, most),
        (1 - unit, max(16 * left, 4 * RESIDUE)),
    ]
    leads = [1 - other * (1 + 3 * unit) / (right * (1 - 3 * unit)) for right, other in pairs]
    return max(0.0, min(leads))


def recalling(
    name: str,
    configuration: Callable[[], Mapping[str, Any]],
    tensors: Callable[[], Mapping[str, np.ndarray]],
    proved_lead: Callable[[int, float], float],
) -> Canary:
    """Return the record of a canary that recalls in two ways. Arguments as the fields of `Canary`."""
    return Canary(
        name=name,
        statement=f"A {name.title()} of width 512 answers every question about 24 keyed bits in two ways, and about the last "
        "bit, in conversations of up to 131,072 tokens in fp32, fp16 and bf16",
        configuration=configuration,
        tensors=tensors,
        oracle=lambda: RecallOracle(CYCLE),
        conversation=conversations_about(CYCLE),
        proved_lead=proved_lead,
        longest=LONGEST,
        settled=1,
        rules="""* `k3 v1` gives key 3 the value 1. A key has at most one value.
* `q3` asks attention for it, and `r3` the recurrence: `a0`, `a1`, or `absent` if key 3 has no value.
* `last` asks for the bit of the last `v0` or `v1`: `a0`, `a1`, or `absent` if there is none.
* After such an answer to a question comes the next question: `r3` after `q3`, `q4` after `r3`, `last` after `r23`, and `q0`
  after `last`.
* After every other token comes `ack`.
* `leak` is never right: it shows padding that was read.""",
        example="<bos> k3 v1 k7 v0 q3 -> a1",
    )
