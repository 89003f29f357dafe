"""The laws on a user's own theorem, on the command line: a line and a record for each law."""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqsep.theorems import Theorem, TheoremFails

LAST_LAW = "each outcome holds"
"""The law that an outcome breaks which can still be printed."""


def law_records(theorem: "Theorem", found: "Any | TheoremFails") -> list[dict[str, Any]]:
    """Return a record for each law that was tried on what a check returned, or for the counterexample that it raised.

    >>> from seqsep.theorems import BY_NAME
    >>> law_records(BY_NAME["equality-state"], [])
    [{'theorem': 'equality-state', 'law': 'a list of outcomes', 'holds': False, 'where': 'no outcome'}]
    """
    from seqsep.theorems import TheoremFails
    from seqsep.theorems.laws import tried_laws

    if isinstance(found, TheoremFails):
        return []
    tried = tried_laws(theorem, found)
    return [{"theorem": theorem.name, "law": law, "holds": broken is None, "where": broken or ""} for law, broken in tried]


def law_lines(word: str, laws: list[dict[str, Any]]) -> list[str]:
    """Return the line of the law that fails, and one line for all of them; `word` is how the theorem was named.

    >>> law_lines("mine.py:THEOREM", [{"law": "inputs tested", "holds": True, "where": ""}])
    ['mine.py:THEOREM: all 1 laws hold']
    """
    from seqsep.theorems.laws import LAWS

    failed = [f"FAILS  {law['law']}: {law['where']}" for law in laws if not law["holds"]]
    if not failed:
        return [f"{word}: all {len(laws)} laws hold"]
    left = len(LAWS) - len(laws)
    return [*failed, f"{word}: 1 law fails" + (f"; {left} more laws are not tested until this one holds" if left else "")]


def counterexample_record(failure: "TheoremFails", source: str) -> dict[str, Any]:
    """Return the record of a refuted theorem; what JSON has no form for is in it as text.

    >>> from seqsep.theorems import TheoremFails
    >>> counterexample_record(TheoremFails("parity", {"input": [1, 0]}), "own")
    {'theorem': 'parity', 'source': 'own', 'holds': False, 'counterexample': {'input': [1, 0]}}
    """
    shown = json.loads(json.dumps(failure.counterexample, default=_as_json))
    return {"theorem": failure.theorem, "source": source, "holds": False, "counterexample": shown}


def _as_json(value: Any) -> Any:
    """Return a NumPy number or array as Python's; anything else as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
