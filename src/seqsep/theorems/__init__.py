"""Theorems: each is a file with the statement, the proof, what it builds or reduces, and a check that runs it."""

from typing import Any

from seqsep.theorems import bounded_dyck_state, index_lookup_attention, index_lookup_state, one_way_protocol
from seqsep.theorems.base import Outcome, Theorem, TheoremFails

THEOREMS: tuple[Theorem, ...] = (
    index_lookup_attention.THEOREM,
    one_way_protocol.THEOREM,
    index_lookup_state.THEOREM,
    bounded_dyck_state.THEOREM,
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


__all__ = ["BY_NAME", "THEOREMS", "Outcome", "Theorem", "TheoremFails", "check"]
