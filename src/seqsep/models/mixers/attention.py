"""Causal multi-head softmax attention.

    q_t, k_t, v_t = W_Q x_t, W_K x_t, W_V x_t    (split into heads of d coordinates)
    a_tj = softmax over j <= t of q_t . k_j / sqrt(d)
    y_t  = W_O concat over heads of sum_j a_tj v_j

With `rope`, coordinates 2i and 2i+1 of q_t and k_t in each head are first turned by the angle t theta_i, with theta_i =
10000^(-2i/d). Then q_t . k_j depends only on t - j.

State: the keys and values of all tokens so far, 2 * width numbers per token. This cache grows with t.
Source: Vaswani et al. 2017, equation 1; initialised as GPT-2 (Radford et al. 2019); rope: Su et al. 2021 (arXiv:2104.09864),
equations 15 and 34.
We differ: three settings are for hand-built networks only. The widths of keys and values may be chosen. `scale=1` leaves out
1/sqrt(d), as Bhattamishra et al. 2024 do. `causal=False` removes the mask; such a layer has no `step`.
Names: `query`, `key`, `value` and `output` are W_Q, W_K, W_V and W_O; `scale` is 1/sqrt(d).
`forward` multiplies all queries with all keys, and all weights with all values. `forward_at` computes the output at one
position, without a key and a value for each token. It computes W_K^T q once, and its product with each x_j is a score. Then it
applies W_V once, to the weighted sum of all x_j. With `rope` it does compute the keys.

    >>> layer = Attention(width=8, heads=2)
    >>> y, cache = layer.step(torch.zeros(1, 8), layer.start(1), t=0)
    >>> cache.keys.shape
    torch.Size([1, 2, 1, 4])
"""

import math
from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

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

LEAST_ROOM = 64


class Cache(NamedTuple):
    """The state: keys and values of all tokens so far, by head; a state from `advance` has free room after them."""

    keys: Float[Tensor, "batch heads time key"]
    values: Float[Tensor, "batch heads time value"]


class Attention(Mixer):
    """Causal multi-head softmax attention, with a cache of all keys and values; equations at the head of the file."""

    name: ClassVar[str] = "attention"
    block: ClassVar[Block] = Block(norm="layer", mlp=True, positions="learned")
    grows: ClassVar[bool] = True
    revision: ClassVar[int] = 2

    rope = False  # set by Model.build(positions="rope")

    def __init__(
        self,
        width: int,
        heads: int,
        key_width: int | None = None,
        value_width: int | None = None,
        scale: float | None = None,
        causal: bool = True,
    ) -> None:
        """Build the layer. `key_width` and `value_width` count coordinates over all heads; by default they equal `width`.

        Raises ValueError unless the heads divide both.
        """
        super().__init__()
        key_width = key_width or width
        value_width = value_width or width
        require_heads("Attention", key_width, heads)
        require_heads("Attention", value_width, heads)
        self.heads = heads
        self.causal = causal
        self.scale = scale if scale is not None else 1 / math.sqrt(key_width // heads)
        self.query = Linear(width, key_width)
        self.key = Linear(width, key_width)
        self.value = Linear(width, value_width)
        self.output = Linear(value_width, width)

    def drop_biases(self) -> None:
        """Leave the four biases out, as in LLaMA (Touvron et al. 2023, arXiv:2302.13971)."""
        for part in (self.query, self.key, self.value, self.output):
            part.register_parameter("bias", None)

    def start(self, batch: int) -> Cache:
        def empty(part: nn.Linear) -> Tensor:
            return part.weight.new_zeros(batch, self.heads, 0, part.out_features // self.heads)

        return Cache(empty(self.key), empty(self.value))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Cache]:
        query, key, value = self._by_head(x, t)
        cache = _without_room(state, t)
        after = (torch.cat([part, new[:, :, None]], dim=2) for part, new in zip(cache, (key, value), strict=True))
        return self._read(cache, query, key=key, value=value), Cache(*after)

    def advance(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Cache]:
        """Return what `step` returns, and append to the cache in place: a full cache gets room for twice as many tokens."""
        self._require_causal()
        query, key, value = self._by_head(x, t)
        keys = _with_room(state[0].mT, used=t, axis=3).mT  # a row of memory is one coordinate at all times: the fastest to read
        values = _with_room(state[1], used=t, axis=2)
        keys[:, :, t] = key
        values[:, :, t] = value
        scores = query[:, :, None] @ keys[:, :, : t + 1].mT
        mixed = (scores * self.scale).softmax(-1) @ values[:, :, : t + 1]
        return self.output(mixed.flatten(1)), Cache(keys, values)

    def step_output(self, x: Float[Tensor, "batch width"], state: State, t: int) -> Float[Tensor, "batch width"]:
        """Return one token's output from the cache and itself. Einsum reads a cache of batch 1 in place, for any batch of x."""
        query, key, value = self._by_head(x, t)
        return self._read(_without_room(state, t), query, key=key, value=value)

    def _read(self, state: Cache, query: Tensor, *, key: Tensor, value: Tensor) -> Float[Tensor, "batch width"]:
        """Return one token's output, from the cache of those before it and its own query, key and value by head."""
        self._require_causal()
        keys, values = state
        earlier_scores = torch.einsum("bhd,chtd->bht" if keys.shape[0] == 1 else "bhd,bhtd->bht", query, keys)
        own_score = torch.einsum("bhd,bhd->bh", query, key)
        weights = (torch.cat([earlier_scores, own_score[..., None]], dim=-1) * self.scale).softmax(-1)
        mixed = torch.einsum("bht,chtd->bhd" if values.shape[0] == 1 else "bht,bhtd->bhd", weights[..., :-1], values)
        return self.output((mixed + weights[..., -1:] * value).flatten(1))

    def _by_head(self, x: Float[Tensor, "batch width"], t: int) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value of one token, of shape batch, heads, part."""
        query, key, value = (by_head(part(x), self.heads) for part in (self.query, self.key, self.value))
        return self._turn(query, t), self._turn(key, t), value

    def _require_causal(self) -> None:
        if not self.causal:
            raise ValueError("Attention(causal=False).step(): attention without a mask is not a recurrent layer")

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Cache:
        times = torch.arange(t, t + x.shape[1], device=x.device)
        keys = self._turn(split_heads(self.key(x), self.heads), times)
        values = split_heads(self.value(x), self.heads)
        earlier = _without_room(state, t)
        return Cache(torch.cat([earlier.keys, keys], dim=2), torch.cat([earlier.values, values], dim=2))

    def _turn(self, u: Float[Tensor, "*shape part"], times: Tensor | int) -> Float[Tensor, "*shape part"]:
        """Return u, turned by its time if `rope` is set; `times` broadcasts against all axes of u except the last."""
        return rotated(u, torch.as_tensor(times, device=u.device)) if self.rope else u

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        times = torch.arange(x.shape[1], device=x.device)
        query, key, value = (split_heads(part(x), self.heads) for part in (self.query, self.key, self.value))
        query = self._turn(query, times)
        key = self._turn(key, times)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=self.causal, scale=self.scale)
        return self.output(merge_heads(mixed))

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example. The query meets the inputs themselves, as (W_K^T q) . x_j, and W_V follows the sum: no
        keys, no values.

        The key's bias adds one number to every score of a head, which softmax does not see, so it is left out here and gets
        no gradient (it is 0); the weights sum to 1, so the value's bias is added once. With `rope` keys turn by their own time
        and have to be made.
        """
        rows = torch.arange(x.shape[0], device=x.device)
        times = torch.arange(x.shape[1], device=x.device)
        query = self._turn(by_head(self.query(x[rows, at]), self.heads), at[:, None])
        into_key, into_value = (part.weight.unflatten(0, (self.heads, -1)) for part in (self.key, self.value))
        if self.rope:
            keys = self._turn(by_head(self.key(x), self.heads), times[:, None])
            scores = torch.einsum("bhd,bthd->bht", query, keys)
        else:
            scores = torch.einsum("bhd,hdw->bhw", query, into_key) @ x.mT
        scores = scores * self.scale
        if self.causal:
            scores = scores.masked_fill((times > at[:, None])[:, None], -math.inf)
        mixed = torch.einsum("bhw,hdw->bhd", scores.softmax(-1) @ x, into_value)
        return self.output(mixed.flatten(1) if self.value.bias is None else mixed.flatten(1) + self.value.bias)

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        initialise_as_gpt2(self, self.output, depth, deviation)


def _without_room(state: State, used: int) -> Cache:
    """Return the cache of the used tokens, without the room that `advance` leaves after them."""
    keys, values = state
    return Cache(keys[:, :, :used], values[:, :, :used])


def _with_room(part: Float[Tensor, "*shape"], *, used: int, axis: int) -> Float[Tensor, "*larger_shape"]:
    """Return `part` if there is room along the axis after the used tokens, else a copy with room for as many again."""
    if part.shape[axis] > used:
        return part
    shape = list(part.shape)
    shape[axis] = max(LEAST_ROOM, 2 * used)
    larger = part.new_empty(shape)
    larger.narrow(axis, 0, used).copy_(part)
    return larger


def rotated(u: Float[Tensor, "*shape part"], times: Tensor) -> Float[Tensor, "*shape part"]:
    """Return u with each pair of coordinates (2i, 2i+1) turned by times * theta_i. Angles are computed in float64.

    Raises ValueError if the last axis is odd.
    """
    part = u.shape[-1]
    if part % 2:
        raise ValueError(f"rotated(u with {part} coordinates): positions rope turn pairs, so width / heads is even")
    theta = 10000.0 ** (-torch.arange(0, part, 2, dtype=torch.float64, device=u.device) / part)
    angle = times[..., None] * theta
    cosine = angle.cos().to(u.dtype)
    sine = angle.sin().to(u.dtype)
    even = u[..., 0::2]
    odd = u[..., 1::2]
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1).flatten(-2)
