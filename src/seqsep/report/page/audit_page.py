"""The page of an audit: three numbers, accuracy over bits and by position, and the worst case; needs no network or script."""

from pathlib import Path
from typing import Any

from markupsafe import Markup

from seqsep.core.files import write_file
from seqsep.lab.audit.answer import Audit
from seqsep.lab.audit.failures import WorstCase
from seqsep.report.page.audit_charts import STYLES, curve_chart, places_chart
from seqsep.report.page.templates import environment, source


def audit_page(found: Audit, worst: WorstCase | None = None) -> str:
    """Return the page as text. The same audit gives the same page."""
    template = environment().get_template("audit_page.html")
    css = Markup(source("page.css"))  # our own file
    return template.render(css=css, styles=STYLES, audit=audit_values(found, worst)).lstrip()


def audit_values(found: Audit, worst: WorstCase | None = None) -> dict[str, Any]:
    """Return the values of the template audit_parts.html."""
    return {
        "title": found.title(),
        "rows": found.records(),
        "curve": curve_chart(found),
        "places": places_chart(found) if len(found.places) > 1 else None,
        "worst": worst,
        "least": "" if worst is None else worst.least_in_words(),
        "attacks": [] if worst is None else worst.records(),
    }


def write_audit_page(path: Path, found: Audit, worst: WorstCase | None = None) -> None:
    """Write the page to a file."""
    write_file(path, audit_page(found, worst))
