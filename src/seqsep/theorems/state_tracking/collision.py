"""A recurrence on the grid with two words that reach one state, as the evidence of a certificate.

No function of that state gives different answers after the two words. So if a task has different values on them, the recurrence
does not solve the task, whatever reads its state. This does not show anything about other recurrences.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Int64

from seqsep.theorems.evidence import Evidence
from seqsep.theorems.state_tracking._recurrences import Rational, State, ending, rounded

Map = Sequence[Sequence[Rational]]
"""An affine map: a row (a_1, .., a_d, b) for each coordinate, with b in units of 1/L."""
Word = Sequence[tuple[int, int]]
"""A word by its runs: a letter, and the number of times that it follows."""


@dataclass(frozen=True)
class GridRecurrence:
    """A state of grid numbers, and for each letter an affine map, whose coordinates are rounded once a step.

    >>> counter = GridRecurrence(end=1, rounding="floor", maps=[[[1, 0]], [[1, 1]]], start=(-1,))
    >>> counter.after((-1,), letter=1)
    (0,)
    """

    end: int
    rounding: str
    maps: Sequence[Map]
    start: State

    def after(self, state: State, letter: int) -> State:
        """Return the state after one more letter."""
        return tuple(
            rounded(sum(a * x for a, x in zip(row, (*state, 1), strict=True)), self.end, self.rounding)
            for row in self.maps[letter]
        )


@dataclass(frozen=True)
class StateCollision:
    """A recurrence with two words that lead from its start to one state."""

    recurrence: GridRecurrence
    words: tuple[Word, Word]


@dataclass(frozen=True)
class CollisionEvidence(Evidence):
    """Evidence whose witness is a `StateCollision`, and whose task has values on words of any length."""

    witness: StateCollision  # type: ignore[assignment]


def diagonal_maps(
    factors: Int64[np.ndarray, "letters channels"], summands: Int64[np.ndarray, "letters channels"], end: int
) -> list[Map]:
    """Return the maps of independent channels h -> a h + b for each letter, with a and b in units of 1/L.

    >>> diagonal_maps(np.array([[1, 4]]), np.array([[5, 7]]), end=2)
    [[[Fraction(1, 2), 0, 5], [0, Fraction(2, 1), 7]]]
    """
    places = range(factors.shape[1])
    return [
        [
            [*(Fraction(factor, end) if place == other else 0 for other in places), summand]
            for place, (factor, summand) in enumerate(zip(of_letter, added, strict=True))
        ]
        for of_letter, added in zip(factors.tolist(), summands.tolist(), strict=True)
    ]


def collision_on_ones(recurrence: GridRecurrence, gap: int) -> CollisionEvidence:
    """Return the words 1^n and 1^(n + gap) with one state, for the least n; the task is the number of ones modulo gap + 1.

    Raises ValueError if the run of ones ends in a cycle whose period does not divide the gap.

    >>> counter = GridRecurrence(end=1, rounding="floor", maps=[[[1, 0]], [[1, 1]]], start=(-1,))
    >>> collision_on_ones(counter, gap=1).witness.words
    ([(1, 2)], [(1, 3)])
    """
    found = ending(lambda state: recurrence.after(state, 1), recurrence.start)
    if gap % found.period:
        raise ValueError(f"collision_on_ones(gap={gap}): expected a period that divides the gap, found {found.period}")
    words = ([(1, found.start)], [(1, found.start + gap)])
    return CollisionEvidence("ones-modulo", {"modulus": gap + 1}, StateCollision(recurrence, words))
