"""The jobs that engines are given: a run to train, or a plug-in whose laws are to be checked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqsep.lab.run import Run
from seqsep.models.plugins.layer import UserLayer
from seqsep.models.plugins.model import UserModel
from seqsep.models.plugins.task import UserTask


@dataclass(frozen=True)
class Job:
    """A run to train.

    Its checkpoints go to `checkpoint`; `digests` are those of the checkpoints that are there, the last one first. The run
    pauses at the step `until`, if one is given; its model at its end is kept in the file `keep`, if one is given.
    """

    run: Run
    checkpoint: Path
    digests: tuple[str, ...] = ()
    until: int | None = None
    keep: Path | None = None

    @property
    def has_plug_ins(self) -> bool:
        """True if the run has a user's code."""
        return bool(self.run.plug_ins())

    def message(self, digests: tuple[str, ...]) -> dict[str, Any]:
        """Return the message to the worker."""
        return {
            "run": self.run.configuration(),
            "files": self.run.files(),
            "checkpoint": str(self.checkpoint.absolute()),
            "digests": digests,
            "until": self.until,
            "keep": None if self.keep is None else str(self.keep.absolute()),
        }


@dataclass(frozen=True)
class Check:
    """A plug-in to try the laws on. `sizes` are width and heads; of a whole model also vocabulary, classes and longest.

    A task has its fields in place of sizes.
    """

    plug_in: UserLayer | UserModel | UserTask
    sizes: dict[str, int]
    digests: tuple[str, ...] = ()
    has_plug_ins: bool = True

    def message(self, digests: tuple[str, ...]) -> dict[str, Any]:
        """Return the message to the worker."""
        source = self.plug_in.source if isinstance(self.plug_in, UserTask) else self.plug_in
        told = {"check": str(source), "files": {str(source): str(source.path)}, "sizes": self.sizes}
        return told | ({"task": self.plug_in.configuration()} if isinstance(self.plug_in, UserTask) else {})
