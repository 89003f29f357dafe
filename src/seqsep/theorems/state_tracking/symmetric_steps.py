"""Symmetric steps without negative eigenvalues have no cycle if each coordinate is rounded once a step.

Source: own. Grazzi et al. 2024 (arXiv:2411.12537), Theorem 1, is about products of exact matrices that are rounded at the
read-out. We differ: the state is rounded at every step, and the bound is for a symmetric step.

*Statement.* A state x of d numbers has the step x <- R(A x + b) on the letter 1. A is symmetric, and no eigenvalue is
negative. R rounds each coordinate once, by any monotone rounding to G values. A x + b is exact before that. Then a run of
ones has no cycle of two or more states. So 1^n and 1^(n + 1) reach one state for some n < G^d, and no read-out decides the
parity of every 1^n.

*Proof.* Let x_0, .., x_(p - 1) be a cycle, with indices modulo p, u_t = A x_t + b and x_(t + 1) = R(u_t).
1. In each coordinate, R is monotone, so (x_(t + 1)) and (u_t) are in the same order. By the rearrangement inequality, the
   sum of x_(t + 1) . u_t over t is at least the sum of x_(t + 1) . u_(t + 1). The terms with b are equal. So the sum of
   x_(t + 1) . A x_t is at least the sum of x_t . A x_t.
2. A is symmetric, so the sum of (x_(t + 1) - x_t) . A (x_(t + 1) - x_t) is twice the sum of x_t . A x_t, minus twice the sum of
   x_(t + 1) . A x_t. By 1 it is at most 0.
3. No eigenvalue of A is negative, so each term is 0, and A x_(t + 1) = A x_t. Then all u_t are equal, and so are all x_t.

*Two places where it is false.*
* Two delta steps rounded once. Each step I - k k^T is symmetric with the eigenvalues 0 and 1, but their product is not
  symmetric. `CYCLE` has keys (3, 4)/5 and (-3, 4)/5, the summand (-3/2, 0) and rounding to the nearest half. Its run has
  period 2. The eigenvalues of the product are 0 and 49/625.
* One delta step with every operation rounded, as kernels do. `delta_parity_in_floats` builds such a layer that decides parity.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Annotated

import numpy as np

from seqsep.core.options import Range
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.options import GridRounding, Seed
from seqsep.theorems.state_tracking._recurrences import Ending, GridEnd, Rational, State, count_values, ending, rounded
from seqsep.theorems.state_tracking.collision import CollisionEvidence, GridRecurrence, collision_on_ones
from seqsep.theorems.state_tracking.nonnegative_diagonal import LayerCount

CLAIM = Claim(
    name="symmetric-steps",
    source="own",
    statement="A symmetric step without negative eigenvalues, each coordinate rounded once, has no cycle on a run of "
    "one letter",
)
Matrix = Sequence[Sequence[Rational]]
Size = Annotated[int, Range(1, 6), "d, the number of coordinates of the state."]
CYCLE = (((Fraction(3, 5), Fraction(4, 5)), (Fraction(-3, 5), Fraction(4, 5))), (-3, 0))
"""Two keys, the first one applied first, and a summand in units of 1/2: a cycle on the grid L = 2, to the nearest."""


def matrix_step(matrix: Matrix, summand: Sequence[Rational], end: int, rounding: str) -> Callable[[State], State]:
    """Return the step x -> R(A x + b), with the summand in units of 1/L."""
    rows = list(zip(matrix, summand, strict=True))
    return lambda state: tuple(
        rounded(sum(a * x for a, x in zip(row, state, strict=True)) + b, end, rounding) for row, b in rows
    )


def two_delta_steps(keys: Sequence[Sequence[Fraction]]) -> Matrix:
    """Return the product of I - k k^T for two keys, the first one applied first.

    >>> two_delta_steps(CYCLE[0])[0]
    [Fraction(112, 625), Fraction(-84, 625)]
    """
    first, second = ([[int(i == j) - key[i] * key[j] for j in range(2)] for i in range(2)] for key in keys)
    return [[sum((second[i][k] * first[k][j] for k in range(2)), Fraction(0)) for j in range(2)] for i in range(2)]


def run_of_two_delta_steps() -> Ending:
    """Return the end of the run of `CYCLE`, from the state 0.

    >>> run_of_two_delta_steps()
    Ending(start=2, period=2)
    """
    keys, summand = CYCLE
    return ending(matrix_step(two_delta_steps(keys), summand, 2, "nearest"), (0, 0))


def drawn(generator: np.random.Generator, size: int) -> list[list[Fraction]]:
    """Return a random symmetric matrix B B^T / c of rational numbers, whose eigenvalues are at least 0."""
    factor = generator.integers(-3, 4, (size, size))
    divisor = int(generator.integers(1, 3 * size + 7))
    return [[Fraction(int(entry), divisor) for entry in row] for row in factor @ factor.T]


def bound(end: GridEnd, size: Size) -> dict[str, Number]:
    """Return the greatest period, and the number of states.

    >>> bound(1, 2)
    {'period': 1, 'states': 9}
    """
    return {"period": 1, "states": count_values(end) ** size}


def check(
    end: GridEnd = 2, size: Size = 2, layers: LayerCount = 100, rounding: GridRounding = "floor", seed: Seed = 0
) -> list[Outcome]:
    """Find two words with one state for random symmetric steps, and require the cycle of two delta steps.

    Raises TheoremFails with a symmetric step that has a cycle, or if the two delta steps have none.
    """
    generator = np.random.default_rng(seed)
    limit = end * end
    longest = Ending(0, 1)
    for _ in range(layers):
        matrix = drawn(generator, size)
        summand = generator.integers(-limit, limit + 1, size).tolist()
        first = tuple(generator.integers(-limit, limit + 1, size).tolist())
        found = ending(matrix_step(matrix, summand, end, rounding), first)
        if found.period != 1:
            raise CLAIM.fails({"matrix": matrix, "summand": summand, "start": first, "words": found})
        longest = max(longest, found)
    cycle = run_of_two_delta_steps()
    if cycle.period != 2:
        raise CLAIM.fails({"two delta steps": CYCLE, "words": cycle, "expected": "period 2"})
    return [
        CLAIM.lower(
            length=longest.start + 1,
            inputs=layers,
            measured={"period": longest.period, "states": longest.start + 1},
            bound=bound(end, size),
            variant=f"L = {end}, d = {size}, {rounding}",
            witness={"words": [f"1^{longest.start}", f"1^{longest.start + 1}"]},
        )
    ]


def certificate_witness(
    end: GridEnd = 2, size: Size = 2, rounding: GridRounding = "floor", seed: Seed = 0
) -> CollisionEvidence:
    """Return a random symmetric step for each letter with the words 1^n and 1^(n + 1).

    >>> certificate_witness().parameters
    {'modulus': 2}
    """
    generator = np.random.default_rng(seed)
    limit = end * end
    maps = [
        [[*row, summand] for row, summand in zip(drawn(generator, size), summands, strict=True)]
        for summands in generator.integers(-limit, limit + 1, (2, size)).tolist()
    ]
    start = tuple(generator.integers(-limit, limit + 1, size).tolist())
    return collision_on_ones(GridRecurrence(end, rounding, maps, start), gap=1)


def verify() -> list[Outcome]:
    """Check L = 1 to 4, two and three coordinates, with 500 random steps and both roundings."""
    return [
        outcome
        for end in (1, 2, 3, 4)
        for size in (2, 3)
        for rounding in ("floor", "nearest")
        for outcome in check(end, size, 500, rounding, seed=1)
    ]


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="A run finds, for each random symmetric step, two words 1^n and 1^(n + 1) that reach one state. It also "
    "runs two delta "
    "steps that are rounded once, and finds a cycle of two states.",
    not_shown="This does not show that every such step has no cycle. The proof shows that. It does not hold for "
    "products of steps, "
    "or for steps with a rounding inside.",
    bound=bound,
    verify=verify,
    nothing_to_apply="it builds nothing; `seqsep check symmetric-steps` shows the words",
    certificate_witness=certificate_witness,
)
