"""Kimi delta attention: the gated delta rule with a decay for each coordinate of the keys.

    q_t, k_t, v_t = silu(causal depthwise convolution of W_in x_t over `conv` tokens); q_t and k_t then of length 1 per head
    a_t = exp(-exp(log_rate) softplus(V_a U_a x_t + bias))  (a number per coordinate of the keys; log_rate is one per head)
    b_t = sigmoid(W_b x_t)                                  (a number per head)
    S_t = (I - b_t k_t k_t^T) diag(a_t) S_{t-1} + b_t k_t v_t^T                                  (per head, key x value numbers)
    y_t = W_out (RMSNorm over each head of S_t^T q_t * sigmoid(V_g U_g x_t))

State: S and the last conv - 1 inputs of the convolution. These are width^2 / heads + (conv - 1) * 3 * width numbers.
Source: Zhang et al. 2025 (arXiv:2510.26692), Kimi delta attention, with transposed states. Ranks of U and V, the head's
number of coordinates, are those of its published code. So are length 1, which is u / sqrt(u . u + 1e-6), and the start of the
decays: rates uniform in 1 .. 16, softplus(bias) log-uniform in 0.001 .. 0.1.
We differ: q is not divided by the root of its number of coordinates: the norm divides by such a factor again, so it has no
effect, except through the epsilon of the norm. V_g has no bias, as in transformers. The MLP is that of GPT-2, where the paper
has experts.
Names: `input` is W_in, `decay_in` and `decay_out` are U_a and V_a, `step_bias` is the bias, `write` is W_b, `gate_in` and
`gate_out` are U_g and V_g, `output` is W_out; `associations` is S.
`forward` works on chunks of at most 16 tokens (`_kda_chunks.py`): time and memory are linear in the length.

    >>> layer = KDA(width=8, heads=2)
    >>> layer.start(1).associations.shape
    torch.Size([1, 2, 4, 4])
"""

from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.models.mixers import _kda_chunks
from seqsep.models.mixers._decay import initial_step_bias
from seqsep.models.mixers._linear import Linear
from seqsep.models.mixers._short_convolution import convolve, convolve_step
from seqsep.models.mixers.base import GPT2_DEVIATION, Block, Mixer, State, by_head, initialise_as_gpt2, require_heads
from seqsep.models.mixers.gated_delta import unit


class Memory(NamedTuple):
    """The state: S of every head, and the last conv - 1 inputs of the convolution."""

    associations: Float[Tensor, "batch heads key value"]
    window: Float[Tensor, "batch before channels"]


class KDA(Mixer):
    """Kimi delta attention; equations at the head of the file."""

    name: ClassVar[str] = "kda"
    block: ClassVar[Block] = Block(norm="rms", mlp=True)

    def __init__(self, width: int, heads: int, conv: int = 4, chunk: int = 16) -> None:
        """Build the layer. `chunk`: most tokens of a chunk; outputs depend on it by rounding only.

        Raises ValueError for heads that do not divide the width.
        """
        super().__init__()
        require_heads("KDA", width, heads)
        self.heads = heads
        self.conv = conv
        self.chunk = chunk
        part = width // heads
        self.input = Linear(width, 3 * width, bias=False)
        self.convolution = nn.Conv1d(3 * width, 3 * width, conv, groups=3 * width, bias=False)
        self.decay_in, self.gate_in = (Linear(width, part, bias=False) for _ in range(2))
        self.decay_out, self.gate_out = (Linear(part, width, bias=False) for _ in range(2))
        self.write = Linear(width, heads, bias=False)
        self.step_bias = nn.Parameter(initial_step_bias(width))
        self.log_rate = nn.Parameter(torch.log(1 + 15 * torch.rand(heads)))
        self.norm = nn.RMSNorm(part, eps=1e-5)
        self.output = Linear(width, width, bias=False)

    def start(self, batch: int) -> Memory:
        zeros = self.log_rate.new_zeros
        width = self.step_bias.shape[0]
        part = width // self.heads
        return Memory(zeros(batch, self.heads, part, part), zeros(batch, self.conv - 1, 3 * width))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        mixed, window = convolve_step(self.input(x), state[1], self.convolution)
        q, k, v = self._split(mixed)
        log_decay, b = self._rates(x)
        decayed = log_decay.exp()[..., None] * state[0]
        recalled = torch.einsum("bhkv,bhk->bhv", decayed, k)
        written = b[..., None] * (v - recalled)
        associations = decayed + k[..., :, None] * written[..., None, :]
        read = torch.einsum("bhkv,bhk->bhv", associations, q)
        return self._project_out(x, read), Memory(associations, window)

    def _split(self, mixed: Float[Tensor, "*shape channels"]) -> tuple[Tensor, Tensor, Tensor]:
        """Return q, k and v by head from the convolved channels."""
        q, k, v = (by_head(part, self.heads) for part in mixed.chunk(3, dim=-1))
        return unit(q), unit(k), v

    def _rates(
        self, x: Float[Tensor, "*shape width"]
    ) -> tuple[Float[Tensor, "*shape heads key"], Float[Tensor, "*shape heads"]]:
        """Return log a and b."""
        size = by_head(F.softplus(self.decay_out(self.decay_in(x)) + self.step_bias), self.heads)
        return -self.log_rate.exp()[:, None] * size, torch.sigmoid(self.write(x))

    def _project_out(
        self, x: Float[Tensor, "*shape width"], read: Float[Tensor, "*shape heads part"]
    ) -> Float[Tensor, "*shape width"]:
        """Return y_t from `read`, which is S_t^T q_t."""
        return self.output(self.norm(read).flatten(-2) * torch.sigmoid(self.gate_out(self.gate_in(x))))

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        time = x.shape[1]
        if not time:
            return Memory(*state)
        seen = torch.cat([state[1], self.input(x)], dim=1)
        _, k, v = self._split(convolve(seen, self.convolution)[:, -time:])
        log_decay, b = self._rates(x)
        last = _kda_chunks.last_state(k, v, log_decay=log_decay, b=b, most=self.chunk, first=state[0])
        return Memory(last, seen[:, time:])

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        q, k, v = self._split(convolve(self.input(x), self.convolution))
        log_decay, b = self._rates(x)
        return self._project_out(x, _kda_chunks.read(q, k, v, log_decay=log_decay, b=b, most=self.chunk))

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example. Tokens after the queried one neither decay nor write, so the last state is the one of
        the query.
        """
        rows = torch.arange(x.shape[0], device=x.device)
        q, k, v = self._split(convolve(self.input(x), self.convolution))
        is_behind = (torch.arange(x.shape[1], device=x.device) > at[:, None])[..., None]
        log_decay, b = self._rates(x)
        log_decay, b = log_decay.masked_fill(is_behind[..., None], 0), b.masked_fill(is_behind, 0)
        last = _kda_chunks.last_state(k, v, log_decay=log_decay, b=b, most=self.chunk)
        return self._project_out(x[rows, at], torch.einsum("bhkv,bhk->bhv", last, q[rows, at]))

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        initialise_as_gpt2(self, self.output, depth, deviation)
