"""Records in the pages of a database, found without SQLite: each by its own beginning, wherever it is.

SQLite finds a row by way of the file's header, the tree's inner pages and a page's pointers, so that one changed bit in those
hides rows that are intact. Here a record is found by its own beginning: a record (sqlite.org/fileformat2.html, section 2) is a
list of type codes and then the values, and keys and digests of ours are texts of 64 bytes. A record without room on its page
continues in a chain of pages. Pages are those of the file, then those of each transaction in its log (-wal).

The bytes may be forged, so that a chain has no end, or thousands of records share one: the work is bounded (`CopyBudget`).
"""

import operator
import re
import struct
from collections.abc import Iterator, Mapping
from typing import Any

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
REAL_COLUMNS = {"runs": (6,), "checkpoints": ()}
KEY = re.compile(r"[0-9a-f]{64}")
WIDTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)
INDEXED = "index"
"""Stands for the index of the primary key of runs, as `runs` and `checkpoints` stand for the tables."""
MOST_WORK = 64
"""The multiple of the size of file and log that may be copied. A store needs a few: each form of a record is copied once."""
COST_OF_A_PAGE = 16
"""The number of bytes that could be copied in the time in which the next page of a chain is found."""


class Forged(ValueError):
    """Bytes that need more work than those of a store can. The message is one line, without the path."""


class CopyBudget:
    """The bytes that were copied into records, and the most that may be.

    It knows the chain of each record, so that a record is not copied again as long as it is the same.
    """

    def __init__(self, size: int) -> None:
        self.most = MOST_WORK * size
        self.done = 0
        self.chains: dict[tuple[int, bytes], list[bytes]] = {}

    def add(self, amount: int) -> None:
        """Count the work. Raises Forged if it is more than a store can need."""
        self.done += amount
        if self.done > self.most:
            most = f"expected records that are found by copying at most {self.most:,} bytes"
            raise Forged(f"{most}, {MOST_WORK} times the size of file and log; found a forged file that needs more")

    def is_known(self, record: tuple[int, bytes], chain: list[bytes]) -> bool:
        """Return whether a record, by its row number and its bytes on its page, was found before with these pages."""
        known = self.chains.get(record, [])
        if len(known) == len(chain) and all(map(operator.is_, known, chain)):
            return True
        self.chains[record] = chain
        return False


def records(database: bytes, log: bytes, work: CopyBudget) -> Iterator[tuple[str, int, list[Any]]]:
    """Yield what looks like a record of ours in a file or its log: table or INDEXED, row number, values.

    Raises Forged for bytes that need too much work.
    """
    for size in _likely_page_sizes(database):
        for pages, changed in _views(database, log, size):
            for number in changed:
                yield from _records(pages, number, size=size, work=work)
                yield from _indexed(pages[number], work)


def _likely_page_sizes(database: bytes) -> set[int]:
    """Return SQLite's default page size, and that of the file's header if it is possible: a power of two from 512."""
    given = int.from_bytes(database[16:18], "big")
    is_possible = given >= 512 and given & (given - 1) == 0
    return {DEFAULT_PAGE, given} if is_possible else {DEFAULT_PAGE}


def _views(database: bytes, log: bytes, size: int) -> Iterator[tuple[dict[int, bytes], list[int]]]:
    """Yield the pages by number, and the numbers of the new ones: those of the file, then after each transaction of the log."""
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


def _records(pages: Mapping[int, bytes], number: int, *, size: int, work: CopyBudget) -> Iterator[tuple[str, int, list[Any]]]:
    """Yield what looks like a record of a table on a page: table, row number, values."""
    page = pages[number]
    for table, pattern in RECORDS.items():
        for match in pattern.finditer(page):
            header = match[1]
            start = match.start()
            types = _varints(header[1:])
            length = header[0] + sum(map(_width, types))
            if header[0] != len(header) or length > size * len(pages):
                continue
            local = page[start : start + _length_on_page(length, size)]
            chain = _chain(pages, page[start + len(local) :][:4], length=length - len(local), work=work)
            rowid = _row_number(page, start)
            if chain is None or (chain and work.is_known((rowid, local), chain)):
                continue
            work.add(length)
            data = b"".join([local, *(following[4:] for following in chain)])[header[0] : length]
            values = _values(data, types)
            if KEY.fullmatch(str(values[1 if table == "runs" else 0])):
                for column in REAL_COLUMNS[table]:  # a whole number in a REAL column is stored as an integer
                    values[column] = float(values[column])
                yield table, rowid, values


def _length_on_page(length: int, size: int) -> int:
    """Return the number of a record's bytes that are on its own page (fileformat2, section 1.6)."""
    if length <= size - 35:
        return length
    least = (size - 12) * 32 // 255 - 23
    local = least + (length - least) % (size - 4)
    return local if local <= size - 35 else least


def _chain(pages: Mapping[int, bytes], following: bytes, *, length: int, work: CopyBudget) -> list[bytes] | None:
    """Return the pages with the next `length` bytes of a record; None if it is cut off, or if its pages form a circle."""
    chain: list[bytes] = []
    visited = set()
    while length > 0:
        number = int.from_bytes(following, "big")
        page = pages.get(number, b"")
        if len(page) <= 4 or number in visited:
            work.add(COST_OF_A_PAGE * len(chain))
            return None
        visited.add(number)
        chain.append(page)
        following = page[:4]
        length -= len(page) - 4
    work.add(COST_OF_A_PAGE * len(chain))
    return chain


def _indexed(page: bytes, work: CopyBudget) -> Iterator[tuple[str, int, list[Any]]]:
    """Yield row numbers and names of runs in the index of their primary key (key, experiment)."""
    for match in INDEX.finditer(page):
        header = match[1]
        types = _varints(header[1:])
        length = sum(map(_width, types))
        begin = match.start() + len(header)
        if header[0] == len(header) and types[1] >= 13 and types[1] % 2 and begin + length <= len(page):
            work.add(length)
            key, experiment, rowid = _values(page[begin : begin + length], types)
            if KEY.fullmatch(key):
                yield INDEXED, rowid, [experiment, key]


def _row_number(page: bytes, end: int) -> int:
    """Return the variable-length integer that ends before `end`: only its last byte has no high bit."""
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
    """Return the values of a record. Bytes that are not UTF-8 are decoded as the store does, and a blob stays bytes."""
    values: list[Any] = []
    for code in types:
        part = data[: _width(code)]
        data = data[_width(code) :]
        if code >= 12:
            values.append(part.decode("utf-8", "surrogateescape") if code % 2 else part)
        elif code == 7:
            values.append(struct.unpack(">d", part)[0])
        else:
            values.append({8: 0, 9: 1}.get(code) if not part else int.from_bytes(part, "big", signed=True))
    return values
