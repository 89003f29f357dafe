"""Reads a page of HTML: its tags balance, and its elements, text and rows are kept."""

import re
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Reader(HTMLParser):
    """Checks that tags balance; keeps the elements, the text, the rows, and the tables that a narrow window cannot scroll."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.rows: list[str] = []
        self.unscrolled: list[str] = []
        self._classes: list[set[str]] = []
        self.feed(text)
        self.close()
        assert self.open == []
        self.text = re.sub(r"\s+", " ", self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append("")
        if tag not in VOID:
            self.open.append(tag)
            self._classes.append(set((dict(attrs).get("class") or "").split()))
        if tag == "table" and not {"scroll", "heat"} & set().union(*self._classes):
            self.unscrolled.append(self.text[-60:])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self._classes.pop()

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data
            if "tr" in self.open:
                self.rows[-1] += " " + data
