"""Multi-scale retention (RetNet): linear attention with a decay per head and rotated queries and keys.

    gamma_h = 1 - 2^(-5-h), h = 0, 1, ..
    q_t, k_t = W_Q x_t rotated by t theta, W_K x_t rotated by t theta, divided by sqrt(d) on the key's side
    S_t = gamma_h S_{t-1} + k_t v_t^T       (per head)
    y_t = W_O (swish(W_G x_t) * GroupNorm over each head of q_t^T S_t)

Source: Sun et al. 2023 (arXiv:2307.08621), equations 5 to 8; theta_i = 10000^(-2i/d) as in its section 2.1.
We differ: the score normalisers of its section 2.2 ("Retention Score Normalization") are left out; the group norm makes the
layer invariant to the first two, and the third bounds a float32 sum that our lengths do not reach.
State: per head a d x d matrix S, d = width / heads. `forward` is the quadratic form (q_t . k_j) gamma^(t-j).
"""

from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.mixers.base import GPT2_DEVIATION, Block, Mixer, State, initialise_as_gpt2, merge_heads, require_heads, split_heads


class Memory(NamedTuple):
    outer_products: Float[Tensor, "batch heads key value"]


class Retention(Mixer):
    name: ClassVar[str] = "retention"
    block: ClassVar[Block] = Block(norm="layer", mlp=True, positions="none")

    decay: Tensor
    angle: Tensor

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        require_heads("Retention", width, heads)
        if (width // heads) % 2:
            raise ValueError(
                f"Retention(width={width}, heads={heads}): width / heads is even, since coordinates rotate in pairs"
            )
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.gate = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        part = width // heads
        self.register_buffer("decay", 1 - 2.0 ** (-5 - torch.arange(heads, dtype=torch.float64)), persistent=False)
        angle = 10000.0 ** (-torch.arange(0, part, 2, dtype=torch.float64) / part)
        self.register_buffer("angle", angle.repeat_interleave(2), persistent=False)

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        initialise_as_gpt2(self, self.output, depth, deviation)

    def _rotate(self, u: Float[Tensor, "*shape part"], times: Tensor) -> Float[Tensor, "*shape part"]:
        """Turn each pair of coordinates by times * theta; `times` broadcasts against all axes of u but the last."""
        turns = times.to(torch.float64)[..., None] * self.angle
        pairs = u.unflatten(-1, (-1, 2))
        quarter_turn = torch.stack([-pairs[..., 1], pairs[..., 0]], dim=-1).flatten(-2)
        return u * turns.cos().to(u.dtype) + quarter_turn * turns.sin().to(u.dtype)

    def _project_out(
        self, x: Float[Tensor, "*shape width"], mixed: Float[Tensor, "*shape heads part"]
    ) -> Float[Tensor, "*shape width"]:
        normed = F.layer_norm(mixed, mixed.shape[-1:], eps=1e-6)
        return self.output(F.silu(self.gate(x)) * normed.flatten(-2))

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        times = torch.arange(x.shape[1], device=x.device)
        query, key, value = (split_heads(part(x), self.heads) for part in (self.query, self.key, self.value))
        query, key = self._rotate(query, times), self._rotate(key, times) * query.shape[-1] ** -0.5
        age = (times[:, None] - times).clamp(min=0)
        decay = (self.decay[:, None, None] ** age).tril().to(x.dtype)
        mixed = (query @ key.transpose(-1, -2) * decay) @ value
        return self._project_out(x, merge_heads(mixed).unflatten(-1, (self.heads, -1)))

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        times = torch.arange(x.shape[1], device=x.device)
        asked = x[torch.arange(x.shape[0], device=x.device), at]
        query = self._rotate(self.query(asked).unflatten(-1, (self.heads, -1)), at[:, None])
        key, value = (part(x).unflatten(-1, (self.heads, -1)) for part in (self.key, self.value))
        key = self._rotate(key, times[:, None]) * query.shape[-1] ** -0.5
        age = (at[:, None] - times)[:, None]
        decay = torch.where(age < 0, 0, self.decay[:, None] ** age.clamp(min=0)).to(x.dtype)
        weights = torch.einsum("bhd,bthd->bht", query, key) * decay
        return self._project_out(asked, torch.einsum("bht,bthd->bhd", weights, value))

    def start(self, batch: int) -> Memory:
        part = self.key.out_features // self.heads
        return Memory(self.key.weight.new_zeros(batch, self.heads, part, part))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        query, key, value = (part(x).unflatten(-1, (self.heads, -1)) for part in (self.query, self.key, self.value))
        now = torch.tensor(t, device=x.device)
        query, key = self._rotate(query, now), self._rotate(key, now) * query.shape[-1] ** -0.5
        decay = self.decay[:, None, None].to(x.dtype)
        outer_products = decay * state[0] + key[..., :, None] * value[..., None, :]
        mixed = torch.einsum("bhk,bhkv->bhv", query, outer_products)
        return self._project_out(x, mixed), Memory(outer_products)
