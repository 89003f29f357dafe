"""A linear recurrence with matrices of any kind; for theorems only.

    y_t = C h_{t-1}          h_t = A h_{t-1} + B x_t          h_0 = 0

A token reads what was remembered before it; the residual connection adds the token itself.

State: h, `remembered` numbers (width unless a hand-built network says otherwise).
Source: the linear recurrent layers of the hybrid models of Wen, Dang, Lyu 2025 (arXiv:2402.18510).
We differ: A, B and C are constant, with no transition that depends on the input, and no activation; the read-out is of the
state before the token.
Names: `recurrent`, `input` and `output` are A, B and C.

    >>> layer = LinearRecurrence(width=2, remembered=3)
    >>> layer(torch.zeros(1, 5, 2)).shape
    torch.Size([1, 5, 2])
"""

from typing import ClassVar, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from seqsep.models.mixers._linear import Linear
from seqsep.models.mixers.base import Block, Mixer, State


class Memory(NamedTuple):
    """The state: h."""

    hidden: Float[Tensor, "batch remembered"]


class LinearRecurrence(Mixer):
    """A linear recurrence, read before the token enters; equations at the head of the file."""

    name: ClassVar[str] = "linear-recurrence"
    block: ClassVar[Block] = Block(norm="none")

    def __init__(self, width: int, heads: int = 1, remembered: int | None = None) -> None:
        """Build the layer. `heads` is not used: every mixer takes it. Raises ValueError for less than one number remembered."""
        super().__init__()
        remembered = width if remembered is None else remembered
        if remembered < 1:
            raise ValueError(f"LinearRecurrence(width={width}, remembered={remembered}): at least 1 number is remembered")
        self.recurrent = Linear(remembered, remembered, bias=False)
        self.input = Linear(width, remembered, bias=False)
        self.output = Linear(remembered, width, bias=False)

    def start(self, batch: int) -> Memory:
        return Memory(self.recurrent.weight.new_zeros(batch, self.recurrent.in_features))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        return self.output(state[0]), Memory(self.recurrent(state[0]) + self.input(x))

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        hidden = self.start(x.shape[0]).hidden
        before = []
        for entering in self.input(x).unbind(dim=1):
            before.append(hidden)
            hidden = self.recurrent(hidden) + entering
        return self.output(torch.stack(before, dim=1))
