"""The laws of every theorem, callable by outside authors. Raises LawFails with the theorem's name."""

from seqsep.models.laws.failure import LawFails
from seqsep.theorems import Theorem
from seqsep.theorems.base import Outcome

__all__ = ["LawFails", "check_theorem"]


def check_theorem(theorem: Theorem) -> None:
    """Check your own theorem with its default options: it must test inputs, hold, and measure each size that it bounds.

    If the theorem declares its sides, the outcomes must be of these sides, and of each of them.

    Arguments:
        theorem: the theorem.

    Raises LawFails with the name of the theorem and the law that it breaks.

    >>> from seqsep.theorems import BY_NAME
    >>> check_theorem(BY_NAME["index-random-protocol"])
    """
    outcomes = theorem.check()
    if not outcomes:
        raise LawFails(f"{theorem.name}: no outcome")
    for outcome in outcomes:
        broken = _broken(theorem, outcome)
        if broken is not None:
            raise LawFails(f"{theorem.name}: {broken}")
    reported = {outcome.side for outcome in outcomes}
    if theorem.sides and reported != set(theorem.sides):
        raise LawFails(f"{theorem.name}: expected outcomes of the sides {theorem.sides}, found {sorted(reported)}")


def _broken(theorem: Theorem, outcome: Outcome) -> str | None:
    """Say what is wrong with an outcome; None if it is right."""
    if outcome.theorem != theorem.name:
        return f"an outcome of {outcome.theorem}"
    if outcome.inputs <= 0:
        return "no input tested"
    if outcome.measured.keys() != outcome.bound.keys():
        return "measured and bound differ in keys"
    return None if outcome.holds else str(outcome)
