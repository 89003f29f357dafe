"""Checkpoints: safetensors with weights, optimiser, step and curve; written whole or not at all, read by digest.

A file is written to a temporary name, synced and renamed to a name of its own that holds its digest, so that none is written
over; its directory is synced, and the SHA-256 of its bytes goes to the store. Nothing is unpickled.
"""

import hashlib
import json
import platform
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from seqsep.core.files import read_bytes, write_file
from seqsep.core.names import BadInput, text_of
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.device import CPU, device_of
from seqsep.models.model import Model
from seqsep.models.weights import describe

MOST_HEADER_BYTES = 100_000_000
"""Of a safetensors file, by its format: more is not read."""


class CheckpointError(ValueError):
    """A checkpoint's bytes differ from the digest in the store, or it is of another model or environment."""


class CheckpointNotWritten(OSError):
    """A checkpoint could not be written: the disk is full, or the folder is not writable."""


def workplace(device: torch.device) -> dict[str, str]:
    """Return the parts of this process on which the bits of a step depend besides the run; `device` is the model's.

    >>> sorted(workplace(torch.device("cpu")))
    ['processor', 'threads', 'torch']
    """
    processor = f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}"
    gpu = {} if device.type == CPU else {"device": torch.cuda.get_device_name(device)}
    return {"torch": str(torch.__version__), "threads": str(torch.get_num_threads()), "processor": processor} | gpu


def save_checkpoint(
    path: Path, model: Model, optimizer: torch.optim.Optimizer, step: int, curve: list[list[int | float]]
) -> str:
    """Write the training state after `step` updates to `checkpoint_file(path, digest)`; returns the digest, its SHA-256.

    Raises CheckpointNotWritten, and leaves no file then.
    """
    tensors = {f"model.{name}": value.contiguous() for name, value in model.state_dict().items()}
    for index, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{name}": value.contiguous() for name, value in state.items()}
    progress = {"step": str(step), "curve": json.dumps(curve), "workplace": json.dumps(workplace(device_of(model)))}
    data = save(tensors, metadata=describe(model) | progress)
    digest = hashlib.sha256(data).hexdigest()
    try:
        write_file(checkpoint_file(path, digest), data)
    except OSError as error:
        raise CheckpointNotWritten(f"{path}: cannot be written: {error.strerror or error}") from error
    return digest


def load_checkpoint(
    path: Path, digest: str, model: Model, optimizer: torch.optim.Optimizer
) -> tuple[int, list[list[int | float]]]:
    """Fill the model and the optimiser; returns the step and the curve.

    Raises CheckpointError, after which both may hold anything.
    """
    file = checkpoint_file(path, digest)
    try:
        data = read_bytes(file, most=_most_bytes(model))
    except (OSError, BadInput) as error:
        raise CheckpointError(f"{file}: expected a checkpoint, found none to read: {text_of(error)}") from error
    actual = hashlib.sha256(data).hexdigest()
    if actual != digest:
        raise CheckpointError(f"{file}: expected a checkpoint with SHA-256 {digest}, found {actual}")
    try:
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
        _require_same(file, workplace(device_of(model)), json.loads(header["workplace"]))
        _fill(load(data), model, optimizer)
        return int(header["step"]), json.loads(header["curve"])
    except CheckpointError:
        raise
    except (ValueError, TypeError, LookupError, RuntimeError, SafetensorError) as error:
        raise CheckpointError(f"{file}: expected a checkpoint of this run, found: {' '.join(str(error).split())}") from error


def _most_bytes(model: Model) -> int:
    """Return the most bytes of a checkpoint of this model: its weights, and at most three times as much for the optimizer."""
    return MOST_HEADER_BYTES + 4 * sum(part.nbytes for part in model.state_dict().values())


def _require_same(file: Path, here: dict[str, str], written: dict[str, str]) -> None:
    differs = [name for name in {**here, **written} if written.get(name) != here.get(name)]
    if differs:
        ours, theirs = (", ".join(f"{name} {place.get(name, CPU)}" for name in differs) for place in (here, written))
        raise CheckpointError(f"{file}: expected a checkpoint of {ours}, found one of {theirs}")


def _fill(tensors: dict[str, torch.Tensor], model: Model, optimizer: torch.optim.Optimizer) -> None:
    model.load_state_dict({name.removeprefix("model."): t for name, t in tensors.items() if name.startswith("model.")})
    saved = optimizer.state_dict()
    states: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in tensors.items():
        if name.startswith("optimizer."):
            _, index, part = name.split(".")
            states.setdefault(int(index), {})[part] = value
    optimizer.load_state_dict({"state": states, "param_groups": saved["param_groups"]})
