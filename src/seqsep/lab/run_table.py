"""Rows as a table under the reader's labels."""

from collections.abc import Sequence
from typing import Any

from seqsep.core.tables import Tabular
from seqsep.lab.row import Row, Rows
from seqsep.lab.run_labels import Labels


class RunTable(Tabular):
    """The rows as `Rows` shows them; first a column of labels, if any of these runs has one.

    >>> RunTable([], {}).table()
    ''
    """

    def __init__(self, rows: Sequence[Row], labels: Labels) -> None:
        self.rows = Rows(rows)
        self.labels = {row.key: labels[row.key] for row in rows if row.key in labels}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each run."""
        return [self._label(row) | record for row, record in zip(self.rows, self.rows.records(), strict=True)]

    def _label(self, row: Row) -> dict[str, str | None]:
        """Return the column of labels, if there is one."""
        return {"label": self.labels.get(row.key)} if self.labels else {}
