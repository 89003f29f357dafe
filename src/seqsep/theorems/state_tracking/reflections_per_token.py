"""The least number of reflections a token with which one layer follows a finite group.

Source: own. The two ingredients are Scherk's theorem, and delta rules with a factor in [0, 2] (Grazzi et al. 2024,
arXiv:2411.12537), several a token (Siems et al. 2025, arXiv:2502.10297), where m - 1 a token are enough for S_m.
We differ: we compute the least number of each group, from both sides. It is 2 for A_4, S_4 and A_5.

The model. A token with the letter g applies S <- M(g) S + B(g), and M(g) is a decay in [0, 1] times n factors I - b k k^T with
unit vectors k and b in [0, 2]. The state S is d x v numbers, one head. Every element of the group is a letter. We say that
the layer *follows* the group if the state after a word is decided by its product, and other products lead to other states.

*Statement.* The least n is the minimum over all faithful real representations of the group of the greatest rank of M(g) - I.

*At least.*
1. The orbit of the start state is finite, and its mean is a state that no letter moves. Subtract it, so B = 0. Let U be the
   span of the columns of all states. On the orbit M(g) M(h) = M(g h), so this holds on U. U is a faithful representation.
2. A factor, and a decay, never makes a vector longer. M(g) has a finite order on U, so it keeps lengths there.
3. On the vectors orthogonal to all k of a token, the product of the factors is I. So M(g) / decay - I has rank at most n. As U
   is not 0 and M(g) keeps lengths there, the decay is 1. So the rank of M(g) - I on U is at most n, for every g.

*At most* (Scherk). Let M be orthogonal and r = rank(M - I). If M x != x, put k = (M x - x) / |M x - x|. The reflection I - 2 k
k^T maps M x to x, and fixes every vector that M fixes, because these are orthogonal to M x - x. So (I - 2 k k^T) M fixes one
dimension more. After r such steps I is left, so M is a product of r reflections (`reflections`).

*The minimum* (`least`). The rank of a sum of representations is the sum of the ranks. So more parts never lower a rank, and
only sums of different irreducible ones need a look. Their ranks come from their characters (`_representations`), which are
computed from the table of the group. All faithful sums are listed. In each one, an element of greatest rank is the witness.

Rounding. Ranks are whole numbers, computed in float64 to 1e-6. The run is in float64: its margin is the distance to the next
nearest state, less the distance to the right one. Entries are not dyadic, so errors grow with the length.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Annotated, Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from seqsep.core.options import Range
from seqsep.maths.automata.permutations import PermutationGroup
from seqsep.theorems.base import Claim, Margin, Number, Outcome, Theorem
from seqsep.theorems.options import Length, Seed
from seqsep.theorems.state_tracking._representations import CLOSE, Representation, irreducible
from seqsep.theorems.state_tracking._words import (
    Degree,
    GroupName,
    group_of,
    label,
    letters_in,
    require_products,
    table_of,
)

CLAIM = Claim(
    name="reflections-per-token",
    source="own",
    statement="The least number of reflections a token with which one layer follows a group is the least greatest rank of "
    "M(g) - I over its faithful real representations",
)
MOST_IRREDUCIBLE = 16
Vector = Float64[np.ndarray, "size"]


class LeastReflections(NamedTuple):
    """The least number of reflections, the parts of a representation that has it, and the witnesses of all faithful sums.

    Fields:
        number: the least greatest rank.
        parts: the irreducible representations of a sum that reaches it.
        witnesses: for each faithful sum, its parts and an element of greatest rank.
    """

    number: int
    parts: tuple[Representation, ...]
    witnesses: tuple[tuple[tuple[Representation, ...], int], ...]


def least(group: PermutationGroup) -> LeastReflections:
    """Search all sums of different irreducible representations that are faithful.

    Raises ValueError for a group with more than 16 irreducible real representations.

    >>> [least(group_of(*named)).number for named in (("cyclic", 2), ("cyclic", 5), ("symmetric", 4), ("dicyclic", 2))]
    [1, 2, 2, 4]
    """
    parts = irreducible(table_of(group))
    if len(parts) > MOST_IRREDUCIBLE:
        raise ValueError(f"least: {len(parts)} irreducible real representations, expected at most {MOST_IRREDUCIBLE}")
    best: tuple[int, int, tuple[Representation, ...]] | None = None
    witnesses = []
    for count in range(1, len(parts)):
        for chosen in combinations(parts[1:], count):
            if len(frozenset.intersection(*(one.kernel for one in chosen))) > 1:
                continue
            ranks = np.sum([one.ranks for one in chosen], axis=0)
            element = int(ranks.argmax())
            witnesses.append((chosen, element))
            found = (int(ranks[element]), sum(one.size for one in chosen), chosen)
            if best is None or found[:2] < best[:2]:
                best = found
    if best is None:
        raise CLAIM.fails({"group of": len(group.elements), "found": "no faithful representation"})
    return LeastReflections(best[0], best[2], tuple(witnesses))


def reflections(matrix: Float64[np.ndarray, "size size"]) -> list[Vector]:
    """Return unit vectors whose reflections have an orthogonal matrix as their product, the last one acting first.

    >>> [vector.round(3).tolist() for vector in reflections(np.array([[0.0, 1.0], [1.0, 0.0]]))]
    [[-0.707, 0.707]]
    """
    rest = matrix.copy()
    found = []
    for _ in range(len(matrix)):
        moved = rest - np.eye(len(rest))
        lengths = np.linalg.norm(moved, axis=0)
        column = int(lengths.argmax())
        if lengths[column] < 1e-9:
            break
        vector = moved[:, column] / lengths[column]
        found.append(vector)
        rest = rest - 2 * np.outer(vector, vector @ rest)
    return found


class ScherkLayer(NamedTuple):
    """The keys of each letter, the first acting first, and the state of each element."""

    keys: list[list[Vector]]
    states: Float64[np.ndarray, "elements size"]

    @property
    def separation(self) -> float:
        """The least distance of two states."""
        apart = np.linalg.norm(self.states[1:] - self.states[0], axis=1)
        return float(apart.min())

    def follow(self, letters: list[int]) -> tuple[list[int], float]:
        """Return the nearest element after each letter, and the least margin."""
        state = self.states[0]
        found = []
        margin = np.inf
        for letter in letters:
            for key in self.keys[letter]:
                state = state - 2 * key * (key @ state)
            apart = np.linalg.norm(self.states - state, axis=1)
            first, second = np.argsort(apart)[:2]
            found.append(int(first))
            margin = min(margin, float(apart[second] - apart[first]))
        return found, margin


def build(group: PermutationGroup, found: LeastReflections, seed: int = 0) -> ScherkLayer:
    """Return the layer of a representation, with a random start vector, the same in no two states."""
    size = sum(one.size for one in found.parts)
    matrices = np.zeros((len(group.elements), size, size))
    first = 0
    for one in found.parts:
        inside = slice(first, first + one.size)
        matrices[:, inside, inside] = one.matrices
        first += one.size
    random = np.random.default_rng(seed)
    starts = [start / np.linalg.norm(start) for start in random.normal(size=(32, size))]
    layers = [ScherkLayer([], matrices @ start) for start in starts]
    states = max(layers, key=lambda layer: layer.separation).states
    return ScherkLayer([reflections(matrix)[::-1] for matrix in matrices], states)


def bound(group: GroupName, degree: Degree) -> dict[str, Number]:
    """Return the least number of reflections a token.

    >>> bound(group="alternating", degree=4)
    {'reflections': 2}
    """
    return {"reflections": least(group_of(group, degree)).number}


def check(length: Length = 200, group: GroupName = "alternating", degree: Degree = 4, seed: Seed = 0) -> list[Outcome]:
    """Build the layer and run it on a random word of all elements; list the witness of every faithful sum.

    Raises ValueError for a group that is too large, and TheoremFails with the word if an answer is wrong.
    """
    chosen = group_of(group, degree)
    found = least(chosen)
    layer = build(chosen, found, seed)
    letters = np.random.default_rng(seed).integers(len(chosen.elements), size=length).tolist()
    answers, margin = layer.follow(letters)
    require_products(CLAIM, chosen, letters, answers)
    used: dict[str, Number] = {"reflections": max(len(keys) for keys in layer.keys)}
    bounds: dict[str, Number] = {"reflections": found.number}
    upper = CLAIM.upper(
        length=length,
        inputs=length,
        measured=CLAIM.within(used, bounds),
        bound=bounds,
        variant=label(group, degree),
        margin=Margin(margin, 0.0, "the second nearest state"),
    )
    ranks = [_rank(parts, element) for parts, element in found.witnesses]
    if min(ranks) < found.number:
        raise CLAIM.fails({"group": label(group, degree), "ranks": ranks, "expected at least": found.number})
    shown = [
        {"dimensions": [one.size for one in parts], "element": list(chosen.elements[element]), "rank": rank}
        for (parts, element), rank in zip(found.witnesses[:8], ranks, strict=False)
    ]
    lower = CLAIM.lower(
        length=1,
        inputs=len(found.witnesses),
        measured={"reflections": min(ranks)},
        bound=bounds,
        variant=label(group, degree),
        witness={"faithful sums": shown},
    )
    return [upper, lower]


def _rank(parts: tuple[Representation, ...], element: int) -> int:
    """Return the rank of M(g) - I from the matrices, by their singular values."""
    return sum(int(np.linalg.matrix_rank(one.matrices[element] - np.eye(one.size), tol=CLOSE)) for one in parts)


def predictor(length: Length, group: GroupName = "alternating", degree: Degree = 4) -> Callable[[Mapping[str, Any]], list[int]]:
    """Answer {"letters": [[1, 2, 0, 3], ..]}, at most `length` elements, with their product; the last one acts last.

    >>> predictor(length=4, group="symmetric", degree=3)({"letters": [[1, 2, 0], [1, 0, 2]]})
    [0, 2, 1]
    """
    chosen = group_of(group, degree)
    layer = build(chosen, least(chosen))

    def answer(given: Mapping[str, Any]) -> list[int]:
        return list(chosen.elements[layer.follow(letters_in(given, chosen, length))[0][-1]])

    return answer


GROUPS: tuple[tuple[str, int, int], ...] = (
    ("cyclic", 2, 1),
    ("cyclic", 3, 2),
    ("cyclic", 7, 2),
    ("cyclic", 12, 2),
    ("dihedral", 4, 2),
    ("dihedral", 5, 2),
    ("symmetric", 3, 2),
    ("alternating", 4, 2),
    ("symmetric", 4, 2),
    ("alternating", 5, 2),
    ("symmetric", 5, 4),
    ("dicyclic", 2, 4),
)
"""Groups, and the least number that an independent computation found for each."""


def verify(length: Annotated[int, Range(1)] = 10_000) -> list[Outcome]:
    """Run each group of the list on 10,000 tokens, and require the least numbers of the list."""
    outcomes = []
    for group, degree, expected in GROUPS:
        outcomes += check(length, group, degree)
        if outcomes[-1].bound["reflections"] != expected:
            raise CLAIM.fails({"group": label(group, degree), "found": outcomes[-1].bound, "expected": expected})
    return outcomes


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run computes the irreducible real representations of the group and the least number. It builds the layer "
    "and follows a random word in float64. For every faithful sum it names an element whose rank is at least this "
    "number.",
    not_shown="This does not show a bound for several heads, several layers, or states that are not decided by the product. "
    "It does not show that float64 is enough at every length.",
    bound=bound,
    predictor=predictor,
    verify=verify,
    nothing_to_certify="certificates have no type for representations of groups, whose matrices have real numbers",
)
