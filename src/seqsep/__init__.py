"""seqsep: what a sequence model of a given size can represent, with numbers.

Axis names: batch (examples), time (tokens, from 0), width (coordinates of the residual stream), heads, key and value
(coordinates of a head), states (of a state-space channel or an automaton), classes (answers).
Units: lengths in tokens, widths in coordinates, state and messages in bits, losses in nats, accuracies as fractions.
"""

from importlib import import_module
from typing import Any

__version__ = "0.3.0"

_HOMES = {
    "BoundedDyck": "seqsep.tasks",
    "IndexLookup": "seqsep.tasks",
    "Model": "seqsep.model.model",
    "Run": "seqsep.lab.run",
    "analyze": "seqsep.analysis.analyze",
    "ceiling": "seqsep.ceilings",
    "certify": "seqsep.certificate",
    "check": "seqsep.theorems",
    "train": "seqsep.lab.train",
}
__all__ = ["BoundedDyck", "IndexLookup", "Model", "Run", "analyze", "ceiling", "certify", "check", "train"]


def __getattr__(name: str) -> Any:
    """Public names, imported when they are asked for: tasks work without waiting for torch."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'seqsep' has no attribute {name!r}; it has {', '.join(__all__)}")
