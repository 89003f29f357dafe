"""Mamba-2: a selective state space whose decay is one number per head, computed in chunks (structured state space duality).

    z, (u, B, C), s = W_in x_t                      (inner = expand * width; inner + 2 states; heads coordinates)
    u, B, C = silu(causal depthwise convolution of (u, B, C) over `conv` tokens)
    Delta_t = softplus(s_t + bias)                  a_t = exp(-exp(log_rate) Delta_t)              (a number per head each)
    h_t = a_t h_{t-1} + B_t (Delta_t u_t)^T         (per head, states x inner / heads; B and C serve all heads)
    y_t = W_out RMSNorm((h_t^T C_t + D u_t) * silu(z_t))                                           (D a number per head)

State: h and the last conv - 1 inputs of the convolution. For any number of heads these are inner * states + (conv - 1) *
(inner + 2 * states) numbers.
Source: Dao and Gu 2024 (arXiv:2405.21060), sections 6 (the chunks) and 7 (the layer). Defaults, the order of the projection's
parts and the initialisation are those of the paper's code: rates uniform in 1 .. 16, Delta log-uniform in 0.001 .. 0.1, D =
1. That code calls 64 and 128 typical for `states`; we take 64, because our widths are small compared with the paper's.
We differ: the number of heads is given, where the paper gives their size (64); and the weights of the output are divided by
sqrt(depth), as in `mamba`.
Names: `input` is W_in, `step_bias` the bias of Delta, `skip` is D, `gate` is z and `output` is W_out.
`forward` is the chunked form. Let l be the sum of log a in a chunk up to a token, and H the state before the chunk. Then

    h_i^T C_i = sum over j <= i in the chunk of (C_i . B_j) exp(l_i - l_j) Delta_j u_j  +  exp(l_i) H^T C_i.

On a GPU: if flash-linear-attention is installed, `forward` uses its kernel `chunk_simple_gla` (`_kernels.py`).

    >>> layer = Mamba2(width=8, heads=2, states=4)
    >>> layer.start(1).state.shape
    torch.Size([1, 4, 2, 8])
"""

from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.models.mixers import _kernels
from seqsep.models.mixers._chunks import StatesBefore, into_chunks
from seqsep.models.mixers._decay import decay_between_tokens, decay_until, initial_step_bias, remaining
from seqsep.models.mixers._linear import Linear
from seqsep.models.mixers._short_convolution import convolve, convolve_step
from seqsep.models.mixers.base import GPT2_DEVIATION, Block, Mixer, State, by_head


class Memory(NamedTuple):
    """The state: h, and the last conv - 1 inputs of the convolution."""

    state: Float[Tensor, "batch states heads part"]
    window: Float[Tensor, "batch before channels"]


class Mamba2(Mixer):
    """A selective state space with one decay per head; equations at the head of the file."""

    name: ClassVar[str] = "mamba2"
    block: ClassVar[Block] = Block(norm="rms")
    revision: ClassVar[int] = 1

    def __init__(self, width: int, heads: int, states: int = 64, expand: int = 2, conv: int = 4, chunk: int = 64) -> None:
        """Build the layer. `chunk`: most tokens of a chunk; outputs depend on it by rounding only.

        Raises ValueError for heads that do not divide expand * width.
        """
        super().__init__()
        inner = expand * width
        if heads < 1 or inner % heads:
            raise ValueError(f"Mamba2: heads: expected a divisor of {inner} (expand {expand} x width {width}), found {heads}")
        self.heads = heads
        self.inner = inner
        self.states = states
        self.conv = conv
        self.chunk = chunk
        channels = inner + 2 * states
        self.input = Linear(width, inner + channels + heads, bias=False)
        self.convolution = nn.Conv1d(channels, channels, conv, groups=channels)
        self.step_bias = nn.Parameter(initial_step_bias(heads))
        self.log_rate = nn.Parameter(torch.log(1 + 15 * torch.rand(heads)))
        self.skip = nn.Parameter(torch.ones(heads))
        self.norm = nn.RMSNorm(inner, eps=1e-5)
        self.output = Linear(inner, width, bias=False)

    def start(self, batch: int) -> Memory:
        zeros = self.skip.new_zeros
        return Memory(
            zeros(batch, self.states, self.heads, self.inner // self.heads),
            zeros(batch, self.conv - 1, self.inner + 2 * self.states),
        )

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        gate, mixed, delta = self._project(x)
        mixed, window = convolve_step(mixed, state[1], self.convolution)
        u, b, c = self._split(mixed)
        decay = torch.exp(-self.log_rate.exp() * delta)[:, None, :, None]
        h = decay * state[0] + b[:, :, None, None] * (delta[..., None] * u)[:, None]
        read = torch.einsum("bnhp,bn->bhp", h, c)
        return self._project_out(read, u, gate), Memory(h, window)

    def _project(self, x: Float[Tensor, "*shape width"]) -> tuple[Tensor, Tensor, Tensor]:
        """Return the gate z, the channels that the convolution takes, and Delta."""
        gate, channels, size = self.input(x).split([self.inner, self.inner + 2 * self.states, self.heads], dim=-1)
        return gate, channels, F.softplus(size + self.step_bias)

    def _split(self, mixed: Float[Tensor, "*shape channels"]) -> tuple[Tensor, Tensor, Tensor]:
        """Return u by head, B and C from the convolved channels."""
        u, b, c = mixed.split([self.inner, self.states, self.states], dim=-1)
        return by_head(u, self.heads), b, c

    def _project_out(
        self,
        read: Float[Tensor, "*shape heads part"],
        u: Float[Tensor, "*shape heads part"],
        gate: Float[Tensor, "*shape inner"],
    ) -> Float[Tensor, "*shape width"]:
        """Return y_t from `read`, which is h_t^T C_t."""
        return self.output(self.norm((read + self.skip[:, None] * u).flatten(-2) * F.silu(gate)))

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        """Return the last state as a decayed sum of what entered: no state in between is made."""
        time = x.shape[1]
        if not time:
            return Memory(*state)
        _, channels, delta = self._project(x)
        seen = torch.cat([state[1], channels], dim=1)
        u, b, _ = self._split(convolve(seen, self.convolution)[:, -time:])
        total = (-self.log_rate.exp() * delta).cumsum(1)
        whole = total[:, -1:]
        entered = u * (delta * remaining(whole - total))[..., None]
        h = remaining(whole)[..., None] * state[0] + torch.einsum("btn,bthp->bnhp", b, entered)
        return Memory(h, seen[:, time:])

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        gate, channels, delta = self._project(x)
        u, b, c = self._split(convolve(channels, self.convolution))
        log_decay = -self.log_rate.exp() * delta
        entered = u * delta[..., None]
        if _kernels.usable(b, entered):
            b, c = (part[:, :, None].expand(-1, -1, self.heads, -1) for part in (b, c))
            return self._project_out(_kernels.read(c, b, entered, log_decay), u, gate)
        return self._project_out(self._read_in_chunks(entered, log_decay, b, c), u, gate)

    def _read_in_chunks(
        self,
        entered: Float[Tensor, "batch time heads part"],
        log_decay: Float[Tensor, "batch time heads"],
        b: Float[Tensor, "batch time states"],
        c: Float[Tensor, "batch time states"],
    ) -> Float[Tensor, "batch time heads part"]:
        """Return h_t^T C_t at every token, with Delta_t u_t as `entered`."""
        time = entered.shape[1]
        entered, log_decay, b, c = (into_chunks(part, self.chunk) for part in (entered, log_decay, b, c))
        total = log_decay.cumsum(2)
        weights = (c @ b.mT)[:, :, None] * decay_between_tokens(total.mT)
        read = (weights @ entered.transpose(2, 3)).transpose(2, 3)
        if entered.shape[1] > 1:
            whole = total[:, :, -1:, :, None]
            heads_and_part = entered.shape[3:]
            arrived = b.mT @ (entered * remaining(whole - total[..., None])).flatten(3)
            before = StatesBefore.apply(arrived.new_zeros(()), remaining(whole), arrived.unflatten(-1, heads_and_part), False)
            read_before = (c @ before.flatten(3)).unflatten(-1, heads_and_part)
            read = read + read_before * remaining(total)[..., None]
        return read.flatten(1, 2)[:, :time]

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example: a weighted sum of the inputs u, without any state."""
        rows = torch.arange(x.shape[0], device=x.device)
        gate, channels, delta = self._project(x)
        u, b, c = self._split(convolve(channels, self.convolution))
        decay = decay_until(-self.log_rate.exp() * delta, at)
        weights = torch.einsum("btn,bn->bt", b, c[rows, at])[..., None] * decay * delta
        return self._project_out(torch.einsum("bth,bthp->bhp", weights, u), u[rows, at], gate[rows, at])

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        with torch.no_grad():
            self.output.weight.div_(depth**0.5)
