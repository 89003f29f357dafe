"""The tensors of a model's state: found in whatever object holds them, counted, written as bytes, and put back."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor

BOOKKEEPING = ("_sliding_window_tensor", "seqlen_offset", "indexer_position_ids")
"""Marks that a cache keeps for itself, and positions: they follow from how many tokens were read."""


def tensors(state: Any) -> list[Tensor]:
    """Return every tensor inside, once, in the order of attributes, keys and items. Marks and positions are left out.

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
    """Return the number of numbers that the state holds.

    >>> numbers([torch.zeros(2, 3), torch.zeros(4)])
    10
    """
    return sum(part.numel() for part in tensors(state))


def size_in_bytes(state: Any) -> int:
    """Return the number of bytes that the tensors of the state take.

    >>> size_in_bytes([torch.zeros(2, 3, dtype=torch.float64)])
    48
    """
    return sum(part.numel() * part.element_size() for part in tensors(state))


def to_bytes(state: Any) -> bytes:
    """Return the bytes of the tensors in order, without the object around them.

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


def joined_rows(first: Any, second: Any, rows: tuple[int, int]) -> Any:
    """Return a state with the rows of both: a copy of the first in which each tensor with a row for each sequence is longer.

    The sequences are the first axis, and `rows` are their numbers. Both states are after the same number of tokens.

    >>> first = {"keys": torch.zeros(2, 3), "length": torch.tensor(3)}
    >>> joined_rows(first, {"keys": torch.ones(1, 3), "length": torch.tensor(3)}, (2, 1))["keys"].shape
    torch.Size([3, 3])
    """
    return _joined(deepcopy(first), second, rows, {})


def _joined(first: Any, second: Any, rows: tuple[int, int], done: dict[int, Any]) -> Any:
    if isinstance(first, (torch.nn.Module, type)) or type(first).__name__.endswith("Config"):
        return first
    if id(first) in done:
        return done[id(first)]
    done[id(first)] = first
    if isinstance(first, Tensor):
        has_rows = first.dim() and second.dim() and (len(first), len(second)) == rows and first.shape[1:] == second.shape[1:]
        done[id(first)] = torch.cat([first, second]) if has_rows else first
    elif isinstance(first, list):
        first[:] = [_joined(one, other, rows, done) for one, other in zip(first, second, strict=True)]
    elif isinstance(first, tuple):
        done[id(first)] = tuple(_joined(one, other, rows, done) for one, other in zip(first, second, strict=True))
    elif isinstance(first, dict):
        first.update({name: _joined(part, second[name], rows, done) for name, part in first.items()})
    elif hasattr(first, "__dict__"):
        _joined(vars(first), vars(second), rows, done)
    return done[id(first)]


def _bytes(part: Tensor) -> bytes:
    flat = part.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if len(flat) else b""
