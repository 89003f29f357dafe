"""A store distinguished from a file of rows by its first bytes, without torch."""

from pathlib import Path

from seqsep.core.files import UNLIMITED, open_regular

SQLITE = b"SQLite format 3\0"
"""The first bytes of every SQLite database."""


def is_store(place: Path) -> bool:
    """Return True if a file is a SQLite database. `Store` reports what is wrong with a database that is not a store.

    >>> is_store(Path("absent.sqlite"))
    False
    """
    if not place.is_file():
        return False
    with open_regular(place, most=UNLIMITED) as file:
        return file.read(len(SQLITE)) == SQLITE
