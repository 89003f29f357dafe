"""The fields of a witness in a file, and the checker's counts for a task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seqsep.theorems.evidence import Evidence


@dataclass(frozen=True)
class WitnessRecord:
    """A witness as the file shows it, the claims measured from it, and the work of the checker."""

    type: str
    witness: Mapping[str, Any]
    claims: Mapping[str, int]
    work: int
    precision: int = 0
    rounding: str = "none"


def cost(evidence: Evidence) -> int:
    """Work of one evaluation of the task."""
    parameters: Mapping[str, Any] = evidence.parameters
    depth = parameters.get("depth", parameters.get("vertices", 1))
    of_circuit = sum(len(parameters[name]) for name in ("gates", "start", "output")) if evidence.task == "circuit" else 0
    a_letter = of_circuit or parameters.get("steps", depth // 64)
    return int((len(alphabets(evidence)) + 8) * (1 + a_letter))


def queries(evidence: Evidence, answer: Sequence[int]) -> int:
    """The number of queries in an answer: of its tokens ], if the task has a retriever."""
    parameters: Mapping[str, Any] = evidence.parameters
    if evidence.task == "is-tree-queries":
        return answer.count(parameters["vertices"] + 5)
    if evidence.task == "turing-machine-queries":
        return answer.count(len(parameters["rules"]) + parameters["alphabet"] + 2)
    if not evidence.task.endswith("-by-pattern"):
        return 0
    counts = 0 if evidence.task == "ngram-by-pattern" else parameters["alphabet"] + 1
    return answer.count(parameters["alphabet"] + counts + 2)


def alphabets(evidence: Evidence) -> list[int]:
    """The size of the alphabet at each position."""
    parameters: Mapping[str, Any] = evidence.parameters
    if evidence.task == "table":
        return list(parameters["alphabets"])
    if evidence.task in ("is-tree", "is-tree-queries"):
        return [1, *[parameters["vertices"], 1, parameters["vertices"]] * (parameters["vertices"] - 1)]
    if evidence.task.startswith("turing-machine"):
        return [1] + [parameters["alphabet"]] * parameters["length"]
    if evidence.task in ("ngram", "ngram-by-pattern"):
        return [1] + [parameters["alphabet"]] * (parameters["length"] + parameters["gram"] - 1)
    if evidence.task == "index-by-pattern":
        places = min(parameters["length"], parameters["alphabet"] - 1)
        return [1] + [parameters["alphabet"]] * parameters["length"] + [places]
    if evidence.task in ("counting", "counting-by-pattern"):
        return [1] + [parameters["alphabet"]] * (parameters["length"] + 2)
    if evidence.task == "circuit":
        return [1 << parameters["bits"]] * parameters["length"] + [1]
    symbols = 2 * parameters["kinds"] if evidence.task == "bounded-dyck" else parameters["alphabet"]
    question = [parameters["length"]] if evidence.task == "index-lookup" else []
    return [symbols] * parameters["length"] + question
