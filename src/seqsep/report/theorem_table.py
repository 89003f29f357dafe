"""The theorem tables: what was checked, its measured sizes beside the bounds, and on how many inputs; one table a statement."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from seqsep.report.numerals import DASH, number

SIDES = {"upper": "upper bound: built", "lower": "lower bound: reduced"}
LONGEST_INPUT = 60


@dataclass(frozen=True)
class Outcome:
    """One check: a row; `sizes` has one entry a quantity, measured and (where it differs) the bound."""

    variant: str
    holds: bool
    length: str
    inputs: str
    sizes: tuple[str, ...]
    printed: str
    errs_on: str


@dataclass(frozen=True)
class Statement:
    """Checks of one statement with the same quantities: a table."""

    theorem: str
    statement: str
    source: str
    side: str
    quantities: tuple[str, ...]
    outcomes: tuple[Outcome, ...] = ()

    @property
    def holds(self) -> bool:
        return all(outcome.holds for outcome in self.outcomes)

    @property
    def printed_differs(self) -> bool:
        return any(outcome.printed for outcome in self.outcomes)


def statements(records: Iterable[Mapping[str, Any]]) -> list[Statement]:
    """Records as `seqsep check --json` prints them, by statement; keys that are missing are dashes."""
    found: dict[Statement, list[Outcome]] = {}
    for record in records:
        measured, bound = dict(record.get("measured") or {}), dict(record.get("bound") or {})
        names = tuple(map(str, dict.fromkeys([*measured, *bound])))
        side = str(record.get("side", DASH))
        key = Statement(
            theorem=str(record.get("theorem", DASH)),
            statement=str(record.get("statement") or ""),
            source=str(record.get("source", DASH)),
            side=SIDES.get(side, side),
            quantities=tuple(name.replace("_", " ") for name in names),
        )
        found.setdefault(key, []).append(_outcome(record, measured, bound))
    return [replace(statement, outcomes=tuple(outcomes)) for statement, outcomes in found.items()]


def _outcome(record: Mapping[str, Any], measured: Mapping[str, Any], bound: Mapping[str, Any]) -> Outcome:
    printed = record.get("as_printed")
    inputs, spread = record.get("inputs"), "all of them" if record.get("exhaustive") else "a sample"
    errs_on = str((record.get("witness") or {}).get("errs_on") or "")
    return Outcome(
        variant=str(record.get("variant") or ""),
        holds=bool(record.get("holds")),
        length=number(record.get("length")),
        inputs=DASH if inputs is None else f"{number(inputs)}, {spread}",
        sizes=tuple(_size(measured.get(name), bound.get(name)) for name in dict.fromkeys([*measured, *bound])),
        printed=number({str(key).replace("_", " "): value for key, value in printed.items()})
        if isinstance(printed, Mapping)
        else "" if printed is None else number(printed),
        errs_on=errs_on if len(errs_on) <= LONGEST_INPUT else f"{errs_on[:LONGEST_INPUT]} ..",
    )  # fmt: skip


def _size(measured: Any, bound: Any) -> str:
    one, other = number(measured), number(bound)
    return one if one == other else f"{one} / {other}"
