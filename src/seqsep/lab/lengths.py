"""A task at other lengths than the one that a model is trained on, and whether the model can read inputs of these lengths."""

from collections.abc import Sequence
from dataclasses import replace

from seqsep.core.names import BadInput
from seqsep.tasks import Task


def at_length(task: Task, length: int) -> Task:
    """Return the task with inputs of another length. Raises BadInput for a length that the task does not have.

    >>> from seqsep.tasks import ModularCount
    >>> at_length(ModularCount(20), 40).length
    40
    """
    try:
        return replace(task, length=length)
    except ValueError as error:
        raise BadInput(f"test length {length}: {error}") from None


def require_readable(task: Task, lengths: Sequence[int], positions: str, label: str) -> None:
    """Raise BadInput unless a model of this task with these positions can read inputs of these lengths.

    >>> from seqsep.tasks import IndexLookup
    >>> require_readable(IndexLookup(20), [40], "none", "lstm")
    Traceback (most recent call last):
    seqsep.core.names.BadInput: index-lookup: expected test lengths with the same tokens, found 104 tokens at 40, 84 at 20
    """
    for length in lengths:
        other = at_length(task, length)
        for what, kind in (("vocabulary", "tokens"), ("classes", "answers")):
            here = getattr(task, what)
            there = getattr(other, what)
            if here != there:
                found = f"found {there} {kind} at {length}, {here} at {task.length}"
                raise BadInput(f"{task.name}: expected test lengths with the same {kind}, {found}")
        if other.longest > task.longest and positions == "learned":
            found = f"found {other.longest} tokens and learned positions for {task.longest}"
            raise BadInput(f"{label}: expected positions sinusoidal, rope or none for longer test inputs, {found}")
