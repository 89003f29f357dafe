"""Two prefixes that leave one state, bit for bit: a proof that the model answers wrongly after one of them.

It then answers both alike, whatever follows, and some continuation is answered differently (`theorems.protocols.collision`).

No certificate says so: `seqsep_check.py` would have to run the model. The record that is written instead names the model's file
by its SHA-256, and `refuted` reads both prefixes again, each alone, and takes the right answers from `task.solve`.
"""

import json
import reprlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seqsep.core.files import digest_of_file, read_text, write_file
from seqsep.core.names import BadInput, excerpt
from seqsep.lab.audit.own_questions import searched
from seqsep.lab.audit.questions import TaskQueries, Tokens
from seqsep.models.model import Model
from seqsep.tasks import Task
from seqsep.theorems.protocols.collision import Collision
from seqsep.theorems.protocols.machine import as_machine, choice

FORMAT = "seqsep-equal-states"
MOST_BYTES = 1 << 24


def collision(model: Model, how: TaskQueries, pairs: Sequence[tuple[float, Tokens, Tokens]]) -> Collision | None:
    """Return the first of the pairs that leave bit-equal states, each prefix read on its own, with the input that is answered
    wrongly.
    """
    for tried, (distance, first, second) in enumerate(pairs, start=1):
        if distance > 0:
            return None
        continuation = next(how.continuations_apart(first, second), None)
        if continuation is None:
            continue
        party = as_machine(model)
        states = [party.read(prefix)[1] for prefix in (first, second)]
        number, _ = party.pack(states[0])
        if party.pack(states[1])[0] == number:
            answer = choice(party.read(continuation, states[0], len(first))[0][-1])
            inputs = [prefix + continuation for prefix in (first, second)]
            errs_on = next(given for given in inputs if how.task.solve(given) != answer)
            return Collision(
                prefixes=(first, second),
                state=number,
                position=None,
                errs_on=errs_on,
                answer=answer,
                expected=how.task.solve(errs_on),
                prefixes_tried=tried,
            )
    return None


def write_record(path: Path, found: Collision, task: Task, model: Path) -> None:
    """Write the record of two prefixes that leave one state of the model of a file."""
    prefixes = [list(prefix) for prefix in found.prefixes]
    record = {
        "format": FORMAT,
        "version": 1,
        "model_sha256": digest_of_file(model),
        "task": task.configuration(),
        "prefixes": prefixes,
        "continuation": list(found.errs_on[len(prefixes[0]) :]),
    }
    write_file(path, json.dumps(record, indent=1) + "\n")


def read_record(path: Path) -> dict[str, Any]:
    """Return the record of a file. Raises BadInput, with file and field, for any other content."""
    try:
        record = json.loads(read_text(path, most=MOST_BYTES))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: expected a record of equal states as JSON, found: {excerpt(str(error))}") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT or record.get("version") != 1:
        raise BadInput(f"{path}, field format: expected {FORMAT!r} of version 1, found another kind of file")
    parts = record.get("prefixes")
    if not isinstance(parts, list) or len(parts) != 2 or not all(map(_are_tokens, parts)):
        raise BadInput(f"{path}, field prefixes: expected two lists of tokens, found {excerpt(reprlib.repr(parts))}")
    if not _are_tokens(record.get("continuation")):
        found = excerpt(reprlib.repr(record.get("continuation")))
        raise BadInput(f"{path}, field continuation: expected a list of tokens, found {found}")
    return record


def _are_tokens(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(token) is int and token >= 0 for token in value)


def refuted(record: dict[str, Any], model: Model, task: Task, path: Path) -> str:
    """Return the reason why a record does not hold for the model of a file and its task; empty if it holds."""
    if record.get("model_sha256") != digest_of_file(path):
        return f"model_sha256: {path} is another model"
    if record.get("task") != task.configuration():
        return f"task: the model is of {task!r}"
    how = searched(task)
    inputs = [(*prefix, *record["continuation"]) for prefix in record["prefixes"]]
    is_known = all(max(given) < task.vocabulary and len(given) == how.input_tokens for given in inputs)
    if not is_known or not all(how.is_prefix(tuple(prefix)) for prefix in record["prefixes"]):
        return f"prefixes and continuation: no input of {task!r}"
    try:
        answers = [task.solve(given) for given in inputs]
    except ValueError as error:
        return f"prefixes and continuation: {error}"
    if answers[0] == answers[1]:
        return f"continuation: {answers[0]} is right after both prefixes"
    party = as_machine(model)
    states = [party.pack(party.read(prefix)[1])[0] for prefix in record["prefixes"]]
    return "" if states[0] == states[1] else "prefixes: they leave two states"
