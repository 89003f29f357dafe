"""Rows that no training made, for the rules of claims."""

from seqsep.lab.row import Row
from seqsep.lab.run import Run


def row_of(run: Run, accuracy: float, first_steps: int = 100, **changes: object) -> Row:
    """A finished row of a run, near-perfect from `first_steps` on if it ends there."""
    curve = [[first_steps, accuracy, 0.5], [run.steps, accuracy, 0.5]]
    result = {"status": "finished", "steps": run.steps, "accuracy": accuracy, "best_accuracy": accuracy, "curve": curve}
    result |= {"state_bits": [64, 0], "parameters": 10} | changes
    return Row("claims", run.key(), run.configuration(), result, {"torch": "2", "device": "cpu", "threads": 1})
