"""Lower bound: a rotary head that is aligned to one distance needs a width of order log N (Dirichlet).

Source: own; the theorem on simultaneous approximation is Dirichlet's, and the proof is Minkowski's.

Proof: let a head have k pairs with any angles theta_i, and let each pair add cos(theta_i n) at n places from the target. For
N >= 2 the box |n| <= N, |n theta_i / (2 pi) - m_i| <= N^(-1/k) in the k + 1 numbers n, m_1, .., m_k has volume 2^(k + 1).
Minkowski: it has a point of whole numbers other than 0. If n were 0, then |m_i| <= N^(-1/k) < 1 would make every m_i 0. So
some n from 1 to N has every theta_i n within 2 pi N^(-1/k) of a multiple of 2 pi. As 1 - cos x <= x^2 / 2, the score there is
lower by at most 2 pi^2 k N^(-2/k). A gap of mu at every distance to N therefore needs k ln(2 pi^2 k / mu) >= 2 ln N.

Rounding: none; angles and scores are real numbers.
"""

import math
from typing import Annotated

import numpy as np

from seqsep.core.options import Number, Range
from seqsep.theorems.base import Claim, Outcome, Theorem
from seqsep.theorems.options import Seed
from seqsep.theorems.positions._rotary_gap import MOST_DISTANCE, UNIT, angle, error, least_gap

CLAIM = Claim(
    name="rotary-width",
    source="own",
    statement="A rotary head of k pairs that is aligned to one distance has a gap of at most 2 pi^2 k N^(-2/k) to the other "
    "distances up to N, whatever its angles are",
)
Distances = Annotated[int, Range(2, MOST_DISTANCE), "N, the greatest distance from the target."]
MostPairs = Annotated[int, Range(1, 32), "The greatest number of pairs; all smaller numbers are checked too."]
Draws = Annotated[int, Range(1, 10_000), "Random sets of angles for each number of pairs."]
STOCK_BASE = 10_000


def most_gap(distances: int, pairs: int) -> float:
    """Return the greatest gap that k pairs can have.

    >>> round(most_gap(10**6, 1), 12), round(most_gap(10**6, 4), 2)
    (2e-11, 0.08)
    """
    return 2 * math.pi**2 * pairs * distances ** (-2 / pairs)


def least_pairs(distances: int, least: float) -> int:
    """Return a number of pairs that every head with this gap has at least.

    >>> [least_pairs(10**power, 1.0) for power in (3, 6, 9)]
    [4, 6, 9]
    """
    pairs = 1
    while most_gap(distances, pairs) < least:
        pairs += 1
    return pairs


def check(length: Distances = 4000, pairs: MostPairs = 6, draws: Draws = 3, seed: Seed = 0) -> list[Outcome]:
    """Enclose the gaps of stock and random angles: none is above the bound.

    Raises TheoremFails with the angles, in units of 2^-128, if a head has a greater gap.
    """
    generator = np.random.Generator(np.random.Philox(seed))
    found = []
    for count in range(1, pairs + 1):
        heads = [tuple(angle(STOCK_BASE, count, pair) for pair in range(count))]
        heads += [tuple(int(share * 2**53) * UNIT >> 53 for share in generator.random(count)) for _ in range(draws)]
        greatest, distance = max(_gap(length, angles) for angles in heads)
        found.append(
            CLAIM.lower(
                length=length,
                inputs=len(heads),
                measured={"gap": greatest},
                bound=sizes(length, count),
                variant=f"{count} pairs",
                witness={"pairs": count, "distance": distance},
            )
        )
    return found


def _gap(length: int, angles: tuple[int, ...]) -> tuple[float, int]:
    """Return the gap of a head from below, and its distance. Raises TheoremFails if it is above the bound for certain."""
    gap, distance = least_gap(angles, length)
    if gap > sizes(length, len(angles))["gap"]:
        raise CLAIM.fails({"angles": angles, "gap": gap, "error": error(len(angles)), "distance": distance})
    return gap, distance


def sizes(length: Distances, pairs: MostPairs = 6) -> dict[str, Number]:
    """The greatest gap of a head of k pairs."""
    return {"gap": most_gap(length, pairs)}


def verify(seed: int = 0) -> list[Outcome]:
    """Enclose gaps at every distance to 10^6 - 1 for up to 6 pairs, and to 20,000 for up to 8."""
    return check(10**6 - 1, 6, 1, seed) + check(20_000, 8, 10, seed + 1)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="The gap of stock and random angles is enclosed at every distance, and the closest distance is the witness.",
    not_shown="This does not show the bound for all angles; the written proof does. This does not show it for pairs of "
    "different amplitudes.",
    bound=sizes,
    verify=verify,
    nothing_to_apply="it is a lower bound: nothing is built",
    nothing_to_certify="a certificate holds whole numbers, and the bound is about all real angles",
)
