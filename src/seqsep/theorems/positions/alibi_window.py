"""Lower bound: ALiBi is a window; from a computed distance on, a token is worth exactly 0.

Source: own. ALiBi is that of Press et al. 2022 (arXiv:2108.12409): the score at distance D is lower by m D, for a slope m > 0.

Proof: let the other parts of two scores of a query differ by at most c. Softmax subtracts the greatest score, which is at least
that of the query's own token, at distance 0. The exponential of a token at distance D is therefore at most e^(c - m D). Let
`tiny` be the least positive number of the dtype. If e^(c - m D) < tiny / 2, that exponential rounds to 0, in any rounding to
nearest. So from D = floor((c - ln(tiny / 2)) / m) + 1 on, the output is the same for every key and value there.

Certificate. Let two words of D letters be read at an end token: 1 0^(D - 1) and 0^D. They differ at distance D only, so the
head writes the same after both, for any contents. In words with at most one 1, the head sees how far the 1 is, or that there
is none. This is a recurrence with one number: 1 after a letter 1, one more after a letter 0, and at most D. The number D
stands for "none". The certificate has this recurrence and these two words, which have different parities.

Rounding: each exponential is rounded once to the dtype, with subnormal numbers. If a kernel flushes these to 0, its window is
shorter. If a kernel keeps exponentials in a wider dtype, its window is that of the wider one.
"""

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np

from seqsep.core.options import Number, OneOf, Range
from seqsep.theorems.base import Claim, Outcome, Theorem
from seqsep.theorems.options import Inputs, Seed
from seqsep.theorems.state_tracking.collision import CollisionEvidence, GridRecurrence, StateCollision

if TYPE_CHECKING:
    import torch

CLAIM = Claim(
    name="alibi-window",
    source="own",
    statement="If contents move scores by at most c, an ALiBi head of slope m gives a token no weight from distance "
    "floor((c - ln(tiny / 2)) / m) + 1 on, with tiny the least number of the dtype",
)
LEAST_EXPONENT = {"float16": -24, "bfloat16": -133, "float32": -149}
"""log2 of the least positive number, which is subnormal."""
Slope = Annotated[int, Range(0, 12), "The slope is 2^-SLOPE."]
Spread = Annotated[int, Range(0, 64), "c, the most by which contents move a score."]
Dtype = Annotated[str, OneOf(*LEAST_EXPONENT), "The dtype that exponentials are rounded to."]


def window(slope: int, spread: int, dtype: str) -> int:
    """Return the least distance from which on every token is worth 0.

    >>> [window(8, 0, dtype) for dtype in LEAST_EXPONENT]
    [4437, 23778, 26617]
    """
    return math.floor((spread - (LEAST_EXPONENT[dtype] - 1) * math.log(2)) * 2**slope) + 1


def exponentials(contents: np.ndarray, slope: int, dtype: str) -> "torch.Tensor":
    """Return the exponentials of softmax at distances 0, 1, .. to the query, in the dtype, each rounded once."""
    import torch

    scores = torch.from_numpy(contents - np.arange(len(contents)) * 2.0**-slope)
    return torch.exp(scores - scores.max()).to(getattr(torch, dtype))


def check(
    slope: Slope = 4, spread: Spread = 8, dtype: Dtype = "bfloat16", inputs: Inputs = 50, seed: Seed = 0
) -> list[Outcome]:
    """Run softmax on random contents: no token from the window on has an exponential other than 0.

    The extreme contents are tested first: highest from one token before the window on, lowest at every nearer token.
    Raises TheoremFails with the distance if a token there has a weight.
    """
    bound = window(slope, spread, dtype)
    extreme = np.full(bound + 64, float(spread))
    extreme[: bound - 1] = 0
    generator = np.random.Generator(np.random.Philox(seed))
    drawn = [generator.random(bound + 64) * spread for _ in range(inputs)]
    last = 0
    for contents in (extreme, *drawn):
        seen = int(exponentials(contents, slope, dtype).nonzero().max())
        last = max(last, seen)
        if seen >= bound:
            raise CLAIM.fails({"distance": seen, "window": bound})
    return [
        CLAIM.lower(
            length=bound + 64,
            inputs=inputs + 1,
            measured={"distance": last + 1},
            bound=sizes(slope, spread, dtype),
            variant=f"{dtype}, slope 2^-{slope}",
        )
    ]


def sizes(slope: Slope = 4, spread: Spread = 8, dtype: Dtype = "bfloat16") -> dict[str, Number]:
    """The distance from which on a token is worth 0."""
    return {"distance": window(slope, spread, dtype)}


def certificate_witness(slope: Slope = 4, spread: Spread = 8, dtype: Dtype = "bfloat16") -> CollisionEvidence:
    """Return the distance of the last 1 as a recurrence, and two words that lead to one state.

    >>> certificate_witness(slope=0, spread=0, dtype="float16").witness.words
    ([(1, 1), (0, 17)], [(0, 18)])
    """
    distance = window(slope, spread, dtype)
    end = math.isqrt(distance // 2) + 1
    farthest = end * end
    distances = GridRecurrence(end, "floor", [[[1, 1]], [[0, farthest - distance + 1]]], start=(farthest,))
    words = ([(1, 1), (0, distance - 1)], [(0, distance)])
    return CollisionEvidence("ones-modulo", {"modulus": 2}, StateCollision(distances, words))


def verify(seed: int = 0) -> list[Outcome]:
    """Run every dtype with slopes of 2^-1 to 2^-8."""
    return [
        outcome for dtype in LEAST_EXPONENT for slope in range(1, 9) for outcome in check(slope, 8, dtype, inputs=50, seed=seed)
    ]


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="Softmax runs with ALiBi on random contents, and the farthest token with a weight is measured. "
    "The certificate has two words of different parity that the head cannot distinguish.",
    not_shown="This does not show the window of a kernel that keeps exponentials in a wider dtype.",
    bound=sizes,
    verify=verify,
    nothing_to_apply="it is a lower bound: nothing is built",
    certificate_witness=certificate_witness,
)
