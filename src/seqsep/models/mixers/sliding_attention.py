"""Causal multi-head softmax attention over the last `window` positions only.

    q_t, k_t, v_t = W_Q x_t, W_K x_t, W_V x_t    (split into heads of d coordinates; turned with `rope` as in attention)
    a_tj = softmax over t - window < j <= t of q_t . k_j / sqrt(d)
    y_t  = W_O concat over heads of sum_j a_tj v_j

State: the keys and values of the last `window` tokens, 2 * width * window numbers, which do not grow. They are in a ring:
token t is in slot t mod window. A slot that is not yet written holds zeros; the layer knows these slots from the time t.
Source: Beltagy et al. 2020 (arXiv:2004.05150), section 3.1, in its causal form, which Mistral 7B and Griffin use.
We differ: the default window is only 16 tokens, shorter than most inputs. The state then has 32 * width numbers. Retention has
fewer (16 * width at width 64 and 4 heads), and Mamba has more (38 * width). If sliding attention is more accurate than both, or
less accurate than both, the size of the state does not explain this.
Names: as in attention.
`forward` cuts time into blocks of `window` tokens (one block if there are fewer tokens). Each block attends to itself and to
the block before it. So memory is O(time x window), never O(time x time).

    >>> layer = SlidingAttention(width=8, heads=2, window=3)
    >>> layer.start(1).keys.shape
    torch.Size([1, 2, 3, 4])
"""

import math
from typing import ClassVar

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from seqsep.models.mixers.attention import Attention, Cache
from seqsep.models.mixers.base import Mixer, State, by_head, split_heads


class Ring(Cache):
    """The state: keys and values of the last `window` tokens; that of time t is in slot t mod window."""


class SlidingAttention(Attention):
    """Causal softmax attention over the last `window` positions; equations at the head of the file."""

    name: ClassVar[str] = "sliding-attention"
    revision: ClassVar[int] = 1
    grows: ClassVar[bool] = False

    def __init__(self, width: int, heads: int, window: int = 16) -> None:
        """Build the layer. Raises ValueError for a window below 1 or heads that do not divide the width."""
        if window < 1:
            raise ValueError(f"SlidingAttention(width={width}, heads={heads}, window={window}): window is at least 1")
        super().__init__(width, heads)
        self.window = window

    def start(self, batch: int) -> Ring:
        part = self.key.out_features // self.heads
        return Ring(*(self.key.weight.new_zeros(batch, self.heads, self.window, part) for _ in range(2)))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Ring]:
        after = self.prefill(x[:, None], state, t)
        keys, values = (part[:, :, : t + 1] for part in after)
        query = self._turn(by_head(self.query(x), self.heads), t)
        weights = (torch.einsum("bhd,bhtd->bht", query, keys) * self.scale).softmax(-1)
        return self.output(torch.einsum("bht,bhtd->bhd", weights, values).flatten(1)), after

    def advance(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Ring]:
        return self.step(x, state, t)

    def step_output(self, x: Float[Tensor, "batch width"], state: State, t: int) -> Float[Tensor, "batch width"]:
        return Mixer.step_output(self, x, state, t)

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Ring:
        last = x[:, max(0, x.shape[1] - self.window) :]
        end = t + x.shape[1]
        times = torch.arange(end - last.shape[1], end, device=x.device)
        key, value = (split_heads(part(last), self.heads) for part in (self.key, self.value))
        slots = times % self.window
        return Ring(state[0].index_copy(2, slots, self._turn(key, times)), state[1].index_copy(2, slots, value))

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        time = x.shape[1]
        size = min(self.window, time)
        blocks = -(-time // size)
        times = torch.arange(time, device=x.device)
        query, key, value = (split_heads(part(x), self.heads) for part in (self.query, self.key, self.value))
        query = _into_blocks(self._turn(query, times), blocks, size)
        key = _with_block_before(_into_blocks(self._turn(key, times), blocks, size))
        value = _with_block_before(_into_blocks(value, blocks, size))
        mask = _seen(blocks, size, x.device)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=self.scale)
        heads = mixed.flatten(1, 2)[:, :time].unflatten(0, (-1, self.heads))
        return self.output(heads.transpose(1, 2).flatten(2))

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example, from the keys and values in the window of its queried position only."""
        rows = torch.arange(x.shape[0], device=x.device)
        times = at[:, None] - torch.arange(min(self.window, x.shape[1]), device=x.device)
        seen = x[rows[:, None], times.clamp(min=0)]
        query = self._turn(by_head(self.query(x[rows, at]), self.heads), at[:, None])
        key, value = (split_heads(part(seen), self.heads) for part in (self.key, self.value))
        key = self._turn(key, times[:, None])
        scores = torch.einsum("bhd,bhtd->bht", query, key) * self.scale
        weights = scores.masked_fill((times < 0)[:, None], -math.inf).softmax(-1)
        return self.output(torch.einsum("bht,bhtd->bhd", weights, value).flatten(1))


def _into_blocks(
    part: Float[Tensor, "batch heads time part"], blocks: int, size: int
) -> Float[Tensor, "batch_heads blocks size part"]:
    """Return time cut into blocks of one size. Zeros fill the last one."""
    missing = blocks * size - part.shape[2]
    return F.pad(part, (0, 0, 0, missing)).flatten(0, 1).unflatten(1, (blocks, size))


def _with_block_before(
    part: Float[Tensor, "batch_heads blocks size part"],
) -> Float[Tensor, "batch_heads blocks two_sizes part"]:
    """Return each block after the block before it, with zeros before the first."""
    before = F.pad(part, (0, 0, 0, 0, 1, 0))[:, :-1]
    return torch.cat([before, part], dim=-2)


def _seen(blocks: int, size: int, device: torch.device) -> Bool[Tensor, "blocks size two_sizes"]:
    """Return the mask of each query over the block before and its own; before the first block there is nothing."""
    query = torch.arange(size, device=device)[:, None]
    key = torch.arange(2 * size, device=device)
    seen = ((key > query) & (key <= query + size)).repeat(blocks, 1, 1)
    seen[0, :, :size] = False
    return seen
