"""Checkpoints: safetensors with weights, optimiser, step and curve; written whole or not at all, read by digest.

A file is written to a temporary name, synced and renamed, and its directory is synced; the SHA-256 of its bytes goes to the
store. Nothing is unpickled.
"""

import hashlib
import json
import os
from pathlib import Path

import torch
from safetensors.torch import load, save

from seqsep.model import Model
from seqsep.weights import describe


class CheckpointError(ValueError):
    """A checkpoint whose bytes differ from the digest in the store, or that is not one of this model."""


def save_checkpoint(
    path: Path, model: Model, optimizer: torch.optim.Optimizer, step: int, curve: list[list[int | float]]
) -> str:
    """Write the training state after `step` updates; returns the SHA-256 of the file."""
    tensors = {f"model.{name}": value.contiguous() for name, value in model.state_dict().items()}
    for index, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{name}": value.contiguous() for name, value in state.items()}
    data = save(tensors, metadata={**describe(model), "step": str(step), "curve": json.dumps(curve)})
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
    return hashlib.sha256(data).hexdigest()


def load_checkpoint(
    path: Path, digest: str, model: Model, optimizer: torch.optim.Optimizer
) -> tuple[int, list[list[int | float]]]:
    """Fill the model and the optimiser; returns the step and the curve. Raises CheckpointError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path}: expected a checkpoint, found none to read: {error.strerror}") from error
    found = hashlib.sha256(data).hexdigest()
    if found != digest:
        raise CheckpointError(f"{path}: expected a checkpoint with SHA-256 {digest}, found {found}")
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    tensors = load(data)
    model.load_state_dict({name.removeprefix("model."): t for name, t in tensors.items() if name.startswith("model.")})
    saved = optimizer.state_dict()
    states: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in tensors.items():
        if name.startswith("optimizer."):
            _, index, part = name.split(".")
            states.setdefault(int(index), {})[part] = value
    optimizer.load_state_dict({"state": states, "param_groups": saved["param_groups"]})
    return int(header["step"]), json.loads(header["curve"])
