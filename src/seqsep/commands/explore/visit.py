"""A visit of a page, and what the page answers: the two records between requests and templates."""

import html as markup
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DONE = 200
BAD_REQUEST = 400
NOT_FOUND = 404
FILES: Mapping[str, str] = {"style.css": "text/css", "explore.js": "text/javascript"}
"""The files that pages load, with their types."""
TOKEN_PLACE = "<token>"
"""The place of the token in a form. A reader's text cannot contain it: every < of a text is escaped."""


@dataclass(frozen=True)
class Visit:
    """A visit of a page.

    Fields:
        page: name of the page; empty for the start.
        name: its second part, such as a theorem; empty if there is none.
        query: fields of the form, each with its last value.
        body: bytes that a form sends; None if it sends none.
        kind: content type of the body.
        is_static: the page is written to a file, so it has no forms.
        store: path of the reader's store; empty if there is none. It comes from the command line, never from a request.

    >>> Visit("theorem", "index-lookup-attention", {"length": "8"}).asked("length")
    '8'
    """

    page: str = ""
    name: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    kind: str = ""
    is_static: bool = False
    store: str = ""

    def asked(self, field_name: str, default: str = "") -> str:
        """Return the value of a field without the space around it, or the default if it is empty or missing."""
        return self.query.get(field_name, "").strip() or default


@dataclass(frozen=True)
class PageContent:
    """The content of a page: its title, its template, and the values of the template.

    `error` is a message for the reader, and `command` the command line that gives the same answer.
    """

    title: str
    template: str
    values: Mapping[str, Any]
    error: str = ""
    command: str = ""
    status: int = DONE


@dataclass(frozen=True)
class RenderedPage:
    """A page as bytes of HTML, with its HTTP status."""

    status: int
    html: bytes


def plain_page(status: int, sentence: str) -> RenderedPage:
    """Return a page that has only a sentence. It needs no template, so the server can refuse a request at once.

    >>> b"1 &lt; 2" in plain_page(404, "1 < 2").html
    True
    """
    said = markup.escape(sentence)
    text = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<title>seqsep explore</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/file/style.css"></head>'
        f'<body><main><h1>This page cannot be shown</h1><p class="lead" role="alert">{said}</p>'
        '<p><a href="/">To the start</a></p></main></body></html>\n'
    )
    return RenderedPage(status, text.encode("utf-8", "replace"))
