"""The tensors of a model's state: found in whatever object holds them, counted, written as bytes, and put back."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

BOOKKEEPING = ("_sliding_window_tensor", "seqlen_offset", "indexer_position_ids")
"""Marks that a cache keeps for itself, and positions: they follow from how many tokens were read."""


def tensors(state: Any) -> list[Tensor]:
    """Every tensor inside, once, in the order in which attributes, keys and items stand; marks and positions left out.

    >>> [part.shape for part in tensors({"keys": torch.zeros(2, 3), "layers": [torch.zeros(4)]})]
    [torch.Size([2, 3]), torch.Size([4])]
    """
    return list(_inside(state, set()))


def _inside(value: Any, seen: set[int]) -> Iterator[Tensor]:
    if id(value) in seen or isinstance(value, (torch.nn.Module, type)) or type(value).__name__.endswith("Config"):
        return
    seen.add(id(value))
    if isinstance(value, Tensor):
        if value.dtype != torch.bool:
            yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _inside(part, seen)
    elif isinstance(value, dict):
        for name, part in value.items():
            if name not in BOOKKEEPING:
                yield from _inside(part, seen)
    elif hasattr(value, "__dict__"):
        yield from _inside(vars(value), seen)


def numbers(state: Any) -> int:
    """How many numbers the state holds.

    >>> numbers([torch.zeros(2, 3), torch.zeros(4)])
    10
    """
    return sum(part.numel() for part in tensors(state))


def size_in_bytes(state: Any) -> int:
    """How many bytes the tensors of the state take.

    >>> size_in_bytes([torch.zeros(2, 3, dtype=torch.float64)])
    48
    """
    return sum(part.numel() * part.element_size() for part in tensors(state))


def to_bytes(state: Any) -> bytes:
    """The tensors, one after the other; nothing of the object around them.

    >>> to_bytes([torch.tensor([1, 2], dtype=torch.int8)])
    b'\\x01\\x02'
    """
    return b"".join(_bytes(part) for part in tensors(state))


def put_back(data: bytes, state: Any) -> None:
    """Write the bytes into the tensors of a state of the same shape, that of another input of the same length.

    Raises ValueError if it has another size.

    >>> state = [torch.zeros(2, dtype=torch.int8)]
    >>> put_back(b"\\x01\\x02", state)
    >>> state
    [tensor([1, 2], dtype=torch.int8)]
    """
    parts = tensors(state)
    expected = sum(part.numel() * part.element_size() for part in parts)
    if len(data) != expected:
        raise ValueError(f"the state of another input of this length has {expected:,} bytes, this one has {len(data):,}")
    start = 0
    for part in parts:
        end = start + part.numel() * part.element_size()
        if end > start:
            flat = torch.frombuffer(bytearray(data[start:end]), dtype=torch.uint8).view(part.dtype)
            part.copy_(flat.reshape(part.shape))
        start = end


def _bytes(part: Tensor) -> bytes:
    flat = part.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if len(flat) else b""
