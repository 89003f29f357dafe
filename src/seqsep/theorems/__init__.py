"""Theorems: each file has the statement, the proof, what it builds or reduces, and a check that runs it.

Folders are subjects; docs/theorems.md is the index by paper and number. Files:

    retrieval         index lookup and associative recall
    equality          equality of two halves
    sparse_threshold  thresholds of sparse features
    nearest_neighbor  nearest neighbour
    bounded_dyck      brackets of bounded depth
    protocols         models as protocols between two parties
    blocks            pieces that several constructions are put together from
    base              claim, outcome, theorem and erratum: the records of a theorem
    evidence          what a theorem exhibits for a certificate
    checking          what the checks of several theorems share
    trial             inputs put to a built network, on its grid and in floats
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from seqsep.theorems import bounded_dyck, equality, nearest_neighbor, protocols, retrieval, sparse_threshold
from seqsep.theorems.base import Claim, Outcome, Theorem, TheoremFails

THEOREMS: tuple[Theorem, ...] = (
    *retrieval.THEOREMS,
    *equality.THEOREMS,
    *sparse_threshold.THEOREMS,
    *nearest_neighbor.THEOREMS,
    *bounded_dyck.THEOREMS,
    *protocols.THEOREMS,
)
BY_NAME: dict[str, Theorem] = {theorem.name: theorem for theorem in THEOREMS}


def check(name: str, **options: Any) -> list[Outcome]:
    """Check one theorem by name. Raises ValueError for an unknown name or option, TheoremFails with a counterexample."""
    if name not in BY_NAME:
        raise ValueError(f"check({name!r}): theorem is one of {', '.join(BY_NAME)}")
    unknown = [option for option in options if option not in BY_NAME[name].options]
    if unknown:
        raise ValueError(f"check({name!r}, {unknown[0]}=...): options are {', '.join(BY_NAME[name].options)}")
    return BY_NAME[name].check(**options)


def apply(name: str, lines: Iterable[str], source: str = "input", **options: Any) -> Iterator[Any]:
    """Answers of a theorem's built weights, one for each line, a JSON object in the `readable` form; blank lines are skipped.

    Raises ValueError for an unknown name or option, and with `source` and the line's number for a bad line.
    """
    theorem = BY_NAME.get(name)
    if theorem is None or theorem.applier is None:
        known = ", ".join(known for known, theorem in BY_NAME.items() if theorem.applier is not None)
        raise ValueError(f"apply({name!r}): theorem is one of {known}")
    answer = theorem.applier(**options)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            given = json.loads(line)
            if not isinstance(given, dict):
                raise ValueError(f"expected a JSON object, found {line.strip()[:80]}")
            yield answer(given)
        except json.JSONDecodeError as error:
            raise ValueError(f"{source}, line {number}: not JSON: {error.msg} at column {error.colno}") from None
        except ValueError as error:
            raise ValueError(f"{source}, line {number}: {error}") from None


__all__ = ["BY_NAME", "THEOREMS", "Claim", "Outcome", "Theorem", "TheoremFails", "apply", "check"]
