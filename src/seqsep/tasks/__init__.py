"""Tasks: each is a frozen dataclass in a file of its own."""

from seqsep.tasks.associative_recall import AssociativeRecall
from seqsep.tasks.base import EVERY_CLASS, NOTHING_ASKED, Batch, Task
from seqsep.tasks.bounded_dyck import BoundedDyck
from seqsep.tasks.disjointness import Disjointness
from seqsep.tasks.equality import Equality
from seqsep.tasks.index_lookup import IndexLookup
from seqsep.tasks.multi_query_recall import MultiQueryRecall
from seqsep.tasks.nearest_neighbor import NearestNeighbor
from seqsep.tasks.sparse_threshold import SparseThreshold

TASKS: tuple[type[Task], ...] = (
    AssociativeRecall,
    BoundedDyck,
    Disjointness,
    Equality,
    IndexLookup,
    MultiQueryRecall,
    NearestNeighbor,
    SparseThreshold,
)
BY_NAME: dict[str, type[Task]] = {task.name: task for task in TASKS}

__all__ = [
    "BY_NAME",
    "EVERY_CLASS",
    "NOTHING_ASKED",
    "TASKS",
    "AssociativeRecall",
    "Batch",
    "BoundedDyck",
    "Disjointness",
    "Equality",
    "IndexLookup",
    "MultiQueryRecall",
    "NearestNeighbor",
    "SparseThreshold",
    "Task",
]
