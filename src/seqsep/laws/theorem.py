"""What every theorem must obey, callable by outside authors. Raises AssertionError with the theorem's name."""

from seqsep.theorems import Theorem

__all__ = ["check_theorem"]


def check_theorem(theorem: Theorem) -> None:
    """Check the theorem with its defaults: it tries inputs, holds, and measures what it bounds.

    >>> from seqsep.theorems import BY_NAME
    >>> check_theorem(BY_NAME["index-random-protocol"])
    """
    outcomes = theorem.check()
    assert outcomes, f"{theorem.name}: no outcome"
    for outcome in outcomes:
        assert outcome.theorem == theorem.name, f"{theorem.name}: an outcome of {outcome.theorem}"
        assert outcome.inputs > 0, f"{theorem.name}: no input tried"
        assert outcome.measured.keys() == outcome.bound.keys(), f"{theorem.name}: measured and bound differ in keys"
        assert outcome.holds, f"{theorem.name}: {outcome}"
