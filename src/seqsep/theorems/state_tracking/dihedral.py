"""Two layers with one reflection a token follow every dihedral group, and every cyclic group in it.

Source: own. One layer needs two reflections a token for these groups (`reflections_per_token`), since a rotation is not a
reflection. Grazzi et al. 2024 (arXiv:2411.12537) show that layers of generalised Householder matrices follow such groups.
Siems et al. 2025 (arXiv:2502.10297) show that two DeltaNet layers follow dihedral groups. We differ: our layers have one number
and two numbers of state, and an error bound for each length.

*Statement.* Let every element of D_m be a letter. Let r(g) be its 2 x 2 matrix, and s the reflection of the point i to -i.
Layer 1 is one number x = (-1)^p, where p is the number of rotations so far; the neutral element is a rotation. Layer 2 is a
vector v of two numbers, which each token reflects once. After each letter, (x, v) decides the product.

*Construction.*
1. Layer 1 multiplies x by 1 - b, with b = 2 at a rotation and b = 0 at a reflection. The start is 1. This is exact.
2. Layer 2 applies H_t = s^p_t r(g_t) s^p_(t-1) to v. The parity p_(t-1) is p_t at a reflection, and p_t + 1 at a rotation, so
   x and the letter decide H_t.
3. The answer is the element g for which r(g) v_0 is the nearest to s^p_t v.

*Proof.* At a rotation exactly one of p_t and p_(t-1) is odd, so H_t is a product of a rotation and one s. At a reflection both
are equal, so H_t has determinant -1 too. A 2 x 2 orthogonal matrix of determinant -1 is a reflection I - 2 k k^T, so one delta
rule with b = 2 applies it. As s s = 1, v_t = s^p_t P_t v_0 for the product P_t. So s^p_t v_t = P_t v_0.

*Margin.* v_0 has the angle pi / 2m. The 2 m vectors r(g) v_0 are then evenly spaced on the circle, at pi / m, and neighbours
have the distance 2 sin(pi / 2m). Cyclic groups have half of these vectors, at distance 2 sin(pi / m).

*Rounding.* Layer 2 is in float64, and every operation is rounded; let u = 2^-53. A key is computed from an angle of at most
pi in three operations, so it is off by at most 11 u, and its reflection by 2 * 11 u * 2 = 44 u. Applying it costs at most
10 u more. So each token adds an error of at most 64 u, relative to |v|. After t tokens the error is at most (1 + 64 u)^t -
1. The margin falls by at most twice that. For lengths up to 2^16 the error is below 1.001 * 64 u t (`proved`).
Keys are not dyadic for m above 2, so bfloat16 is wrong sooner.
"""

from collections.abc import Callable, Mapping, Sequence
from math import pi, sin
from typing import Annotated, Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from seqsep.core.options import OneOf, Range
from seqsep.maths.automata.permutations import Permutation
from seqsep.theorems.base import Claim, Margin, Number, Outcome, Theorem
from seqsep.theorems.options import Length, Seed
from seqsep.theorems.state_tracking._words import Degree, group_of, label, letters_in, require_products

CLAIM = Claim(
    name="dihedral-reflections",
    source="own",
    statement="Two layers with one reflection a token and three numbers of state follow D_m and Z_m",
)
UNIT = 2.0**-53
ERROR = 64 * UNIT
"""The most that a token adds to the error of the state."""
Family = Annotated[str, OneOf("dihedral", "cyclic"), "The family of groups."]
Vector = Float64[np.ndarray, "size"]


class Turn(NamedTuple):
    """The map of the points i -> shift + i, or with `mirrored` i -> shift - i, modulo m."""

    shift: int
    mirrored: int

    def after(self, other: "Turn", degree: int) -> "Turn":
        """Return the map that is `other` and then this one."""
        sign = -1 if self.mirrored else 1
        return Turn((self.shift + sign * other.shift) % degree, self.mirrored ^ other.mirrored)


def turn_of(element: Permutation) -> Turn:
    """Return an element of D_m or Z_m as a turn.

    >>> turn_of((2, 1, 0)), turn_of((1, 2, 0))
    (Turn(shift=2, mirrored=1), Turn(shift=1, mirrored=0))
    """
    return Turn(element[0], int((element[1] - element[0]) % len(element) != 1))


def key(turn: Turn, degree: int) -> Vector:
    """Return the unit vector k of a mirrored turn: its matrix is I - 2 k k^T.

    Raises ValueError for a rotation.
    """
    if not turn.mirrored:
        raise ValueError(f"key({turn}): expected a reflection")
    half = pi * turn.shift / degree
    return np.array([-np.sin(half), np.cos(half)])


class DihedralLayers(NamedTuple):
    """The two layers.

    Fields:
        degree: m.
        turns: the turn of each letter.
        ends: the vector P v_0 of each element.
    """

    degree: int
    turns: list[Turn]
    ends: Float64[np.ndarray, "elements size"]

    def follow(self, letters: Sequence[int]) -> tuple[list[int], float]:
        """Return the answer after each letter, and the least margin."""
        sign = 1
        start = pi / (2 * self.degree)
        vector = np.array([np.cos(start), np.sin(start)])
        found = []
        margin = np.inf
        for letter in letters:
            turn = self.turns[letter]
            sign *= 1 - (0 if turn.mirrored else 2)
            before = sign if turn.mirrored else -sign
            unit = key(self.reflection(sign, turn, before), self.degree)
            vector = vector - 2 * unit * (unit @ vector)
            apart = np.linalg.norm(self.ends - vector * (1, sign), axis=1)
            first, second = np.argsort(apart)[:2]
            found.append(int(first))
            margin = min(margin, float(apart[second] - apart[first]))
        return found, margin

    def reflection(self, sign: int, turn: Turn, before: int) -> Turn:
        """Return H_t from the parities after and before the letter, as signs, and the letter."""
        sides = [Turn(0, int(parity < 0)) for parity in (sign, before)]
        return sides[0].after(turn, self.degree).after(sides[1], self.degree)


def build(group: str, degree: int) -> DihedralLayers:
    """Return the layers for all elements of D_m or Z_m as letters.

    >>> build("dihedral", 3).follow([1, 2])[0]
    [1, 3]
    """
    turns = [turn_of(element) for element in group_of(group, degree).elements]
    start = pi / (2 * degree)
    angles = [2 * pi * turn.shift / degree + (-start if turn.mirrored else start) for turn in turns]
    return DihedralLayers(degree, turns, np.column_stack([np.cos(angles), np.sin(angles)]))


def proved(group: str, degree: int, length: int) -> float:
    """Return the margin that the proof guarantees up to a length, in float64.

    >>> round(proved("dihedral", 5, 10_000), 6)
    0.618034
    """
    apart = 2 * sin(pi / (2 * degree if group == "dihedral" else degree))
    return apart - 2 * 1.001 * length * ERROR - 8 * UNIT


def bound(group: Family, degree: Degree) -> dict[str, Number]:
    """Return the sizes of the statement.

    >>> bound("cyclic", 7)
    {'layers': 2, 'reflections': 1, 'state_numbers': 3}
    """
    group_of(group, degree)
    return {"layers": 2, "reflections": 1, "state_numbers": 3}


def check(length: Length = 200, group: Family = "dihedral", degree: Degree = 5, seed: Seed = 0) -> list[Outcome]:
    """Run the layers on a random word of all elements.

    Raises ValueError for a group that is too large, and TheoremFails with the word if an answer is wrong.
    """
    chosen = group_of(group, degree)
    layers = build(group, degree)
    letters = np.random.default_rng(seed).integers(len(chosen.elements), size=length).tolist()
    answers, margin = layers.follow(letters)
    require_products(CLAIM, chosen, letters, answers)
    measured: dict[str, Number] = {"layers": 2, "reflections": 1, "state_numbers": 1 + layers.ends.shape[1]}
    bounds = bound(group, degree)
    return [
        CLAIM.upper(
            length=length,
            inputs=length,
            measured=CLAIM.within(measured, bounds),
            bound=bounds,
            variant=label(group, degree),
            margin=Margin(margin, proved(group, degree, length), "the second nearest state"),
        )
    ]


def predictor(length: Length, group: Family = "dihedral", degree: Degree = 5) -> Callable[[Mapping[str, Any]], list[int]]:
    """Answer {"letters": [[1, 2, 0], ..]}, at most `length` elements, with their product; the last one acts last.

    >>> predictor(length=4, degree=3)({"letters": [[1, 2, 0], [0, 2, 1]]})
    [2, 1, 0]
    """
    chosen = group_of(group, degree)
    layers = build(group, degree)

    def answer(given: Mapping[str, Any]) -> list[int]:
        return list(chosen.elements[layers.follow(letters_in(given, chosen, length))[0][-1]])

    return answer


def verify(length: Annotated[int, Range(1)] = 10_000) -> list[Outcome]:
    """Run D_3 to D_12 and Z_2 to Z_12 on 10,000 tokens each."""
    dihedral = [outcome for degree in range(3, 13) for outcome in check(length, "dihedral", degree)]
    return dihedral + [outcome for degree in range(2, 13) for outcome in check(length, "cyclic", degree)]


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run builds the two layers and follows a random word of all elements in float64. It compares the product "
    "after each letter, and the margin with the proved one.",
    not_shown="This does not show the claim for other degrees, and does not test words that are not drawn. The proof covers "
    "them up to the length at which the proved margin is 0.",
    bound=bound,
    predictor=predictor,
    verify=verify,
    nothing_to_certify="certificates have no type for recurrences with real numbers",
)
