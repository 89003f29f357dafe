"""RWKV-7's time mixing: a matrix state with a decay per coordinate, a removal and a replacement at every token.

    x_z  = x_t + mu_z * (x_{t-1} - x_t)                             for z = r, w, k, v, a, g (token shift; x_{-1} = 0)
    r, k, v = W_r x_r, W_k x_k, W_v x_v
    w    = exp(-e^(-1/2) sigmoid(w_0 + V_w tanh(U_w x_w)))          decay, in (0.545, 1)
    a    = sigmoid(a_0 + V_a U_a x_a)                               in-context learning rate
    g    = V_g sigmoid(U_g x_g)                                     gate
    kappa = (xi * k) / |xi * k|         k~ = k * (1 + alpha * (a - 1))       removal and replacement key, per head
    S_t  = S_{t-1} (diag(w) - kappa (a * kappa)^T) + v k~^T         per head
    y_t  = W_o (g * (GroupNorm over each head of S_t r + (r . (rho * k~)) v))

Source: Peng et al. 2025 (arXiv:2503.14456), section 4.1, "time mixing" (the paper writes row vectors); ranks of U and V and the
group norm's epsilon, 1e-5 width / heads, as its published code.
We differ: the value residual, which mixes in the first layer's v, is left out, since a mixer sees its own layer only; around
it stands our MLP instead of a channel mixing with a token shift (which would be state too); first weights are in `__init__`.
State: per head a d x d matrix S, d = width / heads, and the last input (width coordinates).
`forward` works on chunks of at most 32 tokens. With c_t the sum of log w up to t, S_t = Z_t diag(exp(c_t)) turns the
recurrence within a chunk into Z_t = Z_{t-1} - u_t (e^(-c_t) a kappa)^T + v_t (e^(-c_t) k~)^T, where
u_t = Z_{t-1} e^(c_{t-1}) kappa solves a unit triangular system; every chunk then is one affine map of the state, and these
maps are chained one by one. Since log w > -0.607, exp(-c_t) stays below 3e8, and taking the decays out costs no digits.
On a GPU: `forward` takes the kernel `chunk_rwkv7` of flash-linear-attention where installed, in 16 bits (`_kernels.py`).
"""

import math
from typing import Any, ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.mixers import _kernels
from seqsep.mixers._chunks import cut
from seqsep.mixers.base import GPT2_DEVIATION, Block, Mixer, State, require_heads

CHUNK = 32
FASTEST_DECAY = math.exp(-0.5)


class Memory(NamedTuple):
    outer_products: Float[Tensor, "batch heads key value"]
    last: Float[Tensor, "batch width"]


class Token(NamedTuple):
    """What a token brings to the recurrence; a token of zeros leaves the state as it is."""

    log_decay: Float[Tensor, "*shape heads key"]
    removal: Float[Tensor, "*shape heads key"]
    removed: Float[Tensor, "*shape heads key"]
    key: Float[Tensor, "*shape heads key"]
    value: Float[Tensor, "*shape heads key"]


class Chain(torch.autograd.Function):
    """Every state of H_{n+1} = M_n H_n + D_n, from the first; backward: G_n = dH_n + M_n^T G_{n+1} and dM_n = G_{n+1} H_n^T."""

    @staticmethod
    def forward(ctx: Any, first: Tensor, maps: Tensor, added: Tensor) -> Tensor:
        states = [first]
        for each, more in zip(maps.unbind(1), added.unbind(1), strict=True):
            states.append(each @ states[-1] + more)
        every = torch.stack(states, dim=1)
        ctx.save_for_backward(maps, every)
        return every

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, ...]:
        maps, every = ctx.saved_tensors
        found = [gradients[0][:, -1]]
        for chunk in range(maps.shape[1] - 1, -1, -1):
            found.append(gradients[0][:, chunk] + maps[:, chunk].mT @ found[-1])
        after = torch.stack(found[-2::-1], dim=1) if len(found) > 1 else torch.zeros_like(maps)
        return found[-1], after @ every[:, :-1].mT, after


class RWKV7(Mixer):
    name: ClassVar[str] = "rwkv7"
    block: ClassVar[Block] = Block(norm="layer", mlp=True)

    def __init__(self, width: int, heads: int) -> None:
        """First weights as the published code has them in its first layer, but for those it sets to 0 (the output and every U),
        which start as torch's, so that nothing is 0 at the start. Raises ValueError unless the heads divide the width."""
        super().__init__()
        require_heads("RWKV7", width, heads)
        self.heads = heads
        ranks = [max(32, 32 * round(times * width**0.5 / 32)) for times in (2.5, 2.5, 5)]
        place = torch.arange(width) / width
        self.shift = nn.Parameter(torch.stack([1 - place**power for power in (0.2, 0.9, 0.7, 0.7, 0.9, 0.2)]))  # r w k v a g
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.decay_in, self.rate_in, self.gate_in = (nn.Linear(width, rank, bias=False) for rank in ranks)
        self.decay_out, self.rate_out = (nn.Linear(rank, width) for rank in ranks[:2])
        self.gate_out = nn.Linear(ranks[2], width, bias=False)
        self.removal_scale = nn.Parameter(torch.full((width,), 0.85))
        self.rate_share = nn.Parameter(torch.ones(width))
        self.bonus = nn.Parameter(torch.zeros(width))
        self.group_norm = nn.GroupNorm(heads, width, eps=1e-5 * width / heads)
        self.output = nn.Linear(width, width, bias=False)
        for part in (self.decay_out, self.rate_out, self.gate_out):
            nn.init.orthogonal_(part.weight, 0.1)
        with torch.no_grad():
            self.decay_out.bias.copy_(-6.5 + 5 * (torch.arange(width) / max(1, width - 1)) ** 0.85)
            self.rate_out.bias.zero_()
            self.key.weight.mul_(0.1)

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        with torch.no_grad():
            self.output.weight.div_((2 * depth) ** 0.5)

    def _token(
        self, x: Float[Tensor, "*shape width"], before: Float[Tensor, "*shape width"]
    ) -> tuple[Token, Float[Tensor, "*shape width"], Float[Tensor, "*shape width"]]:
        """What each token brings, and the inputs of query and gate."""
        shape = (6, *(1 for _ in x.shape[:-1]), x.shape[-1])
        of_query, of_decay, of_key, of_value, of_rate, of_gate = torch.addcmul(x, before - x, self.shift.view(shape)).unbind(0)
        log_decay = -FASTEST_DECAY * torch.sigmoid(self.decay_out(torch.tanh(self.decay_in(of_decay))))
        rate = torch.sigmoid(self.rate_out(self.rate_in(of_rate)))
        key = self.key(of_key)
        removal = F.normalize(self._split(key * self.removal_scale), dim=-1)
        replacement = key * (1 + self.rate_share * (rate - 1))
        value = self._split(self.value(of_value))
        token = Token(self._split(log_decay), removal, removal * self._split(rate), self._split(replacement), value)
        return token, of_query, of_gate

    def _split(self, u: Float[Tensor, "*shape width"]) -> Float[Tensor, "*shape heads part"]:
        return u.unflatten(-1, (self.heads, -1))

    def _read_out(self, read: Tensor, query: Tensor, key: Tensor, value: Tensor, of_gate: Tensor) -> Tensor:
        """From S_t r to y_t; all but the gate's input have axes heads and part at the end."""
        normed = self.group_norm(read.reshape(-1, self.group_norm.num_channels)).view_as(of_gate)
        own = (query * self._split(self.bonus) * key).sum(-1, keepdim=True) * value
        gate = self.gate_out(torch.sigmoid(self.gate_in(of_gate)))
        return self.output(gate * (normed + own.flatten(-2)))

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        token, of_query, of_gate = self._token(x, F.pad(x, (0, 0, 1, -1)))
        query = self._split(self.query(of_query))
        if _kernels.usable(token.key, token.value, _kernels.HALF):
            read = _kernels.read_rwkv7(query, *token, fastest=FASTEST_DECAY)
        else:
            read = _read(token, self.start(x.shape[0]).outer_products, query)
        return self._read_out(read, query, token.key, token.value, of_gate)

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Only the state after the asked token is made, and read there."""
        rows = torch.arange(x.shape[0], device=x.device)
        token, of_query, of_gate = self._token(x, F.pad(x, (0, 0, 1, -1)))
        past = (torch.arange(x.shape[1], device=x.device) <= at[:, None])[..., None, None].to(x.dtype)
        counted = Token(*(part * past for part in token))
        state = _last_state(counted, self.start(x.shape[0]).outer_products)
        query = self._split(self.query(of_query[rows, at]))
        read = (query[..., None, :] @ state)[..., 0, :]
        return self._read_out(read, query, token.key[rows, at], token.value[rows, at], of_gate[rows, at])

    def start(self, batch: int) -> Memory:
        zeros, width = self.bonus.new_zeros, self.bonus.shape[0]
        part = width // self.heads
        return Memory(zeros(batch, self.heads, part, part), zeros(batch, width))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        token, of_query, of_gate = self._token(x, state[1])
        query = self._split(self.query(of_query))
        removed = token.removal[..., None, :] @ state[0]
        kept = token.log_decay.exp()[..., None] * state[0] - token.removed[..., None] * removed
        outer_products = kept + token.key[..., None] * token.value[..., None, :]
        read = (query[..., None, :] @ outer_products)[..., 0, :]
        return self._read_out(read, query, token.key, token.value, of_gate), Memory(outer_products, x)

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        if not x.shape[1]:
            return Memory(*state)
        token = self._token(x, torch.cat([state[1][:, None], x[:, :-1]], dim=1))[0]
        return Memory(_last_state(token, state[0]), x[:, -1])


def _chunked(part: Float[Tensor, "batch time heads key"], like: Tensor) -> Float[Tensor, "batch chunks heads size key"]:
    return cut(part.to(like.dtype), CHUNK).transpose(2, 3).contiguous()


class Chunks(NamedTuple):
    """Chunks of tokens without their decays: rows of `onto` are a kappa, then k~, each with its exp(-c_t)."""

    onto: Float[Tensor, "batch chunks heads both key"]
    value: Float[Tensor, "batch chunks heads size key"]
    total: Float[Tensor, "batch chunks heads size key"]
    states: Float[Tensor, "batch ends heads key key"]
    unknowns: Float[Tensor, "batch chunks heads size answers"]


def _meet(
    into: Float[Tensor, "*shape size key"], onto: Float[Tensor, "*shape both key"], diagonal: int
) -> Float[Tensor, "*shape size both"]:
    """Products of each row with what stands before it (diagonal -1), or up to it (0)."""
    size = into.shape[-2]
    before = torch.ones(size, size, dtype=into.dtype, device=into.device).tril(diagonal).repeat(1, 2)
    return into @ onto.mT * before


def _chunks(token: Token, first: Float[Tensor, "batch heads key key"]) -> Chunks:
    """Each chunk's u_t as [P | R], u_t = P_t H + R_t with H the state before the chunk, and every such H."""
    log_decay, removal, removed, key, value = (_chunked(part, first) for part in token)
    total = log_decay.cumsum(-2)
    size, part = total.shape[-2:]
    into = removal * (total - log_decay).exp()
    onto = torch.cat([removed, key], dim=-2) * (-total).exp().repeat(1, 1, 1, 2, 1)
    meets = _meet(into, onto, -1)
    unknowns = torch.linalg.solve_triangular(
        meets[..., :size], torch.cat([into, meets[..., size:] @ value], dim=-1), upper=False, unitriangular=True
    )
    left = total[..., -1:, :].exp()
    from_removed, from_keys = (onto * left).mT.split(size, dim=-1)
    maps, added = (from_removed @ unknowns).split(part, dim=-1)
    states = Chain.apply(first, torch.diag_embed(left[..., 0, :]) - maps, from_keys @ value - added)
    return Chunks(onto, value, total, states, unknowns)


def _last_state(token: Token, first: Float[Tensor, "batch heads key key"]) -> Float[Tensor, "batch heads key key"]:
    with torch.autocast(first.device.type, enabled=False):
        return _chunks(token, first).states[:, -1]


def _read(
    token: Token, first: Float[Tensor, "batch heads key key"], query: Float[Tensor, "batch time heads key"]
) -> Float[Tensor, "batch time heads key"]:
    """S_t r at every token."""
    with torch.autocast(first.device.type, enabled=False):
        chunks = _chunks(token, first)
        into = _chunked(query, first) * chunks.total.exp()
        size, part = into.shape[-2:]
        removed, keys = _meet(into, chunks.onto, 0).split(size, dim=-1)
        by_state, inside = (removed @ chunks.unknowns).split(part, dim=-1)
        read = (into - by_state) @ chunks.states[:, :-1] - inside + keys @ chunks.value
        return read.transpose(2, 3).flatten(1, 2)[:, : query.shape[1]]
