"""A training run as a frozen value, its key, and its canonical JSON.

The key is the SHA-256 of the canonical fields: a field equal to its default is left out (a default never changes), and the
revisions of the task, the mixers and the training loop enter. Equal keys mean equal results in an equal
environment, of which the processor is a part: another one rounds sums in another order, and may pass a goal at another step.
"""

import hashlib
import inspect
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

from seqsep.core.names import BadInput, excerpt, is_whole
from seqsep.core.options import MOST_SEED, Range, option_of, options_of
from seqsep.lab.lengths import require_readable
from seqsep.lab.run_settings import Decay, Precision, RunSettings
from seqsep.models.design import Design, Embeddings, FeedForward, Norm
from seqsep.models.mixers import BY_NAME as MIXERS
from seqsep.models.mixers import Attention, Mixer
from seqsep.models.mixers.settings import canonical_name, mixer_named
from seqsep.models.model import Model, Positions
from seqsep.models.plugins.layer import UserLayer
from seqsep.models.plugins.model import UserModel, parse_layer, restore_layer
from seqsep.models.plugins.name import PlugIn, is_canonical, names_a_file, shown
from seqsep.models.plugins.task import UserTask, own_task
from seqsep.tasks import BY_NAME as TASKS
from seqsep.tasks import Task
from seqsep.tasks.base import wrong_field

LOOP_REVISION = 1
SETTINGS = (
    option_of("width", Annotated[int, Range(1)]),
    option_of("seed", Annotated[int, Range(0, MOST_SEED)]),
    *options_of(RunSettings),
)
"""The settings of every run, with their ranges and choices."""


@dataclass(frozen=True)
class Run:
    """The settings of one training run.

    In each step, Adam trains the model on a batch of new examples with the task's loss. A task has a fixed sequence of
    evaluation examples, the evaluation stream. Every `evaluate_every` steps, the model answers the first `evaluation` of them.
    The run converges when this accuracy reaches `target`.

    The learning rate grows over the first `warm_up` steps. After them it is constant or falls, as `decay` says. A falling
    learning rate is above 0 also in the last step. `mixed_steps` adds a curriculum: in the first `mixed_steps` steps, the
    training inputs have mixed lengths (`Task.mixed`). The learning rate starts to fall only after the warm-up and after these
    steps.

    If `dtype` is bfloat16, torch's autocast computes matrix products and some other operations in bfloat16. Weights,
    optimizer, loss and the counted state stay in float32.

    Fields:
        task: the task, with its sizes.
        layers: mixers from the first layer to the last. A mixer may have settings, as in mamba2(states=128). Your own layer
            is FILE.py:CLASS, or a class.
        width: coordinates of the residual stream; from 1.
        heads: attention heads of a layer; from 1.
        steps: training steps, if the run does not converge earlier; from 1.
        batch: examples in each step; from 1.
        learning_rate: learning rate of Adam after the warm-up; above 0, below 1,000.
        seed: random seed of weights and training examples; 0 to 2^63 - 1.
        decay: schedule of the learning rate after the warm-up; with constant it does not fall, and with cosine it follows
            half a cosine.
        embedding_scale: standard deviation of the initial weights of tokens and positions; above 0.
        weight_scale: standard deviation of the initial weights of the read-out, and of the linear layers that are initialised
            as in GPT-2; above 0.
        evaluate_every: steps between evaluations; from 1.
        evaluation: examples in each evaluation; from 1.
        target: accuracy, as a fraction, at which a run has converged; above 0, to 1.
        positions: positional encoding, as in `Model.build`.
        dtype: number format of matrix products.
        warm_up: steps over which the learning rate grows; from 0.
        norm: norm of the blocks and of the read-out, as in `Design`.
        feed_forward: feed-forward part of a block, as in `Design`.
        hidden: units of the feed-forward part; from 0, and 0 means four times the width.
        biases: give attention and feed-forward parts biases.
        embeddings: embeddings of tokens and positions, as in `Design`.
        live: number of examples on which the trained model writes its own chain of thought and answer; from 0.
        mixed_steps: number of steps at the start of the run in which the training inputs have mixed lengths; from 0.
        test_lengths: lengths of further evaluation inputs, on which the model is tested at the end of the run; from 1.

    To train your own complete model, give model:FILE.py:CLASS as the only layer. It draws its own weights.

    Raises ValueError for a field that is out of its range or does not fit the others.

    >>> from seqsep.tasks import IndexLookup
    >>> run = Run(IndexLookup(length=20), layers=("lstm",), width=32, learning_rate=3e-3)
    >>> run.label()
    'lstm index-lookup N=20 rate 0.003 seed 0'
    >>> Run.from_configuration(run.configuration()) == run
    True
    """

    task: Task
    layers: tuple[str | UserLayer | UserModel, ...]
    width: int
    heads: int = 4
    steps: int = 250_000
    batch: int = 64
    learning_rate: float = 1e-3
    seed: int = 0
    decay: Decay = "constant"
    embedding_scale: float = 0.02
    weight_scale: float = 0.02
    evaluate_every: int = 250
    evaluation: int = 5000
    target: float = 1.0
    positions: Positions = "default"
    dtype: Precision = "float32"
    warm_up: int = 0
    norm: Norm = "default"
    feed_forward: FeedForward = "gelu"
    hidden: int = 0
    biases: bool = True
    embeddings: Embeddings = "learned"
    live: int = 1000
    mixed_steps: int = 0
    test_lengths: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.task, Task):
            found = excerpt(repr(self.task))
            raise ValueError(f"Run(task=...): expected a task, as seqsep.IndexLookup(length=20), found {found}")
        if isinstance(self.layers, str | type | PlugIn) or not isinstance(self.layers, Iterable):
            found = excerpt(repr(self.layers))
            raise ValueError(f"Run(layers=...): expected a tuple of layers, as ('lstm',), found {found}")
        object.__setattr__(self, "layers", tuple(self.layers))
        wrong = wrong_field(self)
        self._require(wrong is None, wrong or "")
        try:
            object.__setattr__(self, "layers", tuple(map(_layer, self.layers)))
        except BadInput as error:
            raise ValueError(f"Run(layers={tuple(map(str, self.layers))!r}): {error}") from None
        self._require(bool(self.layers), f"layers are one or more of {', '.join(MIXERS)}, or FILE.py:CLASS")
        whole = any(isinstance(layer, UserModel) for layer in self.layers)
        self._require(not whole or len(self.layers) == 1, "a complete model is the only entry of layers")
        faults = ((setting.name, setting.fault(getattr(self, setting.name))) for setting in SETTINGS)
        for name, fault in faults:
            self._require(fault is None, f"{name} {fault}")
        if self.mixed_steps:
            mixed = self.task.mixed()
            self._require(
                mixed != self.task, "mixed_steps: the task draws mixed lengths itself; give it one length in training"
            )
        turned = any(issubclass(mixer_named(name), Attention) for name in self._mixer_names())
        self._require(self.positions != "rope" or turned, "positions rope: a layer is attention or sliding-attention")
        self._require(self.positions == "default" or not whole, "positions: a complete model has its own")
        self._require(
            self.design == Design() or not whole, "norm, feed_forward, hidden, biases, embeddings: a complete model has its own"
        )
        self._require_test_lengths()
        for name in ("learning_rate", "embedding_scale", "weight_scale", "target"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def _require_test_lengths(self) -> None:
        """Raise ValueError unless the lengths of tests are whole numbers, and the model can read inputs of them."""
        lengths = tuple(self.test_lengths) if isinstance(self.test_lengths, list | tuple) else (None,)
        self._require(
            all(is_whole(one) and one >= 1 for one in lengths) and len(set(lengths)) == len(lengths),
            f"test_lengths are different whole numbers from 1, found {self.test_lengths!r}",
        )
        object.__setattr__(self, "test_lengths", tuple(int(one) for one in lengths if one is not None))
        try:
            require_readable(self.task, self.test_lengths, self.positions_told(), self.label())
        except BadInput as error:
            self._require(False, f"test_lengths: {error}")

    def _require(self, condition: bool, expected: str) -> None:
        if not condition:
            raise ValueError(f"Run(task={self.task.name}, layers={tuple(map(str, self.layers))!r}, ...): {expected}")

    def _mixer_names(self) -> list[str]:
        """Return the names of the layers that are built in."""
        return [layer for layer in self.layers if isinstance(layer, str)]

    @property
    def design(self) -> Design:
        """The parts of its model around the mixers. Raises ValueError for an unknown choice."""
        return Design(
            norm=self.norm,
            feed_forward=self.feed_forward,
            hidden=self.hidden,
            biases=self.biases,
            embeddings=self.embeddings,
        )

    def rate_at(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0.

        >>> from seqsep.tasks import IndexLookup
        >>> run = Run(IndexLookup(5), ("lstm",), 8, steps=6, learning_rate=1.0, decay="cosine", warm_up=2)
        >>> [round(run.rate_at(step), 2) for step in range(6)]
        [0.5, 1.0, 1.0, 0.85, 0.5, 0.15]
        """
        if step < self.warm_up:
            return self.learning_rate * (step + 1) / self.warm_up
        if self.decay == "constant":
            return self.learning_rate
        first = max(self.warm_up, self.mixed_steps)
        done = max(0, step - first) / max(1, self.steps - first)
        return self.learning_rate * (1 - done if self.decay == "linear" else (1 + math.cos(math.pi * done)) / 2)

    def training_task(self, step: int) -> Task:
        """Return the task that training step `step`, counted from 0, draws its examples from.

        >>> from seqsep.tasks import IndexLookup
        >>> run = Run(IndexLookup(50, training_inputs="full-length"), ("lstm",), 8, steps=6, mixed_steps=2)
        >>> [run.training_task(step).training_inputs for step in (0, 1, 2)]
        ['drawn-length', 'drawn-length', 'full-length']
        """
        return self.task.mixed() if step < self.mixed_steps else self.task

    def configuration(self) -> dict[str, Any]:
        """Return the canonical fields: those that differ from their defaults, and likewise the task's own."""
        chosen = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        if self.test_lengths:
            chosen["test_lengths"] = list(self.test_lengths)
        return chosen | {"task": self.task.configuration(), "layers": list(map(str, self.layers))}

    @classmethod
    def from_configuration(cls, configuration: dict[str, Any], files: Mapping[str, str] | None = None) -> "Run":
        """Return the run of a canonical JSON object; `files` gives the files of its plug-ins (`Run.files`).

        Without them it can be read but not trained. Raises ValueError for an unknown task, mixer or field.
        """
        try:
            chosen = dict(configuration)
            task = dict(chosen.pop("task"))
            layers = tuple(restore_layer(name, files or {}) for name in chosen.pop("layers"))
            name = task.pop("name")
            own = is_canonical(name)
            made = own_task(PlugIn.restore(name, files or {}), task) if own else TASKS[name].restore(task)
            return cls(task=made, layers=layers, **chosen)
        except (TypeError, KeyError) as error:
            raise ValueError(f"Run.from_configuration({configuration!r}): unknown or missing field {error}") from error

    def key(self) -> str:
        """Return the SHA-256 of the canonical fields and of the revisions: 64 hexadecimal digits."""
        revisions = {"task": self.task.revision, "loop": LOOP_REVISION}
        revisions |= {f"mixer:{name}": mixer_named(name).revision for name in self._mixer_names()}
        canonical = canonical_json({"run": self.configuration(), "revisions": revisions})
        return hashlib.sha256(canonical.encode()).hexdigest()

    def plug_ins(self) -> tuple[PlugIn, ...]:
        """Return the user's own layers, model and task, each once."""
        plug_ins: list[PlugIn] = [layer for layer in self.layers if isinstance(layer, PlugIn)]
        if isinstance(self.task, UserTask):
            plug_ins.append(self.task.source)
        return tuple(dict.fromkeys(plug_ins))

    def files(self) -> dict[str, str]:
        """Return the files of its plug-ins, by canonical name, as far as they are known."""
        return {str(plug_in): str(plug_in.path) for plug_in in self.plug_ins() if plug_in.path is not None}

    def model(self) -> Model:
        """Return a fresh model of this run's shape; weights are drawn from torch's global generator."""
        vocabulary = self.task.vocabulary
        classes = self.task.classes
        longest = self.task.longest
        only = self.layers[0]
        if isinstance(only, UserModel):
            return only.build(vocabulary, classes, longest, width=self.width, heads=self.heads)
        return Model.build(
            vocabulary=vocabulary,
            classes=classes,
            longest=longest,
            layers=[layer for layer in self.layers if not isinstance(layer, UserModel)],
            width=self.width,
            heads=self.heads,
            embedding_scale=self.embedding_scale,
            weight_scale=self.weight_scale,
            coordinates=self.task.coordinates,
            positions=self.positions,
            design=self.design,
        )

    def positions_told(self) -> str:
        """Return the positional encoding of its model: the meaning of "default", or "" for a layer from a file, for which it is
        unknown.

        >>> Run(TASKS["equality"](4), ("lstm", "attention"), width=8).positions_told()
        'learned'
        """
        if self.positions != "default":
            return self.positions
        if any(isinstance(layer, str) and mixer_named(layer).block.positions == "learned" for layer in self.layers):
            return "learned"
        return "" if any(isinstance(layer, PlugIn) for layer in self.layers) else "none"

    def label(self) -> str:
        """Return the run in a few words, for progress lines."""
        layers = "+".join(map(shown, self.layers))
        return f"{layers} {self.task.label()} N={self.task.length} rate {self.learning_rate:g} seed {self.seed}"


def _layer(layer: str | type | UserLayer | UserModel) -> str | UserLayer | UserModel:
    if isinstance(layer, type):
        layer = _name_of_class(layer)
    if not isinstance(layer, str):
        return layer
    return parse_layer(layer) if names_a_file(layer) else canonical_name(layer)


def _name_of_class(layer: type) -> str:
    """Return the name of a mixer, or FILE.py:CLASS. Raises ValueError for a class that no file defines, such as one typed in a
    session.
    """
    name = getattr(layer, "name", "")
    if issubclass(layer, Mixer) and name.partition("(")[0] in MIXERS and mixer_named(name) is layer:
        return str(name)
    try:
        file = inspect.getfile(layer)
    except (TypeError, OSError):
        file = ""
    if not file.endswith(".py") or "." in layer.__qualname__:
        raise ValueError(f"layer {layer.__qualname__}: expected a class at the top of a Python file, which workers can load")
    return f"{file}:{layer.__name__}"


def canonical_json(value: Any) -> str:
    """Return the JSON of a value with sorted keys, no spaces and no NaN, so that equal values have equal texts.

    >>> canonical_json({"b": 1, "a": [0.5]})
    '{"a":[0.5],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
