"""Long short-term memory.

    i, f, g, o = W_ih x_t + b_ih + W_hh h_{t-1} + b_hh       (four parts of width coordinates)
    c_t = sigmoid(f) * c_{t-1} + sigmoid(i) * tanh(g)
    h_t = sigmoid(o) * tanh(c_t)          y_t = h_t

State: h and c, 2 * width numbers.
Source: Hochreiter and Schmidhuber 1997, with forget gates (Gers et al. 2000). Weights and the order of the gates are those of
`torch.nn.LSTM`. A block of this mixer has no norm and no residual connection, so a stack of blocks is `nn.LSTM(num_layers)`.
Names: `input_gate`, `forget_gate`, `candidate` and `output_gate` are i, f, g and o.
`forward` is `torch.nn.LSTM`, a loop over time. It has no parallel form, because the recurrence is not linear. Under autocast
on a GPU, it keeps the precision of its weights.

    >>> layer = LSTM(width=4)
    >>> y, state = layer.step(torch.zeros(1, 4), layer.start(1), t=0)
    >>> torch.equal(y, state.hidden)
    True
"""

from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from seqsep.models.mixers.base import Block, Mixer, State


class Memory(NamedTuple):
    """The state: h and c."""

    hidden: Float[Tensor, "batch width"]
    cell: Float[Tensor, "batch width"]


class LSTM(Mixer):
    """Long short-term memory; equations at the head of the file."""

    name: ClassVar[str] = "lstm"
    block: ClassVar[Block] = Block(norm="none", residual=False)

    def __init__(self, width: int, heads: int = 1) -> None:
        """Build the layer. `heads` is not used: every mixer takes it."""
        super().__init__()
        self.cells = nn.LSTM(width, width, batch_first=True)

    def start(self, batch: int) -> Memory:
        like = self.cells.all_weights[0][0]
        return Memory(*(like.new_zeros(batch, self.cells.hidden_size) for _ in range(2)))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        hidden, cell = state
        weight_ih, weight_hh, bias_ih, bias_hh = self.cells.all_weights[0]
        gates = F.linear(x, weight_ih, bias_ih) + F.linear(hidden, weight_hh, bias_hh)
        input_gate, forget_gate, candidate, output_gate = gates.chunk(4, dim=-1)
        cell = torch.sigmoid(forget_gate) * cell + torch.sigmoid(input_gate) * torch.tanh(candidate)
        hidden = torch.sigmoid(output_gate) * torch.tanh(cell)
        return hidden, Memory(hidden, cell)

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        if not x.shape[1]:
            return Memory(*state)
        hidden, cell = self._run(x, (state[0][None], state[1][None]))[1]
        return Memory(hidden[0], cell[0])

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        if x.is_cuda and torch.is_autocast_enabled("cuda"):  # there cuDNN's LSTM takes float16 whatever was asked for
            with torch.autocast("cuda", enabled=False):
                return self._run(x.to(self.cells.all_weights[0][0].dtype))[0]
        return self._run(x)[0]

    def _run(self, x: Tensor, state: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Run PyTorch's LSTM. Raises ValueError if it has none in bfloat16: oneDNN's needs AVX-512 or more."""
        try:
            outputs: tuple[Tensor, tuple[Tensor, Tensor]] = self.cells(x, state)
        except RuntimeError as error:
            if "primitive" not in str(error):
                raise
            raise ValueError(
                "lstm in bfloat16: PyTorch has no such LSTM on this processor; take float32 (dtype of a run) or another mixer"
            ) from error
        return outputs
