"""Causal linear attention: a feature map replaces the softmax, so the past is one matrix.

    phi(u) = elu(u) + 1
    S_t = S_{t-1} + phi(k_t) v_t^T      z_t = z_{t-1} + phi(k_t)                  (per head)
    y_t = W_O concat over heads of (S_t^T phi(q_t)) / (phi(q_t) . z_t + 1e-6)

State: per head a d x d matrix S and a vector z of d coordinates, with d = width / heads. These are width^2 / heads + width
numbers.
Source: Katharopoulos et al. 2020 (arXiv:2006.16236), equations 7 and 16 to 20.
Names: `query`, `key`, `value` and `output` make q, k, v and y; `outer_products` is S, `key_sum` is z.
`forward` is the quadratic form, sum over j <= t of (phi(q_t) . phi(k_j)) v_j, for at most `chunk` tokens. A longer input is
cut into chunks, and each chunk gets the sums S and z over the earlier ones. So time and memory are linear in the length.
On a GPU: if flash-linear-attention is installed, `forward` uses its kernel `chunk_simple_gla` (`_kernels.py`).

    >>> layer = LinearAttention(width=8, heads=2)
    >>> layer.start(1).outer_products.shape
    torch.Size([1, 2, 4, 4])
"""

from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

from seqsep.models.mixers import _kernels
from seqsep.models.mixers._chunks import into_chunks
from seqsep.models.mixers._linear import Linear
from seqsep.models.mixers.base import (
    GPT2_DEVIATION,
    Block,
    Mixer,
    State,
    by_head,
    initialise_as_gpt2,
    merge_heads,
    require_heads,
    split_heads,
)

EPSILON = 1e-6


class Memory(NamedTuple):
    """The state: S and z of every head."""

    outer_products: Float[Tensor, "batch heads key value"]
    key_sum: Float[Tensor, "batch heads key"]


class LinearAttention(Mixer):
    """Attention with a feature map in place of softmax; equations at the head of the file."""

    name: ClassVar[str] = "linear-attention"
    block: ClassVar[Block] = Block(norm="layer", mlp=True, positions="learned")
    chunk: ClassVar[int] = 64

    def __init__(self, width: int, heads: int) -> None:
        """Build the layer. Raises ValueError unless the heads divide the width."""
        super().__init__()
        require_heads("LinearAttention", width, heads)
        self.heads = heads
        self.query = Linear(width, width)
        self.key = Linear(width, width)
        self.value = Linear(width, width)
        self.output = Linear(width, width)

    def start(self, batch: int) -> Memory:
        part = self.key.out_features // self.heads
        zeros = self.key.weight.new_zeros
        return Memory(zeros(batch, self.heads, part, part), zeros(batch, self.heads, part))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        query = feature_map(by_head(self.query(x), self.heads))
        key = feature_map(by_head(self.key(x), self.heads))
        value = by_head(self.value(x), self.heads)
        outer_products = state[0] + key[..., :, None] * value[..., None, :]
        key_sum = state[1] + key
        mixed = torch.einsum("bhk,bhkv->bhv", query, outer_products)
        normaliser = (query * key_sum).sum(-1, keepdim=True) + EPSILON
        return self.output((mixed / normaliser).flatten(1)), Memory(outer_products, key_sum)

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        key, value = (split_heads(part(x), self.heads) for part in (self.key, self.value))
        key = feature_map(key)
        return Memory(state[0] + key.mT @ value, state[1] + key.sum(2))

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        query, key, value = (split_heads(part(x), self.heads) for part in (self.query, self.key, self.value))
        if _kernels.usable(key, value):
            return self._forward_by_kernel(query, key, value)
        if x.shape[1] > self.chunk:
            return self._forward_in_chunks(query, key, value)
        weights = (feature_map(query) @ feature_map(key).mT).tril()
        return self.output(merge_heads(weights @ value / (weights.sum(-1, keepdim=True) + EPSILON)))

    def _forward_by_kernel(
        self,
        query: Float[Tensor, "batch heads time part"],
        key: Float[Tensor, "batch heads time part"],
        value: Float[Tensor, "batch heads time part"],
    ) -> Float[Tensor, "batch time width"]:
        query = feature_map(query).transpose(1, 2)
        key = feature_map(key).transpose(1, 2)
        value = value.transpose(1, 2)
        total = (query * key.cumsum(1, dtype=torch.float32)).sum(-1, keepdim=True)
        return self.output((_kernels.read(query, key, value) / (total + EPSILON)).to(value.dtype).flatten(2))

    def _forward_in_chunks(
        self,
        query: Float[Tensor, "batch heads time part"],
        key: Float[Tensor, "batch heads time part"],
        value: Float[Tensor, "batch heads time part"],
    ) -> Float[Tensor, "batch time width"]:
        time = query.shape[2]
        query, key, value = (into_chunks(part, self.chunk, axis=2).contiguous() for part in (query, key, value))
        query = feature_map(query)
        key = feature_map(key)
        weights = query @ key.mT
        weights = weights * torch.ones_like(weights[0, 0, 0]).tril()
        outer_products = sum_of_earlier(key.mT @ value)
        key_sum = sum_of_earlier(key.sum(-2))
        mixed = weights @ value + query @ outer_products
        total = weights.sum(-1, keepdim=True) + query @ key_sum[..., None]
        return self.output(merge_heads((mixed / (total + EPSILON)).flatten(2, 3)[:, :, :time]))

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example: its query weighs all values up to its own, the quadratic form of one row."""
        rows = torch.arange(x.shape[0], device=x.device)
        query = by_head(feature_map(self.query(x[rows, at])), self.heads)
        key, value = (by_head(part(x), self.heads) for part in (self.key, self.value))
        weights = torch.einsum("bhd,bthd->bht", query, feature_map(key))
        is_later = torch.arange(x.shape[1], device=x.device) > at[:, None]
        weights = weights.masked_fill(is_later[:, None], 0)
        mixed = torch.einsum("bht,bthd->bhd", weights, value)
        return self.output((mixed / (weights.sum(-1)[..., None] + EPSILON)).flatten(1))

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        initialise_as_gpt2(self, self.output, depth, deviation)


def feature_map(u: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return phi, which is positive everywhere."""
    return F.elu(u) + 1


def sum_of_earlier(added: Float[Tensor, "batch heads chunks *part"]) -> Float[Tensor, "batch heads chunks *part"]:
    """Return the sums over the earlier chunks, without the chunk itself, in which some tokens are later ones."""
    return torch.cat([torch.zeros_like(added[:, :, :1]), added[:, :, :-1].cumsum(2)], dim=2)
