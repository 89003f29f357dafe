"""What every theorem must obey, callable by outside authors."""

from seqsep.theorems import Theorem


def check_theorem(theorem: Theorem) -> None:
    """A theorem's check runs with its defaults, tries inputs, and reports the same quantities on both sides."""
    outcomes = theorem.check()
    assert outcomes, f"{theorem.name}: no outcome"
    for outcome in outcomes:
        assert outcome.theorem == theorem.name, f"{theorem.name}: an outcome of {outcome.theorem}"
        assert outcome.inputs > 0, f"{theorem.name}: no input tried"
        assert outcome.measured.keys() == outcome.bound.keys(), f"{theorem.name}: measured and bound differ in keys"
        assert outcome.holds, f"{theorem.name}: {outcome}"
