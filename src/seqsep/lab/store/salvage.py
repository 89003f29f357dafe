"""Rows out of the bytes of a store, without SQLite: every record whose own SHA-256 holds, wherever it lies.

SQLite finds a row by way of the file's header, the tree's inner pages and a page's pointers, so that one changed bit in those
hides rows that are intact. Here a record is found by its own beginning: a record (sqlite.org/fileformat2.html, section 2) is a
list of type codes and then the values, and keys and digests of ours are texts of 64 bytes. A record without room on its page
goes on in a chain of pages. Pages are those of the file, then those of each transaction in its log (-wal).

Records that were replaced or deleted are found as well: of several for one run, the one with the highest row number is the last
one written.
"""

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from seqsep.lab.store.store import digest_of

DEFAULT_PAGE = 4096
FRAME_HEADER = 24
LOG_HEADER = 32
VARINT = rb"[\x80-\xff]{0,8}[\x00-\x7f]"
SHORT_TEXT = rb"\x81\x0d"
NUMBER = rb"[\x01-\x09]"
RUN_CODES = (VARINT, SHORT_TEXT, *[VARINT] * 4, *[NUMBER] * 2, SHORT_TEXT)
CHECKPOINT_CODES = (SHORT_TEXT, NUMBER, VARINT, VARINT, SHORT_TEXT)
RECORDS = {  # matches may overlap
    "runs": re.compile(rb"(?s)(?=([\x0c-\x3c]%b))" % b"".join(RUN_CODES)),
    "checkpoints": re.compile(rb"(?s)(?=([\x08-\x1c]%b))" % b"".join(CHECKPOINT_CODES)),
}
INDEX = re.compile(rb"(?s)(?=([\x05-\x0d]%b%b%b))" % (SHORT_TEXT, VARINT, NUMBER))
RESULT = 4  # the column of the table `runs` that is empty if a run has no outcome
REAL_COLUMNS = {"runs": (6,), "checkpoints": ()}
KEY = re.compile(r"[0-9a-f]{64}")
WIDTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)


@dataclass
class Salvage:
    """Intact rows as the store wrote them, without their digests: of runs by (experiment, key), of checkpoints by key.

    `lost` are the runs that the index names and no intact row has; without any index, those of damaged records.
    """

    runs: dict[tuple[str, str], tuple[Any, ...]] = field(default_factory=dict)
    checkpoints: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    lost: list[tuple[str, str]] = field(default_factory=list)
    lost_checkpoints: list[str] = field(default_factory=list)


@dataclass
class Records:
    """The records of one table by name: rows whose digest holds, with their row number. Of damaged ones only the names."""

    intact: dict[Any, tuple[int, tuple[Any, ...]]] = field(default_factory=dict)
    damaged: dict[int, Any] = field(default_factory=dict)

    def add(self, name: Any, rowid: int, values: list[Any]) -> None:
        """Take up a record; of several with one name the last one written has the highest row number."""
        *columns, digest = values
        if digest_of(columns) != digest:
            self.damaged[rowid] = name
        elif name not in self.intact or self.intact[name][0] <= rowid:
            self.intact[name] = (rowid, tuple(columns))

    def rows(self) -> dict[Any, tuple[Any, ...]]:
        """The intact rows by name."""
        return {name: row for name, (_, row) in self.intact.items()}


def salvage(database: bytes, log: bytes) -> Salvage:
    """All that is intact in a store's file and its log."""
    runs = Records()
    checkpoints = Records()
    indexed: dict[int, Any] = {}
    for size in _likely_page_sizes(database):
        for pages, changed in _views(database, log, size):
            for number in changed:
                for table, rowid, values in _records(pages, number, size):
                    if table == "runs":
                        runs.add(tuple(values[:2]), rowid, values)
                    else:
                        checkpoints.add(values[0], rowid, values)
                indexed |= dict(_indexed(pages[number]))
    ended = {key for (_, key), row in runs.rows().items() if row[RESULT] is not None}
    lost_checkpoints = set(checkpoints.damaged.values()) - set(checkpoints.intact) - ended
    return Salvage(
        runs=runs.rows(),
        checkpoints=checkpoints.rows(),
        lost=_lost(runs, indexed or runs.damaged),
        lost_checkpoints=sorted(lost_checkpoints),
    )


def _likely_page_sizes(database: bytes) -> set[int]:
    """SQLite's default, and that of the file's header if it can be one: a power of two from 512."""
    given = int.from_bytes(database[16:18], "big")
    is_possible = given >= 512 and given & (given - 1) == 0
    return {DEFAULT_PAGE, given} if is_possible else {DEFAULT_PAGE}


def _lost(runs: Records, named: Mapping[int, Any]) -> list[tuple[str, str]]:
    """The runs of which a row was named, by its number, and is not among the intact ones."""
    rowids = {rowid for rowid, _ in runs.intact.values()}
    lost = set()
    for rowid, name in named.items():
        if rowid in rowids:
            continue
        older, row = runs.intact.get(name, (0, None))
        # An older row that says that the run had failed is no substitute for the outcome that was written after it.
        if row is None or (row[RESULT] is None and rowid > older):
            lost.add(name)
    return sorted(lost)


def _views(database: bytes, log: bytes, size: int) -> Iterator[tuple[dict[int, bytes], list[int]]]:
    """The pages by number, and which are new: those of the file, then after each transaction of the log."""
    pages = {start // size + 1: database[start : start + size] for start in range(0, len(database), size)}
    yield pages, list(pages)
    changed: list[int] = []
    for start in range(LOG_HEADER, len(log), FRAME_HEADER + size):
        number = int.from_bytes(log[start : start + 4], "big")
        pages[number] = log[start + FRAME_HEADER : start + FRAME_HEADER + size]
        changed.append(number)
        if log[start + 4 : start + 8] != bytes(4):  # the last page of its transaction
            yield pages, changed
            changed = []
    yield pages, changed


def _records(pages: Mapping[int, bytes], number: int, size: int) -> Iterator[tuple[str, int, list[Any]]]:
    """What looks like a record of ours on a page: table, row number, values."""
    page = pages[number]
    for table, pattern in RECORDS.items():
        for match in pattern.finditer(page):
            header = match[1]
            start = match.start()
            types = _varints(header[1:])
            length = header[0] + sum(map(_width, types))
            if header[0] != len(header) or length > size * len(pages):
                continue
            data = _payload(pages, number, start=start, length=length, size=size)
            if data is None:
                continue
            values = _values(data[header[0] :], types)
            if KEY.fullmatch(str(values[1 if table == "runs" else 0])):
                for column in REAL_COLUMNS[table]:  # a whole number in a REAL column is stored as an integer
                    values[column] = float(values[column])
                yield table, _row_number(page, start), values


def _payload(pages: Mapping[int, bytes], number: int, *, start: int, length: int, size: int) -> bytes | None:
    """The record from `start` on, with what overflows its page (fileformat2, section 1.6); None if it is cut off."""
    page = pages[number]
    if length <= size - 35:
        return page[start : start + length] if start + length <= len(page) else None
    least = (size - 12) * 32 // 255 - 23
    local = least + (length - least) % (size - 4)
    local = local if local <= size - 35 else least
    data = page[start : start + local]
    following = page[start + local : start + local + 4]
    while len(data) < length:
        page = pages.get(int.from_bytes(following, "big"), b"")
        if len(page) <= 4:
            return None
        following = page[:4]
        data += page[4 : 4 + length - len(data)]
    return data


def _indexed(page: bytes) -> Iterator[tuple[int, tuple[str, str]]]:
    """Row numbers and names of runs in the index of their primary key (key, experiment)."""
    for match in INDEX.finditer(page):
        header = match[1]
        types = _varints(header[1:])
        length = sum(map(_width, types))
        data = page[match.start() + len(header) :][:length]
        if header[0] == len(header) and types[1] >= 13 and types[1] % 2 and len(data) == length:
            key, experiment, rowid = _values(data, types)
            if KEY.fullmatch(key):
                yield rowid, (experiment, key)


def _row_number(page: bytes, end: int) -> int:
    """The variable-length integer that ends before `end`: its last byte alone has no high bit."""
    start = end - 1
    while start > 0 and end - start < 9 and page[start - 1] & 0x80:
        start -= 1
    numbers = _varints(page[max(start, 0) : end])
    return numbers[0] if numbers else 0


def _varints(data: bytes) -> list[int]:
    numbers = []
    value = 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            numbers.append(value)
            value = 0
    return numbers


def _width(code: int) -> int:
    return WIDTHS[code] if code < len(WIDTHS) else max(0, code - 12) // 2


def _values(data: bytes, types: list[int]) -> list[Any]:
    """The values of a record; bytes that are no UTF-8 are decoded as the store does, a blob stays bytes."""
    values: list[Any] = []
    for code in types:
        part = data[: _width(code)]
        data = data[_width(code) :]
        if code >= 12:
            values.append(part.decode("utf-8", "surrogateescape") if code % 2 else part)
        elif code == 7:
            values.append(struct.unpack(">d", part)[0])
        else:
            values.append({0: None, 8: 0, 9: 1}[code] if not part else int.from_bytes(part, "big", signed=True))
    return values
