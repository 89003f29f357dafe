"""The page of an audit: one of the committed models, or one that `seqsep audit --json` printed and a form sends.

The charts and the tables are those of `seqsep audit --page`. The page audits no model itself, since that takes longer than a
page may take, and it reads no file of weights.
"""

from pathlib import Path
from shlex import quote

from seqsep.commands.explore.pages.card import UNUSABLE, reason
from seqsep.commands.explore.pages.sweeps import StoredRows
from seqsep.commands.explore.uploads import Upload
from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.commands.shared_flags import weights_folder
from seqsep.commands.shipped import shipped
from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.lab.audit.answer import Audit
from seqsep.lab.audit.failures import WorstCase
from seqsep.lab.audit.sizes import rows
from seqsep.report.figures.chart_picture import chart_svg
from seqsep.report.page.audit_page import audit_values
from seqsep.report.page.audit_record import audit_of_record, audit_of_text

MOST_AUDIT = 4 << 20
SENT = "your audit"
DEFAULT = "lstm-64"
MOST_KEPT = 40


def shipped_audits() -> dict[str, dict[str, object]]:
    """Return the records of the audits that come with seqsep, by mixer and width.

    >>> sorted(shipped_audits())[:2]
    ['attention-16', 'attention-32']
    """
    return {f"{row['run']['layers'][0]}-{row['run']['width']}": row["audit"] for row in rows(shipped("results"))}


def content(visit: Visit) -> PageContent:
    """Return the page of an audit."""
    names = shipped_audits()
    model = visit.asked("model", DEFAULT)
    found = None
    error = ""
    try:
        if names or visit.body is not None:
            found = audit_values(*_audit(visit, names, model))
            for chart in filter(None, (found["curve"], found["places"])):
                chart_svg(chart, "tried")  # numbers that no audit has are refused here, not in the template
    except UNUSABLE as wrong:
        found = None
        error = reason(wrong, f"{SENT}: expected numbers of an audit that can be drawn")
    kept, why = _kept(visit.store)
    values = {"names": list(names), "model": model, "found": found, "sent": visit.body is not None, "kept": kept}
    command = "seqsep audit MODEL.safetensors --json > audit.json"
    return PageContent("Audit of a model", "audit.html", values, error=error or why, command=command)


def _audit(visit: Visit, names: dict[str, dict[str, object]], model: str) -> tuple[Audit, WorstCase | None]:
    if visit.body is not None:
        data = Upload(visit.body, visit.kind).require("file", "an audit")
        if len(data) > MOST_AUDIT:
            raise BadInput(f"{SENT}: expected at most {MOST_AUDIT >> 20} MiB, found more")
        return audit_of_text(data, SENT)
    if model not in names:
        raise BadInput(f"model: expected one of the models of the list, found {excerpt(repr(model))}")
    return audit_of_record(names[model]), None


def _kept(path: str) -> tuple[list[tuple[str, str]], str]:
    """Return the runs of the store whose weights are kept, each with the command that audits it, and why there are none."""
    if not path:
        return [], ""
    try:
        stored = StoredRows.read(Path(path))
        files = {file.stem for file in weights_folder(Path(path)).glob("*.safetensors")}
    except (ValueError, OSError) as error:
        return [], text_of(error)
    runs = {row.key: row.run.label() for row in stored.rows if row.key in files and row.is_current and not row.is_reply}
    return [(label, f"seqsep audit {quote(path)} {key} --json > audit.json") for key, label in runs.items()][:MOST_KEPT], ""
