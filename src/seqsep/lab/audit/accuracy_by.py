"""The accuracy of a trained model by queried position, or by a field of its task.

The examples are new: none was used in the training or evaluation of the model. A field changes the task and not the model: the
other values must have the same tokens and answers, as `pairs` in multi-query recall. In a task that queries a position, an
example is counted at this position. In any other task, each answer is counted at the place of its token, from 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int64

from seqsep.core.names import BadInput, excerpt, whole, whole_arguments
from seqsep.core.tables import Tabular
from seqsep.lab.audit.answer import SEEDS, described
from seqsep.lab.audit.intervals import lower_limit, upper_limit
from seqsep.lab.audit.reader import require_readable
from seqsep.lab.step import asked, predicted
from seqsep.lab.train import parts_of
from seqsep.models.model import Model
from seqsep.models.plugins.task import UserTask
from seqsep.tasks import NOTHING_ASKED, Batch, Task
from seqsep.tasks.base import fields_given

POSITION = "position"
EXAMPLES = 5000
MOST_POSITIONS = 20
"""Positions that have a row each. More positions are divided into as many ranges."""
Value = int | float | str


@dataclass(frozen=True)
class PartAccuracy:
    """The accuracy on a part of the examples.

    Fields:
        part: the value of the field, or a position, or the first and the last position of a range.
        counted: number of examples; by the place of an answer, number of answers.
        accuracy: share of them that are right; an example is right if all its answers are.
        low: lower limit of the accuracy.
        high: upper limit of the accuracy. Each interval is that of Clopper and Pearson, by itself.
        per_answer: share of right answers, if an example has several.
    """

    part: Value
    counted: int
    accuracy: float
    low: float
    high: float
    per_answer: float | None = None


@dataclass(frozen=True, repr=False)
class AccuracyBy(Tabular):
    """The accuracies of one model by position or by a field; it prints as their table.

    Fields:
        name: position, or the field.
        task: the task that the model was trained on.
        model: layers and width of the model, in words.
        confidence: confidence of each interval.
        parts: accuracy for each position or value.

    >>> from seqsep.tasks import ModularCount
    >>> task = ModularCount(length=4)
    >>> model = Model.build(vocabulary=task.vocabulary, classes=task.classes, longest=4, layers=("lstm",), width=4)
    >>> accuracy_by(model, task, examples=10).title()
    'lstm of width 4 on modular-count, N = 4: accuracy by position'
    """

    name: str
    task: Task
    model: str
    confidence: float
    parts: tuple[PartAccuracy, ...]

    def title(self) -> str:
        """Return the model, its task, and what the parts are."""
        return f"{self.model} on {self.task.label()}, N = {self.task.length}: accuracy by {self.name}"

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each part."""
        per_answer = any(one.per_answer is not None for one in self.parts)
        return [
            {self.name: str(one.part), "counted": one.counted, "accuracy": one.accuracy}
            | {"accuracy_low": one.low, "accuracy_high": one.high}
            | ({"accuracy_per_answer": one.per_answer} if per_answer else {})
            for one in self.parts
        ]

    def __repr__(self) -> str:
        return self.table()

    def record(self) -> dict[str, Any]:
        """Return the accuracies as plain values, for JSON."""
        return asdict(self) | {"task": self.task.configuration()}


@whole_arguments
def accuracy_by(
    model: Model,
    task: Task,
    name: str = POSITION,
    values: Sequence[Value] = (),
    *,
    examples: int = EXAMPLES,
    confidence: float = 0.95,
    seed: int = 0,
) -> AccuracyBy:
    """Measure the accuracy of a trained model at each queried position, or for each value of a field of its task.

    Arguments:
        model: a trained model.
        task: any task, usually the one that the model was trained on.
        name: "position", or the name of a field of the task, as pairs or length.
        values: values of the field; none for "position".
        examples: number of examples, for each value of a field; from 1.
        confidence: confidence of each interval; above 0 and below 1.
        seed: random seed of the examples.

    Raises BadInput for another field, and for a value with which the task has other tokens or answers than the model, or longer
    inputs than the model has positions for.

    >>> from seqsep.tasks import ModularCount
    >>> _ = torch.manual_seed(0)
    >>> task = ModularCount(length=4)
    >>> model = Model.build(vocabulary=task.vocabulary, classes=task.classes, longest=4, layers=("lstm",), width=4)
    >>> [(one.part, one.counted) for one in accuracy_by(model, task, "length", (4, 8), examples=100).parts]
    [(4, 100), (8, 100)]
    """
    if not isinstance(model, Model) or not isinstance(task, Task):
        raise BadInput(f"accuracy_by: expected a model and its task, found {excerpt(repr((model, task)))}")
    if examples < 1 or not 0 < confidence < 1 or not 0 <= seed < SEEDS:
        given = f"examples={examples}, confidence={confidence}, seed={seed}"
        raise BadInput(f"accuracy_by({given}): expected examples from 1, confidence between 0 and 1, seed from 0 to 2^62 - 1")
    if (name == POSITION) == bool(values):
        raise BadInput(f"accuracy_by({name!r}): expected values for a field, and none for {POSITION}, found {tuple(values)}")
    count = _Counted(model, examples, (1 - confidence) / 2, 2 * seed + 1)
    parts = count.by_position(task) if name == POSITION else [count.of(with_field(task, name, one), one) for one in values]
    return AccuracyBy(name, task, described(model), confidence=confidence, parts=tuple(parts))


def with_field(task: Task, name: str, value: Value) -> Task:
    """Return the task with another value of a field. Raises BadInput unless its tokens and its answers are as before.

    >>> from seqsep.tasks import MultiQueryRecall
    >>> with_field(MultiQueryRecall.zoology(32, 4), "pairs", 2).pair_count
    2
    """
    try:
        if isinstance(task, UserTask):
            given = dict(task.options) | {"length": task.length, name: value}
            other: Task = UserTask.of(task.source, whole(given.pop("length"), f"{task.name}: length"), **given)
        else:
            other = replace(task, **fields_given(type(task), {name: value}))
    except ValueError as error:
        raise BadInput(str(error)) from None
    for what, kind in (("vocabulary", "tokens"), ("classes", "answers")):
        here = getattr(task, what)
        there = getattr(other, what)
        if here != there:
            raise BadInput(f"{task.name}: {name}={value}: expected as many {kind} as in training, {here}, found {there}")
    return other


@dataclass(frozen=True)
class _Counted:
    """The counts of right answers of a model. `error` is that of each limit."""

    model: Model
    examples: int
    error: float
    seed: int

    def of(self, task: Task, value: Value) -> PartAccuracy:
        """Return the accuracy on examples of a task."""
        right = 0
        answers: list[Bool[np.ndarray, "asked"]] = []
        for batch, of_example, of_answer in self._answered(task):
            right += int(of_example.sum())
            answers.append(of_answer)
            several = len(of_answer) > len(batch.lengths)
        share = float(np.concatenate(answers).mean()) if several else None
        return self._part(value, right, self.examples, share)

    def by_position(self, task: Task) -> list[PartAccuracy]:
        """Return the accuracy at each position, or in each range of positions."""
        places = []
        masks = []
        for batch, of_example, of_answer in self._answered(task):
            queried = task.query_positions(batch)
            places.append((batch.targets != NOTHING_ASKED).nonzero()[1] + 1 if queried is None else queried)
            masks.append(of_answer if queried is None else of_example)
        at = np.concatenate(places)
        right = np.concatenate(masks)
        known = np.unique(at)
        ranges = [(one, one) for one in known.tolist()] if len(known) <= MOST_POSITIONS else _ranges(int(known[-1]))
        found = [(first, last, (first <= at) & (at <= last)) for first, last in ranges]
        return [
            self._part(first if first == last else f"{first}-{last}", int(right[here].sum()), int(here.sum()), None)
            for first, last, here in found
            if here.any()
        ]

    def _part(self, part: Value, right: int, counted: int, per_answer: float | None) -> PartAccuracy:
        limits = (lower_limit(right, counted, self.error), upper_limit(right, counted, self.error))
        return PartAccuracy(part, counted, right / counted, *limits, per_answer)

    @torch.no_grad()
    def _answered(self, task: Task) -> Iterator[tuple[Batch, Bool[np.ndarray, "batch"], Bool[np.ndarray, "asked"]]]:
        """Yield batches of examples, with masks of the right examples and of the right answers."""
        require_readable(self.model, task, task.longest, "accuracy_by")
        for batch in parts_of(task.sample(0, self.examples, self.seed, evaluate=True)):
            logits, targets = asked(self.model, batch)
            if bool(logits.isnan().any()):
                raise BadInput("accuracy_by: expected numbers from the model, found NaN in its weights or its state")
            answers: Int64[np.ndarray, "asked"] = predicted(task, logits).cpu().numpy()
            predictions = batch.targets.copy()
            predictions[batch.targets != NOTHING_ASKED] = answers
            yield batch, task.score(predictions, batch.targets), answers == targets.cpu().numpy()


def _ranges(last: int) -> list[tuple[int, int]]:
    """Return the first and last positions of MOST_POSITIONS ranges of 1 .. last, whose sizes differ by at most one.

    >>> _ranges(50)[:3]
    [(1, 2), (3, 5), (6, 7)]
    """
    ends = [last * place // MOST_POSITIONS for place in range(MOST_POSITIONS + 1)]
    return [(first + 1, end) for first, end in pairwise(ends) if first < end]
