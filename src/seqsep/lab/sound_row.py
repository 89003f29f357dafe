"""What a finished run's row may hold: the types and ranges of its result, and the key that its configuration has.

A row comes from a file that anybody may have written, and what is impossible would be drawn all the same.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from seqsep.lab.run import Run
from seqsep.lab.train import TENTHS

SHARES = ("accuracy", "best_accuracy", "live_accuracy", "unanswered", "answer_accuracy")
OPTIONAL = ("live_accuracy", "unanswered", "answer_accuracy")


def require_sound(run: Run, key: str, result: Mapping[str, Any]) -> None:
    """Raise ValueError, which names the field, for a result that the run cannot have had, or a key that is not the run's.

    >>> from seqsep.tasks import IndexLookup
    >>> run = Run(IndexLookup(length=5), ("lstm",), width=8)
    >>> require_sound(run, run.key(), {"status": "finished", "steps": 0, "accuracy": 2.0})
    Traceback (most recent call last):
    ValueError: result.accuracy: expected a number of 0 to 1, found 2.0
    """
    if key != run.key():
        raise ValueError(f"key: expected {run.key()}, that of its run in this version, found {key}")
    require_kind("result.status", result["status"], str, "a text")
    require_whole("result.steps", result["steps"], most=run.steps)
    for name in SHARES:
        if name in result or name not in OPTIONAL:
            require_share(f"result.{name}", result[name])
    require_whole("result.parameters", result["parameters"])
    state = require_kind("result.state_bits", result["state_bits"], list, "two whole numbers")
    if len(state) != 2:
        raise ValueError(f"result.state_bits: expected two whole numbers, found {len(state)}")
    for bits in state:
        require_whole("result.state_bits", bits)
    require_curve(result["curve"], result["steps"])
    if "accuracy_by_tenth" in result:
        require_tenths(result["accuracy_by_tenth"])
    if result["best_accuracy"] < result["accuracy"]:
        raise ValueError(
            f"result.best_accuracy: expected at least the accuracy {result['accuracy']}, found {result['best_accuracy']}"
        )


def require_curve(curve: Any, steps: int) -> None:
    """Raise ValueError unless a curve is a list of [step, accuracy, loss in nats], its steps going up to `steps` at most."""
    for number, point in enumerate(require_kind("result.curve", curve, list, "a list of points")):
        where = f"result.curve, point {number}"
        if not isinstance(point, Sequence) or isinstance(point, str) or len(point) != 3:
            raise ValueError(f"{where}: expected a step, an accuracy and a loss, found {str(point)[:60]}")
        require_whole(f"{where}: step", point[0], most=steps)
        require_share(f"{where}: accuracy", point[1])
        if type(point[2]) not in (int, float) or not 0 <= point[2] < float("inf"):
            raise ValueError(f"{where}: loss: expected a number of nats from 0, found {str(point[2])[:60]}")
    for number, (before, after) in enumerate(pairwise(curve), start=1):
        if after[0] <= before[0]:
            raise ValueError(f"result.curve, point {number}: step: expected one above {before[0]}, found {after[0]}")


def require_tenths(tenths: Any) -> None:
    """Raise ValueError unless the value is a list of ten shares, or null for a tenth without an example."""
    if len(require_kind("result.accuracy_by_tenth", tenths, list, "a list of ten shares")) != TENTHS:
        raise ValueError(f"result.accuracy_by_tenth: expected {TENTHS} shares, found {len(tenths)}")
    for number, share in enumerate(tenths, start=1):
        if share is not None:
            require_share(f"result.accuracy_by_tenth, tenth {number}", share)


def require_share(field: str, value: Any) -> None:
    """Raise ValueError unless the value is a number of 0 to 1."""
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise ValueError(f"{field}: expected a number of 0 to 1, found {str(value)[:60]}")


def require_whole(field: str, value: Any, most: int = 2**63) -> None:
    """Raise ValueError unless the value is a whole number of 0 to `most`."""
    if type(value) is not int or not 0 <= value <= most:
        above = "from 0" if most == 2**63 else f"of 0 to {most}"
        raise ValueError(f"{field}: expected a whole number {above}, found {str(value)[:60]}")


def require_kind(field: str, value: Any, kind: type, words: str) -> Any:
    """The value, if it is of this kind; raises ValueError otherwise."""
    if not isinstance(value, kind):
        raise ValueError(f"{field}: expected {words}, found {str(value)[:60]}")
    return value
