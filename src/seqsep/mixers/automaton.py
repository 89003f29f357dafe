"""A finite automaton as a recurrent layer; for theorems only.

    q_t = next[q_{t-1}, token_t]        y_t = one-hot of q_t in the last `states` coordinates

Section 2 of Bhattamishra et al. 2024 (arXiv:2406.09347) lets the transition of a recurrent model be any function; this is
one given by a table. The token is read as the largest of the first `tokens` coordinates of x_t (a one-hot embedding).
The table may differ by time step: its first axis is the time, or has length 1 where it does not.
State: one integer of the smallest type that holds it. log2(states) bits would do; `state_bits` counts the tensor.
"""

from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, Int64
from torch import Tensor

from seqsep.mixers.base import Block, Mixer, State


class Memory(NamedTuple):
    state: Int[Tensor, "batch"]


class Automaton(Mixer):
    name: ClassVar[str] = "automaton"
    block: ClassVar[Block] = Block(norm="none", residual=False)

    table: Tensor

    def __init__(self, table: Int64[Tensor, "time states tokens"], start: int) -> None:
        super().__init__()
        self.states, self.tokens = table.shape[1:]
        self.first = start
        self.register_buffer("table", table)

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        state, outputs = self.start(x.shape[0]), []
        for t in range(x.shape[1]):
            y, state = self.step(x[:, t], state, t)
            outputs.append(y)
        return torch.stack(outputs, dim=1)

    def start(self, batch: int) -> Memory:
        dtype = torch.uint8 if self.states <= 256 else torch.int64
        return Memory(torch.full((batch,), self.first, dtype=dtype, device=self.table.device))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        token = x[:, : self.tokens].argmax(-1)
        now = self.table[t if self.table.shape[0] > 1 else 0, state[0].long(), token]
        y = torch.zeros_like(x)
        y[:, -self.states :] = F.one_hot(now, self.states).to(x.dtype)
        return y, Memory(now.to(state[0].dtype))
