"""Small models: a mixer with random weights, a trained model, or an exact one cut down; their state is too small for a task."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from seqsep.core.options import FieldsOf
from seqsep.maths.automata.automata import Recurrence
from seqsep.theorems.options import RECURRENT as RECURRENT
from seqsep.theorems.options import Checkpoint, Heads, RecurrentMixer, Seed, StatePrecision, Width
from seqsep.theorems.protocols.collision import ListTask, TaskSizes
from seqsep.theorems.protocols.machine import AnyModel, BitMachine, as_machine

WIDEST = 8


@dataclass(frozen=True)
class SmallModel:
    """The model that a lower bound is run on: a mixer with random weights, the trained one of a checkpoint, or by default two.

    Its state is kept at `precision` bits per number, by default 1. A check takes the fields as its keywords. Raises ValueError
    for a precision without a model.

    >>> SmallModel(mixer="lstm", width=4).is_given, SmallModel().is_given
    (True, False)
    """

    seed: Seed = 0
    mixer: RecurrentMixer | None = None
    width: Width = 8
    heads: Heads = 1
    precision: StatePrecision | None = None
    checkpoint: Checkpoint | None = None

    def __post_init__(self) -> None:
        if self.precision is not None and not self.is_given:
            raise ValueError(f"check(precision={self.precision}): precision goes with mixer or checkpoint")

    @property
    def is_given(self) -> bool:
        """True if a model is asked for at all."""
        return self.mixer is not None or self.checkpoint is not None

    def build(self, task: ListTask) -> tuple[str, BitMachine]:
        """Name the model, and round its state. Raises ValueError for a mixer or file that does not fit the task."""
        if self.checkpoint is not None:
            name = self.checkpoint.name
            model = self._trained(self.checkpoint, task.sizes)
        elif self.mixer in RECURRENT:
            name = f"{self.mixer} of width {self.width}"
            model = with_random_weights(task.sizes, self.mixer, self.width, self.heads, seed=self.seed)
        else:
            raise ValueError(f"check(mixer={self.mixer!r}): mixer is one of {', '.join(RECURRENT)}")
        return name, rounded(model, task, 1 if self.precision is None else self.precision, self.seed)

    def models(
        self, task: ListTask, needed: int, *, reduced: Callable[[int], Recurrence], most_bits: int
    ) -> list[tuple[str, BitMachine]]:
        """Return models, by name, with fewer than `needed` state bits: the one asked for, or by default two.

        The two are the exact model `reduced` to `needed` - 1 bits, or to `most_bits` if that is less, and an LSTM whose state
        is kept as signs, a bit a number. Raises ValueError if the model asked for has `needed` bits or more.

        >>> from seqsep.theorems.retrieval.index_lookup_state import recall, with_fewer_bits
        >>> models = SmallModel().models(recall(4, 2), 4, reduced=lambda bits: with_fewer_bits(4, 2, bits), most_bits=18)
        >>> [(name, model.bits) for name, model in models]
        [('exact model, highest bits dropped', 3), ('LSTM of signs', 2)]
        """
        if self.is_given:
            name, model = self.build(task)
            if model.bits >= needed:
                raise ValueError(
                    f"{name} has {model.bits} state bits, not fewer than {needed}: the bound says nothing about it"
                )
            return [(name, model)]
        models = []
        if needed >= 2:
            models.append(("exact model, highest bits dropped", as_machine(reduced(min(needed - 1, most_bits)))))
        if needed > 2:
            lstm = with_random_weights(task.sizes, "lstm", min((needed - 1) // 2, WIDEST), seed=self.seed)
            models.append(("LSTM of signs", rounded(lstm, task, 1, self.seed)))
        return models

    def _trained(self, checkpoint: Path, sizes: TaskSizes) -> Any:
        import torch

        from seqsep.models.mixers import Mixer
        from seqsep.models.weights import load_model

        if self.mixer is not None:
            raise ValueError(f"check(mixer={self.mixer!r}, checkpoint=...): the checkpoint says which mixers it has")
        model = load_model(checkpoint)
        if any(block.mixer.grows for block in model.blocks if isinstance(block.mixer, Mixer)):
            raise ValueError(f"{checkpoint}: a layer's state grows with time: the bound is about states of a fixed size")
        if not isinstance(model.tokens, torch.nn.Embedding):
            raise ValueError(f"{checkpoint}: expected a model whose inputs are tokens, found one whose inputs are vectors")
        _require_size(checkpoint, "tokens", sizes.vocabulary, model.tokens.num_embeddings)
        _require_size(checkpoint, "classes", sizes.classes, model.readout.out_features)
        if model.positions is not None and model.positions.num_embeddings < sizes.longest:
            _require_size(checkpoint, "positions", sizes.longest, model.positions.num_embeddings)
        return model


OfSmallModel = Annotated[Any, FieldsOf(SmallModel)]
"""The annotation of keywords that are the fields of a small model."""


def _require_size(checkpoint: Path, quantity: str, needed: int, size: int) -> None:
    if size != needed:
        raise ValueError(f"{checkpoint}: expected {needed} {quantity} for this length and alphabet, found {size}")


def with_random_weights(sizes: TaskSizes, mixer: str, width: int, heads: int = 1, *, seed: int) -> Any:
    """Return a `Model` of one block of a mixer with random weights, large enough for its inputs to matter; in float64.

    Raises ValueError for a width or a number of heads below 1.

    >>> with_random_weights(TaskSizes(7, 3, 5), "lstm", width=2, seed=0).state_bits()  # 2 x 2 numbers of 64 bits
    (256, 0)
    >>> with_random_weights(TaskSizes(7, 3, 5), "attention", width=2, heads=0, seed=0)
    Traceback (most recent call last):
    ValueError: width=2, heads=0: expected whole numbers from 1
    """
    if width < 1 or heads < 1:
        raise ValueError(f"width={width}, heads={heads}: expected whole numbers from 1")
    import torch

    from seqsep.models.model import Model

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Model.build(
            *sizes,
            layers=(mixer,),
            width=width,
            heads=heads,
            embedding_scale=1.0,
            weight_scale=0.5,
        )
    return model.double().eval().requires_grad_(False)


def rounded(model: AnyModel, task: ListTask, precision: int, seed: int) -> BitMachine:
    """The model with its state at `precision` bits per number, the range found on random inputs of the task."""
    return as_machine(model, precision, task.examples(seed))
