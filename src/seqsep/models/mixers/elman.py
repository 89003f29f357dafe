"""A plain recurrent network with ReLU or sigmoid units; for theorems only.

    h_t = activation(W h_{t-1} + U x_t + b)          y_t = h_t

State: h, width numbers.
Source: Elman 1990; the "simple RNN" of Hewitt et al. 2020 (arXiv:2010.07515).
We differ: h_0, `first`, is a constant (zeros unless a hand-built network says otherwise), not a parameter.
Names: `recurrent` is W with b, `input` is U.

    >>> layer = Elman(width=2)
    >>> layer(torch.zeros(1, 5, 2)).shape
    torch.Size([1, 5, 2])
"""

from typing import ClassVar, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from seqsep.models.mixers.base import Block, Mixer, State


class Memory(NamedTuple):
    """The state: h."""

    hidden: Float[Tensor, "batch width"]


class Elman(Mixer):
    """A plain recurrent network with ReLU or sigmoid units; equations at the head of the file."""

    name: ClassVar[str] = "elman"
    block: ClassVar[Block] = Block(norm="none", residual=False)

    first: Tensor

    def __init__(self, width: int, heads: int = 1, activation: str = "relu") -> None:
        """Build the layer. `heads` is not used: every mixer takes it. Raises ValueError unless the activation is relu or
        sigmoid.
        """
        super().__init__()
        if activation not in ("relu", "sigmoid"):
            raise ValueError(f"Elman(width={width}, activation={activation!r}): activation is relu or sigmoid")
        self.recurrent = nn.Linear(width, width)
        self.input = nn.Linear(width, width, bias=False)
        self.activation = torch.relu if activation == "relu" else torch.sigmoid
        self.register_buffer("first", torch.zeros(width))

    def start(self, batch: int) -> Memory:
        return Memory(self.first.to(self.recurrent.weight.dtype).expand(batch, -1).clone())

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        after = self._after(self.input(x), state)
        return after.hidden, after

    def _after(self, entering: Float[Tensor, "batch width"], state: State) -> Memory:
        """Return the state after U x_t has entered."""
        return Memory(self.activation(self.recurrent(state[0]) + entering))

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        state = self.start(x.shape[0])
        outputs = []
        for entering in self.input(x).unbind(dim=1):
            state = self._after(entering, state)
            outputs.append(state.hidden)
        return torch.stack(outputs, dim=1)
