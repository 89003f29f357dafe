"""The intact rows in the bytes of a store, without SQLite: every record whose own SHA-256 holds, wherever it is (`pages`).

Records that were replaced or deleted are found as well: of several for one run, the one with the highest row number is the last
one written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seqsep.lab.store.columns import digest_of, require_checkpoint, row_of
from seqsep.lab.store.pages import INDEXED, CopyBudget, records

RESULT = 4
"""The column of the table `runs` that is empty if a run has no outcome."""


@dataclass
class Salvage:
    """Intact rows as the store wrote them, without their digests: of runs by (experiment, key), of checkpoints by key.

    `lost` are the runs that the index names and no intact row has; without any index, those of damaged records.
    """

    runs: dict[tuple[str, str], tuple[Any, ...]] = field(default_factory=dict)
    checkpoints: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    lost: list[tuple[Any, str]] = field(default_factory=list)
    lost_checkpoints: list[str] = field(default_factory=list)


@dataclass
class Records:
    """The records of one table by name: rows whose digest holds, with their row number. Of damaged ones only the names."""

    intact: dict[Any, tuple[int, tuple[Any, ...]]] = field(default_factory=dict)
    damaged: dict[int, Any] = field(default_factory=dict)

    def add(self, name: Any, rowid: int, columns: list[Any], is_sound: bool) -> None:
        """Take up a record; of several with one name the last one written has the highest row number."""
        if not is_sound:
            self.damaged[rowid] = name
        elif name not in self.intact or self.intact[name][0] <= rowid:
            self.intact[name] = (rowid, tuple(columns))

    def rows(self) -> dict[Any, tuple[Any, ...]]:
        """Return the intact rows by name."""
        return {name: row for name, (_, row) in self.intact.items()}


def is_intact(table: str, columns: list[Any], digest: Any) -> bool:
    """Return whether a row has its digest, and values that a store writes."""
    if digest_of(columns) != digest:
        return False
    try:
        if table == "runs":
            row_of(columns)
        else:
            require_checkpoint(columns)
    except ValueError:
        return False
    return True


def holds_a_row(database: bytes, log: bytes) -> bool:
    """Return whether an intact row is in a file or its log. Raises `pages.Forged` for bytes that need too much work."""
    work = CopyBudget(len(database) + len(log))
    found = (one for one in records(database, log, work) if one[0] != INDEXED)
    return any(is_intact(table, columns, digest) for table, _, (*columns, digest) in found)


def salvage(database: bytes, log: bytes) -> Salvage:
    """Return all that is intact in a store's file and its log. Raises `pages.Forged` for bytes that need too much work."""
    runs = Records()
    checkpoints = Records()
    indexed: dict[int, Any] = {}
    for table, rowid, values in records(database, log, CopyBudget(len(database) + len(log))):
        if table == INDEXED:
            indexed[rowid] = tuple(values)
            continue
        *columns, digest = values
        is_sound = is_intact(table, columns, digest)
        if table == "runs":
            runs.add(tuple(columns[:2]), rowid, columns, is_sound)
        else:
            checkpoints.add(columns[0], rowid, columns, is_sound)
    ended = {key for (_, key), row in runs.rows().items() if row[RESULT] is not None}
    lost_checkpoints = set(checkpoints.damaged.values()) - set(checkpoints.intact) - ended
    return Salvage(
        runs=runs.rows(),
        checkpoints=checkpoints.rows(),
        lost=_lost(runs, indexed or runs.damaged),
        lost_checkpoints=sorted(lost_checkpoints),
    )


def _lost(runs: Records, named: Mapping[int, Any]) -> list[tuple[Any, str]]:
    """Return the runs of which a row was named, by its number, but is not among the intact ones."""
    rowids = {rowid for rowid, _ in runs.intact.values()}
    lost = set()
    for rowid, name in named.items():
        if rowid in rowids:
            continue
        older, row = runs.intact.get(name, (0, None))
        # An older row that says that the run had failed does not replace the outcome that was written after it.
        if row is None or (row[RESULT] is None and rowid > older):
            lost.add(name)
    return sorted(lost, key=repr)
