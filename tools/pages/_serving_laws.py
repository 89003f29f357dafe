"""The section of docs/reference/model-laws.md on the laws of serving, from the kept verdicts in two releases."""

from collections.abc import Mapping, Sequence
from typing import Any

from pages._markdown import folded, table

Verdicts = Sequence[Mapping[str, Any]]
SERVING = """
## Faults in serving and in packed training

These laws are about a state that is rolled back, reset, kept for a second turn, allocated before it is filled, joined or
shared, and about documents that are packed into one row. Each row has the number of types that break a law, and the greatest
difference of logits, in two releases of `transformers`. "No path" is the number of types that cannot do this at all, or refuse
it with an error. The script is one of those below, and shows such a failure without seqsep.

"""
AFTER_SERVING = """
To test these laws, a fault for each law was injected into every type on which this law holds. The law finds it in each of these
types. The faults are:

{faults}
"""
OF_SERVING = {
    "rolled back": ("crop_recurrent", "one draft token is left in the state"),
    "reset": ("minimax_reset", "all tensors but the first are zero, and the state keeps its length"),
    "reused": ("mamba_second_turn", "the newest token of an earlier turn is zero"),
    "static": ("gpt_neo_static", "a place of the cache has the token of the place before it"),
    "joined": ("recurrent_gemma_modules", "the newcomer's first tensor is that of its neighbour"),
    "prefix shared": ("recurrent_gemma_modules", "two continuations write their newest token into one place"),
    "window passed by one": ("padding_in_state", "the mask of a short sequence loses a token"),
    "packed": ("packed_documents", "a mask of ones is given, so that the library does not look for documents"),
}
"""By law: a script of examples/transformers_state, and the fault that `tests/support/faulty_serving.py` injects."""


def serving(kept: Mapping[str, Any], later: Mapping[str, Any]) -> str:
    """Return the section on the laws of serving: a table by law, and folded each type that fails, in both releases."""
    releases = [one["versions"]["transformers"] for one in (kept, later)]
    rows = []
    each = []
    for law, (script, _) in OF_SERVING.items():
        by_release = [_of_law(one["models"], law) for one in (kept, later)]
        failed = [{name: one for name, one in found.items() if one["holds"] is False} for found in by_release]
        counts = [_count(found, lost) for found, lost in zip(by_release, failed, strict=True)]
        missing = sum(one["holds"] is None for one in by_release[0].values())
        rows.append([law, *counts, str(missing), script])
        for name in {**failed[0], **failed[1]}:
            each.append([name, law, *(_cell(found.get(name)) for found in by_release)])
    header = ["law", *(f"{release}: types (difference)" for release in releases), "no path", "script"]
    details = table([["model type", "law", *releases], *each])
    faults = "".join(f"* **{law}**: {fault}\n" for law, (_, fault) in OF_SERVING.items())
    folds = folded("The types that break a law of serving", details)
    return f"{SERVING}{table([header, *rows])}{folds}{AFTER_SERVING.format(faults=faults.rstrip())}"


def _count(found: Mapping[str, Any], lost: Mapping[str, Any]) -> str:
    """Return how many types break a law, with the greatest difference."""
    difference = greatest(list(lost.values()))
    counted = f"{len(lost)} ({difference})" if difference else str(len(lost))
    return counted if found else "not tested"


def _of_law(models: Mapping[str, Verdicts], law: str) -> dict[str, Mapping[str, Any]]:
    return {name: one for name, verdicts in models.items() for one in verdicts if one["law"] == law}


def _cell(verdict: Mapping[str, Any] | None) -> str:
    if verdict is None:
        return "not tested"
    if verdict["holds"] is None:
        return "no path"
    return "holds" if verdict["holds"] else greatest([verdict]) or "error"


def greatest(failed: Verdicts) -> str:
    """Return the greatest difference of logits; a law may also fail without one, as with logits of the wrong shape."""
    differences = [verdict["difference"] for verdict in failed if verdict.get("difference") is not None]
    return f"{max(differences):.0e}" if differences else ""
