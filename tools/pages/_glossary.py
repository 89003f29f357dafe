"""Links from generated pages to the glossary."""

import re
from pathlib import Path

from seqsep.core.files import read_text

GLOSSARY = "docs/explanation/glossary.md"
SENSES = {
    "rank": r"\brank of (?:the|its|this) matrix\b|\bits rank\b",
    "row": r"`row`|^#+ row$|\bintact row\b|\blost a row\b|\brow of (?:a|the) (?:[\w-]+ )?(?:store|run|sweep)\b"
    r"|\brow has (?:no|an) outcome\b",
    "store": r"(?:\b(?:a|the|its|this|each|every|another|damaged|one) |--|`)store\b|^#+ store$",
}
"""Words that have other senses too, as in "k places in a row" and "a state must store N bits": the forms that mean the term."""


def with_terms(page: str, clone: Path, up: str) -> str:
    """Return a page with a last paragraph that links each term of the glossary that the page uses.

    `up` leads from the page to docs/. A page that uses no term stays as it is.
    """
    path = clone / GLOSSARY
    if not path.is_file():
        return page
    text = re.sub(r"^(`{3,}).*?^\1", "\n", page, flags=re.MULTILINE | re.DOTALL).lower()
    terms = re.findall(r"^### (.+)$", read_text(path), re.MULTILINE)
    used = [term for term in terms if uses(text, term)]
    links = [f"[{term}]({up}explanation/glossary.md#{_anchor(term)})" for term in used]
    return f"{page}\nWords in the glossary: {', '.join(links)}.\n" if links else page


def uses(text: str, term: str) -> bool:
    """Return True if a text in lower case uses a term of the glossary in the sense that the glossary explains.

    >>> uses("the row of a run", "Row"), uses("k places in a row", "Row")
    (True, False)
    """
    return re.search(SENSES.get(term.lower(), rf"\b{re.escape(term.lower())}\b"), text, re.MULTILINE) is not None


def _anchor(term: str) -> str:
    """Return the anchor of a term's heading: lower case, spaces as dashes, without punctuation."""
    return re.sub(r"[^\w -]", "", term.lower()).replace(" ", "-")
