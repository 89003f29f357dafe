"""What engines are given to do: a run to train, or a plug-in to try the laws on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqsep.lab.run import Run
from seqsep.plugins.layer import OwnLayer
from seqsep.plugins.model import OwnModel


@dataclass(frozen=True)
class Job:
    """A run to train.

    Its checkpoints go to `checkpoint`; `digests` are those of the checkpoints that are there, the last one first. The run
    pauses at the step `until`, if one is given.
    """

    run: Run
    checkpoint: Path
    digests: tuple[str, ...] = ()
    until: int | None = None

    @property
    def has_plug_ins(self) -> bool:
        """Whether the run has a user's code."""
        return bool(self.run.plug_ins())

    def message(self, digests: tuple[str, ...]) -> dict[str, Any]:
        """What the worker is told; `digests` are those of the checkpoints by now."""
        return {
            "run": self.run.configuration(),
            "files": self.run.files(),
            "checkpoint": str(self.checkpoint.absolute()),
            "digests": digests,
            "until": self.until,
        }


@dataclass(frozen=True)
class Check:
    """A plug-in to try the laws on. `sizes` are width and heads; of a whole model also vocabulary, classes and longest."""

    plug_in: OwnLayer | OwnModel
    sizes: dict[str, int]
    digests: tuple[str, ...] = ()
    has_plug_ins: bool = True

    def message(self, digests: tuple[str, ...]) -> dict[str, Any]:
        """What the worker is told."""
        name = str(self.plug_in)
        return {"check": name, "files": {name: str(self.plug_in.path)}, "sizes": self.sizes}
