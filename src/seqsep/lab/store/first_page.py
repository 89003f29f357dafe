"""The schema in the first page of a store's file, and in those of its log, looked at before SQLite parses it.

SQLite parses the complete schema before anybody can stop it: one of 200,000 tables would take minutes. Ours has four short
entries, which are in the leaf page with which the file begins (sqlite.org/fileformat2.html, sections 1.6 and 4.1).
"""

from io import BufferedReader
from pathlib import Path

from seqsep.core.files import UNLIMITED, open_regular
from seqsep.lab.store.pages import FRAME_HEADER, LOG_HEADER
from seqsep.lab.store.place import StoreError, StoreUnavailable, repair_with
from seqsep.lab.store.schema import expected_schema

HEADER = 100
LEAF = 0x0D
LEAF_HEADER = 8
MOST_ENTRIES = 16
"""Entries of a schema that SQLite may parse, so that a foreign one among ours is named."""
LEAST_PAGE = 512
LARGEST_PAGE = 65536
LEFT_OF_A_PAGE = 35
"""Bytes of a page that an entry leaves free; a longer entry continues on other pages."""
LOG_MAGIC = (0x377F0682, 0x377F0683)


def foreign_first_page(page: bytes) -> str | None:
    """Name what distinguishes the first page of a database from that of a store; None if its schema is short.

    >>> foreign_first_page(bytes(100) + b"\\x05" + bytes(411))
    'a schema that does not fit in one page'
    """
    kind = page[HEADER : HEADER + 1]
    entries = int.from_bytes(page[HEADER + 3 : HEADER + 5], "big")
    if kind != bytes([LEAF]):
        return "a schema that does not fit in one page"
    if entries > MOST_ENTRIES:
        return f"a schema of {entries:,} entries"
    for number in range(entries):
        at = HEADER + LEAF_HEADER + 2 * number
        start = int.from_bytes(page[at : at + 2], "big")
        if _length(page[start : start + 9]) > len(page) - LEFT_OF_A_PAGE:
            return "an entry of the schema that does not fit in one page"
    return None


def require_short_schema(path: Path) -> None:
    """Raise StoreError if SQLite should not parse the schema of a file, and StoreUnavailable if a file cannot be read."""
    try:
        foreign = foreign_schema(path.resolve())
    except OSError as error:
        raise StoreUnavailable(f"{path}: cannot be opened: {error.strerror or error}") from error
    if foreign is not None:
        raise StoreError(f"{path}: {expected_schema()}, found {foreign}; if it was sound before, {repair_with(path)}")


def foreign_schema(database: Path) -> str | None:
    """Name what distinguishes the schema of a file, or of a first page in its log, from that of a store; None if it is short.

    Raises OSError if a file cannot be read.
    """
    with open_regular(database, most=UNLIMITED) as file:
        page = file.read(LARGEST_PAGE)
    size = int.from_bytes(page[16:18], "big")
    foreign = foreign_first_page(page[: LARGEST_PAGE if size == 1 else max(size, LEAST_PAGE)])
    if foreign is not None:
        return foreign
    try:
        with open_regular(Path(f"{database}-wal"), most=UNLIMITED) as log:
            return _foreign_page_of_log(log)
    except FileNotFoundError:
        return None


def _foreign_page_of_log(log: BufferedReader) -> str | None:
    """Name what is foreign in the first pages that a log has, each in a frame; SQLite ignores a log with another header."""
    header = log.read(LOG_HEADER)
    size = int.from_bytes(header[8:12], "big")
    if int.from_bytes(header[:4], "big") not in LOG_MAGIC or not LEAST_PAGE <= size <= LARGEST_PAGE:
        return None
    at = LOG_HEADER
    while len(number := log.read(4)) == 4:
        if int.from_bytes(number, "big") == 1:
            log.seek(at + FRAME_HEADER)
            foreign = foreign_first_page(log.read(size))
            if foreign is not None:
                return f"{foreign}, in its log"
        at += FRAME_HEADER + size
        log.seek(at)
    return None


def _length(start: bytes) -> int:
    """Return the length of an entry: the variable-length integer with which it begins."""
    value = 0
    for byte in start[:8]:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            return value
    return value << 8 | int.from_bytes(start[8:9], "big")
