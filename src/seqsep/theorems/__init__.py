"""Theorems: each is a file with the statement, the proof, what it builds or reduces, and a check that runs it."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from seqsep.theorems.base import Claim, Outcome, Theorem, TheoremFails
from seqsep.theorems.bounded_dyck import attention as bounded_dyck_attention
from seqsep.theorems.bounded_dyck import one_layer as bounded_dyck_one_layer
from seqsep.theorems.bounded_dyck import state as bounded_dyck_state
from seqsep.theorems.equality import relabelled_two_layers as relabelled_equality_two_layers
from seqsep.theorems.equality import state as equality_state
from seqsep.theorems.equality import two_layer_no_short_protocol
from seqsep.theorems.equality import two_layers as equality_two_layers
from seqsep.theorems.nearest_neighbor import state as nearest_neighbor_state
from seqsep.theorems.nearest_neighbor import two_layers as nearest_neighbor_two_layers
from seqsep.theorems.protocols import one_layer_protocol, one_way_protocol
from seqsep.theorems.retrieval import (
    associative_recall_state,
    index_lookup_attention,
    index_lookup_state,
    linear_attention_state,
)
from seqsep.theorems.sparse_threshold import two_layers as sparse_threshold_two_layers

THEOREMS: tuple[Theorem, ...] = (
    index_lookup_attention.THEOREM,
    equality_two_layers.THEOREM,
    relabelled_equality_two_layers.THEOREM,
    sparse_threshold_two_layers.THEOREM,
    nearest_neighbor_two_layers.THEOREM,
    bounded_dyck_attention.THEOREM,
    one_way_protocol.THEOREM,
    index_lookup_state.THEOREM,
    associative_recall_state.THEOREM,
    bounded_dyck_state.THEOREM,
    equality_state.THEOREM,
    nearest_neighbor_state.THEOREM,
    linear_attention_state.THEOREM,
    one_layer_protocol.THEOREM,
    bounded_dyck_one_layer.THEOREM,
    two_layer_no_short_protocol.THEOREM,
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
