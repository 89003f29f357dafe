"""Multi-scale retention (RetNet): linear attention with a decay per head and rotated queries and keys.

    gamma_h = 1 - 2^(-5-h), h = 0, 1, ..
    q_t, k_t = W_Q x_t rotated by t theta, W_K x_t rotated by t theta, divided by sqrt(d) on the key's side
    S_t = gamma_h S_{t-1} + k_t v_t^T       (per head)
    y_t = W_O (swish(W_G x_t) * GroupNorm over each head of q_t^T S_t)

Source: Sun et al. 2023 (arXiv:2307.08621), equations 5 to 8; theta_i = 10000^(-2i/d) as in its section 2.1.
We differ: the score normalisers of its section 2.2 ("Retention Score Normalization") are left out; the group norm makes the
layer invariant to the first two, and the third bounds a float32 sum that our lengths do not reach.
State: per head a d x d matrix S, d = width / heads.
`forward` is the quadratic form (q_t . k_j) gamma^(t-j) for at most `chunk`
tokens; longer inputs are cut into chunks of m tokens that get S from the one before (the paper's equation 7), where S at the
end of a chunk is gamma^m times that before it plus sum over i of gamma^(m-1-i) k_i v_i^T: time linear in the length.
On a GPU: `forward` takes the kernel `chunk_simple_gla` of flash-linear-attention where installed (`_kernels.py`).
"""

from typing import Any, ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.mixers import _kernels
from seqsep.mixers.base import GPT2_DEVIATION, Block, Mixer, State, initialise_as_gpt2, merge_heads, require_heads, split_heads
from seqsep.mixers.linear_attention import cut


class EarlierChunks(torch.autograd.Function):
    """S_0 = 0, S_c = decay S_{c-1} + added_{c-1} for every chunk c (the third axis), with one decay per head."""

    @staticmethod
    def forward(ctx: Any, added: Tensor, decay: Tensor) -> Tensor:
        ctx.save_for_backward(decay)
        states = torch.zeros_like(added)
        for chunk in range(1, added.shape[2]):
            torch.addcmul(added[:, :, chunk - 1], decay, states[:, :, chunk - 1], out=states[:, :, chunk])
        return states

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, None]:
        (dstates,), (decay,) = gradients, ctx.saved_tensors
        dadded = torch.zeros_like(dstates)
        for chunk in range(dadded.shape[2] - 2, -1, -1):
            torch.addcmul(dstates[:, :, chunk + 1], decay, dadded[:, :, chunk + 1], out=dadded[:, :, chunk])
        return dadded, None


class Memory(NamedTuple):
    outer_products: Float[Tensor, "batch heads key value"]


class Retention(Mixer):
    name: ClassVar[str] = "retention"
    block: ClassVar[Block] = Block(norm="layer", mlp=True, positions="none")
    chunk: ClassVar[int] = 64

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
        if _kernels.usable(key, value):
            query, key, value = (part.transpose(1, 2) for part in (query, key, value))
            return self._project_out(x, _kernels.read(query, key, value, self.decay.log()))
        if x.shape[1] <= self.chunk:
            mixed = (query @ key.mT * self._decays(times, x)) @ value
            return self._project_out(x, merge_heads(mixed).unflatten(-1, (self.heads, -1)))
        query, key, value = (cut(part, self.chunk) for part in (query, key, value))
        size = query.shape[3]
        times = times[:size]
        decay = self.decay[:, None, None, None]
        to_end, from_start = ((decay ** (power[:, None])).to(x.dtype) for power in (size - 1 - times, times + 1))
        earlier = EarlierChunks.apply((key * to_end).mT @ value, (self.decay[:, None, None] ** size).to(x.dtype))
        mixed = (query @ key.mT * self._decays(times, x)[:, None]) @ value + (query * from_start) @ earlier
        return self._project_out(x, merge_heads(mixed.flatten(2, 3)[:, :, : x.shape[1]]).unflatten(-1, (self.heads, -1)))

    def _decays(self, times: Tensor, like: Tensor) -> Float[Tensor, "heads time time"]:
        """gamma^(t-j) where j <= t, else 0."""
        age = (times[:, None] - times).clamp(min=0)
        return (self.decay[:, None, None] ** age).tril().to(like.dtype)

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
