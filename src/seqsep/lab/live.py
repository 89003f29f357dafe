"""Outputs that a trained model writes by itself, at the end of a run of a generated task.

`train.evaluate` is teacher-forced: the model reads the right thought, and an example is right if every asked token is. Here it
writes thought and answer itself (`models.thought_accuracy`).
"""

from collections.abc import Callable

from seqsep.lab.run import Run
from seqsep.models.model import Model
from seqsep.models.thought_accuracy import ThoughtAccuracy, thought_accuracy
from seqsep.tasks.base import GeneratedTask

TEXTS_AT_ONCE = 250


def live_score(run: Run, model: Model, on_texts: Callable[[], None] = lambda: None) -> ThoughtAccuracy | None:
    """Return the accuracies over the first `Run.live` evaluation examples; None without a chain of thought to write, or with
    `live` 0.

    `on_texts` is called after every TEXTS_AT_ONCE examples, to say that there is progress.
    """
    if not isinstance(run.task, GeneratedTask) or run.live == 0:
        return None
    right = [0.0] * len(ThoughtAccuracy._fields)
    for start in range(0, run.live, TEXTS_AT_ONCE):
        examples = min(TEXTS_AT_ONCE, run.live - start)
        shares = thought_accuracy(model, run.task, examples, start=start)
        right = [total + examples * share for total, share in zip(right, shares, strict=True)]
        on_texts()
    return ThoughtAccuracy(*(total / run.live for total in right))
