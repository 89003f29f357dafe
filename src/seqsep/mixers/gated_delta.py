"""Gated delta rule (Gated DeltaNet): a matrix per head that decays, and in which a new value replaces what its key found.

    q_t, k_t, v_t = silu(causal depthwise convolution of W_in x_t over `conv` tokens); q_t and k_t then of length 1 per head
    a_t = exp(-exp(log_rate) softplus(W_a x_t + bias))      b_t = sigmoid(W_b x_t)                 (a number per head each)
    S_t = a_t (I - b_t k_t k_t^T) S_{t-1} + b_t k_t v_t^T   (per head, key x value numbers)
    y_t = W_out (RMSNorm over each head of S_t^T q_t * silu(W_g x_t))

`forward` is the chunked form. With S the state before a chunk and l the sum of log a up to a token of it, the recurrence is
S_i = exp(l_i) S + sum over j <= i of exp(l_i - l_j) k_j w_j^T, where w_i, what token i writes, solves a triangular system:
    w_i + b_i sum over j < i of exp(l_i - l_j) (k_i . k_j) w_j = b_i (v_i - exp(l_i) S^T k_i).
It is solved for both parts on the right before S is known (the UT transform): w_i = value_i - S^T erased_i. So a chunk maps S
to kept S + arrived, which is all that is left to do in order.

Source: Yang, Kautz and Hatamizadeh 2024 (arXiv:2412.06464), equation 10 and sections 3.3 (chunks) and 3.4 (layer), with states
transposed; length 1 as in the paper's code, u / sqrt(u . u + 1e-6); initialisation of bias and rates as there: rates uniform in
0 .. 16, softplus(bias) log-uniform in 0.001 .. 0.1.
We differ: keys have width coordinates and values expand * width, for any number of heads, where the paper's code has 3/4 and
3/2; q is not divided by sqrt(key), which the norm takes out but for its epsilon; an MLP as GPT-2's where the paper has SwiGLU.
State: S and the last conv - 1 inputs of the convolution, in float32
32 (expand width^2 / heads + (conv - 1) (2 + expand) width) bits.
On a GPU: `forward` takes the kernel `chunk_gated_delta_rule` of flash-linear-attention where installed (`_kernels.py`).
"""

from typing import Any, ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.mixers import _kernels
from seqsep.mixers._chunks import convolve, convolve_step, cut, decays, initial_step_bias, left
from seqsep.mixers.base import GPT2_DEVIATION, Block, Mixer, State, initialise_as_gpt2, require_heads


class Memory(NamedTuple):
    associations: Float[Tensor, "batch heads key value"]
    window: Float[Tensor, "batch before channels"]


class Chunks(NamedTuple):
    """What the tokens of each chunk do: S becomes kept S + arrived, and token i writes value_i - S^T erased_i."""

    values: Float[Tensor, "batch chunks heads size value"]
    erased: Float[Tensor, "batch chunks heads size key"]
    kept: Float[Tensor, "batch chunks heads key key"]
    arrived: Float[Tensor, "batch chunks heads key value"]


class StatesBefore(torch.autograd.Function):
    """The state before each chunk, S_{c+1} = kept_c S_c + arrived_c from S_0 = 0: a loop over chunks that autograd never sees.

    With G_c the gradient of S_c, through what reads it and through S_{c+1}: G_c = dS_c + kept_c^T G_{c+1}.
    """

    @staticmethod
    def forward(
        ctx: Any, kept: Float[Tensor, "batch chunks heads key key"], arrived: Float[Tensor, "batch chunks heads key value"]
    ) -> Float[Tensor, "batch chunks heads key value"]:
        before = torch.empty_like(arrived)
        before[:, 0] = 0
        for c in range(arrived.shape[1] - 1):
            before[:, c + 1] = arrived[:, c] + kept[:, c] @ before[:, c]
        ctx.save_for_backward(kept, before)
        return before

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, Tensor]:
        kept, before = ctx.saved_tensors
        after = torch.empty_like(before)
        after[:, -1] = 0
        for c in range(before.shape[1] - 1, 0, -1):
            after[:, c - 1] = gradients[0][:, c] + kept[:, c].mT @ after[:, c]
        return after @ before.mT, after


def unit(u: Float[Tensor, "*shape part"]) -> Float[Tensor, "*shape part"]:
    """u divided by its length, with a gradient at 0."""
    return u * torch.rsqrt(u.square().sum(-1, keepdim=True) + 1e-6)


class GatedDelta(Mixer):
    name: ClassVar[str] = "gated-delta"
    block: ClassVar[Block] = Block(norm="rms", mlp=True)
    revision: ClassVar[int] = 1

    def __init__(self, width: int, heads: int, expand: int = 2, conv: int = 4, chunk: int = 32) -> None:
        """`chunk`: most tokens of a chunk; outputs depend on it by rounding only.

        Raises ValueError for heads that do not divide the width.
        """
        super().__init__()
        require_heads("GatedDelta", width, heads)
        self.heads, self.key, self.value, self.conv, self.chunk = heads, width, expand * width, conv, chunk
        channels = 2 * self.key + self.value
        self.input = nn.Linear(width, channels, bias=False)
        self.convolution = nn.Conv1d(channels, channels, conv, groups=channels, bias=False)
        self.decay = nn.Linear(width, heads, bias=False)
        self.write = nn.Linear(width, heads, bias=False)
        self.step_bias = nn.Parameter(initial_step_bias(heads))
        self.log_rate = nn.Parameter(torch.log(16 * (1 - torch.rand(heads))))
        self.gate = nn.Linear(width, self.value, bias=False)
        self.norm = nn.RMSNorm(self.value // heads, eps=1e-5)
        self.output = nn.Linear(self.value, width, bias=False)

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        initialise_as_gpt2(self, self.output, depth, deviation)

    def _parts(self, mixed: Float[Tensor, "*shape channels"]) -> tuple[Tensor, Tensor, Tensor]:
        """q, k and v by head from what the convolution gives."""
        parts = mixed.split([self.key, self.key, self.value], dim=-1)
        q, k, v = (part.unflatten(-1, (self.heads, -1)) for part in parts)
        return unit(q), unit(k), v

    def _rates(self, x: Float[Tensor, "*shape width"]) -> tuple[Tensor, Tensor]:
        """log a and b."""
        return -self.log_rate.exp() * F.softplus(self.decay(x) + self.step_bias), torch.sigmoid(self.write(x))

    def _project_out(
        self, x: Float[Tensor, "*shape width"], read: Float[Tensor, "*shape heads part"]
    ) -> Float[Tensor, "*shape width"]:
        return self.output(self.norm(read).flatten(-2) * F.silu(self.gate(x)))

    def _cut(self, u: Float[Tensor, "batch time heads *part"]) -> Float[Tensor, "batch chunks heads size *part"]:
        return cut(u, self.chunk).transpose(2, 3).contiguous()

    def _solve(self, k: Tensor, v: Tensor, b: Tensor, total: Tensor, decay: Tensor) -> Chunks:
        """All that a chunk does and that can be known before the state in front of it. k, v, b: cut; `total` and `decay`: l."""
        b = b[..., None]
        system = b * (k @ k.mT) * decay  # of which the solver reads what is below the diagonal
        right = torch.cat([b * v, b * left(total)[..., None] * k], dim=-1)
        solved = torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True)
        values, erased = solved.split([v.shape[-1], k.shape[-1]], dim=-1)
        whole = total[..., -1:]
        late = (k * left(whole - total)[..., None]).mT
        alone = torch.eye(k.shape[-1], dtype=k.dtype, device=k.device)
        arrived = (late @ values).to(total.dtype)  # under autocast the product is 16 bits, the state is not
        return Chunks(values, erased, left(whole)[..., None] * alone - late @ erased, arrived)

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        q, k, v = self._parts(convolve(self.input(x), self.convolution))
        log_decay, b = self._rates(x)
        if _kernels.usable(k, v):
            return self._project_out(x, _kernels.read_gated_delta(q, k, v, log_decay, b))
        q, k, v, log_decay, b = (self._cut(part) for part in (q, k, v, log_decay, b))
        total = log_decay.cumsum(-1)
        decay = decays(total)
        chunks = self._solve(k, v, b, total, decay)
        before = StatesBefore.apply(chunks.kept, chunks.arrived)
        written = chunks.values - chunks.erased @ before
        read = (q @ k.mT * decay) @ written + (q * left(total)[..., None]) @ before
        return self._project_out(x, read.transpose(2, 3).flatten(1, 2)[:, : x.shape[1]])

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Tokens behind the asked one neither decay nor write, so that the last state is the one asked for; one is read."""
        rows = torch.arange(x.shape[0], device=x.device)
        q, k, v = self._parts(convolve(self.input(x), self.convolution))
        behind = (torch.arange(x.shape[1], device=x.device) > at[:, None])[..., None]
        log_decay, b = (self._cut(part.masked_fill(behind, 0)) for part in self._rates(x))
        total = log_decay.cumsum(-1)
        chunks = self._solve(self._cut(k), self._cut(v), b, total, decays(total))
        before = StatesBefore.apply(chunks.kept, chunks.arrived)
        last = chunks.arrived[:, -1] + chunks.kept[:, -1] @ before[:, -1]
        return self._project_out(x[rows, at], torch.einsum("bhkv,bhk->bhv", last, q[rows, at]))

    def start(self, batch: int) -> Memory:
        zeros = self.log_rate.new_zeros
        return Memory(
            zeros(batch, self.heads, self.key // self.heads, self.value // self.heads),
            zeros(batch, self.conv - 1, 2 * self.key + self.value),
        )

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        mixed, window = convolve_step(self.input(x), state[1], self.convolution)
        q, k, v = self._parts(mixed)
        log_decay, b = self._rates(x)
        decayed = log_decay.exp()[..., None, None] * state[0]
        found = torch.einsum("bhkv,bhk->bhv", decayed, k)
        associations = decayed + k[..., :, None] * (b[..., None] * (v - found))[..., None, :]
        return self._project_out(x, torch.einsum("bhkv,bhk->bhv", associations, q)), Memory(associations, window)
