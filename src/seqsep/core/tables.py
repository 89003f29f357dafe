"""Results of public functions as short tables: text for a terminal, HTML for a notebook, a frame for pandas."""

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from seqsep.core.names import printable

SHOWN_ROWS = 20
"""A longer table shows as many of its first and last rows, half each."""
SHOWN_CHARACTERS = 40
GAP: Mapping[str, Any] = {}
STARTS_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""First characters of a text that a spreadsheet may compute, the last four as full-width letters."""


class Tabular(ABC):
    """Something that a table shows: `records` are its rows, all with the same columns.

    >>> class Squares(Tabular):
    ...     def records(self):
    ...         return [{"n": n, "square": n * n} for n in (2, 10)]
    >>> print(Squares().table())
     n  square
     2       4
    10     100
    """

    @abstractmethod
    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows, each as column -> value."""

    def title(self) -> str:
        """Return a line above the table, or nothing."""
        return ""

    def table(self) -> str:
        """Return the title and the rows as text, with numbers aligned right and words left."""
        records = self.records()
        columns = list(records[0]) if records else []
        kept = _first_and_last(records)
        lines = [[_words(record.get(name, "..")) for name in columns] for record in kept]
        widths = [max(map(len, column)) for column in zip(columns, *lines, strict=True)]
        are_words = [any(isinstance(record[name], str) for record in records) for name in columns]
        rows = [
            "  ".join(
                word.ljust(width) if is_word else word.rjust(width)
                for word, width, is_word in zip(line, widths, are_words, strict=True)
            ).rstrip()
            for line in [columns, *lines]
        ]
        return "\n".join([printable(self.title()), *rows] if self.title() else rows)

    def _repr_html_(self) -> str:
        """Return the table that a notebook shows."""
        records = self.records()
        columns = list(records[0]) if records else []
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_words(record.get(name, '..')))}</td>" for name in columns) + "</tr>"
            for record in _first_and_last(records)
        )
        title = f"<p>{escape(self.title())}</p>" if self.title() else ""
        return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_frame(self) -> Any:
        """Return all rows as a pandas.DataFrame. Raises ImportError if pandas is not installed: pip install pandas."""
        try:
            import pandas  # type: ignore[import-untyped]
        except ImportError as error:
            raise ImportError(f"{type(self).__name__}.to_frame(): expected pandas, found none: pip install pandas") from error
        return pandas.DataFrame.from_records([dict(record) for record in self.records()])


class Sizes(dict[str, Any], Tabular):
    """Size -> its number: sizes in bits, widths in coordinates.

    >>> Sizes(width=10, core_bits=4680)
    size       number
    width          10
    core_bits   4,680
    """

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each size."""
        return [{"size": size, "number": number} for size, number in self.items()]

    def __repr__(self) -> str:
        return self.table()


def as_csv(records: Sequence[Mapping[str, Any]]) -> str:
    """Return records of the same columns as CSV: a line of names, then a line a record. It is empty without records.

    A spreadsheet computes no cell: in front of a text that could be a formula there is a single quote. Numbers stay numbers,
    and None is an empty cell.

    >>> as_csv([{"name": "=1+1", "number": -0.5, "none": None}])
    "name,number,none\\n'=1+1,-0.5,\\n"
    """
    columns = list(records[0]) if records else []
    text = io.StringIO()
    lines = [columns, *([record[name] for name in columns] for record in records)] if records else []
    csv.writer(text, lineterminator="\n").writerows(map(_csv_cell, line) for line in lines)
    return text.getvalue()


def _csv_cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = printable(value, kept="")
    return f"'{text}" if text.lstrip().startswith(STARTS_FORMULA) else text


def _first_and_last(records: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return all rows, or the first and the last ones with a row without values between."""
    if len(records) <= SHOWN_ROWS:
        return records
    half = SHOWN_ROWS // 2
    return [*records[:half], GAP, *records[-half:]]


def _words(value: Any) -> str:
    """Return a value in few characters; None is a dash."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else printable(str(value), kept="")
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 2]}.."
