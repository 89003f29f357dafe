"""The layers of the walking canaries that have Mamba-2 and attention, and the proof that they share.

Construction. The stream is that of `stream`. Two Mamba-2 layers have 32 heads of 64 in one group, and the next keys are those
of `walk_mamba2`: head h of the second layer holds the next key of h. One more head holds PAD, with a decay of exactly 1, and
every step reads it. The letters are in the attention, which is that of `_hybrid`. Its marks are KEYED, so V1 after k_h has code
h as key. q_i and r_i have code i as query, and they read V1 or BOS. V1 has the value 1 for LETTER, PAD has LEAK, and V0 and BOS
have 0.

Read-out. `_walk_out` has the rows of the logits and the lead. f and l are 1, up to 2e-4.

Proof of f. The sizes are those of `walk_mamba2`, with one group of 2,048 numbers: sqrt(2048) times the weight 181/16 is 511.95
of 512. The head of PAD is exactly 0 without PAD. In a class with a least step of 1e-30, a token writes at most 1e-30 * 4^3 to a
row that is not its own. 131,072 such tokens, times the gate 32 and at most 1,000 of the norm, are less than 1e-18.

Proof of l. In the normed stream of the attention, V1 with a code has four equal entries, up to a share of 1e-4: 16 sqrt(1/2).
The token of a query has at most five: itself, the constant, HELD, KEYED and the next key. So its entries are at least
16 sqrt(2/5), and all its scores are at least that share of those in `_hybrid`. `of_others` has the rest. The weight 181/4 makes
181/4 * 16 sqrt(1/2) / 512 = 0.99989 of the constant.

Rounding. f has at most seven roundings, as in `walk_mamba2`: the attention adds exactly 0 to it. l has at most twelve: ten in
the stream, as in `_hybrid`, and two of the last norm.
"""

import math
from collections.abc import Sequence

from seqsep.theorems.canary import _hybrid
from seqsep.theorems.canary._mamba import MambaHeads, MambaSizes
from seqsep.theorems.canary._walk_out import LETTER, SPILT, SPILT_BY_ATTENTION, lead, read_out
from seqsep.theorems.canary.stream import HEIGHT, NORMED, WIDTH, Matrix
from seqsep.theorems.canary.vocabulary import FIRST_QUESTION, FIRST_RECALL, PAD, V1
from seqsep.theorems.canary.walk_mamba2 import KEYED, keep, key_before, next_keys

SIZES = MambaSizes(heads=32, head_size=64, groups=1, states=32)
SHOWS = 181 / 16
CARRIES = 181 / 4
"""Weights of what a head of a Mamba-2 and what attention reads."""


def parts(places: Sequence[int] = _hybrid.PLACES) -> tuple[list[MambaHeads], dict[str, Matrix], Matrix]:
    """Return the two Mamba-2, the attention, and the rows of the logits.

    Arguments:
        places: coordinates of a head of attention, as for `_hybrid.attention`.
    """
    second = next_keys(SIZES, SHOWS)
    keep(second, 0, PAD, SPILT)
    attention = _hybrid.attention(
        places,
        asks=(FIRST_QUESTION, FIRST_RECALL),
        marks=KEYED,
        values={V1: LETTER, PAD: SPILT_BY_ATTENTION},
        carries=CARRIES,
    )
    return [key_before(SIZES, SHOWS), second], attention, read_out()


def proved_lead(length: int, unit: float = 2**-53, *, turned: float = 0.0, rounded: int = _hybrid.ROUNDED) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments as for `_hybrid.proved_lead`.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.333, 0.302)
    """
    missed, left = _hybrid.of_others(length, rounded * unit, turned, query=math.sqrt(2 / 5), key=math.sqrt(1 / 2))
    size = math.sqrt(SIZES.inner // SIZES.groups) * SHOWS / WIDTH
    found = size * (1 - 1e-5) * (1 - 7 * unit), size * (1 + 7 * unit)
    carried = CARRIES * NORMED / HEIGHT
    letter = carried * math.sqrt(1 / 2)
    given = letter * (1 - 1e-4 - 2 * missed) * (1 - 12 * unit), (letter * (1 + 1e-4) + 2 * missed * carried) * (1 + 12 * unit)
    return lead(found, given, (0.0, max(left, 2 * missed) * carried), unit, wrong=1e-5)
