"""The addresses of pages and files: on the server, or relative to a file of a static copy."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import quote, urlencode


@dataclass(frozen=True)
class Links:
    """The addresses that templates use. `written` are the files of a static copy; None on the server.

    >>> Links().page("theorem", "index-lookup-attention", length=8)
    '/theorem/index-lookup-attention?length=8'
    >>> Links({"theorem-equality-state.html"}).page("theorem", "equality-state")
    'theorem-equality-state.html'
    """

    written: Collection[str] | None = None

    def page(self, page: str, name: str = "", **query: object) -> str:
        """Return the address of a page; in a static copy, empty for a page that it lacks."""
        if self.written is not None:
            found = file_of(page, name, **query)
            return found if found in self.written else ""
        parts = "".join(f"/{quote(part, safe='')}" for part in (page, name) if part) or "/"
        return f"{parts}?{urlencode(query)}" if query else parts

    def file(self, name: str) -> str:
        """Return the address of a style sheet or a script."""
        return name if self.written is not None else f"/file/{name}"


def file_of(page: str, name: str = "", **query: object) -> str:
    """Return the file of a page in a static copy.

    >>> file_of(""), file_of("language", regex="(01)*")
    ('index.html', 'language-regex-01-.html')
    """
    words = [page, name, *(f"{key}-{value}" for key, value in query.items())]
    return "-".join(re.sub(r"[^\w.]+", "-", word) for word in words if word) + ".html" if any(words) else "index.html"
