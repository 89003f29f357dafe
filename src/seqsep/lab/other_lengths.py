"""The accuracy of a trained model on inputs of other lengths than those that it was trained on: length generalisation."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from seqsep.core.names import BadInput
from seqsep.core.tables import Tabular
from seqsep.lab.run import Run
from seqsep.lab.train import evaluate
from seqsep.models.model import Model
from seqsep.tasks import Task


@dataclass(frozen=True)
class AccuracyAtLength:
    """The accuracy of one run's model on the evaluation examples of one length.

    Fields:
        run: the run, in a few words.
        length: N of these examples.
        accuracy: share of the examples with every answer right.
        loss_nats: mean loss of an answer.
    """

    run: str
    length: int
    accuracy: float
    loss_nats: float


class AccuracyByLength(Tabular):
    """The accuracies of several models at several lengths, as a table."""

    def __init__(self, found: Sequence[AccuracyAtLength]) -> None:
        self.found = tuple(found)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each model and length."""
        return [asdict(one) for one in self.found]


def require_other_lengths(run: Run, lengths: Sequence[int]) -> None:
    """Raise BadInput unless the run's model can read inputs of these lengths of its task.

    >>> from seqsep.tasks import IndexLookup, ModularCount
    >>> require_other_lengths(Run(ModularCount(20), ("lstm",), 8), [40, 80])
    >>> require_other_lengths(Run(IndexLookup(20), ("lstm",), 8), [40])
    Traceback (most recent call last):
    seqsep.core.names.BadInput: index-lookup: expected test lengths with the same tokens, found 104 tokens at 40, 84 at 20
    """
    for length in lengths:
        task = _at_length(run.task, length)
        for what in ("vocabulary", "classes"):
            here = getattr(run.task, what)
            there = getattr(task, what)
            kind = "tokens" if what == "vocabulary" else "answers"
            if here != there:
                found = f"found {there} {kind} at {length}, {here} at {run.task.length}"
                raise BadInput(f"{run.task.name}: expected test lengths with the same {kind}, {found}")
        if task.longest > run.task.longest and run.positions_told() == "learned":
            found = f"found {task.longest} tokens and learned positions for {run.task.longest}"
            raise BadInput(f"{run.label()}: expected positions sinusoidal, rope or none for longer test inputs, {found}")


def accuracy_at(run: Run, model: Model, lengths: Sequence[int]) -> list[AccuracyAtLength]:
    """Return the accuracy of a run's model on evaluation examples of each length; as many as the run has in an evaluation.

    Raises BadInput as `require_other_lengths` does.

    >>> from seqsep.tasks import ModularCount
    >>> run = Run(ModularCount(5), ("lstm",), width=8, evaluation=20)
    >>> [found.length for found in accuracy_at(run, run.model(), [5, 9])]
    [5, 9]
    """
    require_other_lengths(run, lengths)
    found = []
    for length in lengths:
        point = evaluate(replace(run, task=_at_length(run.task, length)), model, run.steps)
        found.append(AccuracyAtLength(run.label(), length, point.accuracy, point.loss_nats))
    return found


def _at_length(task: Task, length: int) -> Task:
    """Return the task with inputs of another length. Raises BadInput for a length that the task does not have."""
    try:
        return replace(task, length=length)
    except ValueError as error:
        raise BadInput(f"test length {length}: {error}") from None
