"""Rows of a store or of a file, for a reader who has either."""

from pathlib import Path

from seqsep.lab import row
from seqsep.lab.row import Rows
from seqsep.lab.store.store import Store
from seqsep.lab.store_file import is_store


def read_rows(path: Path | str) -> Rows:
    """Return the rows of a store, or of a file that `seqsep export` or `write_rows` wrote, in a list that prints as a table.

    Of a store, these are the rows of this version with an outcome, as `seqsep export` writes them.

    Arguments:
        path: the store, or the file NAME.jsonl.

    Raises ValueError with the number of the line for a line that is not a row. Raises BadInput and OSError if the file cannot
    be read, and StoreError for a database that is not a store.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rows.jsonl"
    >>> row.write_rows(path, [])
    >>> len(read_rows(path))
    0
    """
    if not is_store(Path(path)):
        return row.read_rows(path)
    with Store(path, create=False) as store:
        return Rows(one for one in store.rows() if one.has_outcome and one.is_current)
