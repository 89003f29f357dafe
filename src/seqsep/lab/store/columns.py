"""Rows as the columns of a store's tables: written, and checked as the rows of a file are when they are read."""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seqsep.lab.row import Row
from seqsep.lab.run import canonical_json
from seqsep.lab.sound_row import require_failure, require_shallow, require_whole, too_deep
from seqsep.lab.store.schema import digests_of

SHA256 = re.compile("[0-9a-f]{64}")
MOST_DIGESTS = 2


def columns_of(row: Row, seconds: float, attempts: int) -> tuple[Any, ...]:
    """Return the columns of the table `runs` for a row, without the digest."""
    return (
        row.experiment,
        row.key,
        canonical_json(row.configuration),
        row.status,
        canonical_json(row.result) if row.has_outcome else None,
        canonical_json(row.environment),
        float(seconds),
        attempts,
    )


def row_of(columns: Sequence[Any]) -> Row:
    """Return the row in the columns of the table `runs`. Raises ValueError, with the column's name, for values that no store
    writes.

    A digest shows only that a row is as somebody wrote it: anybody can compute the digest of an impossible result.
    """
    experiment, key, configuration, status, result, environment, seconds, attempts = columns
    for name, text in (("experiment", experiment), ("status", status)):
        _require_text(name, text)
    _require_digest("key", key)
    if type(seconds) is not float or not math.isfinite(seconds):
        raise ValueError(f"seconds: expected a number, found {seconds!r:.60}")
    require_whole("attempts", attempts)
    row = Row(
        experiment=experiment,
        key=key,
        configuration=_object("configuration", configuration),
        result={"status": status} if result is None else _object("result", result),
        environment=_object("environment", environment),
    )
    if result is not None:
        row.require_possible()
        if row.status != status:
            raise ValueError(f"status: expected that of the result, {row.status!r:.60}, found {status!r:.60}")
    else:
        require_failure(status)
    return row


def require_checkpoint(columns: Sequence[Any]) -> None:
    """Raise ValueError, which names the column, unless the columns are a row of the table `checkpoints`."""
    key, step, digests, environment = columns
    _require_digest("key", key)
    require_whole("step", step)
    _require_text("sha256", digests)
    if not 1 <= len(digests_of(digests)) <= MOST_DIGESTS:
        raise ValueError(f"sha256: expected one or two digests, found {digests!r:.60}")
    for digest in digests_of(digests):
        _require_digest("sha256", digest)
    _object("environment", environment)


def in_words(environment: Mapping[str, Any]) -> str:
    """Return the environment of a checkpoint in a message.

    >>> in_words({"torch": "2.5", "device": "cpu"})
    'device cpu, torch 2.5'
    """
    return ", ".join(f"{name} {environment[name]}" for name in sorted(environment))


def _require_text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise ValueError(f"{name}: expected a text, found {value!r:.60}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name}: expected text in UTF-8, found {value!r:.60}") from None


def _require_digest(name: str, value: Any) -> None:
    if not isinstance(value, str) or not SHA256.fullmatch(value):
        raise ValueError(f"{name}: expected 64 hexadecimal digits, found {value!r:.70}")


def _object(name: str, text: Any) -> dict[str, Any]:
    """Return the JSON object in a column. Raises ValueError for anything else, and for numbers that are not finite."""
    _require_text(name, text)
    try:
        value = STRICT.decode(text)
    except RecursionError:
        raise too_deep(name) from None
    except ValueError as error:
        raise ValueError(f"{name}: expected JSON, found {text[:60]!r} ({error})") from None
    if not isinstance(value, dict):
        raise ValueError(f"{name}: expected a JSON object, found {text[:60]!r}")
    require_shallow(name, value)
    return value


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"expected a finite number, found {text[:60]}")
    return value


STRICT = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)


def digest_of(row: Iterable[Any]) -> str:
    """Return the SHA-256 of a row's columns as JSON. A value that JSON lacks, such as a blob, is written as Python's `repr`.

    >>> digest_of(["trial", 3])[:16]
    'a9a94332208cb5fe'
    """
    return hashlib.sha256(json.dumps(list(row), separators=(",", ":"), default=repr).encode()).hexdigest()
