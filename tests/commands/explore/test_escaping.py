"""Pages escape what a reader types and what a form sends: no text adds an element."""

import ast
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import nodes

from seqsep.commands import explore
from seqsep.commands.explore.pages.certificate import written
from seqsep.commands.explore.pages.rendered import rendered
from seqsep.commands.explore.templates import page_templates
from seqsep.commands.explore.visit import Visit
from support.explore_forms import posted


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, tuple(sorted(name for name, _ in attributes))))


def elements(visit):
    parser = Elements()
    parser.feed(rendered(visit).html.decode())
    return parser.found


BEFORE = ("", '">', "'>", "</title>", "</textarea>", "</option>", "-->", "]]>", "&lt;b&gt;", "{{7*7}}", "\u202e", "\x00")
ELEMENTS = ("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "{% raw %}<token>", "<b")
OPENERS = tuple(before + element for before in BEFORE for element in ELEMENTS)
FIELDS = (
    ("theorem", "index-lookup-attention", "typed"),
    ("theorem", "index-lookup-attention", "length"),
    ("theorem", "index-lookup-attention", "code"),
    ("protocol", "index-lookup", "input"),
    ("protocol", "index-lookup", "split"),
    ("language", "", "regex"),
    ("language", "", "word"),
    ("thought", "turing-machine-hybrid", "word"),
    ("thought", "turing-machine-hybrid", "machine"),
    ("experiments", "mamba-width", "preset"),
    ("experiments", "mamba-width", "cell"),
    ("card", "", "card"),
    ("card", "", "second"),
    ("audit", "", "model"),
    ("capacity", "", "model"),
    ("capacity", "", "length"),
    ("capacity", "", "memory"),
)


@pytest.mark.parametrize("field", FIELDS, ids=":".join)
def test_a_readers_text_adds_no_element(field):
    """The page has the elements that it has for a harmless wrong text."""
    page, name, key = field
    harmless = elements(Visit(page, name, {key: "?!"}))
    for payload in OPENERS:
        assert elements(Visit(page, name, {key: payload})) == harmless, payload


@pytest.mark.parametrize("payload", OPENERS)
def test_a_senders_text_adds_no_element(payload):
    def config(word):
        return posted("capacity", config=json.dumps({"model_type": word, "hidden_size": 8, "num_hidden_layers": 2}))

    def certificate(word):
        fields = json.loads(written("equality-state")) | {"theorem": word, "digest": word}
        return posted("certificate", text=json.dumps(fields, sort_keys=True, separators=(",", ":")))

    for make in (config, certificate):
        assert elements(make(payload)) == elements(make("?!"))
    assert elements(Visit("theorem", payload)) == elements(Visit("theorem", "?!"))


def test_the_token_stands_in_forms_only():
    """A reader's text cannot ask for the token."""
    page = rendered(Visit("language", query={"regex": "<token>"})).html
    assert b"<token>" not in page
    assert rendered(Visit("certificate")).html.count(b'value="<token>"') == 1


TEMPLATES = sorted(Path(explore.__file__).with_name("templates").glob("*.html"))
MARKUP = {
    "templates.py": ["Markup(source('page.css'))"],
    "pages/language.py": ["Markup(automaton_svg(analysis, 'automaton'))"],
}
"""The calls that say that a text needs no escape: our style sheet, and a drawing that escapes its own words."""


def unescaped(source):
    """Return the expressions of a template that are not escaped, and its blocks without autoescape."""
    tree = page_templates().parse(source)
    filters = [one.node for one in tree.find_all(nodes.Filter) if one.name == "safe"]
    found = [one.name if isinstance(one, nodes.Name) else type(one).__name__ for one in filters]
    return found + [type(one).__name__ for one in tree.find_all((nodes.EvalContextModifier, nodes.MarkSafe))]


def test_templates_escape_every_value():
    """Only the place of the token is not escaped: the server writes it."""
    assert page_templates().autoescape is True
    assert page_templates().from_string("<p title='{{ word }}'>").render(word="'><b>") == "<p title='&#39;&gt;&lt;b&gt;'>"
    assert len(TEMPLATES) >= 12
    assert {path.name: set(unescaped(path.read_text(encoding="utf-8"))) - {"token_place"} for path in TEMPLATES} == {
        path.name: set() for path in TEMPLATES
    }
    assert unescaped("{{ word|safe }}{% autoescape false %}{{ word }}{% endautoescape %}") == [
        "word",
        "ScopedEvalContextModifier",
    ]


def test_two_texts_of_the_code_are_not_escaped():
    folder = Path(explore.__file__).parent
    found = {}
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Markup":
                found.setdefault(path.relative_to(folder).as_posix(), []).append(ast.unparse(node))
    assert found == MARKUP


def test_the_script_has_at_most_400_lines():
    script = Path(explore.__file__).with_name("templates").joinpath("explore.js").read_text(encoding="utf-8")
    assert len(script.splitlines()) <= 400
    assert "eval(" not in script
    assert "innerHTML" not in script
