"""Without positions, one head still numbers tokens: it attends to BOS, and reads 1/t at token t.

Source: own.

Upper bound, as code: every key and query is 0, so all tokens up to t have the same score. BOS has the value 1, and every other
token has the value 0. So the head writes R(1/t) at token t, counted from 1 at BOS. On the grid, 1/t - 1/(t + 1) is 1 / (t (t +
1)). If L >= N (N - 1), that is at least 1/L for all t < N, so both numbers are rounded to different ones.

Lower bound: let L be such that R(1/t) differs for t = 1, .., N. In steps, R(1/t) is floor(L/t) or floor(L/t + 1/2). These whole
numbers fall with t, so for every s < N the one at s is at least N - s above the one at N. Two floors differ by less than 1 more
than their numbers do. So L/s - L/N > N - s - 1, which is

    L > s N (N - s - 1) / (N - s).

With s = N - r this is N (N - r) (1 - 1/r), and `least_steps` returns the greatest value over r. For a real r = sqrt(N) it is
N (sqrt(N) - 1)^2. So the least L is about N^2 for great N, and such a counter takes p = bit_length(2 L^2), about 4 log2 N bits.

Floating point: in a dtype, `separated` is the greatest N for which 1/t, rounded once, differs for t = 1, .., N. Rounding is
monotone, so neighbours that differ are enough. The numbers are computed exhaustively.

Rounding: on the grid at the places of `maths.networks.executor`. In a dtype only 1/t is rounded. A sum of t ones is exact to
t = 256 in bfloat16, 2^11 in float16 and 2^24 in float32, which is more than is separated.
"""

from typing import Annotated

import numpy as np

from seqsep.core.options import Number, Range
from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, Head, Network, whole
from seqsep.theorems.base import Claim, Outcome, Theorem
from seqsep.theorems.options import GridRounding, Length

CLAIM = Claim(
    name="no-positions",
    source="own",
    statement="Without positions a head reads 1/t at token t; this differs for N tokens on a grid of L >= N (N - 1) steps, "
    "and not if L <= N (N - r) (1 - 1/r) for a whole r < N",
)
SEPARATED = {"bfloat16": 190, "float16": 1464, "float32": 11_864_338}
"""The greatest N for which 1/t, rounded once, differs for t = 1, .., N."""
AT_ONCE = 1 << 20


def least_steps(length: int) -> int:
    """Return a number of steps that every grid has at least on which R(1/t) differs for t = 1 to N.

    >>> [least_steps(length) for length in (8, 16, 32, 64)]
    [27, 145, 694, 3137]
    """
    return 1 + max((length * (length - r) * (r - 1)) // r for r in range(1, length))


def enough_steps(length: int) -> int:
    """Return a number of steps from which on R(1/t) differs for t = 1 to N, on every grid: N (N - 1)."""
    return length * (length - 1)


def counter(steps: int, rounding: str) -> Network:
    """Return the head as a network over BOS = 1 and one letter, 0."""
    head = Head(query=whole([[0, 0]]), key=whole([[0, 0]]), value=whole([[1, 0]]), output=whole([[0], [1]]))
    return Network(
        name="no-positions",
        grid=Grid(steps, "nearest" if rounding == "nearest" else "floor"),
        spaces={"BOS": slice(0, 1), "share": slice(1, 2)},
        symbols=whole([[0, 0], [1, 0]]),
        layers=((AttentionLayer((head,)), None),),
        readout=whole([[0, 1]]),
        readout_bias=whole([0]),
    )


def shares(length: int, steps: int, rounding: str) -> Array:
    """Run the head on BOS and N - 1 letters, and return what it writes at each token."""
    return run(counter(steps, rounding), np.array([[1] + [0] * (length - 1)])).logits[0, :, 0]


def is_separating(length: int, steps: int, rounding: str) -> bool:
    """Return True if what the head writes differs for all tokens.

    >>> is_separating(8, 30, "floor"), is_separating(8, 29, "floor"), is_separating(8, 32, "floor")
    (True, False, False)
    """
    return len(np.unique(shares(length, steps, rounding).integers)) == length


def separated(dtype: str) -> int:
    """Return the greatest N for which 1/t, rounded once to a dtype, differs for t = 1, .., N.

    >>> separated("bfloat16")
    190
    """
    import torch

    first = 1
    while True:
        times = torch.arange(first, first + AT_ONCE, dtype=torch.float64)
        numbers = (1 / times).to(getattr(torch, dtype))
        equal = torch.nonzero(numbers[1:] == numbers[:-1])
        if len(equal):
            return first + int(equal[0])
        first += AT_ONCE - 1


def check(length: Annotated[Length, Range(4, 64)] = 16, rounding: GridRounding = "floor") -> list[Outcome]:
    """Run the head on every grid up to N (N - 1) steps, and N beyond; compare 1/t in two dtypes.

    Raises TheoremFails with the steps if a grid of enough steps does not separate the tokens, or one of too few does.
    """
    least = least_steps(length)
    enough = enough_steps(length)
    found = [steps for steps in range(2, enough + length) if is_separating(length, steps, rounding)]
    wrong = [steps for steps in range(enough, enough + length) if steps not in found]
    wrong += [steps for steps in found if steps < least]
    if wrong:
        raise CLAIM.fails({"length": length, "rounding": rounding, "steps": wrong[0]})
    return [
        CLAIM.upper(
            length=length,
            inputs=length,
            measured={"steps": found[0]},
            bound={"steps": enough},
            variant=rounding,
        ),
        CLAIM.lower(
            length=length,
            inputs=enough + length - 2,
            measured={"steps": found[0]},
            bound={"steps": least},
            variant=rounding,
            witness=_equal_pair(length, found[0] - 1, rounding),
        ),
        _in_dtype("bfloat16"),
        _in_dtype("float16"),
    ]


def _in_dtype(dtype: str) -> Outcome:
    """Return the outcome for 1/t in a dtype. Raises TheoremFails if another number of tokens is separated."""
    found = separated(dtype)
    if found != SEPARATED[dtype]:
        raise CLAIM.fails({"dtype": dtype, "separated": found})
    statement = f"Without positions, 1/t rounded once to {dtype} differs for {found:,} tokens, and for no more"
    counts: dict[str, Number] = {"tokens": found}
    return CLAIM.upper(statement=statement, length=found, inputs=found, measured=counts, bound=counts, variant=dtype)


def _equal_pair(length: int, steps: int, rounding: str) -> dict[str, int]:
    """Return two tokens at which the head writes the same number, on a grid of too few steps."""
    written = shares(length, steps, rounding).integers
    place = int(np.flatnonzero(written[1:] == written[:-1])[0])
    return {"steps": steps, "token": place + 1, "other token": place + 2}


def sizes(length: Length) -> dict[str, Number]:
    """The number of steps with which the head numbers N tokens."""
    return {"steps": enough_steps(length)}


def verify() -> list[Outcome]:
    """Run every grid for N = 8, 16 and 32, and compare 1/t in float32 up to 11,864,338 tokens."""
    found = [outcome for length in (8, 16, 32) for rounding in ("floor", "nearest") for outcome in check(length, rounding)]
    return [*found, _in_dtype("float32")]


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="The head runs on every grid up to N (N - 1) steps and N beyond. The least grid on which all numbers differ is "
    "measured, and two tokens with one number on the grid before it are the witness.",
    not_shown="This does not show that a later layer can use these numbers, nor a bound for heads that compute another number "
    "than 1/t.",
    bound=sizes,
    verify=verify,
    nothing_to_apply="the head writes a number, and answers nothing",
    nothing_to_certify="a certificate shows answers, and this bound is about the numbers that a head writes; it is arithmetic "
    "on N and L that a reader can repeat",
)
