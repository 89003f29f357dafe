"""A layer of real diagonal channels, rounded once a step, has only periods 1 and 2, so it does not count modulo 3.

Source: own. Grazzi et al. 2024 (arXiv:2411.12537) show that layers with real eigenvalues cannot count modulo 3 at finite
precision. We differ: the bound is an explicit number of tokens, for numbers that are rounded once a step.

*Statement.* A channel has one number h. Each token applies h <- R(a h + b), with any real a and b chosen by the token. R is a
monotone rounding to G values, and cuts off beyond the least and the greatest value. R is applied once, to the exact a h + b.
A layer has any number of channels. Then the words 1^n and 1^(n + 2) reach one state for n = 2 (G - 1). So no read-out gives n
modulo m for m >= 3 up to 2 G ones.

*Proof.* On a run of ones, a channel applies one map f. If a >= 0, then f is nondecreasing, otherwise it is nonincreasing. In
both cases f f is nondecreasing. As in `nonnegative_diagonal`, the run h, f f h, f f f f h, .. stands still after at most G -
1 double steps. So f f fixes the state after 2 (G - 1) ones, in each channel. The numbers n and n + 2 differ modulo m for m
>= 3.

*Period 2 exists.* a = -1, b = 0 and the start 1 give 1, -1, 1, ..: parity, exactly and for ever (2411.12537).

*Rounding in more places.* The proof holds for every composition of monotone maps of one channel's number, such as R(R(a h) +
b).
"""

from fractions import Fraction
from functools import partial

import numpy as np

from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.options import GridRounding, Seed
from seqsep.theorems.state_tracking._recurrences import GridEnd, count_values, diagonal_step, ending, on_all_grids
from seqsep.theorems.state_tracking.collision import CollisionEvidence, GridRecurrence, collision_on_ones, diagonal_maps
from seqsep.theorems.state_tracking.nonnegative_diagonal import CHANNELS, LayerCount

CLAIM = Claim(
    name="diagonal-periods",
    source="own",
    statement="Real diagonal channels, rounded once a step to G values, have only periods 1 and 2 on a run of one letter",
)


def bound(end: GridEnd) -> dict[str, Number]:
    """Return the greatest period, and the greatest n at which the run is not yet periodic.

    >>> bound(2)
    {'period': 2, 'ones': 16}
    """
    return {"period": 2, "ones": 2 * (count_values(end) - 1)}


def check(end: GridEnd = 3, layers: LayerCount = 50, rounding: GridRounding = "floor", seed: Seed = 0) -> list[Outcome]:
    """Find two words with one state for random layers of three channels, and for the layer that has period 2.

    Raises TheoremFails with a layer that has another period, or that runs longer than 2 (G - 1).
    """
    generator = np.random.default_rng(seed)
    limit = end * end
    bounds = bound(end)
    endings = [ending(diagonal_step([-1], [0], end, rounding), (1,))]
    for _ in range(layers):
        factors = [Fraction(int(value), end) for value in generator.integers(-limit, limit + 1, CHANNELS)]
        summands = generator.integers(-limit, limit + 1, CHANNELS).tolist()
        first = tuple(generator.integers(-limit, limit + 1, CHANNELS).tolist())
        found = ending(diagonal_step(factors, summands, end, rounding), first)
        if found.period > bounds["period"] or found.start > bounds["ones"]:
            raise CLAIM.fails({"factors": factors, "summands": summands, "start": first, "words": found})
        endings.append(found)
    longest = max(endings)
    return [
        CLAIM.lower(
            length=2 * count_values(end),
            inputs=len(endings),
            measured={"period": max(found.period for found in endings), "ones": longest.start},
            bound=bounds,
            variant=f"L = {end}, {rounding}",
            witness={"words": [f"1^{longest.start}", f"1^{longest.start + longest.period}"]},
        )
    ]


def certificate_witness(end: GridEnd = 3, rounding: GridRounding = "floor", seed: Seed = 0) -> CollisionEvidence:
    """Return a random layer with the words 1^n and 1^(n + 2). On ones, its first channel is 1, -1, 1, .., which has period 2.

    >>> certificate_witness(end=2).witness.recurrence.maps[1][0]
    [Fraction(-1, 1), 0, 0, 0]
    """
    generator = np.random.default_rng(seed)
    limit = end * end
    factors = generator.integers(-limit, limit + 1, (2, CHANNELS))
    summands = generator.integers(-limit, limit + 1, (2, CHANNELS))
    factors[1, 0] = -end
    summands[1, 0] = 0
    start = (1, *generator.integers(-limit, limit + 1, CHANNELS - 1).tolist())
    return collision_on_ones(GridRecurrence(end, rounding, diagonal_maps(factors, summands, end), start), gap=2)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="A run finds, for each random layer, two words 1^n and 1^(n + p) that reach one state, with p at most 2.",
    not_shown="This does not show that every layer has such words. The proof shows that. It is for one layer with a "
    "diagonal step. "
    "Rotations and delta rules are not diagonal.",
    bound=bound,
    verify=partial(on_all_grids, check),
    nothing_to_apply="it builds nothing; `seqsep check diagonal-periods` shows the words",
    certificate_witness=certificate_witness,
)
