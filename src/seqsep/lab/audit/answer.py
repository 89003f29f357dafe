"""`seqsep.audit`: what a trained model carries, as three numbers, and the function that finds them."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from seqsep.core.names import BadInput, excerpt, whole_arguments
from seqsep.core.tables import Tabular
from seqsep.lab.audit.carried import lower_accuracy, places_at_least
from seqsep.lab.audit.needed import CodebookResult, fewest, tried
from seqsep.lab.audit.own_questions import audited
from seqsep.lab.audit.reader import StateReader, require_readable
from seqsep.lab.kept import load
from seqsep.models.model import Model
from seqsep.tasks import Task

FITTED_ON = 1024
QUESTIONS = 20_000
CURVE_QUESTIONS = 10_000
LEAST_PREFIXES = 250
SEEDS = 1 << 62
DIGEST = re.compile("@[0-9a-f]{8,64}")
"""The digest of a user's file in the name of a layer."""


@dataclass(frozen=True)
class PlaceAccuracy:
    """Accuracy of the questions for one value of the prefix, from 1, and its lower limit."""

    position: int
    accuracy: float
    at_least: float


@dataclass(frozen=True, repr=False)
class Audit(Tabular):
    """The result of an audit; it prints as the table of its numbers, all in bits of one example's state.

    Fields:
        task: the task of the questions.
        model: layers and width of the model, in words.
        prefixes: number of prefixes.
        questions: number of questions.
        confidence: confidence of the lower limits together.
        accuracy: share of right answers.
        accuracy_at_least: lower limit of the accuracy over all possible questions.
        stored_bits: bits of the state's tensors after the prefix.
        needs_at_most_bits: bits of the smallest codebook that is good enough: if the state is replaced by its entry in the
            codebook, the accuracy falls by at most one percentage point. None if no codebook is.
        codebook: name of this codebook.
        carries_at_least_bits: bits that the state carries, as the accuracy proves; wrong with probability at most 1 -
            `confidence`.
        all_right_bits: the fewest bits with which some model answers every question rightly; None if not known.
        least_bits: the fewest bits with which some model can have the accuracy.
        places: accuracy at each queried position.
        curve: accuracy with each codebook.

    >>> from seqsep.tasks import IndexLookup
    >>> task = IndexLookup(length=2, alphabet=4)
    >>> model = Model.build(vocabulary=6, classes=4, longest=3, layers=("lstm",), width=4)
    >>> [row["number"] for row in audit(model, task, questions=1).records()][:3]
    ['stored', 'needs at most', 'carries at least']
    """

    task: Task
    model: str
    prefixes: int
    questions: int
    confidence: float
    accuracy: float
    accuracy_at_least: float
    stored_bits: int
    needs_at_most_bits: int | None
    codebook: str | None
    carries_at_least_bits: float
    all_right_bits: int | None
    least_bits: int
    places: tuple[PlaceAccuracy, ...]
    curve: tuple[CodebookResult, ...]

    def title(self) -> str:
        """Return the model, the task, the number of queries, and its accuracy."""
        asked = f"{self.questions:,} questions about {self.prefixes:,} prefixes"
        return f"{self.model} on {self.task.label()}, N = {self.task.length}: {self.accuracy:.2%} of {asked}"

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each number."""
        places = f", {len(self.places)} places" if len(self.places) > 1 else ""
        which = "no codebook" if self.codebook is None else f"the codebook {self.codebook}"
        book = f"{which} loses at most 1 percentage point of accuracy"
        return [
            {"number": "stored", "bits": self.stored_bits, "meaning": "tensors of the state, counted"},
            {"number": "needs at most", "bits": self.needs_at_most_bits, "meaning": book},
            {
                "number": "carries at least",
                "bits": round(self.carries_at_least_bits, 1),
                "meaning": f"of the prefix, confidence {self.confidence:.4g}{places}",
            },
            {"number": "least for accuracy", "bits": self.least_bits, "meaning": "no model of fewer bits is this accurate"},
            {
                "number": "least for all right",
                "bits": self.all_right_bits,
                "meaning": "no model of fewer bits is always right",
            },
        ]

    def __repr__(self) -> str:
        return self.table()

    def record(self) -> dict[str, Any]:
        """Return the audit as plain values, for JSON."""
        fields = asdict(self)
        return fields | {"task": self.task.configuration()}


@whole_arguments
def audit(
    model: Model | Path | str,
    task: Task | None = None,
    *,
    questions: int = QUESTIONS,
    confidence: float = 0.95,
    seed: int = 0,
    files: Iterable[Path | str] = (),
) -> Audit:
    """Audit a model on a task: the bits that its state stores, those that its read-out needs, and those that it carries.

    The questions are new: none of them was an example in the training or evaluation of the model.

    Arguments:
        model: a model, or a file that `save` wrote; its run then has the task.
        task: index lookup, associative recall, multi-query recall, equality in its variant random, or your own task with a
            method `questions`; needed with a model, not with a file.
        questions: number of questions; they are about 250 or more different prefixes.
        confidence: probability with which the lower limits of all positions hold together; above 0 and below 1.
        seed: random seed of the questions.
        files: Python files of your own layers, models or task in a kept model.

    Raises BadInput for another task, for a model that cannot read its inputs, and for the reasons of `seqsep.load`.

    >>> import torch
    >>> from seqsep.tasks import IndexLookup
    >>> _ = torch.manual_seed(0)
    >>> model = Model.build(vocabulary=6, classes=4, longest=3, layers=("lstm",), width=4)
    >>> found = audit(model, IndexLookup(length=2, alphabet=4), questions=500)
    >>> found.stored_bits, found.needs_at_most_bits, found.all_right_bits
    (256, 0, 4)
    """
    model, task = opened(model, task, files)
    if questions < 1 or not 0 < confidence < 1 or not 0 <= seed < SEEDS:
        given = f"questions={questions}, confidence={confidence}, seed={seed}"
        raise BadInput(f"audit({given}): expected questions from 1, confidence between 0 and 1, seed from 0 to 2^62 - 1")
    how = audited(task)
    error = 1 - confidence
    count = max(LEAST_PREFIXES, -(-questions // how.places))
    asked = how.drawn(count, 2 * seed + 1)
    require_readable(model, task, how.prefix_tokens + asked.continuations.shape[2], "audit")
    reader = StateReader(model, how.prefix_tokens)
    rows = reader.states(asked.prefixes)
    right = reader.right(rows, asked)
    few = max(LEAST_PREFIXES, min(count, -(-CURVE_QUESTIONS // how.places)))
    curve = tried(
        reader,
        how,
        fitted_on=how.drawn(FITTED_ON, 2 * seed + 2),
        asked=asked.first(few),
        rows=rows[:few],
        error=error,
    )
    needed = fewest(curve, float(right[:few].mean()))
    accuracy = float(right.mean())
    limits = places_at_least(right, error)
    return Audit(
        task=task,
        model=described(model),
        prefixes=count,
        questions=right.size,
        confidence=confidence,
        accuracy=accuracy,
        accuracy_at_least=lower_accuracy(right, error),
        stored_bits=reader.bits,
        needs_at_most_bits=None if needed is None else needed.bits,
        codebook=None if needed is None else needed.codebook,
        carries_at_least_bits=how.carried(limits),
        all_right_bits=task.answer_bits(),
        least_bits=how.least_bits(accuracy),
        places=tuple(
            PlaceAccuracy(position + 1, float(share), limit)
            for position, (share, limit) in enumerate(zip(right.mean(0), limits, strict=True))
        ),
        curve=curve,
    )


def opened(model: Model | Path | str, task: Task | None, files: Iterable[Path | str] = ()) -> tuple[Model, Task]:
    """Return the model and its task. Raises BadInput if a model has no task."""
    if isinstance(model, Model):
        if not isinstance(task, Task):
            raise BadInput(
                f"audit: expected the task of the model, as seqsep.IndexLookup(length=20), found {excerpt(repr(task))}"
            )
        return model, task
    if not isinstance(model, str | Path):
        raise BadInput(f"audit: expected a model, or the file of a kept model, found {excerpt(repr(model))}")
    if Path(model).is_dir():
        raise BadInput(f"audit({str(model)!r}): expected a kept model, found a folder; seqsep.audit_language_model takes those")
    found, run = load(model, files)
    return found, run.task if task is None else task


def described(model: Model) -> str:
    """Return a model in a few words: its mixers and its width. Your own layer or model is named without its digest.

    >>> described(Model.build(vocabulary=6, classes=4, longest=3, layers=("lstm", "lstm"), width=4))
    'lstm+lstm of width 4'
    """
    if not model.residuals():
        return DIGEST.sub("", str(getattr(model, "name", "model")))  # your own complete model, whose width is not known
    mixers = "+".join(DIGEST.sub("", block.mixer.name) for block in model.residuals())
    return f"{mixers} of width {model.readout.in_features}"
