"""A user's own task, FILE.py:CLASS: its file is run only when examples or sizes are wanted, that is, in a worker.

A class built as `MyTask(length=20, further=fields)` with
    vocabulary, classes, longest      whole numbers: token ids, answers, most tokens of an example
    sample(start, count, seed, evaluate) -> inputs, targets, lengths      or a `seqsep.tasks.Batch` of them: int64 arrays
        "batch time", "batch time" (-100: nothing asked) and "batch"; example i depends on i, the seed and the stream alone
and, if it wants them, `loss`, `score`, `solve(tokens) -> answer` (then checked against the targets), `answer_bits`,
`readable`, `alphabets`, `coordinates`, `query_positions`: as in `seqsep.tasks.Task`, of which it may be a subclass. What each
of them returns is checked at every call. With a parameter `least_length`, a run can have a curriculum (`UserTask.mixed`), and
with a method `questions`, an audit (`lab.audit.own_questions`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.core.names import excerpt, is_whole
from seqsep.models.plugins.load import PlugInFails, in_words, load
from seqsep.models.plugins.name import PlugIn
from seqsep.tasks import Batch, Task
from seqsep.tasks.base import Loss
from seqsep.tasks.returned import (
    arrays_of,
    wrong_alphabets,
    wrong_answer,
    wrong_arrays,
    wrong_bits,
    wrong_loss,
    wrong_readable,
    wrong_score,
)


@dataclass(frozen=True, repr=False)
class UserTask(Task):
    """A user's own task, not loaded yet; `options` are its fields beside `length`, sorted."""

    source: PlugIn
    options: tuple[tuple[str, int | float | str], ...] = ()

    @classmethod
    def of(cls, source: PlugIn, length: int, **options: Any) -> "UserTask":
        """Return the task MyTask(length, **options)."""
        plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in options.items()}
        return cls(length, source, tuple(sorted(plain.items())))

    def __repr__(self) -> str:
        fields = [("length", self.length), *self.options]
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in fields)})"

    @property
    def name(self) -> str:  # type: ignore[override]
        """As a person names it."""
        return self.source.words

    @cached_property
    def task(self) -> Any:
        """The user's object. Raises PlugInFails if the file does not load, or the class takes no such fields."""
        make = load(self.source)
        try:
            return make(length=self.length, **dict(self.options))
        except (Exception, SystemExit) as error:
            raise PlugInFails(f"{self!r}: expected a task, found {in_words(error, self.source.path)}") from error

    def _whole(self, name: str) -> int:
        value: Any = getattr(self.task, name, None)
        if not is_whole(value) or value < 0:
            raise PlugInFails(f"{self.name}: {name}: expected a whole number, found {excerpt(repr(value))}")
        return int(value)

    def _refuse(self, wrong: str | None) -> None:
        """Raise PlugInFails with what is wrong, unless it is None."""
        if wrong is not None:
            raise PlugInFails(f"{self.name}: {wrong}")

    @property
    def vocabulary(self) -> int:
        return self._whole("vocabulary")

    @property
    def classes(self) -> int:
        return self._whole("classes")

    @property
    def longest(self) -> int:
        return self._whole("longest")

    @property
    def coordinates(self) -> int:
        return self._whole("coordinates") if hasattr(self.task, "coordinates") else 0

    @property
    def loss(self) -> Loss:
        loss: Any = getattr(self.task, "loss", super().loss)
        self._refuse(wrong_loss(loss))
        return cast(Loss, loss)

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        """Return the user's examples. Raises PlugInFails unless they are `count` examples in arrays of the types of a
        `Batch`.
        """
        found = self.task.sample(start, count, seed, evaluate)
        arrays = arrays_of(found) if isinstance(found, Batch) else found
        self._refuse(wrong_arrays(self, arrays, count))
        return Batch(*arrays)

    def query_positions(self, batch: Batch) -> Int64[np.ndarray, "batch"] | None:
        """Return the queried position of each example, if the task has a method `query_positions(batch)`.

        Raises PlugInFails unless these are whole numbers from 1 to `length`.
        """
        own = getattr(self.task, "query_positions", None)
        positions: Any = None if own is None else own(batch)
        if positions is None:
            return None
        is_right = isinstance(positions, np.ndarray) and positions.dtype == np.int64 and positions.shape == batch.lengths.shape
        if not is_right or positions.min() < 1 or positions.max() > self.length:
            expected = f"query_positions: expected {len(batch.lengths)} whole numbers from 1 to {self.length}"
            self._refuse(f"{expected}, found {excerpt(repr(positions))}")
        return cast(np.ndarray, positions)

    def mixed(self) -> Task:
        """Return the task with `least_length` at its default, under which its training inputs have mixed lengths.

        Raises ValueError unless the task was given a `least_length`.
        """
        options = dict(self.options)
        if options.pop("least_length", None) is None:
            raise ValueError(
                f"{self!r}: a curriculum needs --least-length for the steps after it, as in --least-length {self.length}"
            )
        return replace(self, options=tuple(sorted(options.items())))

    @property
    def solves(self) -> bool:
        """True if the task can compute its answers a second time."""
        return callable(getattr(self.task, "solve", None))

    def solve(self, inputs: tuple[Any, ...]) -> int:
        """Return the user's answer. Raises PlugInFails if the task has no `solve`, or if it returns anything but a whole
        number.
        """
        if not self.solves:
            raise PlugInFails(f"{self.name}: expected a method solve(tokens), found none")
        answer = self.task.solve(inputs)
        self._refuse(wrong_answer(answer))
        return int(answer)

    @property
    def reads(self) -> bool:
        """True if the task has its own readable form."""
        return callable(getattr(self.task, "readable", None))

    def readable(self, inputs: tuple[Any, ...], answer: int) -> dict[str, Any]:
        own = getattr(self.task, "readable", None)
        if own is None:
            return {"inputs": list(inputs), "answer": answer}
        readable: Any = own(inputs, answer)
        self._refuse(wrong_readable(readable))
        return cast(dict[str, Any], readable)

    def answer_bits(self) -> int | None:
        own = getattr(self.task, "answer_bits", None)
        bits = None if own is None else own()
        self._refuse(wrong_bits(self, bits))
        return None if bits is None else int(bits)

    @property
    def declares_alphabets(self) -> bool:
        """True if the task declares the tokens allowed at each position."""
        return callable(getattr(self.task, "alphabets", None))

    def alphabets(self, length: int) -> tuple[range, ...]:
        own = getattr(self.task, "alphabets", None)
        if own is None:
            return (range(self.vocabulary),) * length
        alphabets: Any = own(length)
        self._refuse(wrong_alphabets(alphabets))
        return tuple(alphabets)

    @property
    def scores(self) -> bool:
        """True if the task has its own `score`, which may count an example as right though not every answer is."""
        own = getattr(type(self.task), "score", None)
        return own is not None and own is not Task.score

    def score(
        self, predictions: Int64[np.ndarray, "batch time"], targets: Int64[np.ndarray, "batch time"]
    ) -> Bool[np.ndarray, "batch"]:
        own = getattr(self.task, "score", None)
        if own is None:
            return super().score(predictions, targets)
        score: Any = own(predictions, targets)
        self._refuse(wrong_score(score, len(targets)))
        return cast(np.ndarray, score)

    def configuration(self) -> dict[str, Any]:
        """Return the class name and digest of the file, and the fields as they were given."""
        return {"name": str(self.source), "length": self.length} | dict(self.options)


def own_task(source: PlugIn, fields: Mapping[str, Any]) -> UserTask:
    """Return the user's task with the fields of a configuration. Raises KeyError if `length` is not among them."""
    options = dict(fields)
    return UserTask.of(source, options.pop("length"), **options)
