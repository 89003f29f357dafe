"""An audit read back from its JSON, which `seqsep audit --json` prints: no file that it mentions is opened, no code runs."""

import json
from collections.abc import Mapping
from typing import Any

from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.core.records import restored
from seqsep.lab.audit.answer import Audit
from seqsep.lab.audit.failures import WorstCase
from seqsep.language_models.audit.answer import LanguageModelAudit
from seqsep.models.plugins.name import is_canonical
from seqsep.tasks import BY_NAME, IndexLookup, Task

EXPECTED = "expected an audit that `seqsep audit --json` printed"
PHONEBOOK = "phonebook"


def audit_of_text(data: bytes, where: str) -> tuple[Audit, WorstCase | None]:
    """Return the audit of a JSON text, and its worst case or None. Raises BadInput, which begins with `where`, for another."""
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: {EXPECTED}: {text_of(error)[:120]}") from None
    if not isinstance(record, dict) or not isinstance(record.get("task"), dict):
        raise BadInput(f"{where}: {EXPECTED}, found another text")
    worst = record.pop("worst", None)
    found = audit_of_record(record, where)
    if worst is None or not isinstance(worst, dict):
        return found, None
    collision = worst.get("collision")
    if isinstance(collision, dict):
        worst["collision"] = {"state": 0, "prefixes_tried": 0, "position": None, "written": None, **collision}
    return found, restored(WorstCase, worst | {"task": found.task}, f"{where}: {EXPECTED}: worst")


def audit_of_record(record: Mapping[str, Any], where: str = "audit") -> Audit:
    """Return the audit of its record, as `Audit.record` gives it. Raises BadInput for a record of another form.

    >>> audit_of_record({"task": {"name": "index-lookup", "length": 3}})
    Traceback (most recent call last):
    seqsep.core.names.BadInput: audit: expected an audit ... found no 'accuracy'
    """
    kind = LanguageModelAudit if record["task"].get("name") == PHONEBOOK else Audit
    found: Audit = restored(kind, {**record, "task": _task(record["task"], where)}, f"{where}: {EXPECTED}: audit")
    return found


def _task(fields: Mapping[str, Any], where: str) -> Task:
    """Return the task of a configuration; of a phonebook, index lookup with one symbol for each entry."""
    given = dict(fields)
    name = given.pop("name", None)
    if isinstance(name, str) and is_canonical(name):
        raise BadInput(
            f"{where}: expected a task of seqsep, found your own; `seqsep audit --page` writes the page of this audit"
        )
    try:
        if name == PHONEBOOK:
            return IndexLookup(length=given["entries"], alphabet=10 ** min(given["digits"], 18))
        return BY_NAME[name].restore(given)
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise BadInput(f"{where}: {EXPECTED}: task: {excerpt(text_of(error))}") from None
