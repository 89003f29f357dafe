"""Models of ours whose state is too small for a task: a mixer with random weights, or a trained model, rounded."""

from pathlib import Path

import torch

from seqsep.mixers import BY_NAME as MIXERS
from seqsep.mixers import Mixer
from seqsep.model.model import Model
from seqsep.model.weights import load_model
from seqsep.theorems.protocols.collision import Recall
from seqsep.theorems.protocols.machine import Given, Machine, machine

RECURRENT = tuple(name for name, mixer in MIXERS.items() if not mixer.grows)


def built(vocabulary: int, classes: int, longest: int, mixer: str, width: int, heads: int, seed: int) -> Model:
    """One block of a mixer with random weights, large enough for its inputs to matter; in float64."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Model.build(vocabulary, classes, longest, (mixer,), width, heads, embedding_scale=1.0, weight_scale=0.5)
    return model.double().eval().requires_grad_(False)


def victim(
    vocabulary: int,
    classes: int,
    longest: int,
    mixer: str | None,
    width: int,
    heads: int,
    checkpoint: Path | None,
    seed: int,
) -> tuple[str, Model]:
    """The model that a user names, with its name. Raises ValueError for a mixer or file that does not fit the task."""
    if checkpoint is None:
        if mixer not in RECURRENT:
            raise ValueError(f"check(mixer={mixer!r}): mixer is one of {', '.join(RECURRENT)}")
        return f"{mixer} of width {width}", built(vocabulary, classes, longest, mixer, width, heads, seed)
    if mixer is not None:
        raise ValueError(f"check(mixer={mixer!r}, checkpoint=...): the checkpoint says which mixers it has")
    model = load_model(checkpoint)
    if any(block.mixer.grows for block in model.blocks if isinstance(block.mixer, Mixer)):
        raise ValueError(f"{checkpoint}: a layer's state grows with time: the bound is about states of a fixed size")
    assert isinstance(model.tokens, torch.nn.Embedding)
    found = {"tokens": model.tokens.num_embeddings, "classes": model.readout.out_features}
    if model.positions is not None:
        found["positions"] = model.positions.num_embeddings
    needed = {"tokens": vocabulary, "classes": classes, "positions": longest}
    for quantity, number in found.items():
        if number != needed[quantity] if quantity != "positions" else number < needed[quantity]:
            raise ValueError(
                f"{checkpoint}: expected {needed[quantity]} {quantity} for this length and alphabet, found {number}"
            )
    return checkpoint.name, model


def require_fewer(call: str, name: str, bits: int, needed: int) -> None:
    """Raise ValueError for a model with as many bits as the bound or more."""
    if bits >= needed:
        raise ValueError(f"{call}: {name} has {bits} state bits, not fewer than {needed}: the bound says nothing about it")


def rounded(model: Given, task: Recall, precision: int, seed: int) -> Machine:
    """The model with its state at `precision` bits a number, the range found on random inputs of the task."""
    return machine(model, precision, task.examples(seed))
