"""The interface of a mixer: a layer that moves information along time, in parallel (`forward`) and token by token (`step`).

The state is everything a layer remembers, as a named tuple of tensors whose first axis is the batch; its size in bits is
counted from these tensors, never declared. `forward` equals `step` repeated; the model passes the time t, which is not state.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.core.names import docstring, whole_arguments

State: TypeAlias = tuple[Tensor, ...]

GPT2_DEVIATION = 0.02


@dataclass(frozen=True)
class Block:
    """The parts of a block around its mixer, as in the mixer's paper.

    Fields:
        norm: norm before the mixer and before the MLP: layer, rms or none.
        residual: add the input of each part to its output.
        mlp: a feed-forward part follows the mixer.
        positions: the positional encoding that the mixer needs: learned or none.

    >>> Block(norm="rms", mlp=True)
    Block(norm='rms', residual=True, mlp=True, positions='none')
    """

    norm: Literal["layer", "rms", "none"] = "layer"
    residual: bool = True
    mlp: bool = False
    positions: Literal["learned", "none"] = "none"


class Mixer(nn.Module, ABC):
    """A causal sequence layer from width coordinates to width coordinates.

    A subclass has three methods. `forward(x)` takes x of the shape (batch, time, width) and returns the same shape.
    `start(batch)` returns the state before the first token, a tuple of tensors whose first axis is the batch. `step(x, state,
    t)` takes x of the shape (batch, width), the state and the time t from 0, and returns the output and the next state.

    It also has class attributes: `name`; `block`, the defaults around the mixer; `grows`, true if the state grows with t; and
    `revision`, a number that grows whenever the results of the layer change.

    >>> class Sum(Mixer):
    ...     name = "sum"
    ...     block = Block()
    ...     def forward(self, x):
    ...         return x.cumsum(1)
    ...     def start(self, batch):
    ...         return (torch.zeros(batch, 2),)
    ...     def step(self, x, state, t):
    ...         return x + state[0], (x + state[0],)
    >>> layer = Sum()
    >>> layer.prefill(torch.ones(1, 3, 2), layer.start(1), t=0)
    (tensor([[3., 3.]]),)
    """

    name: ClassVar[str]
    block: ClassVar[Block]
    grows: ClassVar[bool] = False
    revision: ClassVar[int] = 1

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let the constructor refuse sizes that are not whole numbers. The help of seqsep's mixers shows their equations."""
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith(f"{__package__}."):
            cls.__doc__ = f"{docstring(cls)}\n\n{docstring(inspect.getmodule(cls))}"
        if "__init__" in vars(cls):
            cls.__init__ = whole_arguments(cls.__init__)  # type: ignore[method-assign]

    @classmethod
    def build(cls, width: int, heads: int) -> "Mixer":
        """Return a fresh mixer to train, with its other sizes at their defaults."""
        return cls(width, heads)

    @abstractmethod
    def start(self, batch: int) -> State:
        """Return the state before the first token."""

    @abstractmethod
    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], State]:
        """Return the output at time t (from 0) and the state after it."""

    def advance(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], State]:
        """Return what `step` returns, for a caller that drops `state`: its memory may be overwritten.

        The state that it returns serves every method at its time, but may hold room for later tokens, so that it has more bits
        than the state after `step`.
        """
        return self.step(x, state, t)

    def step_output(self, x: Float[Tensor, "batch width"], state: State, t: int) -> Float[Tensor, "batch width"]:
        """Return the outputs of `step` for many inputs at time t, each from the same state (of batch 1). No state is
        returned.
        """
        shared = with_parts(state, (part.expand(x.shape[0], *part.shape[1:]) for part in state))
        return self.step(x, shared, t)[0]

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> State:
        """Return the state after all of x, from `state` at time t, without the outputs."""
        for offset in range(x.shape[1]):
            state = self.step(x[:, offset], state, t + offset)[1]
        return state

    @abstractmethod
    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        """Return the outputs at every position, each a function of the inputs up to it."""

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return `forward` at one position per example. A mixer that can compute this in less time overrides it."""
        return self.forward(x)[torch.arange(x.shape[0], device=x.device), at]

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        """Draw the weights that depend on the number of blocks; `deviation` replaces GPT-2's 0.02. The default draws none."""


def initialise_as_gpt2(mixer: nn.Module, output: nn.Linear, depth: int, deviation: float = GPT2_DEVIATION) -> None:
    """Draw GPT-2's weights: normal with one deviation, biases 0, and `output`'s deviation divided by sqrt(2 depth)."""
    for module in mixer.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=deviation)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    nn.init.normal_(output.weight, std=deviation / (2 * depth) ** 0.5)


def by_head(x: Float[Tensor, "*shape width"], heads: int) -> Float[Tensor, "*shape heads part"]:
    """Return the coordinates, dealt to the heads in order."""
    return x.view(*x.shape[:-1], heads, x.shape[-1] // heads)  # unflatten takes several times as long to say the same


def split_heads(x: Float[Tensor, "batch time width"], heads: int) -> Float[Tensor, "batch heads time part"]:
    """Return the coordinates, dealt to the heads in order, with the heads before time."""
    return by_head(x, heads).transpose(1, 2)


def merge_heads(x: Float[Tensor, "batch heads time part"]) -> Float[Tensor, "batch time width"]:
    """Return the heads' coordinates side by side again."""
    return x.transpose(1, 2).flatten(2)


def require_heads(name: str, width: int, heads: int) -> None:
    """Raise ValueError unless the heads divide the width."""
    if heads < 1 or width % heads:
        raise ValueError(f"{name}(width={width}, heads={heads}): heads must divide width")


def with_parts(like: State, parts: Iterable[Tensor]) -> State:
    """Return a state of the same kind (a named tuple or a plain one) with other tensors."""
    make = getattr(like, "_make", tuple)
    return make(parts)


def state_bits(state: State) -> int:
    """Return the bits of one example's state, counted from its tensors.

    Arguments:
        state: tensors whose first axis is the batch.

    >>> state_bits((torch.zeros(5, 3), torch.zeros(5, 2, dtype=torch.uint8)))
    112
    """
    return sum(8 * part.element_size() * part[0].numel() for part in state)


WITHOUT_NUMPY = (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2)
"""Types that numpy lacks: their bits go to bytes as those of integers."""


def state_to_bytes(state: State, example: int) -> bytes:
    """Return one example's state as bytes: the tensors in their order, little-endian.

    Arguments:
        state: tensors whose first axis is the batch.
        example: number of the example in the batch, from 0.

    >>> state_to_bytes((torch.tensor([[1, 2], [3, 4]], dtype=torch.int16),), 1)
    b'\\x03\\x00\\x04\\x00'
    """
    return b"".join(_little_endian(part[example]).tobytes() for part in state)


def state_from_bytes(like: State, data: bytes) -> State:
    """Return the state of one example (batch 1) from its bytes.

    Arguments:
        like: a state with the shapes and types of the result.
        data: the bytes, as `state_to_bytes` returns them.

    Raises ValueError if the number of bytes differs from that of `like`.

    >>> state_from_bytes((torch.zeros(1, 2, dtype=torch.int16),), b"\\x03\\x00\\x04\\x00")
    (tensor([[3, 4]], dtype=torch.int16),)
    """
    expected = state_bits(like) // 8
    if len(data) != expected:
        raise ValueError(f"state_from_bytes: a state like this one has {expected} bytes, found {len(data)}")
    parts = []
    offset = 0
    for part in like:
        template = _little_endian(part[0])
        array = np.frombuffer(data, dtype=template.dtype, count=template.size, offset=offset).reshape(template.shape)
        native = torch.from_numpy(array.astype(array.dtype.newbyteorder("=")))
        parts.append(native.view(part.dtype).reshape(part.shape[1:]).to(part.device)[None])
        offset += template.nbytes
    return with_parts(like, parts)


def _little_endian(part: Tensor) -> np.ndarray:
    plain = part.detach().cpu()
    if plain.dtype in WITHOUT_NUMPY:
        plain = plain.contiguous().view(torch.int16 if plain.element_size() == 2 else torch.uint8)
    array = plain.numpy()
    return array.astype(array.dtype.newbyteorder("<"))
