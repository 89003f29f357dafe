"""Links from generated pages to the glossary."""

import re
from pathlib import Path

from seqsep.core.files import read_text

GLOSSARY = "docs/explanation/glossary.md"


def with_terms(page: str, clone: Path, up: str) -> str:
    """Return a page with a last paragraph that links each term of the glossary that the page uses.

    `up` leads from the page to docs/. A page that uses no term stays as it is.
    """
    path = clone / GLOSSARY
    if not path.is_file():
        return page
    text = re.sub(r"^(`{3,}).*?^\1", "\n", page, flags=re.MULTILINE | re.DOTALL).lower()
    terms = re.findall(r"^### (.+)$", read_text(path), re.MULTILINE)
    used = [term for term in terms if re.search(rf"\b{re.escape(term.lower())}\b", text)]
    links = [f"[{term}]({up}explanation/glossary.md#{_anchor(term)})" for term in used]
    return f"{page}\nWords in the glossary: {', '.join(links)}.\n" if links else page


def _anchor(term: str) -> str:
    """Return the anchor of a term's heading: lower case, spaces as dashes, without punctuation."""
    return re.sub(r"[^\w -]", "", term.lower()).replace(" ", "-")
