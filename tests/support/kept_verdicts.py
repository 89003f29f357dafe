"""Verdicts of the laws of state by model type, as files of results/ keep them, and outcomes of the checks that repeat them."""

import json
from typing import Any

from seqsep.theorems import Claim, Outcome


def failing(laws: list[dict[str, Any]]) -> list[str]:
    """The names of the laws that fail."""
    return [law["law"] for law in laws if law["holds"] is False]


def outcome(claim: Claim, variant: str, holds: bool, *, inputs: int, length: int) -> Outcome:
    """It holds if nothing failed."""
    return claim.lower(
        length=length,
        inputs=inputs,
        exhaustive=False,
        measured={"failures": int(not holds)},
        bound={"failures": 0},
        variant=variant,
        holds=holds,
    )


def kept_text(versions: dict[str, str], models: dict[str, list[dict[str, Any]]]) -> str:
    """The file that is kept: a line for each model type, without fields that are empty."""
    short = {
        name: [{key: value for key, value in law.items() if key in ("law", "holds") or value not in (None, "")} for law in laws]
        for name, laws in models.items()
    }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(laws)}" for name, laws in short.items())
    return f'{{"versions": {json.dumps(versions)}, "models": {{\n{lines}\n}}}}\n'
