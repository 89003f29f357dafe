"""Tasks: each is a frozen dataclass in a file of its own."""

from seqsep.tasks.base import EVERY_CLASS, NOTHING_ASKED, Batch, Task
from seqsep.tasks.bounded_dyck import BoundedDyck
from seqsep.tasks.index_lookup import IndexLookup

TASKS: tuple[type[Task], ...] = (BoundedDyck, IndexLookup)
BY_NAME: dict[str, type[Task]] = {task.name: task for task in TASKS}

__all__ = ["BY_NAME", "EVERY_CLASS", "NOTHING_ASKED", "TASKS", "Batch", "BoundedDyck", "IndexLookup", "Task"]
