"""The laws of every theorem, callable by outside authors. Raises LawFails with the theorem's name."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from seqsep.core.names import excerpt
from seqsep.models.laws.failure import LawFails
from seqsep.theorems import Theorem
from seqsep.theorems.base import Outcome

__all__ = ["LAWS", "LawFails", "check_theorem", "tried_laws"]


def check_theorem(theorem: Theorem) -> None:
    """Check your own theorem with its default options: it must test inputs, hold, and measure each size that it bounds.

    If the theorem declares its sides, each of these sides must have an outcome, and no other side may have one.

    Arguments:
        theorem: the theorem.

    Raises LawFails with the name of the theorem and the law that it breaks.

    >>> from seqsep.theorems import BY_NAME
    >>> check_theorem(BY_NAME["index-random-protocol"])
    """
    for law, broken in tried_laws(theorem, theorem.check()):
        if broken is not None:
            raise LawFails(f"{theorem.name}: {broken} (law: {law})")


def tried_laws(theorem: Theorem, outcomes: Any) -> Iterator[tuple[str, str | None]]:
    """Try each law on the outcomes of a check; yield its name and what breaks it, or None. It ends at the first broken one.

    >>> from seqsep.theorems import BY_NAME
    >>> list(tried_laws(BY_NAME["equality-state"], []))
    [('a list of outcomes', 'no outcome')]
    """
    for law, find in LAWS.items():
        broken = find(theorem, outcomes)
        yield law, broken
        if broken is not None:
            return


def _not_outcomes(theorem: Theorem, outcomes: Any) -> str | None:
    if not isinstance(outcomes, Sequence):
        return f"expected a list of outcomes, found a {type(outcomes).__name__}"
    other = next((outcome for outcome in outcomes if not isinstance(outcome, Outcome)), None)
    if other is not None:
        return f"expected outcomes, found a {type(other).__name__}"
    return None if outcomes else "no outcome"


def _of_another(theorem: Theorem, outcomes: Sequence[Outcome]) -> str | None:
    other = next((outcome.theorem for outcome in outcomes if outcome.theorem != theorem.name), None)
    return None if other is None else f"an outcome of {other}"


def _nothing_tested(theorem: Theorem, outcomes: Sequence[Outcome]) -> str | None:
    for outcome in outcomes:
        for name, least in (("length", 0), ("inputs", 1)):
            value = getattr(outcome, name)
            if type(value) is not int or value < least:
                return "no input tested" if (name, value) == ("inputs", 0) else f"{name} is {excerpt(repr(value))}"
    return None


def _unbounded(theorem: Theorem, outcomes: Sequence[Outcome]) -> str | None:
    for outcome in outcomes:
        if outcome.measured.keys() != outcome.bound.keys():
            return "measured and bound differ in keys"
        if not outcome.measured:
            return "an outcome that measures nothing"
    return None


def _not_numbers(theorem: Theorem, outcomes: Sequence[Outcome]) -> str | None:
    for outcome in outcomes:
        for field in ("measured", "bound"):
            for name, value in getattr(outcome, field).items():
                if type(value) not in (int, float) or not math.isfinite(value):
                    kind = type(value).__name__
                    return f"{field}: {name}: expected a finite int or float, found {excerpt(repr(value))}, a {kind}"
    return None


def _no_json(theorem: Theorem, outcomes: Sequence[Outcome]) -> str | None:
    try:
        json.dumps([outcome.record() for outcome in outcomes], allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return f"an outcome is not JSON: {error}"
    return None


def _other_sides(theorem: Theorem, outcomes: Sequence[Outcome]) -> str | None:
    reported = {outcome.side for outcome in outcomes}
    if not theorem.sides or reported == set(theorem.sides):
        return None
    return f"expected outcomes of the sides {theorem.sides}, found {sorted(reported)}"


def _refuted(theorem: Theorem, outcomes: Sequence[Outcome]) -> str | None:
    return next((str(outcome) for outcome in outcomes if not outcome.holds), None)


LAWS: Mapping[str, Callable[[Theorem, Any], str | None]] = {
    "a list of outcomes": _not_outcomes,
    "outcomes of this theorem": _of_another,
    "inputs tested": _nothing_tested,
    "a bound for each measured size": _unbounded,
    "sizes that are numbers": _not_numbers,
    "outcomes that are JSON": _no_json,
    "the declared sides": _other_sides,
    "each outcome holds": _refuted,
}
"""The laws by name: a function gives what breaks the law, or None. Each law relies on those before it."""
