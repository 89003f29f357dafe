"""Multi-scale retention (RetNet): linear attention with a decay per head and rotated queries and keys.

    gamma_h = 1 - 2^(-5-h), h = 0, 1, ..
    q_t, k_t, v_t = W_Q x_t rotated by t theta, W_K x_t rotated by t theta and divided by sqrt(d), W_V x_t
    S_t = gamma_h S_{t-1} + k_t v_t^T       (per head)
    y_t = W_O (swish(W_G x_t) * GroupNorm over each head of q_t^T S_t)

State: per head a d x d matrix S, with d = width / heads. These are width^2 / heads numbers.
Source: Sun et al. 2023 (arXiv:2307.08621), equations 5 to 8; theta_i = 10000^(-2i/d) as in its section 2.1.
We differ: values have `width` coordinates, half as many as in the paper, whose state has 2 width^2 / heads numbers. The MLP
is 4 width wide, twice as wide as in the paper. Of the paper's three score normalisers (section 2.2) we keep only the first, 1
/ sqrt(d). Each of them only multiplies the output at a token by a positive number. The group norm divides by this number again,
so it has no effect, except through the epsilon of the norm.
Names: `query`, `key`, `value`, `gate` and `output` are W_Q, W_K, W_V, W_G and W_O; `decay` is gamma, `angle` is theta, and
`outer_products` is S.
`forward` is the quadratic form (q_t . k_j) gamma^(t-j) for at most `chunk` tokens. A longer input is cut into chunks of m
tokens, and each chunk gets S from the chunk before it (equation 7). At the end of a chunk, S is gamma^m times the earlier S
plus the sum over i of gamma^(m-1-i) k_i v_i^T. So time is linear in the length.
On a GPU: if flash-linear-attention is installed, `forward` uses its kernel `chunk_simple_gla` (`_kernels.py`).

    >>> layer = Retention(width=8, heads=2)
    >>> layer.decay
    tensor([0.9688, 0.9844], dtype=torch.float64)
"""

from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

from seqsep.models.mixers import _kernels
from seqsep.models.mixers._chunks import StatesBefore, into_chunks
from seqsep.models.mixers._linear import Linear
from seqsep.models.mixers.base import (
    GPT2_DEVIATION,
    Block,
    Mixer,
    State,
    by_head,
    initialise_as_gpt2,
    require_heads,
    split_heads,
)


class Memory(NamedTuple):
    """The state: S of every head."""

    outer_products: Float[Tensor, "batch heads key value"]


class Retention(Mixer):
    """Linear attention with a decay per head and rotated queries and keys; equations at the head of the file."""

    name: ClassVar[str] = "retention"
    block: ClassVar[Block] = Block(norm="layer", mlp=True, positions="none")
    chunk: ClassVar[int] = 64

    decay: Tensor
    angle: Tensor

    def __init__(self, width: int, heads: int) -> None:
        """Build the layer. Raises ValueError unless the heads divide the width into an even number of coordinates each."""
        super().__init__()
        require_heads("Retention", width, heads)
        part = width // heads
        if part % 2:
            raise ValueError(
                f"Retention(width={width}, heads={heads}): width / heads is even, since coordinates rotate in pairs"
            )
        self.heads = heads
        self.query = Linear(width, width, bias=False)
        self.key = Linear(width, width, bias=False)
        self.value = Linear(width, width, bias=False)
        self.gate = Linear(width, width, bias=False)
        self.output = Linear(width, width, bias=False)
        self.register_buffer("decay", 1 - 2.0 ** (-5 - torch.arange(heads, dtype=torch.float64)), persistent=False)
        angle = 10000.0 ** (-torch.arange(0, part, 2, dtype=torch.float64) / part)
        self.register_buffer("angle", angle.repeat_interleave(2), persistent=False)

    def start(self, batch: int) -> Memory:
        part = self.key.out_features // self.heads
        return Memory(self.key.weight.new_zeros(batch, self.heads, part, part))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        query, key, value = (by_head(part(x), self.heads) for part in (self.query, self.key, self.value))
        now = torch.tensor(t, device=x.device)
        query = self._rotate(query, now)
        key = self._rotate(key, now) * query.shape[-1] ** -0.5
        decay = self.decay[:, None, None].to(x.dtype)
        outer_products = decay * state[0] + key[..., :, None] * value[..., None, :]
        read = torch.einsum("bhk,bhkv->bhv", query, outer_products)
        return self._project_out(x, read), Memory(outer_products)

    def _rotate(self, u: Float[Tensor, "*shape part"], times: Tensor) -> Float[Tensor, "*shape part"]:
        """Turn each pair of coordinates by times * theta; `times` broadcasts against all axes of u but the last."""
        turns = times.to(torch.float64)[..., None] * self.angle
        pairs = u.unflatten(-1, (-1, 2))
        quarter_turn = torch.stack([-pairs[..., 1], pairs[..., 0]], dim=-1).flatten(-2)
        return u * turns.cos().to(u.dtype) + quarter_turn * turns.sin().to(u.dtype)

    def _project_out(
        self, x: Float[Tensor, "*shape width"], read: Float[Tensor, "*shape heads part"]
    ) -> Float[Tensor, "*shape width"]:
        """Return y_t from `read`, which is q_t^T S_t."""
        normed = F.layer_norm(read, read.shape[-1:], eps=1e-6)
        return self.output(F.silu(self.gate(x)) * normed.flatten(-2))

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        time = x.shape[1]
        key, value = (split_heads(part(x), self.heads) for part in (self.key, self.value))
        key = self._rotate(key, torch.arange(t, t + time, device=x.device)) * key.shape[-1] ** -0.5
        age = torch.arange(time - 1, -1, -1, device=x.device)
        decay = (self.decay[:, None] ** age).to(x.dtype)[..., None]
        decay_of_all = (self.decay**time).to(x.dtype)[:, None, None]
        return Memory(decay_of_all * state[0] + (key * decay).mT @ value)

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        times = torch.arange(x.shape[1], device=x.device)
        query, key, value = (split_heads(part(x), self.heads) for part in (self.query, self.key, self.value))
        query = self._rotate(query, times)
        key = self._rotate(key, times) * query.shape[-1] ** -0.5
        if _kernels.usable(key, value):
            query, key, value = (part.transpose(1, 2) for part in (query, key, value))
            return self._project_out(x, _kernels.read(query, key, value, self.decay.log()))
        if x.shape[1] <= self.chunk:
            read = (query @ key.mT * self._decays(times, x.dtype)) @ value
        else:
            read = self._read_in_chunks(query, key, value, x.dtype)
        return self._project_out(x, read.transpose(1, 2).contiguous())

    def _read_in_chunks(
        self,
        query: Float[Tensor, "batch heads time part"],
        key: Float[Tensor, "batch heads time part"],
        value: Float[Tensor, "batch heads time part"],
        dtype: torch.dtype,
    ) -> Float[Tensor, "batch heads time part"]:
        """Return q_t^T S_t at every token. Decays are rounded to `dtype`."""
        time = query.shape[2]
        query, key, value = (into_chunks(part, self.chunk, axis=2).contiguous() for part in (query, key, value))
        chunks, size = query.shape[2:4]
        times = torch.arange(size, device=query.device)
        decay = self.decay[:, None, None, None]
        decay_to_end = (decay ** (size - 1 - times)[:, None]).to(dtype)
        decay_from_start = (decay ** (times + 1)[:, None]).to(dtype)
        arrived = (key * decay_to_end).mT @ value
        decay_of_chunk = (self.decay[:, None, None] ** size).to(dtype).expand((1, chunks, -1, 1, 1))
        before = StatesBefore.apply(arrived.new_zeros(()), decay_of_chunk, arrived.transpose(1, 2), False).transpose(1, 2)
        inside = (query @ key.mT * self._decays(times, dtype)[:, None]) @ value
        return (inside + (query * decay_from_start) @ before).flatten(2, 3)[:, :, :time]

    def _decays(self, times: Tensor, dtype: torch.dtype) -> Float[Tensor, "heads time time"]:
        """Return gamma^(t-j) for j <= t, else 0."""
        age = (times[:, None] - times).clamp(min=0)
        return (self.decay[:, None, None] ** age).tril().to(dtype)

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example: its query weighs all values up to its own, the quadratic form of one row."""
        times = torch.arange(x.shape[1], device=x.device)
        asked = x[torch.arange(x.shape[0], device=x.device), at]
        query = self._rotate(by_head(self.query(asked), self.heads), at[:, None])
        key, value = (by_head(part(x), self.heads) for part in (self.key, self.value))
        key = self._rotate(key, times[:, None]) * query.shape[-1] ** -0.5
        age = (at[:, None] - times)[:, None]
        decay = torch.where(age < 0, 0, self.decay[:, None] ** age.clamp(min=0)).to(x.dtype)
        weights = torch.einsum("bhd,bthd->bht", query, key) * decay
        return self._project_out(asked, torch.einsum("bht,bthd->bhd", weights, value))

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        initialise_as_gpt2(self, self.output, depth, deviation)
