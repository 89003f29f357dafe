"""Pages escape what a reader types and what a form sends: no text adds an element."""

import json
from html.parser import HTMLParser

import pytest

from seqsep.commands.explore.pages.certificate import written
from seqsep.commands.explore.pages.rendered import rendered
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


OPENERS = ("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</title><script>", "</textarea><b>", "</option><b>",
           '"><b>', "'><b>", "--><b>", "]]><b>", "<svg/onload=alert(1)>", "&lt;b&gt;<b>", "{{7*7}}", "{% raw %}", "<token>",
           "\u202e<b>", "\x00<b>", "javascript:alert(1)", "${7*7}", "<!--", "<b")  # fmt: skip
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


@pytest.mark.parametrize("payload", OPENERS)
@pytest.mark.parametrize("field", FIELDS, ids=":".join)
def test_a_readers_text_adds_no_element(field, payload):
    """The page has the elements that it has for a harmless wrong text."""
    page, name, key = field
    assert elements(Visit(page, name, {key: payload})) == elements(Visit(page, name, {key: "?!"}))


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
