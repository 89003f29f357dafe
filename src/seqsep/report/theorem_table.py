"""The theorem table: what was checked, its measured sizes beside the bounds, and on how many inputs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from seqsep.report.numerals import DASH, number

SIDES = {"upper": "upper bound: built", "lower": "lower bound: reduced"}


@dataclass(frozen=True)
class Outcome:
    """One theorem check; `quantities` are (name, measured, bound, as printed)."""

    theorem: str
    variant: str
    statement: str
    source: str
    side: str
    holds: bool
    length: str
    inputs: str
    quantities: tuple[tuple[str, str, str, str], ...]
    printed_differs: bool
    errs_on: str


def outcomes(records: Iterable[Mapping[str, Any]]) -> list[Outcome]:
    """Records as `seqsep check --json` prints them, with their statements; keys that are missing are dashes."""
    return [_outcome(record) for record in records]


def _outcome(record: Mapping[str, Any]) -> Outcome:
    measured, bound = dict(record.get("measured") or {}), dict(record.get("bound") or {})
    printed = record.get("as_printed")
    printed = dict(printed) if isinstance(printed, Mapping) else {"as printed": printed} if printed is not None else {}
    names = dict.fromkeys([*measured, *bound, *printed])
    inputs = record.get("inputs")
    spread = "all of them" if record.get("exhaustive") else "a sample"
    return Outcome(
        theorem=str(record.get("theorem", DASH)),
        variant=str(record.get("variant") or ""),
        statement=str(record.get("statement") or ""),
        source=str(record.get("source", DASH)),
        side=SIDES.get(str(record.get("side")), str(record.get("side", DASH))),
        holds=bool(record.get("holds")),
        length=number(record.get("length")),
        inputs=DASH if inputs is None else f"{number(inputs)}, {spread}",
        quantities=tuple(
            (str(name).replace("_", " "), number(measured.get(name)), number(bound.get(name)), number(printed.get(name)))
            for name in names
        ),
        printed_differs=bool(printed),
        errs_on=str((record.get("witness") or {}).get("errs_on") or ""),
    )
