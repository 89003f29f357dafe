"""sLSTM, the scalar memory of xLSTM: an LSTM with exponential input gates, a normaliser, and gates that see h per head.

    i, f, z, o = W x_t + R h_{t-1} + b                       (four parts of width numbers; R is a matrix per gate and head)
    c_t = sigmoid(f) c_{t-1} + exp(i) tanh(z)      n_t = sigmoid(f) n_{t-1} + exp(i)
    h_t = sigmoid(o) c_t / n_t                     y_t = GroupNorm over each head of h_t

The state keeps exp(-m_t) c_t and exp(-m_t) n_t, so that no exponential overflows. m_1 = i of the first token, and

    m_t = max(log sigmoid(f) + m_{t-1}, i)

State: h, c and n times exp(-m), and m. These are 4 * width numbers.
Source: Beck et al. 2024 (arXiv:2405.04517), section 2.2.
We differ: f is a sigmoid, where the paper also allows an exponential. The paper's layer has a convolution over four tokens in
front of i and f, which would be state too. The MLP is that of GPT-2, where the paper has a gated one. Initial weights are
torch's; R and the biases start as in the paper's code: R at 0, the biases of f spread from 5 to -7 in each head, others at 0.
Names: `gates` is W with b, `recurrent` is R, `norm` is the norm. `hidden`, `cell`, `normaliser` and `scale` are h, c, n and m.
`forward` is a loop over time in one autograd function (`_slstm_scan.py`), whose memory is linear in the length. It has no
parallel form, because the recurrence is not linear. Under autocast it keeps the precision of its weights.

    >>> layer = SLSTM(width=8, heads=2)
    >>> y, state = layer.step(torch.zeros(1, 8), layer.start(1), t=0)
    >>> state.normaliser[0, :3].tolist()
    [1.0, 1.0, 1.0]
"""

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from seqsep.models.mixers._linear import Linear
from seqsep.models.mixers._slstm_scan import ScalarMemory, Scan, advance, from_hidden
from seqsep.models.mixers.base import Block, Mixer, State, require_heads


class SLSTM(Mixer):
    """The scalar memory of xLSTM; equations at the head of the file."""

    name: ClassVar[str] = "slstm"
    block: ClassVar[Block] = Block(mlp=True)

    def __init__(self, width: int, heads: int) -> None:
        """Build the layer. Raises ValueError unless the heads divide the width."""
        super().__init__()
        require_heads("SLSTM", width, heads)
        self.heads = heads
        part = width // heads
        self.gates = Linear(width, 4 * width)
        self.recurrent = nn.Parameter(torch.zeros(heads, 4, part, part))
        self.norm = nn.GroupNorm(heads, width, eps=1e-5)
        with torch.no_grad():
            self.gates.bias.zero_()
            spread = 5 - 12 * (torch.arange(part) / max(1, part - 1)) ** 0.3
            self.gates.bias[width : 2 * width] = spread.repeat(heads)

    def start(self, batch: int) -> ScalarMemory:
        width = self.norm.num_channels
        return ScalarMemory(*(self.recurrent.new_zeros(batch, width) for _ in range(4)))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], ScalarMemory]:
        before = ScalarMemory(*state)
        after = advance(self.gates(x) + from_hidden(before.hidden, self.recurrent), before)[0]
        return self.norm(after.hidden), after

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> ScalarMemory:
        if not x.shape[1]:
            return ScalarMemory(*state)
        hidden, cell, normaliser, scale = self._run(x, state)
        return ScalarMemory(hidden[:, -1], cell, normaliser, scale)

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        hidden = self._run(x, self.start(len(x)))[0]
        return self.norm(hidden.flatten(0, 1)).view_as(hidden)

    def _run(self, x: Float[Tensor, "batch time width"], first: State) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        with torch.autocast(x.device.type, enabled=False):
            return Scan.apply(self.gates(x.to(self.recurrent.dtype)), self.recurrent, *first)
