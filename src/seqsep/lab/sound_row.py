"""The values that a finished run's row may hold: the types and ranges of its result, and the key of its configuration.

A row comes from a file or a store that anybody may have written, and an impossible value would be drawn all the same.
"""

import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from seqsep.core.names import excerpt, printable
from seqsep.lab.run import Run
from seqsep.lab.train import NON_FINITE, TENTHS

OPTIONAL = ("live_accuracy", "unanswered", "answer_accuracy", "accuracy_per_answer", "chance_per_answer", "chance")
SHARES = ("accuracy", "best_accuracy", *OPTIONAL)
STATUSES = ("converged", "finished", "pruned", NON_FINITE)
"""The statuses of a training run that has an outcome."""
REPLY_STATUSES = ("finished",)
FAILED = "failed: "
"""The first words of the status of a run without an outcome; the reason follows."""
MOST_NESTED = 100
MOST_INTEGER = 2**63
MOST_LOSS = sys.float_info.max


def require_key(run: Run, key: str) -> None:
    """Raise ValueError for a key that is not the run's.

    >>> from seqsep.tasks import IndexLookup
    >>> require_key(Run(IndexLookup(length=5), ("lstm",), width=8), "0" * 64)
    Traceback (most recent call last):
    ValueError: key: expected ...
    """
    if key != run.key():
        raise ValueError(f"key: expected {run.key()}, that of its run in this version, found {key}")


def require_ending(status: Any, *, is_reply: bool = False) -> None:
    """Raise ValueError for a status that no run with an outcome has, or no reply of a language model.

    >>> require_ending("banana")
    Traceback (most recent call last):
    ValueError: result.status: expected that of a run that ended (converged, finished, pruned, failed: non-finite), found banana
    """
    known = REPLY_STATUSES if is_reply else STATUSES
    if require_kind("result.status", status, str, "a text") not in known:
        ended = "a reply" if is_reply else "a run that ended"
        raise ValueError(f"result.status: expected that of {ended} ({', '.join(known)}), found {_shown(status)}")


def require_failure(status: str) -> None:
    """Raise ValueError for a status that a run without an outcome cannot have.

    >>> require_failure("finished")
    Traceback (most recent call last):
    ValueError: status: expected a failure, since the result is missing, found 'finished'
    """
    if not status.startswith(FAILED):
        raise ValueError(f"status: expected a failure, since the result is missing, found {status!r:.60}")
    if printable(status, kept="") != status:
        raise ValueError(f"status: expected text without control characters, found {_shown(status)}")


def require_shallow(field: str, value: Any) -> None:
    """Raise ValueError for a value of JSON with more than 100 lists and objects inside each other.

    The number is far below the depth at which Python's parser gives up, which depends on the calls under way.

    >>> require_shallow("result", {"accuracy": [[0.5]]})
    """
    level = [value]
    for _ in range(MOST_NESTED + 1):
        nested = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        if not nested:
            return
        level = [part for one in nested for part in one]
    raise too_deep(field)


def too_deep(field: str) -> ValueError:
    """Return the error of a value with too many lists and objects inside each other.

    >>> str(too_deep("result"))
    'result: expected at most 100 lists and objects inside each other, found more'
    """
    return ValueError(f"{field}: expected at most {MOST_NESTED} lists and objects inside each other, found more")


def require_result(result: Mapping[str, Any], most_steps: int = MOST_INTEGER, *, any_loss: bool = False) -> None:
    """Raise ValueError, which names the field, for a result that a run of at most `most_steps` cannot have had.

    `any_loss`: the loss is that of a user's own task, which may be negative.

    >>> require_result({"status": "finished", "steps": 0, "accuracy": 2.0})
    Traceback (most recent call last):
    ValueError: result.accuracy: expected a number of 0 to 1, found 2.0
    """
    require_ending(result["status"])
    require_whole("result.steps", result["steps"], most=most_steps)
    for name in SHARES:
        if name in result or name not in OPTIONAL:
            require_share(f"result.{name}", result[name])
    require_whole("result.parameters", result["parameters"])
    state = require_kind("result.state_bits", result["state_bits"], list, "two whole numbers")
    if len(state) != 2:
        raise ValueError(f"result.state_bits: expected two whole numbers, found {len(state)}")
    for bits in state:
        require_whole("result.state_bits", bits)
    require_curve(result["curve"], result["steps"], -MOST_LOSS if any_loss else 0.0)
    if "answer_bits" in result:
        require_whole("result.answer_bits", result["answer_bits"])
    if "accuracy_by_tenth" in result:
        require_tenths(result["accuracy_by_tenth"])
    for name in ("accuracy_by_length", "accuracy_per_answer_by_length"):
        if name in result:
            require_lengths(name, result[name])
    if result["best_accuracy"] < result["accuracy"]:
        raise ValueError(
            f"result.best_accuracy: expected at least the accuracy {result['accuracy']}, found {result['best_accuracy']}"
        )


def require_curve(curve: Any, steps: int, least_loss: float = 0.0) -> None:
    """Raise ValueError unless a curve is a list of [step, accuracy, loss in nats] whose steps grow to at most `steps`."""
    for number, point in enumerate(require_kind("result.curve", curve, list, "a list of points")):
        where = f"result.curve, point {number}"
        if not isinstance(point, Sequence) or isinstance(point, str) or len(point) != 3:
            raise ValueError(f"{where}: expected a step, an accuracy and a loss, found {str(point)[:60]}")
        require_whole(f"{where}: step", point[0], most=steps)
        require_share(f"{where}: accuracy", point[1])
        if type(point[2]) not in (int, float) or not least_loss <= point[2] <= MOST_LOSS:
            least = "from 0" if least_loss == 0 else "that is finite"
            raise ValueError(f"{where}: loss: expected a number of nats {least}, found {str(point[2])[:60]}")
    for number, (before, after) in enumerate(pairwise(curve), start=1):
        if after[0] <= before[0]:
            raise ValueError(f"result.curve, point {number}: step: expected one above {before[0]}, found {after[0]}")


def require_reply(result: Mapping[str, Any]) -> None:
    """Raise ValueError, which names the field, for a result that no reply of a language model has (`text.reply.Reply`)."""
    require_ending(result["status"], is_reply=True)
    right = require_kind("result.right", result["right"], bool, "true or false")
    require_share("result.accuracy", result["accuracy"])
    if result["accuracy"] != right:
        raise ValueError(f"result.accuracy: expected {float(right)} of a reply that is {right}, found {result['accuracy']}")
    for name in ("expected", "written"):
        require_kind(f"result.{name}", result[name], str, "a text")
    require_whole("result.tokens", result["tokens"])
    require_whole("result.tokens_right", result["tokens_right"], most=result["tokens"])
    require_whole("result.prompt_tokens", result["prompt_tokens"])
    if result["state_bits"] is not None:
        require_whole("result.state_bits", result["state_bits"])
    if result["chance"] is not None:
        require_share("result.chance", result["chance"])


def require_tenths(tenths: Any) -> None:
    """Raise ValueError unless the value is a list of ten shares, or null for a tenth without an example."""
    if len(require_kind("result.accuracy_by_tenth", tenths, list, "a list of ten shares")) != TENTHS:
        raise ValueError(f"result.accuracy_by_tenth: expected {TENTHS} shares, found {len(tenths)}")
    for number, share in enumerate(tenths, start=1):
        if share is not None:
            require_share(f"result.accuracy_by_tenth, tenth {number}", share)


def require_lengths(name: str, pairs: Any) -> None:
    """Raise ValueError unless the field of a result is a list of pairs of a length and a share, with different lengths.

    >>> require_lengths("accuracy_by_length", [[80, 0.5], [160, 0.25]])
    """
    lengths = []
    for number, pair in enumerate(require_kind(f"result.{name}", pairs, list, "a list of pairs"), start=1):
        where = f"result.{name}, pair {number}"
        if not isinstance(pair, list) or len(pair) != 2:
            raise ValueError(f"{where}: expected a length and a share, found {str(pair)[:60]}")
        require_whole(f"{where}: length", pair[0])
        require_share(f"{where}: accuracy", pair[1])
        lengths.append(pair[0])
    if len(set(lengths)) < len(lengths):
        raise ValueError(f"result.{name}: expected different lengths, found {str(lengths)[:60]}")


def require_share(field: str, value: Any) -> None:
    """Raise ValueError unless the value is a number of 0 to 1."""
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise ValueError(f"{field}: expected a number of 0 to 1, found {str(value)[:60]}")


def require_whole(field: str, value: Any, most: int = MOST_INTEGER) -> None:
    """Raise ValueError unless the value is a whole number of 0 to `most`."""
    if type(value) is not int or not 0 <= value <= most:
        above = "from 0" if most == MOST_INTEGER else f"of 0 to {most}"
        raise ValueError(f"{field}: expected a whole number {above}, found {str(value)[:60]}")


def require_kind(field: str, value: Any, kind: type, words: str) -> Any:
    """Return the value, if it is of this kind; raises ValueError otherwise."""
    if not isinstance(value, kind):
        raise ValueError(f"{field}: expected {words}, found {str(value)[:60]}")
    return value


def _shown(text: str) -> str:
    """Return a text from outside in a few words on one line."""
    return excerpt(printable(text, kept=""))
