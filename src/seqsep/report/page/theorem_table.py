"""The theorem tables, one a statement: measured sizes beside the bounds, and how many inputs were tried."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from seqsep.report.formatting import DASH, number
from seqsep.report.page.proofs import proof_link

SIDES = {"upper": "upper bound: built", "lower": "lower bound: reduced"}
LONGEST_INPUT = 60
MOST_LENGTHS = 4


@dataclass(frozen=True)
class CheckRow:
    """One check; `sizes` has one entry a quantity, measured and (if it differs) the bound. `computed`: no model ran."""

    variant: str
    holds: bool
    computed: bool
    length: str
    inputs: str
    sizes: tuple[str, ...]
    printed: str
    errs_on: str


@dataclass(frozen=True)
class StatementTable:
    """The checks of one statement that have the same quantities."""

    theorem: str
    statement: str
    source: str
    side: str
    quantities: tuple[str, ...]
    checks: tuple[CheckRow, ...] = ()

    @property
    def holds(self) -> bool:
        """True if every check holds."""
        return all(check.holds for check in self.checks)

    @property
    def proof(self) -> str:
        """The link to its proof; empty if there is none."""
        return proof_link(self.theorem)

    @property
    def summary(self) -> str:
        """The number of checks and their lengths, for the line that opens the table."""
        lengths = list(dict.fromkeys(check.length for check in self.checks))
        shown = ", ".join(lengths[:MOST_LENGTHS]) + (", .." if len(lengths) > MOST_LENGTHS else "")
        return f"{len(self.checks)} check{'' if len(self.checks) == 1 else 's'}, N = {shown}"

    @property
    def verdict(self) -> str:
        """The verdict in a word: arithmetic on sizes, in which no model ran, is computed and does not hold."""
        if not self.holds:
            return "✗ fails"
        return "✓ computed" if all(check.computed for check in self.checks) else "✓ holds"


def statement_tables(records: Iterable[Mapping[str, Any]]) -> list[StatementTable]:
    """Return the tables of records in the form of `seqsep check --json`. Missing keys are dashes.

    >>> [table] = statement_tables([{"theorem": "x", "holds": True, "measured": {"state_bits": 48}}])
    >>> table.quantities, table.checks[0].sizes
    (('state bits',), ('48 / —',))
    """
    tables: dict[StatementTable, list[CheckRow]] = {}
    for record in records:
        side = str(record.get("side", DASH))
        table = StatementTable(
            theorem=str(record.get("theorem", DASH)),
            statement=str(record.get("statement") or ""),
            source=str(record.get("source", DASH)),
            side=SIDES.get(side, side),
            quantities=tuple(str(name).replace("_", " ") for name in _sizes(record)),
        )
        tables.setdefault(table, []).append(_check(record))
    return [replace(table, checks=tuple(checks)) for table, checks in tables.items()]


def _check(record: Mapping[str, Any]) -> CheckRow:
    errs_on = str((record.get("witness") or {}).get("errs_on") or "")
    return CheckRow(
        variant=str(record.get("variant") or ""),
        holds=bool(record.get("holds")),
        computed=bool(record.get("computed")),
        length=number(record.get("length")),
        inputs=_inputs(record),
        sizes=tuple(_sizes(record).values()),
        printed=_printed(record.get("as_printed")),
        errs_on=errs_on if len(errs_on) <= LONGEST_INPUT else f"{errs_on[:LONGEST_INPUT]} ..",
    )


def _sizes(record: Mapping[str, Any]) -> dict[Any, str]:
    """Return each quantity of a record: measured, and the bound if it differs."""
    measured = dict(record.get("measured") or {})
    bound = dict(record.get("bound") or {})
    return {name: _size(number(measured.get(name)), number(bound.get(name))) for name in [*measured, *bound]}


def _size(measured: str, bound: str) -> str:
    return measured if measured == bound else f"{measured} / {bound}"


def _inputs(record: Mapping[str, Any]) -> str:
    if record.get("inputs") is None:
        return DASH
    if record.get("computed"):
        return f"{number(record['inputs'])} sizes, computed"
    return f"{number(record['inputs'])}, {'all of them' if record.get('exhaustive') else 'a sample'}"


def _printed(as_printed: Any) -> str:
    if isinstance(as_printed, Mapping):
        return number({str(key).replace("_", " "): value for key, value in as_printed.items()})
    return "" if as_printed is None else number(as_printed)
