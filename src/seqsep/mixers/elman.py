"""A plain recurrent network with ReLU or sigmoid units; for theorems only.

    h_t = activation(W h_{t-1} + U x_t + b)          y_t = h_t

Source: Elman 1990; the "simple RNN" of Hewitt et al. 2020 (arXiv:2010.07515). The state before the first token is `first`, a
constant (zeros unless a hand-built network says otherwise), not a parameter. State: h, width numbers.
"""

from typing import ClassVar, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from seqsep.mixers.base import Block, Mixer, State


class Memory(NamedTuple):
    hidden: Float[Tensor, "batch width"]


class Elman(Mixer):
    name: ClassVar[str] = "elman"
    block: ClassVar[Block] = Block(norm="none", residual=False)

    first: Tensor

    def __init__(self, width: int, heads: int = 1, activation: str = "relu") -> None:
        """`heads` is taken for the sake of one signature and not used. Raises ValueError for another activation."""
        super().__init__()
        if activation not in ("relu", "sigmoid"):
            raise ValueError(f"Elman(width={width}, activation={activation!r}): activation is relu or sigmoid")
        self.recurrent = nn.Linear(width, width)
        self.input = nn.Linear(width, width, bias=False)
        self.activation = torch.relu if activation == "relu" else torch.sigmoid
        self.register_buffer("first", torch.zeros(width))

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        state, outputs = self.start(x.shape[0]), []
        for given in self.input(x).unbind(dim=1):
            state = self._after(given, state)
            outputs.append(state.hidden)
        return torch.stack(outputs, dim=1)

    def start(self, batch: int) -> Memory:
        return Memory(self.first.to(self.recurrent.weight.dtype).expand(batch, -1).clone())

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        after = self._after(self.input(x), state)
        return after.hidden, after

    def _after(self, given: Float[Tensor, "batch width"], state: State) -> Memory:
        return Memory(self.activation(self.recurrent(state[0]) + given))
