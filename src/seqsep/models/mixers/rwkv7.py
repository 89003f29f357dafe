"""RWKV-7's time mixing: a matrix state with a decay per coordinate, a removal and a replacement at every token.

    x_z  = x_t + mu_z * (x_{t-1} - x_t)                             for z = r, w, k, v, a, g (token shift; x_{-1} = 0)
    r, k, v = W_r x_r, W_k x_k, W_v x_v
    w    = exp(-e^(-1/2) sigmoid(w_0 + V_w tanh(U_w x_w)))          decay, in (0.545, 1)
    a    = sigmoid(a_0 + V_a U_a x_a)                               in-context learning rate
    g    = V_g sigmoid(U_g x_g)                                     gate
    kappa = (xi * k) / |xi * k|         k~ = k * (1 + alpha * (a - 1))       removal and replacement key, per head
    S_t  = S_{t-1} (diag(w) - kappa (a * kappa)^T) + v k~^T         per head
    y_t  = W_o (g * (GroupNorm over each head of S_t r + (r . (rho * k~)) v))

State: per head a d x d matrix S, with d = width / heads, and the last input. These are width^2 / heads + width numbers.
Source: Peng et al. 2025 (arXiv:2503.14456), section 4.1, "time mixing" (the paper writes row vectors). The ranks of U and V
and the epsilon of the group norm, 1e-5 width / heads, are those of its published code.
We differ: the value residual is left out, because it mixes in v of the first layer and a mixer sees only its own layer. Our
MLP replaces the channel mixing, whose token shift would also be state. The initial weights are those in `__init__`.
Names: `shift` is mu; `query`, `key`, `value` and `output` are W_r, W_k, W_v and W_o. `.._in` and `.._out` are U and V of
decay, rate and gate. `removal_scale` is xi, `rate_share` is alpha and `bonus` is rho. In the state and the chunks, `removal`
is kappa, `removed` is a * kappa, and `outer_products` is S transposed.
`forward` works on chunks of at most 32 tokens (`_rwkv7_chunks.py`): time and memory are linear in the length.
On a GPU: if flash-linear-attention is installed, `forward` uses its kernel `chunk_rwkv7` in 16 bits (`_kernels.py`).

    >>> layer = RWKV7(width=8, heads=2)
    >>> y, state = layer.step(torch.ones(1, 8), layer.start(1), t=0)
    >>> state.outer_products.shape, state.last.shape
    (torch.Size([1, 2, 4, 4]), torch.Size([1, 8]))
"""

import math
from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.models.mixers import _kernels, _rwkv7_chunks
from seqsep.models.mixers._linear import Linear
from seqsep.models.mixers._rwkv7_chunks import Token
from seqsep.models.mixers.base import GPT2_DEVIATION, Block, Mixer, State, by_head, require_heads

FASTEST_DECAY = math.exp(-0.5)


class Memory(NamedTuple):
    """The state: S of every head, transposed, and the last input."""

    outer_products: Float[Tensor, "batch heads key value"]
    last: Float[Tensor, "batch width"]


class RWKV7(Mixer):
    """RWKV-7's time mixing; equations at the head of the file."""

    name: ClassVar[str] = "rwkv7"
    block: ClassVar[Block] = Block(norm="layer", mlp=True)

    def __init__(self, width: int, heads: int) -> None:
        """Build the layer. Its shifts, decays and every V begin with the values of the first layer in the published code.

        r, k and v are drawn from intervals twice as wide as there. What is 0 there, the output and every U, starts as torch's,
        so that nothing is 0 at the start. Raises ValueError unless the heads divide the width.
        """
        super().__init__()
        require_heads("RWKV7", width, heads)
        self.heads = heads
        ranks = [max(32, 32 * round(times * width**0.5 / 32)) for times in (2.5, 2.5, 5)]
        place = torch.arange(width) / width
        self.shift = nn.Parameter(torch.stack([1 - place**power for power in (0.2, 0.9, 0.7, 0.7, 0.9, 0.2)]))  # r w k v a g
        self.query, self.key, self.value = (Linear(width, width, bias=False) for _ in range(3))
        self.decay_in, self.rate_in, self.gate_in = (Linear(width, rank, bias=False) for rank in ranks)
        self.decay_out, self.rate_out = (Linear(rank, width) for rank in ranks[:2])
        self.gate_out = Linear(ranks[2], width, bias=False)
        self.removal_scale = nn.Parameter(torch.full((width,), 0.85))
        self.rate_share = nn.Parameter(torch.ones(width))
        self.bonus = nn.Parameter(torch.zeros(width))
        self.group_norm = nn.GroupNorm(heads, width, eps=1e-5 * width / heads)
        self.output = Linear(width, width, bias=False)
        for part in (self.decay_out, self.rate_out, self.gate_out):
            nn.init.orthogonal_(part.weight, 0.1)
        with torch.no_grad():
            self.decay_out.bias.copy_(-6.5 + 5 * (torch.arange(width) / max(1, width - 1)) ** 0.85)
            self.rate_out.bias.zero_()
            self.key.weight.mul_(0.1)

    def start(self, batch: int) -> Memory:
        width = self.bonus.shape[0]
        part = width // self.heads
        zeros = self.bonus.new_zeros
        return Memory(zeros(batch, self.heads, part, part), zeros(batch, width))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        token, of_query, of_gate = self._token(x, state[1])
        query = by_head(self.query(of_query), self.heads)
        recalled = token.removal[..., None, :] @ state[0]
        kept = token.log_decay.exp()[..., None] * state[0] - token.removed[..., None] * recalled
        outer_products = kept + token.key[..., None] * token.value[..., None, :]
        read = (query[..., None, :] @ outer_products)[..., 0, :]
        return self._project_out(read, query, token.key, token.value, of_gate=of_gate), Memory(outer_products, x)

    def _token(
        self, x: Float[Tensor, "*shape width"], before: Float[Tensor, "*shape width"]
    ) -> tuple[Token, Float[Tensor, "*shape width"], Float[Tensor, "*shape width"]]:
        """Return each token's part in the recurrence, x_r and x_g; `before` is x_{t-1}."""
        shift = self.shift.view(6, *(1 for _ in x.shape[:-1]), x.shape[-1])
        of_query, of_decay, of_key, of_value, of_rate, of_gate = torch.addcmul(x, before - x, shift).unbind(0)
        log_decay = -FASTEST_DECAY * torch.sigmoid(self.decay_out(torch.tanh(self.decay_in(of_decay))))
        rate = torch.sigmoid(self.rate_out(self.rate_in(of_rate)))
        key = self.key(of_key)
        removal = F.normalize(by_head(key * self.removal_scale, self.heads), dim=-1)
        replacement = key * (1 + self.rate_share * (rate - 1))
        token = Token(
            log_decay=by_head(log_decay, self.heads),
            removal=removal,
            removed=removal * by_head(rate, self.heads),
            key=by_head(replacement, self.heads),
            value=by_head(self.value(of_value), self.heads),
        )
        return token, of_query, of_gate

    def _project_out(
        self,
        read: Float[Tensor, "*shape heads part"],
        query: Float[Tensor, "*shape heads part"],
        key: Float[Tensor, "*shape heads part"],
        value: Float[Tensor, "*shape heads part"],
        *,
        of_gate: Float[Tensor, "*shape width"],
    ) -> Float[Tensor, "*shape width"]:
        """Return y_t from `read`, which is S_t r; `of_gate` is x_g."""
        normed = self.group_norm(read.reshape(-1, self.group_norm.num_channels)).view_as(of_gate)
        own = (query * by_head(self.bonus, self.heads) * key).sum(-1, keepdim=True) * value
        gate = self.gate_out(torch.sigmoid(self.gate_in(of_gate)))
        return self.output(gate * (normed + own.flatten(-2)))

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        if not x.shape[1]:
            return Memory(*state)
        before = torch.cat([state[1][:, None], x[:, :-1]], dim=1)
        token = self._token(x, before)[0]
        return Memory(_rwkv7_chunks.last_state(token, state[0]), x[:, -1])

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        token, of_query, of_gate = self._token(x, F.pad(x, (0, 0, 1, -1)))
        query = by_head(self.query(of_query), self.heads)
        if _kernels.usable(token.key, token.value, _kernels.HALF):
            read = _kernels.read_rwkv7(query, *token, fastest=FASTEST_DECAY)
        else:
            read = _rwkv7_chunks.read(token, self.start(x.shape[0]).outer_products, query)
        return self._project_out(read, query, token.key, token.value, of_gate=of_gate)

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example. Tokens after the queried one leave the state as it is, so the last state is the one of
        the query.
        """
        rows = torch.arange(x.shape[0], device=x.device)
        token, of_query, of_gate = self._token(x, F.pad(x, (0, 0, 1, -1)))
        is_past = (torch.arange(x.shape[1], device=x.device) <= at[:, None])[..., None, None].to(x.dtype)
        past = Token(*(part * is_past for part in token))
        state = _rwkv7_chunks.last_state(past, self.start(x.shape[0]).outer_products)
        query = by_head(self.query(of_query[rows, at]), self.heads)
        read = (query[..., None, :] @ state)[..., 0, :]
        return self._project_out(read, query, token.key[rows, at], token.value[rows, at], of_gate=of_gate[rows, at])

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        with torch.no_grad():
            self.output.weight.div_((2 * depth) ** 0.5)
