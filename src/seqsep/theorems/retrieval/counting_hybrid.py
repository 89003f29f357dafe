"""One attention head with a linear recurrence of two numbers answers counting, in width 8 and without positions.

In counting a model reads a sequence, then a number q and a threshold t. It decides whether q occurs more than t times in the
sequence. The recurrence stores the previous token. It replaces the first of the two attention layers of `counting-attention`.
So the network has two layers: the recurrence and the attention head.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.6, Counting.

We differ: the threshold token carries a number, and the count is compared with it, as in `counting_attention`. So the network
needs no product and no feed-forward part (FFN). The recurrence is a shift register without a gate.

Recurrence. A number s is stored as v = s + 1, and [BOS], the first token, as 0. From the recurrence each token reads w and w^2,
where w is the stored number of the token before it. For [BOS] w is 0.

Attention. If token k attends to token j, the score is -eta (w_j - w_k)^2. To [BOS] the score is 0. The threshold token follows
the query token, so its w is the number of q. Let q occur m times in the data. Then these m + 2 tokens have the greatest score,
0:
* the m tokens directly after an occurrence of q in the data;
* the threshold token itself, which is directly after the query token q;
* [BOS].
All other tokens score at least eta less. So each of the m + 2 tokens has the weight f(m + 2), which is 1/(m + 2) rounded to
the grid. The attention to [BOS] is this number, as in `counting_attention`.

Logits. The read-out and its margin, more than 5/L, are those of `counting_attention`. So are n0 = max(N + 3, S + 1), eta, Kc
and p. The residual stream is [number v, v^2 | before w, w^2 | one | bos | limit u | weight], 8 coordinates. `one` is the
constant 1, and `bos` is 1 at [BOS] only. The network has no positions, so a token's place plays no part.

State. It has two numbers of p bits, for every N. The first, w, is in 0 .. S, and the second, w^2, in 0 .. S^2. These ranges
fit in ceil(log2(S + 1)) + ceil(log2(S^2 + 1)) bits. The attention layer reads all tokens, so no bound on a recurrent state
applies to this network.
"""

from typing import Annotated

import numpy as np

from seqsep.core.options import Range
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.networks.network import AttentionLayer, LinearLayer, Network, whole
from seqsep.theorems.base import Claim, Number, Theorem
from seqsep.theorems.blocks import (
    Spaces,
    count,
    hard_scale,
    linear_layer,
    match,
    number,
    shift_register,
    side_by_side,
)
from seqsep.theorems.options import Alphabet, Eta, GridRounding, Length
from seqsep.theorems.retrieval._construction import TaskConstruction
from seqsep.theorems.retrieval._counting import CountingEncoding
from seqsep.theorems.retrieval.counting_attention import TRIALS, grid_of, proved, symbols, task_of

CLAIM = Claim(
    name="counting-hybrid",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.6, Counting",
    statement="One attention head on a linear recurrence of two numbers, of width 8 and without positions, answers counting",
)


def build(
    length: Annotated[Length, Range(1, 1 << 15)],
    alphabet: Annotated[Alphabet, Range(1, 1 << 15)] | None = None,
    rounding: GridRounding = "floor",
    eta: Eta | None = None,
) -> Network:
    """The network for up to N = `length` numbers out of 0 .. S - 1, S = `alphabet` (by default N + 1).

    Tokens, `rounding` and `eta` are those of `counting_attention.build`. Raises ValueError as it does.

    >>> network = build(length=61)
    >>> network.width, network.positions, network.precision, network.state_bits
    (8, None, 26, 52)
    """
    task = task_of(length, alphabet)
    grid = grid_of(task, rounding)
    scale = hard_scale(grid.steps) if eta is None else eta
    spaces = Spaces(number=2, before=2, one=1, bos=1, limit=1, weight=1)
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=symbols(task, grid, spaces, everywhere=spaces["one"]),
        layers=((_remember_before(spaces), None), (_count_behind_equal(spaces, scale), None)),
        readout=whole(np.concatenate([spaces.nothing(), spaces["limit"] - task.scale * spaces["weight"]])),
        readout_bias=whole([0, 0]),
    )


def _remember_before(spaces: Spaces) -> LinearLayer:
    """Two shift registers of one number: v of the token before becomes w, and its square w^2; at the first token w = 0."""
    read = number(spaces, "number")
    write = number(spaces, "before")
    return linear_layer(shift_register(read.value, {1: write.value}), shift_register(read.square, {1: write.square}))


def _count_behind_equal(spaces: Spaces, eta: int) -> AttentionLayer:
    """The head, with the score -eta (w_j - w_k)^2, and 0 at [BOS]; `weight` is the attention to [BOS].

    At the threshold token w_k = q + 1 >= 1. So the first token after [BOS], which has w = 0, does not match.
    """
    one = spaces["one"]
    before = number(spaces, "before")
    scores = match(before, before, one, factors=(eta, 1), present=one - spaces["bos"])
    return side_by_side(count(scores, spaces["bos"], unit=spaces["weight"]))


def bound(task: CountingEncoding, rounding: str = "floor") -> dict[str, Number]:
    """Every size with explicit constants, from N and S alone.

    A score has four rows: core = 3 * 4 * 8 p. The table of numbers is a function of the index: program =
    p (4 + 2 * 2 * 8 + 8 (4 + 4 + 1 + 1) + 2 * 8 + 2), the recurrence, the head and the read-out; tables =
    program + 8 p (S + 1).
    """
    p = grid_of(task, rounding).precision
    return {
        "width": 8,
        "heads": 1,
        "layers": 2,
        "precision": p,
        "core_bits": 96 * p,
        "program_bits": 134 * p,
        "tables_bits": p * (134 + 8 * (task.alphabet + 1)),
        "state_numbers": 2,
        "state_bits": 2 * p,
        "state_bits_by_range": ceil_log2(task.alphabet + 1) + ceil_log2(task.alphabet**2 + 1),
    }


CONSTRUCTION = TaskConstruction(claim=CLAIM, build=build, bound=bound, trials=TRIALS, certified={"length": 2}, proved=proved)
THEOREM = Theorem(
    CLAIM,
    **CONSTRUCTION.functions,
    sides=("upper",),
    shown="A run checks the network at the length that it is built for.",
    not_shown="This does not show that the network is right at other lengths. The proof covers every N and S.",
)
