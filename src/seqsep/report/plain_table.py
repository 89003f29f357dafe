"""A table of texts, as the page shows it; the numbers of the report are in such tables."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A table cell with a main number and a second one; `chosen` marks the best of a row."""

    main: str
    second: str = ""
    chosen: bool = False


@dataclass(frozen=True)
class TableRow:
    """A row with its header; `slug` colours the header."""

    name: str
    slug: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class PlainTable:
    """A table with one header cell a row."""

    title: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
