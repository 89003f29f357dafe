"""Machines whose state is tensors, at their own precision or rounded; this file imports torch."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from seqsep.models.mixers import state_bits, state_from_bytes, state_to_bytes
from seqsep.theorems.protocols._contract import BitMachine, RecurrentModel, TokenSequence

LEAST_REACH = 2.0**-20


@dataclass(frozen=True)
class OfTensors(BitMachine):
    """A machine whose state is tensors, at their own precision; outputs are those of `step`, without the batch."""

    model: RecurrentModel

    @property
    def bits(self) -> int:
        return state_bits(tuple(tensors_of(self.model.start(1))))

    @property
    def parallel(self) -> RecurrentModel:
        return self.model

    def start(self) -> Any:
        return self.model.start(1)

    @torch.no_grad()
    def step(self, token: Any, state: Any, t: int) -> tuple[Tensor, Any]:
        outputs, after = self.model.step(torch.as_tensor(token)[None], state, t)
        return outputs[0], after

    def pack(self, state: Any) -> tuple[int, int]:
        data = state_to_bytes(tuple(tensors_of(state)), 0)
        return int.from_bytes(data, "little"), 8 * len(data)

    def unpack(self, number: int) -> Any:
        like = self.model.start(1)
        flat = tuple(tensors_of(like))
        back = state_from_bytes(flat, number.to_bytes(state_bits(flat) // 8, "little"))
        # Cloned, so that torch aligns them as it does the state that `step` leaves: kernels may round differently otherwise.
        return with_tensors(like, (part.clone() for part in back))

    @torch.no_grad()
    def states(self, tokens: Int64[np.ndarray, "batch time"]) -> Iterator[Hashable]:
        state = self.model.start(len(tokens))
        for t in range(tokens.shape[1]):
            state = self.model.step(torch.from_numpy(tokens[:, t].copy()), state, t)[1]
        flat = tuple(tensors_of(state))
        return (state_to_bytes(flat, row) for row in range(len(tokens)))


@dataclass(frozen=True)
class Rounded(BitMachine):
    """A machine whose state is whole numbers of `precision` bits: what `model` leaves, rounded after every step.

    `reach` is r for each tensor: code c means (2 c / (2^precision - 1) - 1) r.
    """

    model: RecurrentModel
    precision: int
    reach: tuple[float, ...]

    @property
    def bits(self) -> int:
        return self.precision * self.start().shape[1]

    def start(self) -> Int64[Tensor, "batch numbers"]:
        return self._round(self.model.start(1))

    def step(self, token: Any, state: Tensor, t: int) -> tuple[Tensor, Int64[Tensor, "batch numbers"]]:
        outputs, after = self._step(torch.as_tensor(token)[None], state, t)
        return outputs[0], after

    def pack(self, state: Tensor) -> tuple[int, int]:
        number = sum(code << place * self.precision for place, code in enumerate(state[0].tolist()))
        return number, self.precision * state.shape[1]

    def unpack(self, number: int) -> Int64[Tensor, "batch numbers"]:
        count = self.start().shape[1]
        mask = (1 << self.precision) - 1
        return torch.tensor([[number >> place * self.precision & mask for place in range(count)]])

    def states(self, tokens: Int64[np.ndarray, "batch time"]) -> Iterator[Hashable]:
        state = self._round(self.model.start(len(tokens)))
        for t in range(tokens.shape[1]):
            state = self._step(torch.from_numpy(tokens[:, t].copy()), state, t)[1]
        return (row.tobytes() for row in state.numpy())

    @torch.no_grad()
    def _step(self, tokens: Tensor, codes: Tensor, t: int) -> tuple[Tensor, Int64[Tensor, "batch numbers"]]:
        outputs, after = self.model.step(tokens, self._numbers(codes), t)
        return outputs, self._round(after)

    def _round(self, state: Any) -> Int64[Tensor, "batch numbers"]:
        """The codes of a state of tensors."""
        most = (1 << self.precision) - 1
        scaled = [
            (as_real(part).flatten(1).double() / reach + 1) * (most / 2)
            for part, reach in zip(tensors_of(state), self.reach, strict=True)
        ]
        return torch.cat(scaled, dim=1).nan_to_num().round().clamp(0, most).long()

    def _numbers(self, codes: Tensor) -> Any:
        """Return the state of tensors that codes represent."""
        most = (1 << self.precision) - 1
        like = self.model.start(len(codes))
        tensors = []
        first = 0
        for part, reach in zip(tensors_of(like), self.reach, strict=True):
            shape = as_real(part).shape
            last = first + as_real(part)[0].numel()
            values = (codes[:, first:last].double() * (2 / most) - 1) * reach
            values = values.view(shape).to(as_real(part).dtype)
            tensors.append(torch.view_as_complex(values) if part.is_complex() else values)
            first = last
        return with_tensors(like, iter(tensors))


def tensors_of(state: Any) -> list[Tensor]:
    """The tensors of a state, in order. Raises ValueError for anything else in it."""
    if isinstance(state, Tensor):
        return [state]
    if not isinstance(state, tuple | list):
        raise ValueError(f"a state of type {type(state).__name__}: nested tuples of tensors, the batch first, are required")
    return [tensor for part in state for tensor in tensors_of(part)]


def with_tensors(like: Any, tensors: Iterator[Tensor]) -> Any:
    """A state of the same structure with other tensors."""
    if isinstance(like, Tensor):
        return next(tensors)
    parts = [with_tensors(part, tensors) for part in like]
    return getattr(like, "_make", type(like))(parts)


def as_real(part: Tensor) -> Tensor:
    """A tensor as real numbers: a complex one has two for each. Raises ValueError for whole numbers."""
    if part.is_complex():
        return torch.view_as_real(part)
    if not part.is_floating_point():
        raise ValueError(f"a state of {part.dtype} is whole numbers already: it is not rounded, leave the precision out")
    return part


@torch.no_grad()
def reach_of(model: RecurrentModel, examples: TokenSequence) -> tuple[float, ...]:
    """Return the largest number of each tensor of the state over the examples (batch time)."""
    tokens = torch.as_tensor(examples)
    state = model.start(len(tokens))
    reach = [LEAST_REACH for _ in tensors_of(state)]
    for t in range(tokens.shape[1]):
        state = model.step(tokens[:, t], state, t)[1]
        reach = [max(old, float(as_real(part).abs().max())) for old, part in zip(reach, tensors_of(state), strict=True)]
    return tuple(reach)
