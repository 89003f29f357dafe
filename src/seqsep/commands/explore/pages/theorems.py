"""The list of theorems, by subject: statement, source and sides."""

from dataclasses import dataclass

from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.theorems import BY_NAME, PLACES, Theorem

SUBJECTS = {
    "retrieval": "Index lookup, recall and counting",
    "equality": "Equality of two halves",
    "sparse_threshold": "Thresholds of sparse features",
    "nearest_neighbor": "Nearest neighbour",
    "bounded_dyck": "Brackets of bounded depth",
    "is_tree": "Is a list of edges a tree?",
    "turing_machine": "Turing machines",
    "circuits": "Circuits",
    "state_tracking": "State tracking: parity, permutations and counters",
    "positions": "Positions",
    "canary": "Stock models with a known answer",
    "protocols": "Models as protocols",
}
"""The title of each folder of theorems."""


@dataclass(frozen=True)
class SubjectList:
    """A subject and its theorems."""

    title: str
    theorems: tuple[Theorem, ...]


def content(visit: Visit) -> PageContent:
    """Return every theorem under its subject."""
    found = subjects()
    count = sum(len(one.theorems) for one in found)
    return PageContent("Theorems", "theorems.html", {"subjects": found, "count": count}, command="seqsep list theorems")


def subjects() -> list[SubjectList]:
    """Return the subjects in the order of the registry, each with its theorems."""
    by_folder: dict[str, list[Theorem]] = {}
    for name, place in PLACES.items():
        by_folder.setdefault(place.split(".")[2], []).append(BY_NAME[name])
    return [SubjectList(SUBJECTS.get(folder, folder), tuple(theorems)) for folder, theorems in by_folder.items()]
