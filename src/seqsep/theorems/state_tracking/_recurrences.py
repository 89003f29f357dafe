"""Recurrences whose state is a tuple of grid numbers: how a run of one letter ends, and the grid's monotone rounding."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from math import floor
from typing import Annotated, Any, NamedTuple

from seqsep.core.options import Range
from seqsep.theorems.base import Outcome

GridEnd = Annotated[int, Range(1, 64), "L: numbers are the multiples of 1/L from -L to L."]
Rational = int | Fraction
State = tuple[int, ...]
"""Numbers of the grid, in units of 1/L."""


class Ending(NamedTuple):
    """The end of a run 1, 11, 111, ..: the words 1^start and 1^(start + period) reach one state, and no shorter two do."""

    start: int
    period: int


def ending(step: Callable[[Any], Hashable], first: Hashable) -> Ending:
    """Return where the run of a finite recurrence first meets a state again.

    >>> ending(lambda state: min(state + 1, 3), 0)
    Ending(start=3, period=1)
    """
    seen: dict[Hashable, int] = {}
    state = first
    while state not in seen:
        seen[state] = len(seen)
        state = step(state)
    return Ending(seen[state], len(seen) - seen[state])


def count_values(end: int) -> int:
    """Return G, the number of multiples of 1/L from -L to L.

    >>> count_values(4)
    33
    """
    return 2 * end * end + 1


def rounded(number: Rational, end: int, rounding: str) -> int:
    """Round a number in units of 1/L to the grid, down or to the nearest (halves up), and cut it off at -L and L.

    >>> rounded(Fraction(3, 2), 2, "floor"), rounded(Fraction(3, 2), 2, "nearest"), rounded(99, 2, "floor")
    (1, 2, 4)
    """
    half = Fraction(1, 2) if rounding == "nearest" else 0
    most = end * end
    return max(-most, min(most, floor(number + half)))


def diagonal_step(
    factors: Sequence[Rational], summands: Sequence[Rational], end: int, rounding: str
) -> Callable[[State], State]:
    """Return the step of independent channels h -> R(a h + b), with the summands in units of 1/L."""
    channels = list(zip(factors, summands, strict=True))
    return lambda state: tuple(
        rounded(factor * number + summand, end, rounding) for (factor, summand), number in zip(channels, state, strict=True)
    )


def on_all_grids(check: Callable[..., list[Outcome]]) -> list[Outcome]:
    """Check L = 1, 2, 3, 4, 6 and 8 with 1,000 random layers and both roundings."""
    return [
        outcome
        for end in (1, 2, 3, 4, 6, 8)
        for rounding in ("floor", "nearest")
        for outcome in check(end, 1000, rounding, seed=1)
    ]
