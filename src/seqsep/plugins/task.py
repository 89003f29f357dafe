"""A user's own task as a task: its file is run only once examples or sizes are wanted, that is, in a worker.

A class built as `MyTask(length=20, further=fields)` with
    vocabulary, classes, longest      whole numbers: token ids, answers, most tokens of an example
    sample(start, count, seed, evaluate) -> inputs, targets, lengths      or a `seqsep.tasks.Batch` of them: int64 arrays
        "batch time", "batch time" (-100: nothing asked) and "batch"; example i depends on i, the seed and the stream alone
and, where it wants them, `loss`, `score`, `solve(tokens) -> answer` (then checked against the targets), `answer_bits`,
`readable`, `alphabets`, `coordinates`: as in `seqsep.tasks.Task`, of which it may be a subclass.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.plugins.load import PlugIn, PlugInFails, in_words, load
from seqsep.tasks import Batch, Task
from seqsep.tasks.base import Loss


@dataclass(frozen=True, repr=False)
class GivenTask(Task):
    """The task of a plug-in, not loaded yet; `options` are its fields beside `length`, sorted."""

    given: str = ""
    options: tuple[tuple[str, int | float | str], ...] = ()

    @classmethod
    def of(cls, given: PlugIn, length: int, **options: Any) -> "GivenTask":
        """The task MyTask(length, **options)."""
        return cls(length, given, tuple(sorted(options.items())))

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in [('length', self.length), *self.options])})"

    @property
    def name(self) -> str:  # type: ignore[override]
        """For labels: the name of the class."""
        return cast(PlugIn, self.given).words

    @cached_property
    def made(self) -> Any:
        """The user's object. Raises PlugInFails where the file does not load or the class takes no such fields."""
        given = cast(PlugIn, self.given)
        make = load(given)
        try:
            return make(length=self.length, **dict(self.options))
        except (Exception, SystemExit) as error:
            raise PlugInFails(f"{self!r}: expected a task, found {in_words(error, given.path)}") from error

    def _whole(self, name: str) -> int:
        value = getattr(self.made, name, None)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise PlugInFails(f"{self.name}: {name}: expected a whole number, found {value!r:.60}")
        return value

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
        return self._whole("coordinates") if hasattr(self.made, "coordinates") else 0

    @property
    def loss(self) -> Loss:
        return getattr(self.made, "loss", super().loss)

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        found = self.made.sample(start, count, seed, evaluate)
        if isinstance(found, Batch):
            return found
        if not isinstance(found, tuple) or len(found) != 3 or not all(isinstance(part, np.ndarray) for part in found):
            raise PlugInFails(f"{self.name}: sample: expected three arrays, inputs, targets and lengths, found {found!r:.60}")
        kinds = (np.float32 if self.coordinates else np.int64, np.int64, np.int64)
        for what, part, kind in zip(("inputs", "targets", "lengths"), found, kinds, strict=True):
            if part.dtype != kind:
                raise PlugInFails(f"{self.name}: sample: expected {what} of {np.dtype(kind)}, found {part.dtype}")
        return Batch(*found)

    @property
    def solves(self) -> bool:
        """Whether the task can say its answers a second time."""
        return callable(getattr(self.made, "solve", None))

    def solve(self, inputs: tuple[Any, ...]) -> int:
        if not self.solves:
            raise PlugInFails(f"{self.name}: expected a method solve(tokens), found none")
        return int(self.made.solve(inputs))

    def readable(self, inputs: tuple[Any, ...], answer: int) -> dict[str, Any]:
        own = getattr(self.made, "readable", None)
        return {"inputs": list(inputs), "answer": answer} if own is None else own(inputs, answer)

    def answer_bits(self) -> int | None:
        own = getattr(self.made, "answer_bits", None)
        return None if own is None else own()

    def alphabets(self, length: int) -> tuple[range, ...]:
        own = getattr(self.made, "alphabets", None)
        return (range(self.vocabulary),) * length if own is None else own(length)

    def score(
        self, predictions: Int64[np.ndarray, "batch time"], targets: Int64[np.ndarray, "batch time"]
    ) -> Bool[np.ndarray, "batch"]:
        own = getattr(self.made, "score", None)
        return super().score(predictions, targets) if own is None else own(predictions, targets)

    def configuration(self) -> dict[str, Any]:
        """Class name and digest of the file, and the fields as they were given."""
        return {"name": str(self.given), "length": self.length} | dict(self.options)


def given_task(given: PlugIn, fields: Mapping[str, Any]) -> GivenTask:
    """The task of a configuration's fields. Raises KeyError without `length`."""
    further = dict(fields)
    return GivenTask.of(given, further.pop("length"), **further)
