"""The accuracy of a trained model on inputs of other lengths than those that it was trained on: length generalisation."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from seqsep.core.tables import Tabular
from seqsep.lab.lengths import at_length, require_readable
from seqsep.lab.run import Run
from seqsep.lab.train import evaluate
from seqsep.models.model import Model


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
    require_readable(run.task, lengths, run.positions_told(), run.label())


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
        point = evaluate(replace(run, task=at_length(run.task, length)), model, run.steps)
        found.append(AccuracyAtLength(run.label(), length, point.accuracy, point.loss_nats))
    return found
