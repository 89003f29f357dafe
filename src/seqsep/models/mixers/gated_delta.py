"""Gated delta rule (Gated DeltaNet): a matrix per head that decays; a new value replaces the old value of its key.

    q_t, k_t, v_t = silu(causal depthwise convolution of W_in x_t over `conv` tokens); q_t and k_t then of length 1 per head
    a_t = exp(-exp(log_rate) softplus(W_a x_t + bias))      b_t = sigmoid(W_b x_t)                 (a number per head each)
    S_t = a_t (I - b_t k_t k_t^T) S_{t-1} + b_t k_t v_t^T   (per head, key x value numbers)
    y_t = W_out (RMSNorm over each head of S_t^T q_t * silu(W_g x_t))

With `negative`, b_t = 2 sigmoid(W_b x_t), so that I - b_t k_t k_t^T has an eigenvalue in (-1, 1). With `steps` n above 1, a
token has n keys, values and rates, and applies n delta rules, of which only the first decays S (DeltaProduct):

    S_{t,0} = a_t S_{t-1}     S_{t,j} = (I - b_{t,j} k_{t,j} k_{t,j}^T) S_{t,j-1} + b_{t,j} k_{t,j} v_{t,j}^T     S_t = S_{t,n}

State: S and the last conv - 1 inputs of the convolution. These are expand * width^2 / heads + (conv - 1) * (1 + steps * (1 +
expand)) * width numbers.
Source: Yang, Kautz and Hatamizadeh 2024 (arXiv:2412.06464), equation 10 and sections 3.3 (chunks) and 3.4 (layer), with
transposed states. `negative` is from Grazzi et al. 2024 (arXiv:2411.12537); `steps` is from Siems et al. 2025
(arXiv:2502.10297). Some details are those of the papers' code. Length 1 is u / sqrt(u . u + 1e-6); rates start
uniform in 0 .. 16; softplus(bias) starts log-uniform in 0.001 .. 0.1.
We differ: for any number of heads, keys have width coordinates and values have expand * width. In the paper's code these
factors are 3/4 and 3/2. q is not divided by the root of its number of coordinates: the norm divides by such a factor again,
so it has no effect, except through the epsilon of the norm. The MLP is that of GPT-2, where the paper has SwiGLU.
Names: `input` is W_in, `decay` is W_a, `step_bias` its bias, `write` is W_b, `gate` is W_g, `output` is W_out; `associations`
is S.
`forward` is the chunked form of the paper (`_gated_delta_chunks.py`), in which each delta rule of a token takes a place of its
own: time and memory are linear in the length.
On a GPU: if flash-linear-attention is installed, `forward` uses its kernel `chunk_gated_delta_rule` (`_kernels.py`).

    >>> layer = GatedDelta(width=8, heads=2)
    >>> layer.start(1).associations.shape
    torch.Size([1, 2, 4, 8])
"""

from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.models.mixers import _gated_delta_chunks, _kernels
from seqsep.models.mixers._decay import initial_step_bias
from seqsep.models.mixers._linear import Linear
from seqsep.models.mixers._short_convolution import convolve, convolve_step
from seqsep.models.mixers.base import GPT2_DEVIATION, Block, Mixer, State, by_head, initialise_as_gpt2, require_heads


class Memory(NamedTuple):
    """The state: S of every head, and the last conv - 1 inputs of the convolution."""

    associations: Float[Tensor, "batch heads key value"]
    window: Float[Tensor, "batch before channels"]


class GatedDelta(Mixer):
    """The gated delta rule with its convolution and gate; equations at the head of the file."""

    name: ClassVar[str] = "gated-delta"
    block: ClassVar[Block] = Block(norm="rms", mlp=True)
    revision: ClassVar[int] = 1

    def __init__(
        self,
        width: int,
        heads: int,
        expand: int = 2,
        conv: int = 4,
        chunk: int = 32,
        *,
        steps: int = 1,
        negative: bool = False,
    ) -> None:
        """Build the layer. `chunk`: most delta rules of a chunk; outputs depend on it by rounding only.

        Raises ValueError for heads that do not divide the width.
        """
        super().__init__()
        require_heads("GatedDelta", width, heads)
        self.heads = heads
        self.key_width = width
        self.value_width = expand * width
        self.conv = conv
        self.chunk = chunk
        self.steps = steps
        self.negative = negative
        channels = self.key_width + steps * (self.key_width + self.value_width)
        self.input = Linear(width, channels, bias=False)
        self.convolution = nn.Conv1d(channels, channels, conv, groups=channels, bias=False)
        self.decay = Linear(width, heads, bias=False)
        self.write = Linear(width, steps * heads, bias=False)
        self.step_bias = nn.Parameter(initial_step_bias(heads))
        self.log_rate = nn.Parameter(torch.log(16 * (1 - torch.rand(heads))))
        self.gate = Linear(width, self.value_width, bias=False)
        self.norm = nn.RMSNorm(self.value_width // heads, eps=1e-5)
        self.output = Linear(self.value_width, width, bias=False)

    def start(self, batch: int) -> Memory:
        zeros = self.log_rate.new_zeros
        return Memory(
            zeros(batch, self.heads, self.key_width // self.heads, self.value_width // self.heads),
            zeros(batch, self.conv - 1, self.input.out_features),
        )

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        mixed, window = convolve_step(self.input(x), state[1], self.convolution)
        q, k, v = self._split(mixed)
        log_decay, b = self._rates(x)
        associations = log_decay.exp()[..., None, None] * state[0]
        for one in range(self.steps):
            key = k[:, one]
            recalled = torch.einsum("bhkv,bhk->bhv", associations, key)
            written = b[:, one, :, None] * (v[:, one] - recalled)
            associations = associations + key[..., :, None] * written[..., None, :]
        read = torch.einsum("bhkv,bhk->bhv", associations, q)
        return self._project_out(x, read), Memory(associations, window)

    def _split(self, mixed: Float[Tensor, "*shape channels"]) -> tuple[Tensor, Tensor, Tensor]:
        """Return q by head, and k and v by step and head, from the convolved channels."""
        q, k, v = mixed.split([self.key_width, self.steps * self.key_width, self.steps * self.value_width], dim=-1)
        return unit(by_head(q, self.heads)), unit(self._by_step(k)), self._by_step(v)

    def _by_step(self, u: Float[Tensor, "*shape width"]) -> Float[Tensor, "*shape steps heads part"]:
        return u.view(*u.shape[:-1], self.steps, self.heads, u.shape[-1] // (self.steps * self.heads))

    def _rates(
        self, x: Float[Tensor, "*shape width"]
    ) -> tuple[Float[Tensor, "*shape heads"], Float[Tensor, "*shape steps heads"]]:
        """Return log a, and b by step."""
        log_decay = -self.log_rate.exp() * F.softplus(self.decay(x) + self.step_bias)
        b = by_head(torch.sigmoid(self.write(x)), self.steps)
        return log_decay, 2 * b if self.negative else b

    def _project_out(
        self, x: Float[Tensor, "*shape width"], read: Float[Tensor, "*shape heads part"]
    ) -> Float[Tensor, "*shape width"]:
        """Return y_t from `read`, which is S_t^T q_t."""
        return self.output(self.norm(read).flatten(-2) * F.silu(self.gate(x)))

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        time = x.shape[1]
        if not time:
            return Memory(*state)
        seen = torch.cat([state[1], self.input(x)], dim=1)
        _, k, v = self._split(convolve(seen, self.convolution)[:, -time:])
        log_decay, b = self._rates(x)
        k, v, log_decay, b = self._in_line(k, v, log_decay, b)
        last = _gated_delta_chunks.last_state(k, v, log_decay=log_decay, b=b, most=self.chunk, first=state[0])
        return Memory(last, seen[:, time:])

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        q, k, v = self._split(convolve(self.input(x), self.convolution))
        log_decay, b = self._rates(x)
        k, v, log_decay, b = self._in_line(k, v, log_decay, b)
        if self.steps > 1:
            q = F.pad(q[:, :, None], (0, 0, 0, 0, self.steps - 1, 0)).flatten(1, 2)
        if _kernels.usable(k, v):
            read = _kernels.read_gated_delta(q, k, v, log_decay=log_decay, rate=b)
        else:
            read = _gated_delta_chunks.read(q, k, v, log_decay=log_decay, b=b, most=self.chunk)
        return self._project_out(x, read[:, self.steps - 1 :: self.steps])

    def _in_line(
        self,
        k: Float[Tensor, "batch time steps heads key"],
        v: Float[Tensor, "batch time steps heads value"],
        log_decay: Float[Tensor, "batch time heads"],
        b: Float[Tensor, "batch time steps heads"],
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return k, v, log a and b with the delta rules of a token one after another in time. Only the first of them decays."""
        if self.steps > 1:
            log_decay = F.pad(log_decay[:, :, None], (0, 0, 0, self.steps - 1)).flatten(1, 2)
        return k.flatten(1, 2), v.flatten(1, 2), log_decay, b.flatten(1, 2)

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example. Tokens after the queried one neither decay nor write, so the last state is the one of
        the query.
        """
        rows = torch.arange(x.shape[0], device=x.device)
        q, k, v = self._split(convolve(self.input(x), self.convolution))
        is_behind = (torch.arange(x.shape[1], device=x.device) > at[:, None])[..., None]
        log_decay, b = self._rates(x)
        log_decay, b = log_decay.masked_fill(is_behind, 0), b.masked_fill(is_behind[..., None], 0)
        k, v, log_decay, b = self._in_line(k, v, log_decay, b)
        last = _gated_delta_chunks.last_state(k, v, log_decay=log_decay, b=b, most=self.chunk)
        return self._project_out(x[rows, at], torch.einsum("bhkv,bhk->bhv", last, q[rows, at]))

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        initialise_as_gpt2(self, self.output, depth, deviation)


def unit(u: Float[Tensor, "*shape part"]) -> Float[Tensor, "*shape part"]:
    """Return u divided by its length, with a gradient at 0."""
    return u * torch.rsqrt(u.square().sum(-1, keepdim=True) + 1e-6)
