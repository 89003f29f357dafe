"""Layers of rotations by roots of unity that the token chooses follow a solvable group; its derived length is enough layers.

Source: own. arXiv:2603.01959 relates depth of complex diagonal recurrences to solvable groups; we have not read its proof. We
differ: the construction is explicit for every solvable group, with its exact state. Groups that are not solvable are refused.

*Statement.* Let G = N_0 > N_1 > .. > N_d = 1 be the derived series of a solvable group, and let every element be a letter.
Then d layers follow the product. Layer i has one phase for each cyclic factor Z_m of the commutative group N_i / N_(i+1). A
token multiplies a phase by an m-th root of unity, so a phase is a count modulo m, and the state has sum of ceil(log2 m)
bits.

*Construction* (`PhaseLayer`). N_i / N_(i+1) is a product of cyclic groups with generators g_1, g_2, .. For x in N_i let c(x)
be the exponents of its class. Let q(c) = g_1^c_1 g_2^c_2 .. be the element that stands for the class c. Layer i reads a letter
x_t in N_i, and its counts become c_t = c_(t-1) + c(x_t), each modulo its m. It passes q(c_t)^-1 x_t q(c_(t-1)) on to the
next layer. As c_(t-1) = c_t - c(x_t), this depends on the letter and the new state only. The answer is q(c^1_t) q(c^2_t) ..
q(c^d_t).

*Proof.* Let P_t = x_t P_(t-1) be the product of the letters of layer i, in N_i. By induction c_t = c(P_t), as c is a
homomorphism. So R_t = q(c_t)^-1 P_t is in N_(i+1). It is (q(c_t)^-1 x_t q(c_(t-1))) R_(t-1), so the letters that are passed on
are in N_(i+1), and have the product R_t. After layer d the rest is 1. So P_t is the product of all q, the first layer first.

*Exactness.* There are two runs. In "counts" the state is the whole numbers c modulo m: nothing is rounded, at any length. In
"phases" the state is a complex number in float64, and the count is the nearest one. Let u = 2^-53. A root of unity with an
angle in (-pi, pi] is off by at most 12 u, and a complex product by at most 3 u more. So after t tokens a phase is off by at
most 1.001 * 32 u t, up to 2^16 tokens. The margin is pi / m less this (`proved`). A phase is never rounded to the nearest root
between tokens.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import pi
from typing import Annotated, Any, NamedTuple

import numpy as np
from jaxtyping import Bool

from seqsep.core.options import OneOf, Range
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.groups import FiniteGroup
from seqsep.theorems.base import Claim, Margin, Number, Outcome, Theorem
from seqsep.theorems.options import Length, Seed
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
    name="solvable-phases",
    source="own",
    statement="As many layers of roots of unity that the token chooses as the derived length follow a solvable group",
)
RUNS = ("counts", "phases")
Run = Annotated[str, OneOf(*RUNS), "counts (whole numbers modulo m, exact) or phases (complex numbers in float64)."]
ERROR = 32 * 2.0**-53
Counts = tuple[int, ...]
Members = Bool[np.ndarray, "elements"]


class PhaseLayer(NamedTuple):
    """The counts of one quotient N_i / N_(i+1).

    Fields:
        group: the whole group.
        orders: m of each cyclic factor.
        classes: c(x) of each x in N_i.
        elements: q(c) of each class.
    """

    group: FiniteGroup
    orders: tuple[int, ...]
    classes: Mapping[int, Counts]
    elements: Mapping[Counts, int]

    def passed_on(self, counts: Counts, letter: int) -> int:
        """Return the letter for the next layer, from the new counts and the letter."""
        of_letter = self.classes[letter]
        before = tuple((now - step) % order for now, step, order in zip(counts, of_letter, self.orders, strict=True))
        inverse = self.group.inverse[self.elements[counts]]
        return _times(self.group, _times(self.group, inverse, letter), self.elements[before])


def build(group: GroupName, degree: Degree) -> list[PhaseLayer]:
    """Return the layers of a solvable group.

    Raises ValueError with three elements of coprime orders and product 1 for a group that is not solvable.

    >>> [layer.orders for layer in build("symmetric", 4)], [layer.orders for layer in build("dicyclic", 2)]
    ([(2,), (3,), (2, 2)], [(2, 2), (2,)])
    """
    chosen = group_of(group, degree)
    table = table_of(chosen)
    triple = table.coprime_triple()
    if triple is not None:
        shown = ", ".join(str(chosen.elements[element]) for element in triple)
        raise ValueError(
            f"{label(group, degree)} is not solvable: {shown} have coprime orders and the product 1; expected a solvable group"
        )
    layers = []
    inside = np.ones(table.size, dtype=bool)
    while inside.sum() > 1:
        smaller = table.commutators(inside)
        layers.append(_layer(table, inside, smaller))
        inside = smaller
    return layers


def _layer(group: FiniteGroup, inside: Members, smaller: Members) -> PhaseLayer:
    """Split a commutative quotient into cyclic factors: each takes a class of the greatest order that is independent."""
    orders: list[int] = []
    elements: dict[Counts, int] = {(): group.neutral}
    below = np.flatnonzero(smaller).tolist()
    reached = set(below)
    while len(reached) < inside.sum():
        independent = {}
        for element in np.flatnonzero(inside).tolist():
            powers = _powers_until(group, element, smaller)
            if not any(power in reached for power in powers[1:]):
                independent[element] = len(powers)
        best = max(independent, key=independent.__getitem__)
        powers = _powers_until(group, best, smaller)
        orders.append(len(powers))
        elements = {
            (*counts, exponent): _times(group, element, power)
            for counts, element in elements.items()
            for exponent, power in enumerate(powers)
        }
        reached = {_times(group, element, rest) for element in elements.values() for rest in below}
    classes = {_times(group, element, rest): counts for counts, element in elements.items() for rest in below}
    return PhaseLayer(group, tuple(orders), classes, elements)


def _powers_until(group: FiniteGroup, element: int, smaller: Members) -> list[int]:
    """Return the powers of an element from 1 on, before the first that is in the smaller group again."""
    powers = [group.neutral]
    while True:
        power = _times(group, powers[-1], element)
        if smaller[power]:
            return powers
        powers.append(power)


def _times(group: FiniteGroup, first: int, second: int) -> int:
    return int(group.table[first, second])


def follow(layers: Sequence[PhaseLayer], letters: Sequence[int], run: str) -> tuple[list[int], float]:
    """Return the product after each letter, and the least margin of a phase; it is pi / m for counts.

    >>> follow(build("cyclic", 3), [1, 1, 1], "counts")[0]
    [1, 2, 0]
    """
    orders = [np.array(layer.orders) for layer in layers]
    roots = [_roots(layer) for layer in layers]
    states = [np.ones(len(layer.orders), dtype=np.complex128) for layer in layers]
    counted: list[Counts] = [(0,) * len(layer.orders) for layer in layers]
    margin = min(pi / order for layer in layers for order in layer.orders)
    found = []
    for token in letters:
        letter = token
        answer = layers[0].group.neutral
        for place, layer in enumerate(layers):
            if run == "counts":
                added = layer.classes[letter]
                counts = tuple((c + a) % m for c, a, m in zip(counted[place], added, layer.orders, strict=True))
            else:
                states[place] = states[place] * roots[place][letter]
                turns = np.angle(states[place]) * orders[place] / (2 * pi)
                nearest = np.rint(turns)
                margin = min(margin, float(((0.5 - abs(turns - nearest)) * 2 * pi / orders[place]).min()))
                counts = tuple((nearest.astype(np.int64) % orders[place]).tolist())
            counted[place] = counts
            answer = _times(layer.group, answer, layer.elements[counts])
            letter = layer.passed_on(counts, letter)
        found.append(answer)
    return found, margin


def _roots(layer: PhaseLayer) -> dict[int, np.ndarray]:
    """Return the roots of unity of each letter, of angles in (-pi, pi]."""
    found = {}
    for letter, counts in layer.classes.items():
        centred = [
            (count + (order - 1) // 2) % order - (order - 1) // 2 for count, order in zip(counts, layer.orders, strict=True)
        ]
        angles = 2 * pi * np.array(centred) / np.array(layer.orders)
        found[letter] = np.cos(angles) + 1j * np.sin(angles)
    return found


def proved(layers: Sequence[PhaseLayer], length: int, run: str) -> float:
    """Return the margin that the proof guarantees up to a length.

    >>> round(proved(build("cyclic", 3), 10_000, "phases"), 6)
    1.047198
    """
    exact = min(pi / order for layer in layers for order in layer.orders)
    return exact if run == "counts" else exact - 1.001 * ERROR * length - 2.0**-48


def bound(group: GroupName, degree: Degree) -> dict[str, Number]:
    """Return the derived length, the number of phases, and the bits of their counts.

    >>> bound("symmetric", 4)
    {'layers': 3, 'phases': 4, 'state_bits': 5}
    """
    orders = [layer.orders for layer in build(group, degree)]
    return {
        "layers": len(orders),
        "phases": sum(len(of_layer) for of_layer in orders),
        "state_bits": sum(ceil_log2(order) for of_layer in orders for order in of_layer),
    }


def check(
    length: Length = 200, group: GroupName = "symmetric", degree: Degree = 4, run: Run | None = None, seed: Seed = 0
) -> list[Outcome]:
    """Build the layers and run them on a random word of all elements, as counts and as phases.

    Raises ValueError for a group that is not solvable, and TheoremFails with the word if an answer is wrong.
    """
    chosen = group_of(group, degree)
    layers = build(group, degree)
    letters = np.random.default_rng(seed).integers(len(chosen.elements), size=length).tolist()
    bounds: dict[str, Number] = {**bound(group, degree), "layers": table_of(chosen).derived_length() or 0}
    outcomes = []
    for one in RUNS if run is None else (run,):
        answers, margin = follow(layers, letters, one)
        require_products(CLAIM, chosen, letters, answers)
        reached = [set(product(*map(range, layer.orders))) == set(layer.elements) for layer in layers]
        if not all(reached):
            raise CLAIM.fails({"group": label(group, degree), "layers with all counts": reached})
        measured: dict[str, Number] = {
            "layers": len(layers),
            "phases": sum(len(layer.orders) for layer in layers),
            "state_bits": sum(ceil_log2(order) for layer in layers for order in layer.orders),
        }
        outcomes.append(
            CLAIM.upper(
                length=length,
                inputs=length,
                measured=CLAIM.within(measured, bounds),
                bound=bounds,
                variant=f"{label(group, degree)}, {one}",
                margin=Margin(margin, proved(layers, length, one), "a phase from the border of its count"),
            )
        )
    return outcomes


def predictor(
    length: Length, group: GroupName = "symmetric", degree: Degree = 4, run: Run = "counts"
) -> Callable[[Mapping[str, Any]], list[int]]:
    """Answer {"letters": [[1, 2, 0, 3], ..]}, at most `length` elements, with their product; the last one acts last.

    >>> predictor(length=4, degree=3)({"letters": [[1, 2, 0], [1, 0, 2]]})
    [0, 2, 1]
    """
    chosen = group_of(group, degree)
    layers = build(group, degree)

    def answer(given: Mapping[str, Any]) -> list[int]:
        return list(chosen.elements[follow(layers, letters_in(given, chosen, length), run)[0][-1]])

    return answer


GROUPS = (
    ("cyclic", 60),
    ("symmetric", 3),
    ("dihedral", 4),
    ("dicyclic", 2),
    ("alternating", 4),
    ("symmetric", 4),
    ("dihedral", 12),
    ("dicyclic", 3),
)


def verify(length: Annotated[int, Range(1)] = 10_000) -> list[Outcome]:
    """Run eight solvable groups on 10,000 tokens, as counts and as phases."""
    return [outcome for group, degree in GROUPS for outcome in check(length, group, degree)]


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run computes the derived series and the cyclic factors of its quotients, and builds the layers. It follows "
    "a random word of all elements, with exact counts and with phases in float64, and compares the product after "
    "each letter.",
    not_shown="This does not show that fewer layers are too few, and does not show that a trained layer finds these phases.",
    bound=bound,
    predictor=predictor,
    verify=verify,
    nothing_to_certify="certificates have no type for several layers of counts",
)
