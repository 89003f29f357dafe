"""Links from generated pages to the glossary."""

import re
from pathlib import Path

from seqsep.files import read_text

GLOSSARY = "docs/explanation/glossary.md"


def terms_line(page: str, clone: Path, up: str = "../../") -> str:
    """Return a last paragraph that links each term of the glossary that a page uses; empty if it uses none.

    `up` leads from the page to docs/.
    """
    path = clone / GLOSSARY
    if not path.is_file():
        return ""
    text = re.sub(r"^(`{3,}).*?^\1", "\n", page, flags=re.MULTILINE | re.DOTALL).lower()
    terms = re.findall(r"^### (.+)$", read_text(path), re.MULTILINE)
    used = [term for term in terms if re.search(rf"\b{re.escape(term.lower())}\b", text)]
    links = [f"[{term}]({up}explanation/glossary.md#{re.sub(r'[^a-z0-9]+', '-', term.lower()).strip('-')})" for term in used]
    return f"\nWords in the glossary: {', '.join(links)}.\n" if links else ""
