"""A machine is any recurrent model, ours or a user's, whose state has a counted number of bits.

Two kinds of model fit. One is a `Recurrence`, whose state is a whole number of `state_bits` bits. The other is any object with
the methods of a mixer or of `Model`: `start(batch)`, `step(inputs, state, t) -> (outputs, state)` and `forward(inputs)`. Its
state is nested tuples of tensors, the batch first. The bits of the latter are counted from its tensors, never declared.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from seqsep.maths.automata.automata import Recurrence
from seqsep.models.mixers import state_bits, state_from_bytes, state_to_bytes

LEAST_REACH = 2.0**-20


@runtime_checkable
class RecurrentModel(Protocol):
    """The contract of a mixer and of `Model`: inputs are tokens or vectors, time second; the caller passes the time."""

    def start(self, batch: int) -> Any:
        """The state before the first token, for this number of examples."""

    def step(self, inputs: Tensor, state: Any, t: int) -> tuple[Tensor, Any]:
        """Outputs after one token of each example at time t, and the state after it."""

    def forward(self, inputs: Tensor) -> Tensor:
        """Outputs after every token."""


class Machine(ABC):
    """A recurrent model that reads one example at a time; its state is a number below 2^`bits`.

    >>> from seqsep.theorems.retrieval.index_lookup_state import build
    >>> remembers = as_machine(build(length=3, alphabet=2))
    >>> outputs, state = remembers.read((1, 0, 1))
    >>> remembers.pack(state)
    (5, 3)
    """

    @property
    @abstractmethod
    def bits(self) -> int:
        """Counted state bits."""

    @abstractmethod
    def start(self) -> Any:
        """The state before the first token."""

    @abstractmethod
    def step(self, token: Any, state: Any, t: int) -> tuple[Any, Any]:
        """The output after one token (or vector) at time t, and the state after it."""

    @abstractmethod
    def pack(self, state: Any) -> tuple[int, int]:
        """The state as (number, bits that it takes): the bits are those of this very state."""

    @abstractmethod
    def unpack(self, number: int) -> Any:
        """The state of a number."""

    @abstractmethod
    def states(self, tokens: Int64[np.ndarray, "batch time"]) -> Iterator[Hashable]:
        """A key of the state after each row, equal exactly for equal states."""

    def read(self, tokens: Sequence[Any] | Tensor, state: Any = None, t: int = 0) -> tuple[list[Any], Any]:
        """Outputs after every token (or vector) from time t on, and the state after the last."""
        if state is None:
            state = self.start()
        outputs = []
        for offset, token in enumerate(tokens):
            output, state = self.step(token, state, t + offset)
            outputs.append(output)
        return outputs, state

    def another(self) -> "Machine":
        """Return a copy of the model for the other party; it does not contain what this one will keep outside of its state."""
        return copy.deepcopy(self)


AnyModel: TypeAlias = Recurrence | RecurrentModel | Machine


def as_machine(model: Any, precision: int | None = None, examples: Tensor | None = None) -> Machine:
    """The model as a machine; with `precision`, every number of its state is rounded to that many bits after every step.

    Rounding is to 2^precision values evenly spaced over [-r, r], one r for each tensor of the state: its largest number over
    `examples` (batch time), read without rounding. Raises ValueError for an object without the methods named above, for
    precision with a `Recurrence`, without examples, or outside 1 to 32.

    >>> from seqsep.models.mixers import LinearAttention
    >>> as_machine(LinearAttention(8, 2)).bits  # 2 heads of 4 x 5 numbers of 32 bits
    1280
    """
    if isinstance(model, Machine):
        return model
    if not isinstance(model, Recurrence | RecurrentModel):
        raise ValueError(f"as_machine({type(model).__name__}): a Recurrence, or an object with start, step and forward")
    if precision is None:
        return OfNumbers(model) if isinstance(model, Recurrence) else OfTensors(model)
    if isinstance(model, Recurrence) or examples is None or not 1 <= precision <= 32:
        raise ValueError(
            f"as_machine({type(model).__name__}, precision={precision}): 1 to 32 bits a number, examples to find their range, "
            "and a model whose state is tensors"
        )
    return Rounded(model, precision, _reach(model, examples))


@dataclass(frozen=True)
class OfNumbers(Machine):
    """A machine whose state is a number: a `Recurrence`."""

    model: Recurrence

    @property
    def bits(self) -> int:
        return self.model.state_bits

    def start(self) -> int:
        return self.model.start

    def step(self, token: Any, state: int, t: int) -> tuple[int, int]:
        after = self.model.state((int(token),), state, t)
        return self.model.read(t, after), after

    def pack(self, state: int) -> tuple[int, int]:
        return state, self.bits

    def unpack(self, number: int) -> int:
        return number

    def states(self, tokens: Int64[np.ndarray, "batch time"]) -> Iterator[Hashable]:
        return (self.model.state(row) for row in tokens.tolist())


@dataclass(frozen=True)
class OfTensors(Machine):
    """A machine whose state is tensors, at their own precision; outputs are those of `step`, without the batch."""

    model: RecurrentModel

    @property
    def bits(self) -> int:
        return state_bits(tuple(tensors_of(self.model.start(1))))

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
class Rounded(Machine):
    """A machine whose state is whole numbers of `precision` bits: what `model` leaves, rounded after every step.

    `reach` is r for each tensor: code c stands for (2 c / (2^precision - 1) - 1) r.
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
        """The state of tensors that codes stand for."""
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


def choice(output: Any) -> int:
    """Return the class of an output: the output itself, or the greatest of its logits.

    >>> choice(2), choice(torch.tensor([0.5, -1.0]))
    (2, 0)
    """
    return output if isinstance(output, int) else int(torch.as_tensor(output).argmax())


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
def _reach(model: RecurrentModel, examples: Tensor) -> tuple[float, ...]:
    """The largest number of each tensor of the state over the examples."""
    state = model.start(len(examples))
    reach = [LEAST_REACH for _ in tensors_of(state)]
    for t in range(examples.shape[1]):
        state = model.step(examples[:, t], state, t)[1]
        reach = [max(old, float(as_real(part).abs().max())) for old, part in zip(reach, tensors_of(state), strict=True)]
    return tuple(reach)
