"""One training run as a frozen value, its key, and its canonical JSON.

The key is the SHA-256 of the canonical fields: a field equal to its default is left out (a default never changes), and the
revisions of the task, the mixers and the training loop enter. Equal keys mean equal results in an equal environment.
"""

import hashlib
import json
import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from seqsep.mixers import BY_NAME as MIXERS
from seqsep.model import Model
from seqsep.tasks import BY_NAME as TASKS
from seqsep.tasks import Task

LOOP_REVISION = 1


@dataclass(frozen=True)
class Run:
    """What to train and how. Steps are batches of fresh examples; Adam, the task's loss; `decay` of the learning rate is
    "constant" or "linear" (to 0 at the last step). Two standard deviations of the weights drawn at the start:
    `embedding_scale` for tokens and positions, `weight_scale` for the read-out and for the linear layers that start as
    GPT-2's (those of attention, linear attention, retention and their MLPs). Every `evaluate_every` steps the model is
    scored on the first `evaluation` examples of the evaluation stream, and the run has converged once their accuracy
    reaches `target`."""

    task: Task
    layers: tuple[str, ...]
    width: int
    heads: int = 4
    steps: int = 250_000
    batch: int = 64
    learning_rate: float = 1e-3
    seed: int = 0
    decay: Literal["constant", "linear"] = "constant"
    embedding_scale: float = 0.02
    weight_scale: float = 0.02
    evaluate_every: int = 250
    evaluation: int = 5000
    target: float = 1.0

    COUNTS: ClassVar[tuple[str, ...]] = ("width", "heads", "steps", "batch", "evaluate_every", "evaluation")

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))
        unknown = [name for name in self.layers if name not in MIXERS]
        self._require(bool(self.layers) and not unknown, f"layers are one or more of {', '.join(MIXERS)}")
        for name in self.COUNTS:
            value = getattr(self, name)
            self._require(isinstance(value, int) and value >= 1, f"{name} is a whole number from 1, found {value!r}")
        self._require(0 <= self.seed < 1 << 63, f"seed is a whole number from 0 to 2^63 - 1, found {self.seed!r}")
        self._require(0 < self.learning_rate < 1e3, f"learning_rate is above 0, found {self.learning_rate!r}")
        self._require(self.decay in ("constant", "linear"), f"decay is constant or linear, found {self.decay!r}")
        for name in ("embedding_scale", "weight_scale"):
            value = getattr(self, name)
            self._require(0 < value < math.inf, f"{name} is a finite number above 0, found {value!r}")
        self._require(0 < self.target <= 1, f"target is an accuracy above 0 and at most 1, found {self.target!r}")
        for name in ("learning_rate", "embedding_scale", "weight_scale", "target"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def _require(self, condition: bool, expected: str) -> None:
        if not condition:
            raise ValueError(f"Run(task={self.task.name}, layers={self.layers!r}, ...): {expected}")

    def configuration(self) -> dict[str, Any]:
        """The canonical fields: what differs from its default, the task's own likewise."""
        chosen = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        return chosen | {"task": self.task.configuration(), "layers": list(self.layers)}

    @classmethod
    def from_configuration(cls, configuration: dict[str, Any]) -> "Run":
        """The run of a canonical JSON object. Raises ValueError for an unknown task, mixer or field."""
        try:
            chosen = dict(configuration)
            task = dict(chosen.pop("task"))
            layers = tuple(chosen.pop("layers"))
            return cls(task=TASKS[task.pop("name")](**task), layers=layers, **chosen)
        except (TypeError, KeyError) as error:
            raise ValueError(f"Run.from_configuration({configuration!r}): unknown or missing field {error}") from error

    def key(self) -> str:
        """64 hexadecimal digits."""
        revisions = {"task": self.task.revision, "loop": LOOP_REVISION}
        revisions |= {f"mixer:{name}": MIXERS[name].revision for name in self.layers}
        canonical = canonical_json({"run": self.configuration(), "revisions": revisions})
        return hashlib.sha256(canonical.encode()).hexdigest()

    def model(self) -> Model:
        """A fresh model of this run's shape; weights come from torch's global generator."""
        return Model.build(
            self.task.vocabulary,
            self.task.classes,
            self.task.longest,
            self.layers,
            self.width,
            self.heads,
            self.embedding_scale,
            self.weight_scale,
            self.task.coordinates,
        )

    def label(self) -> str:
        """The run in a few words, for progress lines."""
        return f"{'+'.join(self.layers)} {self.task.name} N={self.task.length} rate {self.learning_rate:g} seed {self.seed}"


def canonical_json(value: Any) -> str:
    """Sorted keys, no spaces, no NaN: equal values have equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
