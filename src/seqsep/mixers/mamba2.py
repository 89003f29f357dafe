"""Mamba-2: a selective state space whose decay is one number per head, computed in chunks (structured state space duality).

    z, (u, B, C), s = W_in x_t                      (inner = expand * width; inner + 2 states; heads coordinates)
    u, B, C = silu(causal depthwise convolution of (u, B, C) over `conv` tokens)
    Delta_t = softplus(s_t + bias)                  a_t = exp(-exp(log_rate) Delta_t)              (a number per head each)
    h_t = a_t h_{t-1} + B_t (Delta_t u_t)^T         (per head, states x inner / heads; B and C serve all heads)
    y_t = W_out RMSNorm((h_t^T C_t + D u_t) * silu(z_t))                                           (D a number per head)

`forward` is the chunked form. With l the sum of log a up to a token of its chunk and H the state before the chunk,
    h_i^T C_i = sum over j <= i in the chunk of (C_i . B_j) exp(l_i - l_j) Delta_j u_j  +  exp(l_i) H^T C_i.

Source: Dao and Gu 2024 (arXiv:2405.21060), sections 6 (the chunks) and 7 (the layer); defaults, order of the projection's parts
and initialisation as in the paper's code: rates uniform in 1 .. 16, Delta log-uniform in 0.001 .. 0.1, D = 1. `states` is 64,
the less of the two sizes that code calls typical (64 and 128), as our widths are small beside the paper's.
We differ: the number of heads is given instead of their size (64 in the paper), and the output's weights are divided by
sqrt(depth), as in `mamba`.
State: h and the last conv - 1 inputs of the convolution, in float32
32 (inner states + (conv - 1) (inner + 2 states)) bits, whatever the number of heads.
On a GPU: `forward` takes the kernel `chunk_simple_gla` of flash-linear-attention where installed (`_kernels.py`).
"""

from typing import Any, ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.mixers import _kernels
from seqsep.mixers._chunks import convolve, convolve_step, cut, decays, initial_step_bias, left, since
from seqsep.mixers.base import GPT2_DEVIATION, Block, Mixer, State


class Memory(NamedTuple):
    state: Float[Tensor, "batch states heads part"]
    window: Float[Tensor, "batch before channels"]


class StatesBefore(torch.autograd.Function):
    """The state before each chunk, H_{c+1} = kept_c H_c + arrived_c from H_0 = 0: a loop over chunks that autograd never sees.

    With G_c the gradient of H_c, through what reads it and through H_{c+1}: G_c = dH_c + kept_c G_{c+1}.
    """

    @staticmethod
    def forward(
        ctx: Any, kept: Float[Tensor, "batch chunks 1 heads 1"], arrived: Float[Tensor, "batch chunks states heads part"]
    ) -> Float[Tensor, "batch chunks states heads part"]:
        before = torch.empty_like(arrived)
        before[:, 0] = 0
        for c in range(arrived.shape[1] - 1):
            torch.addcmul(arrived[:, c], kept[:, c], before[:, c], out=before[:, c + 1])
        ctx.save_for_backward(kept, before)
        return before

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, Tensor]:
        kept, before = ctx.saved_tensors
        after = torch.empty_like(before)
        after[:, -1] = 0
        for c in range(before.shape[1] - 1, 0, -1):
            torch.addcmul(gradients[0][:, c], kept[:, c], after[:, c], out=after[:, c - 1])
        return (after * before).sum((2, 4), keepdim=True), after


class Mamba2(Mixer):
    name: ClassVar[str] = "mamba2"
    block: ClassVar[Block] = Block(norm="rms")
    revision: ClassVar[int] = 1

    def __init__(self, width: int, heads: int, states: int = 64, expand: int = 2, conv: int = 4, chunk: int = 64) -> None:
        """`chunk`: most tokens of a chunk; outputs depend on it by rounding only.

        Raises ValueError for heads that do not divide expand * width.
        """
        super().__init__()
        inner = expand * width
        if heads < 1 or inner % heads:
            raise ValueError(f"Mamba2(width={width}, heads={heads}, expand={expand}): heads must divide expand * width")
        self.heads, self.inner, self.states, self.conv, self.chunk = heads, inner, states, conv, chunk
        channels = inner + 2 * states
        self.input = nn.Linear(width, inner + channels + heads, bias=False)
        self.convolution = nn.Conv1d(channels, channels, conv, groups=channels)
        self.step_bias = nn.Parameter(initial_step_bias(heads))
        self.log_rate = nn.Parameter(torch.log(1 + 15 * torch.rand(heads)))
        self.skip = nn.Parameter(torch.ones(heads))
        self.norm = nn.RMSNorm(inner, eps=1e-5)
        self.output = nn.Linear(inner, width, bias=False)

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        with torch.no_grad():
            self.output.weight.div_(depth**0.5)

    def _project(self, x: Float[Tensor, "*shape width"]) -> tuple[Tensor, Tensor, Tensor]:
        """The gate z, what the convolution takes, and Delta."""
        gate, mixed, size = self.input(x).split([self.inner, self.inner + 2 * self.states, self.heads], dim=-1)
        return gate, mixed, F.softplus(size + self.step_bias)

    def _parts(self, mixed: Float[Tensor, "*shape channels"]) -> tuple[Tensor, Tensor, Tensor]:
        """u by head, B and C from what the convolution gives."""
        u, b, c = mixed.split([self.inner, self.states, self.states], dim=-1)
        return u.unflatten(-1, (self.heads, -1)), b, c

    def _project_out(
        self,
        read: Float[Tensor, "*shape heads part"],
        u: Float[Tensor, "*shape heads part"],
        gate: Float[Tensor, "*shape inner"],
    ) -> Float[Tensor, "*shape width"]:
        return self.output(self.norm((read + self.skip[:, None] * u).flatten(-2) * F.silu(gate)))

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        gate, mixed, delta = self._project(x)
        u, b, c = self._parts(convolve(mixed, self.convolution))
        log_decay = -self.log_rate.exp() * delta
        return self._project_out(self._read(u * delta[..., None], log_decay, b, c), u, gate)

    def _read(
        self,
        entered: Float[Tensor, "batch time heads part"],
        log_decay: Float[Tensor, "batch time heads"],
        b: Float[Tensor, "batch time states"],
        c: Float[Tensor, "batch time states"],
    ) -> Float[Tensor, "batch time heads part"]:
        """h_t^T C_t at every token, where `entered` is Delta_t u_t."""
        if _kernels.usable(b, entered):
            b, c = (part[:, :, None].expand(-1, -1, self.heads, -1) for part in (b, c))
            return _kernels.read(c, b, entered, log_decay)
        time = entered.shape[1]
        entered, log_decay, b, c = (cut(part, self.chunk) for part in (entered, log_decay, b, c))
        total = log_decay.cumsum(2)
        weights = (c @ b.mT)[:, :, None] * decays(total.mT)
        read = (weights @ entered.transpose(2, 3)).transpose(2, 3)
        if entered.shape[1] > 1:
            whole, by_head = total[:, :, -1:, :, None], entered.shape[3:]
            arrived = b.mT @ (entered * left(whole - total[..., None])).flatten(3)
            before = StatesBefore.apply(left(whole), arrived.unflatten(-1, by_head))
            read = read + (c @ before.flatten(3)).unflatten(-1, by_head) * left(total)[..., None]
        return read.flatten(1, 2)[:, :time]

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """One output is a weighted sum of the inputs u: no state is made."""
        rows = torch.arange(x.shape[0], device=x.device)
        gate, mixed, delta = self._project(x)
        u, b, c = self._parts(convolve(mixed, self.convolution))
        decay = since(-self.log_rate.exp() * delta, at)
        weights = torch.einsum("btn,bn->bt", b, c[rows, at])[..., None] * decay * delta
        return self._project_out(torch.einsum("bth,bthp->bhp", weights, u), u[rows, at], gate[rows, at])

    def start(self, batch: int) -> Memory:
        zeros = self.skip.new_zeros
        return Memory(
            zeros(batch, self.states, self.heads, self.inner // self.heads),
            zeros(batch, self.conv - 1, self.inner + 2 * self.states),
        )

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        gate, mixed, delta = self._project(x)
        mixed, window = convolve_step(mixed, state[1], self.convolution)
        u, b, c = self._parts(mixed)
        decay = torch.exp(-self.log_rate.exp() * delta)[:, None, :, None]
        h = decay * state[0] + b[:, :, None, None] * (delta[..., None] * u)[:, None]
        return self._project_out(torch.einsum("bnhp,bn->bhp", h, c), u, gate), Memory(h, window)
