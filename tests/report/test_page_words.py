"""The words of the report's pages: their templates keep the rules of tests/test_words.py, and the style guide's list."""

import re
from pathlib import Path

import pytest

from seqsep.report.page.templates import source
from test_words import broken

FOLDER = Path(__file__).parents[2] / "src/seqsep/report/page"
TEMPLATES = sorted(path.name for path in FOLDER.glob("*.html"))
BLOCKS = "p|h1|h2|h3|dt|dd|div|li|figure|figcaption|summary|caption|th|td|title|desc"
LIST = re.compile(
    r"\b(?:beside|beneath|errs|stands?|stood|lies?|anew|tried|asked|so many|goes? on|printed)\b|the paper's own", re.IGNORECASE
)
"""Words that the style guide replaces."""


def words(template: str) -> str:
    """Return what a reader sees of a template: a blank line after each block, and a letter for each value."""
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}", "", template, flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "x", text, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", "", re.sub(rf"</?(?:{BLOCKS})\b[^>]*>", "\n\n", text))


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_keeps_the_words_of_the_style(name: str) -> None:
    shown = words(source(name))
    assert dict(broken(shown)) == {}
    assert LIST.findall(shown) == []


@pytest.mark.parametrize(
    "text", ["<h2>Who finds a symbol</h2>", "<td>errs on {{ x }}</td>", "<p>No best stands beside {# no #}one.</p>"]
)
def test_what_breaks_a_rule_is_found(text: str) -> None:
    shown = words(text)
    assert broken(shown) or LIST.search(shown)


def test_names_and_values_are_left_out() -> None:
    """`cell.printed` and `beside` are names in the template, and no reader sees them."""
    shown = words('<div class="beside">{{ cell.printed }} {% if errs %}<b>a</b>{% endif %}</div>')
    assert "".join(shown.split()) == "xa"
    assert len(TEMPLATES) >= 8
