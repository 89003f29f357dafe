"""A finite automaton as a recurrent layer; for theorems only.

    q_t = next[t][q_{t-1}, token_t]        y_t = one-hot of q_t in the last `states` coordinates

State: one integer, of 8 bits for up to 256 states, else of 64. log2(states) bits would do; `state_bits` counts the tensor.
Source: section 2 of Bhattamishra et al. 2024 (arXiv:2406.09347) lets the transition of a recurrent model be any function; this
one is given by a table.
Names: `table` is next, and its first axis is the time, of length 1 if the transition is the same at every t; the token is the
largest of the first `tokens` coordinates of x_t (a one-hot embedding).

    >>> parity = Automaton(torch.tensor([[[0, 1], [1, 0]]]), start=0)
    >>> parity(torch.eye(4)[[1, 0, 1, 1]][None]).argmax(-1) - 2
    tensor([[1, 1, 0, 1]])
"""

from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, Int64
from torch import Tensor

from seqsep.models.mixers.base import Block, Mixer, State


class Memory(NamedTuple):
    """The state: q."""

    state: Int[Tensor, "batch"]


class Automaton(Mixer):
    """A finite automaton given by a table, as a layer; equations at the head of the file."""

    name: ClassVar[str] = "automaton"
    block: ClassVar[Block] = Block(norm="none", residual=False)

    table: Tensor

    def __init__(self, table: Int64[Tensor, "time states tokens"], start: int) -> None:
        super().__init__()
        self.states, self.tokens = table.shape[1:]
        self.first = start
        self.register_buffer("table", table)

    def start(self, batch: int) -> Memory:
        dtype = torch.uint8 if self.states <= 256 else torch.int64
        return Memory(torch.full((batch,), self.first, dtype=dtype, device=self.table.device))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        transition = self.table[t if self.table.shape[0] > 1 else 0]
        token = x[:, : self.tokens].argmax(-1)
        after = transition[state[0].long(), token]
        y = torch.zeros_like(x)
        y[:, -self.states :] = F.one_hot(after, self.states).to(x.dtype)
        return y, Memory(after.to(state[0].dtype))

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        state = self.start(x.shape[0])
        outputs = []
        for t in range(x.shape[1]):
            y, state = self.step(x[:, t], state, t)
            outputs.append(y)
        return torch.stack(outputs, dim=1)
