"""The gated delta rule chunk by chunk: what is read from the state at every token, or the last state alone.

With S the state before a chunk and l the sum of log a up to a token of it, the recurrence of `gated_delta` is
S_i = exp(l_i) S + sum over j <= i of exp(l_i - l_j) k_j w_j^T, where w_i, what token i writes, solves a triangular system:

    w_i + b_i sum over j < i of exp(l_i - l_j) (k_i . k_j) w_j = b_i (v_i - exp(l_i) S^T k_i).

It is solved for both parts on the right before S is known (the UT transform): w_i = value_i - S^T erased_i. So a chunk maps S
to kept S + arrived, which is all that is left to do in order.
Source: Yang, Kautz and Hatamizadeh 2024 (arXiv:2412.06464), section 3.3, with states transposed.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from seqsep.models.mixers._chunks import StatesBefore, into_chunks
from seqsep.models.mixers._decay import decay_between_tokens, remaining


class Chunks(NamedTuple):
    """The effect of the tokens of each chunk: S becomes kept S + arrived, and token i writes value_i - S^T erased_i."""

    values: Float[Tensor, "batch chunks heads size value"]
    erased: Float[Tensor, "batch chunks heads size key"]
    kept: Float[Tensor, "batch chunks heads key key"]
    arrived: Float[Tensor, "batch chunks heads key value"]

    def states_before(
        self, first: Float[Tensor, "batch heads key value"] | None = None
    ) -> Float[Tensor, "batch chunks heads key value"]:
        """Return S before each chunk; that before the first is 0 unless it is given."""
        first = self.arrived.new_zeros(()) if first is None else first
        return StatesBefore.apply(first, self.kept, self.arrived, True)


def read(
    q: Float[Tensor, "batch time heads key"],
    k: Float[Tensor, "batch time heads key"],
    v: Float[Tensor, "batch time heads value"],
    log_decay: Float[Tensor, "batch time heads"],
    b: Float[Tensor, "batch time heads"],
    most: int,
) -> Float[Tensor, "batch time heads value"]:
    """Return S_t^T q_t at every token, in chunks of at most `most` tokens."""
    time = q.shape[1]
    q, k, v, log_decay, b = (_by_chunk(part, most) for part in (q, k, v, log_decay, b))
    total = log_decay.cumsum(-1)
    decay = decay_between_tokens(total)
    chunks = _solved(k, v, b=b, total=total, decay=decay)
    before = chunks.states_before()
    written = chunks.values - chunks.erased @ before
    result = (q @ k.mT * decay) @ written + (q * remaining(total)[..., None]) @ before
    return result.transpose(2, 3).flatten(1, 2)[:, :time]


def last_state(
    k: Float[Tensor, "batch time heads key"],
    v: Float[Tensor, "batch time heads value"],
    log_decay: Float[Tensor, "batch time heads"],
    b: Float[Tensor, "batch time heads"],
    most: int,
    first: Float[Tensor, "batch heads key value"] | None = None,
) -> Float[Tensor, "batch heads key value"]:
    """Return S after the last token, from `first` or 0. A token whose log decay and rate are 0 leaves S as it is."""
    k, v, log_decay, b = (_by_chunk(part, most) for part in (k, v, log_decay, b))
    total = log_decay.cumsum(-1)
    chunks = _solved(k, v, b=b, total=total, decay=decay_between_tokens(total))
    return chunks.arrived[:, -1] + chunks.kept[:, -1] @ chunks.states_before(first)[:, -1]


def _by_chunk(u: Float[Tensor, "batch time heads *part"], most: int) -> Float[Tensor, "batch chunks heads size *part"]:
    return into_chunks(u, most).transpose(2, 3).contiguous()


def _solved(
    k: Float[Tensor, "batch chunks heads size key"],
    v: Float[Tensor, "batch chunks heads size value"],
    *,
    b: Float[Tensor, "batch chunks heads size"],
    total: Float[Tensor, "batch chunks heads size"],
    decay: Float[Tensor, "batch chunks heads size size"],
) -> Chunks:
    """Return the effect of each chunk, before the state in front of it is known; `total` is l and `decay` exp(l_i - l_j)."""
    b = b[..., None]
    system = b * (k @ k.mT) * decay  # the solver reads what is below the diagonal
    right = torch.cat([b * v, b * remaining(total)[..., None] * k], dim=-1)
    solved = torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True)
    values, erased = solved.split([v.shape[-1], k.shape[-1]], dim=-1)
    whole = total[..., -1:]
    keys_at_end = (k * remaining(whole - total)[..., None]).mT
    identity = torch.eye(k.shape[-1], dtype=k.dtype, device=k.device)
    kept = remaining(whole)[..., None] * identity - keys_at_end @ erased
    arrived = (keys_at_end @ values).to(total.dtype)  # under autocast the product is 16 bits, the state is not
    return Chunks(values, erased, kept, arrived)
