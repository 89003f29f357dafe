"""Trained models in safetensors files: what the file must say of its model, and the model back from it.

A file holds the tensors of `Model.state_dict()` under the prefix `model.` and two strings of metadata: `layers`, a JSON list
of mixer names, and `heads`; a third, `positions`, where they are not the default. Vocabulary, width, classes and the number of
positions are the shapes of the tensors. Checkpoints of the lab are such files. Nothing is unpickled, and no memory is taken
before the shapes in the file agree with those of the model described.
"""

import json
from pathlib import Path
from typing import cast

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from seqsep.model.model import Model, Residual

PREFIX = "model."
PRECISIONS = (torch.float32, torch.float64)


def describe(model: Model) -> dict[str, str]:
    """The metadata from which `load_model` rebuilds the blocks of a model that `Model.build` made."""
    mixers = [cast(Residual, block).mixer for block in model.blocks]
    heads = max((int(getattr(mixer, "heads", 1)) for mixer in mixers), default=1)
    described = {"layers": json.dumps([mixer.name for mixer in mixers]), "heads": str(heads)}
    return described if model.chosen_positions == "default" else described | {"positions": model.chosen_positions}


def load_model(path: Path) -> Model:
    """The model of a safetensors file, in the file's own precision, for evaluation.

    Raises FileNotFoundError, and ValueError with the path for a file that is no safetensors file, lacks the metadata, or whose
    tensors are not those of the model described.
    """
    if not path.is_file():
        raise FileNotFoundError(2, "no such checkpoint", str(path))
    try:
        with safe_open(path, framework="pt") as file:
            metadata: dict[str, str] = file.metadata() or {}
            tensors: dict[str, Tensor] = {
                name.removeprefix(PREFIX): file.get_tensor(name) for name in list(file.keys()) if name.startswith(PREFIX)
            }
    except SafetensorError as error:
        raise ValueError(f"{path}: expected a safetensors file, found: {error}") from None
    layers, heads = _shape(path, metadata, tensors)
    sizes = {name: _axes(path, tensors, name) for name in ("tokens.weight", "readout.weight")}
    vocabulary, classes, width = sizes["tokens.weight"][0], *sizes["readout.weight"]
    positions = metadata.get("positions", "default")
    longest = _axes(path, tensors, "positions.weight")[0] if "positions.weight" in tensors else 0
    try:
        with torch.device("meta"):
            shapes = {
                name: part.shape
                for name, part in Model.build(vocabulary, classes, longest, layers, width, heads, positions=positions)
                .state_dict()
                .items()
            }
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    for name in sorted(shapes.keys() | tensors.keys()):
        expected, found = (dict(given).get(name) for given in (shapes, {key: value.shape for key, value in tensors.items()}))
        if expected != found:
            said = ["no tensor" if one is None else f"shape {tuple(one)}" for one in (expected, found)]
            raise ValueError(f"{path}: {PREFIX}{name}: expected {said[0]} for {heads} heads of {layers}, found {said[1]}")
    precisions = {part.dtype for part in tensors.values()}
    if len(precisions) != 1 or not precisions <= set(PRECISIONS):
        raise ValueError(f"{path}: expected tensors of one precision, float32 or float64, found {sorted(map(str, precisions))}")
    with torch.random.fork_rng(devices=[]):
        model = Model.build(vocabulary, classes, longest, layers, width, heads, positions=positions).to(precisions.pop())
    model.load_state_dict(tensors)
    return model.eval().requires_grad_(False)


def _shape(path: Path, metadata: dict[str, str], tensors: dict[str, Tensor]) -> tuple[list[str], int]:
    try:
        layers, heads = json.loads(metadata["layers"]), int(metadata["heads"])
    except (KeyError, ValueError):
        known = ", ".join(sorted(metadata)) or "none"
        raise ValueError(
            f"{path}: expected metadata layers (a JSON list of mixers) and heads (a number), found {known}"
        ) from None
    if not isinstance(layers, list) or not all(isinstance(name, str) for name in layers) or len(layers) > len(tensors):
        raise ValueError(f"{path}: layers: expected a JSON list of mixers, found {metadata['layers'][:80]}")
    return layers, heads


def _axes(path: Path, tensors: dict[str, Tensor], name: str) -> tuple[int, int]:
    if name not in tensors or tensors[name].dim() != 2:
        raise ValueError(f"{path}: {PREFIX}{name}: expected a matrix, found {'another shape' if name in tensors else 'none'}")
    rows, columns = tensors[name].shape
    return rows, columns
